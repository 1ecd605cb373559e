"""Which call launched a kernel, and what a replay makes of it.

A kernel waits for its launch and for the kernel before it on its stream; a call that synchronizes
waits for the last kernel of each stream. A copy that Score-P records without a visit follows the
process.
"""

from typing import Any

import pytest

from tests.helpers.otf2_archive import TYPES, Event, Trace, parse_events

NEEDED = (
    "locations", "visits", "visit_sums", "regions", "call_paths", "parameters", "parameter_values",
    "attributes", "record_attributes",
)  # fmt: skip
ACTIVITY = "location_id kind end_ns wait_ns duration_ns"
Rows = list[tuple[Any, ...]]


@pytest.fixture
def rows_of(read, run_query):
    """Rows of a relation of a trace."""

    def find(trace: Trace, relation: str, columns: str) -> Rows:
        tables = read(trace)
        given = {name: tables.records(name) for name in NEEDED}
        found: Rows = run_query(relation, given, columns)
        return found

    return find


def process(thread: str, *streams: str) -> Trace:
    """A process with one thread, and the streams that it uses."""
    trace = Trace()
    trace.region("idle", role="artificial", paradigm="cuda")
    trace.define("Attribute", 0, "CUDA_STREAM_REF", "", TYPES["location"])
    trace.define("Parameter", 0, "callsite id", 2)
    trace.accelerators[1] = 0
    trace.location(thread, process=0)
    for number, stream in enumerate(streams):
        trace.location(stream, process=1, kind="gpu", name=f"stream {number}")
    return trace


def call(name: str, enter: int, leave: int, site: int | None = None) -> str:
    """A call or kernel, with the parameter that Score-P writes for call sites."""
    named = "" if site is None else f"{enter} ParameterUnsignedInt 0 {site}\n"
    return f"{enter} enter {name}\n{named}{leave} leave {name}\n"


def launches_of(rows_of, trace: Trace) -> list[tuple[int, int | None]]:
    """Begin of each kernel and of its launch."""
    return rows_of(trace, "kernels", "enter_ns launch_enter_ns")


# --- Launches ------------------------------------------------------------------------------------


#             0   2   4   6     10        20        30
# thread      [L1][L2][L3]
# stream 1        [kernel       ][kernel  ]
# stream 2                       [kernel           ]
#
# As many launches as kernels: the first one is the first kernel's. Others were queued.
def test_launches_and_kernels_are_paired_in_their_order(rows_of):
    thread = call("hipLaunchKernel", 0, 2) + call("hipLaunchKernel", 2, 4)
    thread += call("hipLaunchKernel", 4, 6)
    trace = process(thread, call("a", 2, 10) + call("b", 10, 20), call("c", 11, 30))
    assert launches_of(rows_of, trace) == [(2, 0), (10, 2), (11, 4)]


# A copy is launched between two kernels, but has no visit.
def test_calls_that_launch_copies_launch_no_kernel(rows_of):
    thread = call("cudaLaunchKernel", 0, 1) + call("cudaMemcpyAsync", 1, 2)
    thread += call("cudaLaunchKernel", 2, 3)
    assert launches_of(rows_of, process(thread, call("a", 4, 9) + call("b", 9, 12))) == [
        (4, 0), (9, 2),
    ]  # fmt: skip


# A copy as a visit of the stream: three launching calls, three of kernels and copies.
def test_copies_with_visits_have_launches(rows_of):
    thread = call("cudaLaunchKernel", 0, 1) + call("cudaMemcpy", 1, 14)
    thread += call("cudaLaunchKernel", 14, 15)
    stream = call("a", 2, 9) + call("copy", 9, 12) + call("b", 16, 20)
    assert launches_of(rows_of, process(thread, stream)) == [(2, 0), (9, 1), (16, 14)]


# The second launch's kernel is missing: both others have the last launch before them.
def test_with_other_numbers_a_kernel_has_the_last_launch_before_it(rows_of):
    thread = call("hipLaunchKernel", 0, 2) + call("hipLaunchKernel", 2, 4)
    thread += call("hipLaunchKernel", 20, 22)
    assert launches_of(rows_of, process(thread, call("a", 3, 10) + call("b", 23, 30))) == [
        (3, 2), (23, 20),
    ]  # fmt: skip


