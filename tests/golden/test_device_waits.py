"""Waiting of threads for kernels of an accelerator, and their place on the critical path.

Both are extended: not in Scalasca.
"""

from typing import Any

import pytest

from tests.helpers.otf2_archive import Trace

NEEDED = ("locations", "visits", "regions", "call_paths")


@pytest.fixture
def device_waits(read, run_query):
    """Waits, or rows of another relation, of a process with a thread and streams."""

    def find(
        thread: str, *streams: str, columns: str = "start_ns wait_ns cause_location_id",
        other: str = "", relation: str = "device_waits",
    ) -> list[tuple[Any, ...]]:  # fmt: skip
        trace = Trace()
        trace.location(thread)
        trace.accelerators[1] = 0
        for number, stream in enumerate(streams):
            trace.location(stream, process=1, kind="gpu", name=f"stream {number}")
        if other:
            trace.location(other, process=2)
        tables = read(trace)
        given = {name: tables.records(name) for name in NEEDED}
        waits: list[tuple[Any, ...]] = run_query(relation, given, columns)
        return waits

    return find


def call(name: str, enter: int, leave: int) -> str:
    return f"{enter} enter {name}\n{leave} leave {name}\n"


#             10    20       35       50  60
# thread            [hipDeviceSynchronize ]     waits from 20 to 50
# stream 1    [kernel        ]                  ends at 35
# stream 2          [kernel           ]         ends at 50, the last one
def test_a_thread_waits_for_the_last_kernel(device_waits):
    waits = device_waits(
        call("hipDeviceSynchronize", 20, 60), call("kernel", 10, 35), call("kernel", 20, 50),
        columns="location_id start_ns wait_ns cause_location_id is_extended confidence",
    )  # fmt: skip
    assert waits == [(0, 20, 30, 2, True, 100)]


# The first kernel ends before the call, the last one after it: neither is waited for.
def test_only_kernels_that_end_inside_count(device_waits):
    kernels = call("a", 0, 20) + call("b", 21, 40) + call("c", 45, 90)
    assert device_waits(call("cudaStreamSynchronize", 20, 60), kernels) == [(20, 20, 1)]
    assert device_waits(call("cudaStreamSynchronize", 20, 39), kernels) == []
    assert device_waits(call("cudaStreamSynchronize", 20, 40), kernels) == [(20, 20, 1)]


# A call for one stream or event may wait for either kernel; the last one counts.
def test_a_call_for_one_of_several_streams_is_less_certain(device_waits):
    columns = "wait_ns cause_location_id confidence"
    kernels = call("kernel", 10, 35), call("kernel", 20, 50)
    thread = call("hipEventSynchronize", 20, 60)
    assert device_waits(thread, *kernels, columns=columns) == [(30, 2, 50)]
    assert device_waits(thread, kernels[0], columns=columns) == [(15, 1, 100)]


# The runtime calls the driver: the inner call waits, from 22 to 50.
def test_a_call_inside_another_one_waits_once(device_waits):
    thread = "20 enter cudaDeviceSynchronize\n" + call("cuCtxSynchronize", 22, 58)
    thread += "60 leave cudaDeviceSynchronize\n"
    assert device_waits(thread, call("kernel", 10, 50)) == [(22, 28, 1)]


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("cuStreamSynchronize", 1), ("cudaEventSynchronize", 1), ("hipStreamSynchronize", 1),
        ("cudaThreadSynchronize", 1), ("clFinish", 1), ("clWaitForEvents", 1),
        ("cudaStreamSynchronize_ptsz", 1), ("cudaStreamWaitEvent", 0), ("hipEventRecord", 0),
        ("cudaEventSynchronizeAll", 0), ("my_cudaDeviceSynchronize", 0),
    ],
)  # fmt: skip
def test_calls_are_known_by_name(device_waits, name, count):
    assert len(device_waits(call(name, 20, 60), call("kernel", 10, 50))) == count


def test_kernels_of_another_process_are_not_waited_for(device_waits):
    waits = device_waits("0 enter main\n 90 leave main", call("kernel", 10, 50),
                         other=call("hipDeviceSynchronize", 20, 60))  # fmt: skip
    assert waits == []


def test_without_streams_there_is_no_wait(device_waits):
    assert device_waits(call("hipDeviceSynchronize", 20, 60)) == []


# --- Critical path ------------------------------------------------------------------------------

SEGMENT = "location_id begin_ns end_ns kind wait_ns completion_ns"


def critical_path(device_waits, thread: str, *streams: str) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = device_waits(
        f"0 enter main\n{thread}100 leave main", *streams, columns=SEGMENT,
        relation="critical_path_segments",
    )  # fmt: skip
    return found


#            0    10    20  25            60     80   90    100
# thread     [main [launch ][synchronize             ]       ]
# stream 1                  [kernel        ]
# stream 2                      [copy (30)       ]
#
# Path: thread until the copy begins, the copy, then the thread from 20 less its wait of 60.
# 30 + 50 + (100 - 20 - 60) = 100, the whole run.
def test_the_path_passes_the_kernel_that_was_waited_for(device_waits):
    thread = call("hipLaunchKernel", 10, 20) + call("hipDeviceSynchronize", 20, 90)
    assert critical_path(device_waits, thread, call("kernel", 25, 60), call("copy", 30, 80)) == [
        (0, 0, 30, None, 0, 0),
        (2, 30, 80, "launch", 0, 0),
        (0, 20, 100, "device", 60, 10),
    ]


