"""Forecasts of small programs, computed by hand.

Unless a test says otherwise, eight cores share one channel: a transfer takes 10 ns and 1 ns per
byte. The product and the slow simulation in `tests/oracle` have to agree with every figure.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.described_programs import (
    access,
    array,
    branch,
    channel,
    cluster,
    collective,
    copy,
    exchange,
    interval,
    iterations,
    level,
    loop,
    mvs_15k,
    neighbours,
    one_level,
    parallel,
    pipelined,
    program,
    reduction,
    remote,
    serial,
    wait,
)  # fmt: skip
from tests.oracle.forecast import simulate as simulate_slowly
from tracemill.forecast.simulation import simulate
from tracemill.programs.clusters.cluster import Placement, UnitException
from tracemill.programs.clusters.reading import read_cluster
from tracemill.programs.language.data_program import DataProgram
from tracemill.programs.language.reading import read_program

Simulate = Callable[..., Any]
NEXT = ((1, 0),)
DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(params=[simulate, simulate_slowly], ids=["product", "oracle"])
def run(request: pytest.FixtureRequest) -> Simulate:
    def simulate_fully(*args: Any, shortcuts: str = "none", **given: Any) -> Any:
        return request.param(*args, shortcuts=shortcuts, **given)

    return simulate_fully


def ends(outcome: Any) -> list[int]:
    """When each process ends (ns)."""
    return list(outcome.ends_ns)


def split(outcome: Any, number: int = 0) -> tuple[int, int, int]:
    """Productive time, insufficient parallelism and communication of an interval (ns)."""
    found = outcome.intervals[number]
    return (
        int(sum(found.productive_ns)),
        int(sum(found.insufficient_ns)),
        int(sum(found.communication_ns)),
    )


# Within a node 1000 + 1 * bytes, between nodes 7000 + 4 * bytes.
@pytest.mark.parametrize(
    ("size", "within_us", "between_us"),
    [
        (500, 1.5, 9), (1_500, 2.5, 13), (5_000, 6, 27), (30_000, 31, 127), (40_000, 41, 167),
        (100_000, 101, 407),
    ],
)  # fmt: skip
def test_copies_take_the_published_times(
    run: Simulate, size: int, within_us: float, between_us: float
) -> None:
    data = array("A", 3 * size, element_bytes=1)
    to = array("B", 3 * size, element_bytes=1)

    def copy_to(process: int) -> Any:
        first = process * size
        section, target = ((first - size, first - 1),), ((first, first + size - 1),)
        return run(program(3, copy(data, section, to, target), arrays=[data, to]), mvs_15k())

    assert ends(copy_to(1)) == [0, within_us * 1000, 0]
    assert ends(copy_to(2)) == [0, 0, between_us * 1000]


# Program speed 2 on cores of speed 1 doubles times; core 2 has half the speed. Process 0 computes
# productively 200 + 100; copies of the serial part take 200 and 400.
def test_serial_parts_on_cores_of_different_speed(run: Simulate) -> None:
    on = one_level(exceptions=[UnitException("core", (2,), speed=0.5)])
    first = run(program(3, serial(100), speed=2), on)
    assert ends(first) == [200, 200, 400]
    found = run(program(3, serial(100), serial(50, on="first"), speed=2), on)
    assert ends(found) == [300, 200, 400]
    assert found.intervals[0].total_ns == 1200
    assert split(found) == (300, 600, 0)


# Blocks of 4, 4 and 2 elements. Edges: 2 to 1 [200, 220), then from 400 on 0 to 1, 1 to 0, 1 to 2.
# Reduction: 1 to 0 [460, 478), 2 to 0 [478, 496), 0 to 1 to 514, 0 to 2 to 532.
def test_edges_and_a_reduction_after_uneven_parts(run: Simulate) -> None:
    data = array("A", 10, element_bytes=10)
    body = [parallel(1000, data), exchange(data)]
    found = run(program(3, *body, arrays=[data]), one_level())
    assert ends(found) == [440, 420, 460]
    assert split(found) == (1000, 0, 320)
    edges = found.intervals[0].classes["exchange"]
    assert (edges.time_ns, edges.before_ns, edges.after_ns) == (320, 200, 60)

    found = run(program(3, *body, reduction(8), arrays=[data]), one_level())
    assert ends(found) == [532, 532, 532]
    assert found.intervals[0].total_ns == 1596
    assert split(found) == (1000, 0, 596)
    assert list(found.intervals[0].communication_ns) == [40 + 92, 20 + 112, 260 + 72]


# 0 to 1 [0, 20), 1 to 0 [20, 40).
@pytest.mark.parametrize(
    ("time", "waits", "overlap", "after"), [(100, [0, 0], 60, 0), (25, [15, 0], 45, 15)]
)
def test_computing_while_edges_move(
    run: Simulate, time: int, waits: list[int], overlap: int, after: int
) -> None:
    data = array("A", 4, element_bytes=10)
    phases = [exchange(data, nonblocking=True, name="edges"), serial(time), wait("edges")]
    found = run(program(2, *phases, arrays=[data]), one_level())
    assert ends(found) == [time + each for each in waits]
    assert list(found.intervals[0].communication_ns) == waits
    edges = found.intervals[0].classes["exchange"]
    assert (edges.overlap_ns, edges.after_ns) == (overlap, after)


# 100 bytes take 110 ns. Process 1 has element 1, and computes 500 ns before it asks for its edge.
@pytest.mark.parametrize(
    ("limit", "last", "communication"), [(float("inf"), [0, 500], 0), (64, [610, 610], 720)]
)
def test_long_transfers_wait_for_their_receiver(
    run: Simulate, limit: float, last: list[int], communication: int
) -> None:
    data = array("A", 2, element_bytes=100)
    phases = [parallel(500, data, ((1, 1),)), exchange(data, width=NEXT)]
    found = run(program(2, *phases, arrays=[data]), one_level(eager_limit_bytes=limit))
    assert ends(found) == last
    assert split(found) == (500, 0, communication)


# Edges of 10 bytes take 20 ns on the first channel, 50 on the second. 0 to 1 takes the first
# [0, 20), 1 to 0 the first [20, 40), 1 to 2 the second [0, 50), 2 to 1 the first [40, 60).
def test_a_transfer_takes_the_channel_by_which_it_leaves_first(run: Simulate) -> None:
    data = array("A", 3, element_bytes=10)
    on = cluster(level(8, channel(10, 1), channel(30, 2)))
    found = run(program(3, exchange(data), arrays=[data]), on)
    assert ends(found) == [40, 60, 50]
    assert found.levels[0].busy_ns == 110
    assert found.levels[0].transfers == 4
    assert found.levels[0].bytes == 40


# Cores 0 to 7 in sockets and nodes of two: 10, 100 and 1000 ns and 10 bytes. Cyclic over the four
# sockets are cores 0, 2, 4, 6, 1, 3, 5, 7; transfers between nodes share one channel.
@pytest.mark.parametrize(
    ("placement", "last"),
    [
        (Placement(), [0, 20, 110, 20, 1010, 20, 110, 20]),
        (Placement("cyclic", "socket"), [0, 110, 1010, 110, 2020, 220, 3030, 220]),
    ],
)
def test_the_lowest_level_that_joins_two_cores(
    run: Simulate, placement: Placement, last: list[int]
) -> None:
    data = array("A", 8, element_bytes=10)
    levels = [
        level(2, channel(latency, 1), name=name)
        for name, latency in (("socket", 10), ("node", 100), ("cluster", 1000))
    ]
    found = run(
        program(8, exchange(data, width=NEXT), arrays=[data]), cluster(*levels, placement=placement)
    )
    assert ends(found) == last


# A and B have 4 x 4 elements of 1 byte, by rows on two processes.
# Column 1 of A to row 3 of B: process 1 lacks two elements. Transposition: four elements each way,
# 1 to 0 after 0 to 1. Row 0: four bytes to process 1.
def test_copies_and_remote_sections(run: Simulate) -> None:
    data, to = (array(name, 4, 4, element_bytes=1) for name in "AB")
    column, row = ((0, 3), (1, 1)), ((3, 3), (0, 3))

    def last(phase: Any) -> list[int]:
        return ends(run(program(2, phase, arrays=[data, to]), one_level()))

    assert last(copy(data, column, to, row)) == [0, 12]
    assert last(copy(data, data.whole, to, to.whole, order=(1, 0))) == [28, 14]
    assert last(remote(data, ((0, 0), (0, 3)))) == [0, 14]


# 16 x 40 elements of 1 byte by rows on four processes: each has 1600 of 6400 ns. With 10 columns,
# a step takes 400 and its edge 20, so each process ends 420 after the one before.
# Chosen quantum: sqrt(3 * (1600 + 40) / 10) = 22.2, 22 steps, ceil(40 / 22) = 2 columns, 20 steps
# of 80, edges of 12: 1600 + 3 * (80 + 12).
def test_steps_of_a_pipelined_loop(run: Simulate) -> None:
    data = array("A", 16, 40, element_bytes=1)
    given = pipelined(6400, data, ((1, 0), (0, 0)), quantum=10)
    found = run(program(4, given, arrays=[data]), one_level(100))
    assert ends(found) == [1600, 2020, 2440, 2860]
    assert split(found) == (6400, 0, 2520)
    assert found.intervals[0].total_ns - sum(found.intervals[0].own_ns) == 2520

    chosen = pipelined(6400, data, ((1, 0), (0, 0)))
    assert run(program(4, chosen, arrays=[data]), one_level(100)).time_ns == 1876


# 3 x 3 x 20 elements in blocks of 2 and 1 on 2 x 2: process 0 sends 2 * 20 bytes over each extent.
# sqrt(2 * 80 / 10) = 4 steps of 5. 0 to 2 gets 10 bytes, [0, 20), 2 to 3 gets 5, [20, 35).
def test_the_quantum_counts_all_edges_that_a_process_sends(run: Simulate) -> None:
    data = array("A", 3, 3, 20, on=(0, 1), element_bytes=1)
    phase = pipelined(0, data, ((1, 0), (1, 0), (0, 0)))
    found = run(program((2, 2), phase, arrays=[data]), one_level(100))
    assert ends(found) == [0, 20, 20, 35]


# Pairs of processes in two nodes, the second with slower channels. Each computes 400; the first
# node counts: sqrt((400 + 20) / 10) = 6.5, 6 steps, 4 indices: 5 steps of 80, edges of 14 or 1004
# on one channel.
def test_the_quantum_follows_the_first_unit(run: Simulate) -> None:
    data = array("A", 2, 2, 20, on=(0, 1), element_bytes=1)
    phase = pipelined(1600, data, ((0, 0), (1, 0), (0, 0)))
    on = cluster(
        level(2, channel(10, 1), name="node"),
        level(2, channel(100, 1)),
        exceptions=[UnitException("node", (1,), channels=(channel(1000, 1),))],
    )
    found = run(program((2, 2), phase, arrays=[data]), on)
    assert ends(found) == [400, 400 + 94, 400, 80 + 5 * 1004 + 80]


# 32 x 40 elements on eight: 8 steps of 200 and edges of 5 bytes, 15 ns. On one channel and with
# 160 ns in all, steps take round(2.5) = 3 ns.
@pytest.mark.parametrize(
    ("channels", "work", "full", "short"), [(100, 12_800, 3105, 3105), (1, 160, 846, 432)]
)
def test_the_shortcut_of_pipelined_loops(
    run: Simulate, channels: int, work: int, full: int, short: int
) -> None:
    data = array("A", 32, 40, element_bytes=1)
    phase = pipelined(work, data, ((1, 0), (0, 0)), quantum=5)
    steps = program(8, phase, arrays=[data])
    assert run(steps, one_level(channels)).time_ns == full
    assert run(steps, one_level(channels), shortcuts="loops").time_ns == full
    assert run(steps, one_level(channels), shortcuts="all").time_ns == short


def uneven_loop() -> Any:
    """Two elements on process 0, one on process 1; five iterations."""
    data = array("A", 3, element_bytes=10)
    return program(2, loop(5, iterations(30, data), exchange(data), name="steps"), arrays=[data])


# Iteration 1: 1 to 0 [30, 50), 0 to 1 [60, 80). Iteration 2: 1 to 0 ready at 110, [110, 130), 0 to
# 1 ready at 120, [130, 150). Each further one adds 70.
@pytest.mark.parametrize("shortcuts", ["none", "loops", "all"])
def test_the_shortcut_of_loops(run: Simulate, shortcuts: str) -> None:
    found = run(uneven_loop(), one_level(), shortcuts=shortcuts)
    assert ends(found) == [340, 360]
    assert split(found) == (450, 0, (0 + 50) + 4 * (10 + 40))
    assert found.intervals[0].total_ns - sum(found.intervals[0].own_ns) == 20
    edges = found.intervals[0].classes["exchange"]
    assert (edges.operation_count, edges.before_ns, edges.after_ns) == (5, 30 + 4 * 10, 5 * 20)
    assert (found.levels[0].transfers, found.levels[0].bytes) == (10, 100)


# With 0.25 both compute 400; with 0.5 they reduce 10 bytes: [0, 20), [20, 40); else nothing.
def test_a_branch_takes_the_mean_time(run: Simulate) -> None:
    phase = branch((0.25, [serial(400)]), (0.5, [reduction(10)]))
    found = run(program(2, phase), one_level())
    assert ends(found) == [120, 120]
    assert split(found) == (100, 100, 40)
    assert found.intervals[0].classes["reduction"].operation_count == 0.5
    assert found.levels[0].bytes == 10


# Storing takes 1000 ns and 2 ns per byte. Each process has 20 of 40 bytes.
def test_reading_and_writing(run: Simulate) -> None:
    data = array("A", 4, element_bytes=10)
    on = one_level(storage=[channel(1000, 2)])

    def last(phase: Any) -> list[int]:
        return ends(run(program(2, phase, arrays=[data]), on))

    assert last(access("write", data)) == [30 + 1080, 0]
    assert last(access("write", data, mode="each")) == [1040, 2080]
    assert last(access("read", data)) == [1080, 1110]
    assert last(access("read", size=8)) == [1016, 1034]


# The loop of test_the_shortcut_of_loops: the parallel part takes 60 ns on process 0, 30 on 1.
@pytest.mark.parametrize("shortcuts", ["none", "loops"])
def test_loops_as_intervals(run: Simulate, shortcuts: str) -> None:
    found = run(uneven_loop(), one_level(), shortcuts=shortcuts, intervals="loops")
    paths = [each.path for each in found.intervals]
    assert paths == ["program", "program/steps", "program/steps/parallel"]
    inner = found.intervals[2]
    assert (inner.time_ns, inner.total_ns, inner.efficiency) == (5 * 60, 600, 0.75)
    assert split(found, 2) == (450, 0, 0)
    assert list(found.intervals[1].own_ns) == [340, 360]


# Five processes with channels enough; 10 bytes take 20 ns, pieces of ceil(10 / 4) = 3 take 13.
@pytest.mark.parametrize(
    ("processes", "algorithm", "last"),
    [(5, "star", 40), (5, "tree", 80), (5, "recursive doubling", 60), (4, "ring", 6 * 13)],
)
def test_algorithms_of_reductions(run: Simulate, processes: int, algorithm: str, last: int) -> None:
    found = run(program(processes, reduction(10)), one_level(100, algorithm=algorithm))
    assert ends(found) == [last] * processes


# Members of the broadcast are 3, 4, 0, 1, 2: 3 to 4, 0 and 2 to 20; 4 to 1 to 40.
# Gathering: 3 to 1 and 2 to 0 to 20, then 1 to 0 with two parts to 50. A ring of four has 3 rounds.
@pytest.mark.parametrize(
    ("processes", "algorithm", "phase", "last"),
    [
        (5, "tree", collective("bcast", 10, 3), [20, 40, 20, 0, 20]),
        (4, "tree", collective("gather", 10), [50, 20, 0, 0]),
        (4, "ring", collective("allgather", 10), [60] * 4),
    ],
)  # fmt: skip
def test_algorithms_of_collectives(
    run: Simulate, processes: int, algorithm: str, phase: Any, last: list[int]
) -> None:
    assert ends(run(program(processes, phase), one_level(100, algorithm=algorithm))) == last


# One link: core 0 receives at 20, 40, 60, 80 and sends from 80 on, one after the other.
def test_links_into_and_out_of_a_core(run: Simulate) -> None:
    found = run(program(5, collective("bcast", 10)), one_level(100, links=1))
    assert ends(found) == [0, 20, 40, 60, 80]
    found = run(program(5, collective("reduce", 10)), one_level(100, links=1))
    assert ends(found) == [80, 0, 0, 0, 0]
    assert ends(run(program(5, reduction(10)), one_level(100, links=1))) == [160] * 5


def test_parallel_parts_without_array(run: Simulate) -> None:
    assert ends(run(program(3, parallel(100)), one_level())) == [33, 33, 33]


@pytest.mark.parametrize(("periodic", "last"), [(True, [20, 20, 20]), (False, [0, 20, 20])])
def test_messages_to_neighbors(run: Simulate, periodic: bool, last: list[int]) -> None:
    phase = neighbours(10, (1,), periodic=periodic)
    assert ends(run(program(3, phase), one_level(3))) == last


# On one channel: broadcast 20, 40; gathering the same; allgather 20, 40, then twice 30 bytes, 80
# and 120; alltoall 0 to 1, 0 to 2, 1 to 0, 1 to 2, 2 to 0, 2 to 1.
@pytest.mark.parametrize(
    ("operation", "last"),
    [
        ("bcast", [0, 20, 40]), ("gather", [40, 0, 0]), ("allgather", [120, 120, 120]),
        ("alltoall", [100, 120, 80]),
    ],
)  # fmt: skip
def test_collectives_on_one_channel(run: Simulate, operation: str, last: list[int]) -> None:
    assert ends(run(program(3, collective(operation, 10)), one_level())) == last


def test_intervals_of_one_name(run: Simulate) -> None:
    norm = [interval("norm", serial(5)), serial(1), interval("norm", serial(7))]
    found = run(program(2, *norm), one_level())
    assert [each.path for each in found.intervals] == ["program", "program/norm", "program/norm 2"]
    assert [each.time_ns for each in found.intervals] == [13, 5, 7]


# Process 0 starts both transfers at 0: that of 10 bytes is found ready then, that of 100 bytes when
# process 1 asks, also at 0. So A moves [0, 20) and B [20, 130); process 0 waits for B.
def test_long_transfers_are_found_when_their_receiver_asks(run: Simulate) -> None:
    small, large = array("A", 2, element_bytes=10), array("B", 2, element_bytes=100)
    phase = exchange(large, small, width=NEXT)
    found = run(program(2, phase, arrays=[small, large]), one_level(eager_limit_bytes=64))
    assert ends(found) == [130, 130]


# Ring: 0 to 1 [0, 20), 2 to 0 [60, 80), second round 0 to 1 [80, 100). At 100 process 1 sends 10
# bytes of both rounds, [100, 120) and [120, 140), then 30 bytes of the exchange, [140, 180).
def test_a_late_process_sends_all_rounds_before_its_next_operation(run: Simulate) -> None:
    data = array("A", 3, element_bytes=30)
    ring = collective("allgather", 10, nonblocking=True, name="ring")
    phases = [parallel(100, data, ((1, 1),)), ring, exchange(data, width=NEXT), wait("ring")]
    found = run(program(3, *phases, arrays=[data]), one_level(algorithm="ring"))
    assert ends(found) == [200, 200, 200]
    assert found.intervals[0].classes["exchange"].time_ns == 180


# The first row of processes has all elements. Each gets 1 byte, 11 ns, from the one before.
@pytest.mark.parametrize("shortcuts", ["none", "loops", "all"])
def test_processes_without_a_part_are_not_extrapolated(run: Simulate, shortcuts: str) -> None:
    data = array("A", 1, 10, on=(0, 1), element_bytes=1)
    steps = program((2, 5), pipelined(0, data, ((0, 0), (1, 0))), arrays=[data])
    found = run(steps, one_level(cores=10), shortcuts=shortcuts)
    assert ends(found) == [0, 11, 22, 33, 44, 0, 0, 0, 0, 0]


def test_loops_without_transfers_are_no_operations(run: Simulate) -> None:
    data = array("A", 4, element_bytes=10)
    found = run(program(1, pipelined(40, data, NEXT), exchange(data), arrays=[data]), one_level())
    assert ends(found) == [40]
    assert not found.intervals[0].classes


# Published optima of ten iterations on 10,000 x 10,000 points, and grids around them.
@pytest.mark.parametrize(
    ("variant", "grid", "time"),
    [
        ("rows", (8,), 216_510_990), ("rows", (64,), 42_108_940), ("rows", (110,), 36_600_480),
        ("", (2, 4), 211_851_310), ("", (4, 16), 36_818_380), ("", (9, 12), 31_702_440),
        ("", (7, 16), 31_807_070), ("blocks", (7, 16), 31_807_070),
    ],
)  # fmt: skip
def test_jacobi_on_the_published_cluster(
    run: Simulate, variant: str, grid: tuple[int, ...], time: int
) -> None:
    made = read_program(DATA / "programs" / "jacobi.toml")
    assert isinstance(made, DataProgram)
    on = read_cluster(DATA / "clusters" / "mvs-15k.toml")
    assert run(made.place(grid, variant), on, shortcuts="loops").time_ns == time