# In the order of all launches, the kernel at 10 would have the first one.
@pytest.mark.parametrize("named_by", ["call site", "stream"])
def test_names_in_the_trace_come_first(rows_of, named_by):
    site = (7, 8) if named_by == "call site" else (None, None)
    launches = call("cuLaunchKernel", 0, 2, site[0]), call("cuLaunchKernel", 2, 4, site[1])
    trace = process("", call("late", 20, 30, site[0]), call("early", 10, 15, site[1]))
    records = [parse_events(each) for each in launches]
    if named_by == "stream":
        for at, events in enumerate(records):
            stream = {0: ("location", (at << 32) + 1)}
            events[0] = Event(events[0].time, "Enter", events[0].arguments, stream)
    trace.locations[0].events.extend(records[0] + records[1])
    trace.locations[0].declared = len(trace.locations[0].events)
    assert launches_of(rows_of, trace) == [(20, 0), (10, 2)]


# The first kernel would begin before the launch from its call site.
def test_names_that_contradict_times_do_not_count(rows_of):
    thread = call("hipLaunchKernel", 0, 2) + call("hipLaunchKernel", 10, 12, 8)
    assert launches_of(rows_of, process(thread, call("a", 5, 8, 8) + call("b", 13, 20))) == [
        (5, 0), (13, 10),
    ]  # fmt: skip


# The runtime calls the driver; both are launches of the one kernel.
def test_a_launch_inside_another_one_counts_once(rows_of):
    thread = f"0 enter cudaLaunchKernel\n{call('cuLaunchKernel', 1, 3)}4 leave cudaLaunchKernel\n"
    assert launches_of(rows_of, process(thread, call("a", 3, 10))) == [(3, 1)]


def test_a_kernel_before_all_launches_has_none(rows_of):
    assert launches_of(rows_of, process(call("hipLaunchKernel", 5, 6), call("a", 3, 10))) == [
        (3, None)
    ]


# --- Replays -------------------------------------------------------------------------------------

#            0    10     20   25                 80     90     100
# thread     [main [launch][synchronize                  ]       ]
# stream                     [kernel              ]
THREAD = (
    "0 enter main\n" + call("hipLaunchKernel", 10, 20) + call("hipDeviceSynchronize", 20, 90)
    + "100 leave main\n"
)  # fmt: skip


# The kernel begins 15 after its launch was entered; the call waits from 20 to 80, and takes 10.
def test_kernels_wait_for_launches_and_calls_for_kernels(rows_of):
    assert rows_of(process(THREAD, call("kernel", 25, 80)), "activities", ACTIVITY) == [
        (0, "start", 0, 0, 0), (0, "work", 10, 0, 10), (0, "call", 20, 0, 10),
        (0, "work", 20, 0, 0), (0, "call", 90, 60, 10), (0, "work", 100, 0, 10),
        (1, "start", 0, 0, 0), (1, "work", 25, 10, 15), (1, "call", 80, 0, 55),
        (1, "work", 80, 0, 0),
    ]  # fmt: skip


# Without the kernel, the call waits from 20 to 25 only and returns at 35: 55 less. Without main,
# launch and kernel are 10 earlier, and the last 10 are gone. The call takes 10 itself. The launch
# is not on the path, which goes to the stream when the launch begins.
def test_gains_of_kernels_are_known(rows_of):
    trace = process(THREAD, call("kernel", 25, 80))
    found = rows_of(trace, "gains", "kind path_ns gain_ns run_ns")
    assert [row[1:] for row in found if row[0] == "region"] == [
        (55, 55, 45), (20, 20, 80), (10, 10, 90),
    ]  # fmt: skip


# A second stream ends at 70: without the longer kernel, the call returns at 80.
def test_a_call_for_the_device_waits_for_all_streams(rows_of):
    trace = process(THREAD, call("long", 25, 80), call("short", 30, 70))
    found = rows_of(trace, "gains", "kind path_ns gain_ns run_ns")
    assert ("region", 55, 10, 90) in found