# Both kernels are launched before the first one ends: the second one waits for the first, and the
# path stays on the stream. 25 + 55 + (100 - 30 - 50) = 100.
def test_the_path_passes_all_kernels_that_wait_for_each_other(device_waits):
    thread = (
        call("cudaLaunchKernel", 10, 15) + call("cudaLaunchKernel", 15, 20)
        + call("cudaStreamSynchronize", 30, 85)
    )  # fmt: skip
    kernels = call("first", 25, 60) + call("second", 62, 80)
    assert critical_path(device_waits, thread, kernels) == [
        (0, 0, 25, None, 0, 0),
        (1, 25, 80, "launch", 0, 0),
        (0, 30, 100, "device", 50, 5),
    ]


# The second kernel is launched after the end of the first one: 45 + 15 + (100 - 50 - 10) = 100.
# The first one ended before anything waited for it, so it is not on the path.
def test_the_path_goes_back_to_the_thread_at_each_launch(device_waits):
    thread = (
        call("cuLaunchKernel", 5, 10) + call("cuLaunchKernel", 42, 44)
        + call("cuCtxSynchronize", 50, 70)
    )  # fmt: skip
    kernels = call("first", 10, 40) + call("second", 45, 60)
    assert critical_path(device_waits, thread, kernels) == [
        (0, 0, 45, None, 0, 0),
        (1, 45, 60, "launch", 0, 0),
        (0, 50, 100, "device", 10, 10),
    ]


# Without a known launch the path would end at the kernel; it stays on the thread instead.
def test_the_path_stays_on_the_thread_without_launches(device_waits):
    thread = call("hipDeviceSynchronize", 20, 90)
    assert critical_path(device_waits, thread, call("kernel", 25, 60)) == [(0, 0, 100, None, 0, 0)]


COSTS = "call_path_id location_id victim_location_id direct_ns"


# ns        0    10   20   30   40   50   60   70
# thread              [hipDeviceSynchronize  ]          waits from 20 to 55
# stream 1  [a ]  [b    ]  [a        ]                  b: 20 to 25, a: 35 to 55
# stream 2           [c  ]                              not the last one
def test_kernels_cause_the_waiting_while_they_run(device_waits):
    first = call("a", 0, 5) + call("b", 12, 25) + call("a", 35, 55)
    costs = device_waits(
        call("hipDeviceSynchronize", 20, 60), first, call("c", 15, 30),
        relation="device_delays", columns=COSTS,
    )  # fmt: skip
    assert sorted(cost for *_, cost in costs) == [5, 20]
    assert {places[1:3] for places in costs} == {(1, 0)}


# The first call waits from 10 to 30, the second one from 40 to 60.
def test_a_kernel_over_several_waits_causes_a_part_of_each(device_waits):
    thread = call("cudaStreamSynchronize", 10, 32) + call("cudaStreamSynchronize", 40, 62)
    kernels = call("k", 5, 30) + call("k", 35, 45) + call("k", 45, 60)
    (cost,) = device_waits(thread, kernels, relation="device_delays", columns="direct_ns")
    assert cost == (30 - 10 + 60 - 40,)


# The copy ends where the wait begins, and b where it ends: neither takes any of its time.
def test_a_kernel_without_duration_causes_nothing(device_waits):
    kernels = call("copy", 20, 20) + call("a", 20, 50) + call("b", 50, 50)
    costs = device_waits(
        call("hipDeviceSynchronize", 20, 60), kernels, relation="device_delays",
        columns="location_id direct_ns",
    )  # fmt: skip
    assert costs == [(1, 30)]


def test_root_causes_have_kernels_beside_late_calls(device_waits):
    (cause,) = device_waits(
        call("hipDeviceSynchronize", 20, 60), call("k", 10, 50),
        relation="root_causes", columns="kind location_id victim_location_id direct_ns",
    )  # fmt: skip
    assert cause == ("device", 1, 0, 30)


# Rank 0 waits for the kernel from 10 to 60. The receiver waits from 10 to 80: until 70 because of
# hipDeviceSynchronize, then because of main. Every process has a rank, so the receiver's is 2.
def test_causes_of_waiting_for_devices_and_messages_stand_together(read, run_query):
    trace = Trace(accelerators={1: 0})
    for name in ("MPI_Send", "MPI_Recv"):
        trace.region(name, paradigm="mpi", role="point2point")
    sync = call("hipDeviceSynchronize", 10, 70)
    send = "80 enter MPI_Send\n80 MpiSend 2 0 0 8\n85 leave MPI_Send\n"
    trace.location(f"0 enter main\n{sync}{send}100 leave main")
    trace.location(call("k", 10, 60), process=1, kind="gpu", name="stream")
    receive = "10 enter MPI_Recv\n90 MpiRecv 0 0 0 8\n90 leave MPI_Recv\n"
    trace.location(f"0 enter main\n{receive}100 leave main", process=2)
    tables = read(trace)
    given = {name: tables.records(name) for name in tables.tables}
    causes = run_query("root_causes", given, "kind location_id victim_location_id direct_ns")
    assert sorted(causes) == [
        ("device", 1, 0, 50), ("latesender", 0, 2, 10), ("latesender", 0, 2, 60)
    ]  # fmt: skip