#            0  2  4  5            25 26          46 50      60
# thread     [L1][L2][synchronize                    ][main   ]
# stream           [first           ][second      ]
#
# Without the first kernel, the second one begins at 5 + 1 = 6, ends at 26, and the call returns at
# 30 instead of 50.
def test_queued_kernels_follow_each_other(rows_of):
    thread = (
        "0 enter main\n" + call("cudaLaunchKernel", 0, 2) + call("cudaLaunchKernel", 2, 4)
        + call("cudaStreamSynchronize", 4, 50) + "60 leave main\n"
    )  # fmt: skip
    trace = process(thread, call("first", 5, 25) + call("second", 26, 46))
    found = rows_of(trace, "gains", "kind path_ns gain_ns run_ns")
    assert [row[1:] for row in found if row[0] == "region"][:2] == [(20, 20, 40), (20, 20, 40)]


# The kernel ends while the thread works; without that work, the call would wait for it. The
# kernel ends at 65, so the call returns at 75 and the run ends at 85 instead of 100.
#
#            0    10     20                 70  80      90     100
# thread     [main [launch][work             ]  [sync    ]       ]
# stream                     [kernel      ] 65
def test_calls_depend_on_kernels_that_ended_before(rows_of):
    thread = (
        "0 enter main\n" + call("hipLaunchKernel", 10, 20) + call("work", 20, 80)
        + call("hipDeviceSynchronize", 80, 90) + "100 leave main\n"
    )  # fmt: skip
    found = rows_of(process(thread, call("kernel", 25, 65)), "gains", "kind path_ns gain_ns run_ns")
    assert ("region", 60, 15, 85) in found


# The stream idles from the begin of the program on, until its first kernel and after it. It has to
# wait for the launch only: without main, everything is 10 earlier, and the last 10 are gone. The
# kernel begins 15 after its launch, which is idling, too.
def test_idling_of_a_stream_takes_no_time(rows_of):
    stream = call("idle", 1, 25) + call("kernel", 25, 80) + call("idle", 80, 99)
    trace = process(THREAD, stream)
    assert rows_of(trace, "kernels", "enter_ns") == [(25,)]
    found = rows_of(trace, "gains", "kind path_ns gain_ns run_ns")
    assert [row[1:] for row in found if row[0] == "region"] == [
        (55, 55, 45), (20, 20, 80), (15, 15, 85), (10, 10, 90),
    ]  # fmt: skip


# A stream that only records a copy, at 95, ends 5 after the thread's last moment, at 90.
def test_a_stream_without_kernels_follows_its_process(rows_of):
    copy = "93 ParameterUnsignedInt 0 1\n95 ParameterUnsignedInt 0 1\n"
    trace = process(THREAD, call("kernel", 25, 80), copy)
    found = rows_of(trace, "activities", ACTIVITY)
    assert found[-2:] == [(2, "start", 0, 0, 0), (2, "work", 95, 90, 5)]
    assert ("region", 55, 55, 45) in rows_of(trace, "gains", "kind path_ns gain_ns run_ns")


# Score-P records the idling of a device on its first stream, even if all kernels run on others.
def test_a_stream_that_only_idles_needs_no_launch(rows_of):
    trace = process(THREAD, call("idle", 1, 99), call("kernel", 25, 80))
    assert ("region", 55, 55, 45) in rows_of(trace, "gains", "kind path_ns gain_ns run_ns")


# --- What cannot be known ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "thread",
    [
        "0 enter main\n100 leave main\n",
        f"0 enter main\n{call('hipLaunchKernel', 10, 20)}100 leave main\n",
        f"0 enter main\n{call('hipDeviceSynchronize', 20, 90)}100 leave main\n",
    ],
    ids=["no calls", "nothing waits", "no launch"],
)
def test_without_launches_or_waits_nothing_is_said_about_gains(rows_of, thread):
    trace = process(thread, call("kernel", 25, 80))
    assert rows_of(trace, "gains", "kind") == []
    metrics = rows_of(trace, "pop_metrics", "metric is_valid")
    assert {is_valid for _, is_valid in metrics} == {False}
    assert "transfer_efficiency" not in [metric for metric, _ in metrics]
