"""Traces of programs with a grid, on clusters: ends of processes and calls, worked out by hand.

Unless a test says otherwise, eight cores share one channel: a transfer takes 10 ns and 1 ns per
byte. Calls take no time of their own, so processes end as the forecast has it.
"""

from collections.abc import Sequence
from pathlib import Path

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
    neighbours,
    one_level,
    parallel,
    pipelined,
    program,
    reduction,
    remote,
    serial,
    wait,
)
from tests.helpers.otf2_reading import ReadTrace, read_archive
from tests.helpers.truth_reading import true_accesses, true_waits
from tracemill.base.errors import ProgramError
from tracemill.programs.clusters.cluster import Cluster, Placement, UnitException
from tracemill.programs.generate import generate
from tracemill.programs.language.process_kinds import MachineSpec, parse_spec
from tracemill.programs.phases.building import build_program
from tracemill.programs.phases.data import build_data_program
from tracemill.programs.placed import PlacedProgram
from tracemill.programs.simulation import simulate
from tracemill.programs.timing import of_data, of_processes

NEXT = ((1, 0),)


def ends(placed: PlacedProgram, on: Cluster) -> list[int]:
    """When each process enters MPI_Finalize (ns)."""
    outcome = simulate(build_data_program(placed, on), of_data(on))
    return [int(each) for each in outcome.last_calls[:, 0]]


def read(placed: PlacedProgram, on: Cluster, folder: Path) -> ReadTrace:
    """The trace of a program, read."""
    made = generate(placed, folder / "archive", cluster=on)
    return read_archive(made.anchor, folder / "store")


def visits(trace: ReadTrace, rank: int) -> list[tuple[str, int, int]]:
    """Calls within the program of a process, in order: their path, enter and leave (ns)."""
    rows = trace.visits("path enter_ns leave_ns", location=rank)
    skipped = ("main", "main/MPI_Init", "main/MPI_Finalize")
    return [
        (path.removeprefix("main/"), int(enter), int(leave))
        for path, enter, leave in rows
        if path not in skipped
    ]


# --- Parts and operations of one execution -------------------------------------------------------


def test_serial_parts_take_the_speed_of_cores() -> None:
    slow = one_level(exceptions=[UnitException("core", (2,), 0.5)])
    first = serial(50, on="first")
    assert ends(program(3, serial(100), first, speed=2), slow) == [300, 200, 400]


def test_exchange_and_reduction_share_a_channel() -> None:
    # 2 -> 1 from 200, then from 400 on 0 -> 1, 1 -> 0, 1 -> 2; the reduction ends with all at 532.
    data = array("A", 10, element_bytes=10)
    part = parallel(1000, data)
    assert ends(program(3, part, exchange(data), arrays=[data]), one_level()) == [440, 420, 460]
    both = program(3, part, exchange(data), reduction(8), arrays=[data])
    assert ends(both, one_level()) == [532, 532, 532]


def test_nonblocking_exchange_overlaps() -> None:
    data = array("A", 4, element_bytes=10)
    edges = exchange(data, nonblocking=True)
    for time, expected in ((100, [100, 100]), (25, [40, 25])):
        placed = program(2, edges, serial(time), wait("exchange"), arrays=[data])
        assert ends(placed, one_level()) == expected


# The first of two edges of one name ends at 20 and 40, the second at 60 and 80. A blocking
# operation of that name is not completed again.
def test_operations_of_one_name_are_completed_in_order(tmp_path: Path) -> None:
    data = array("A", 4, element_bytes=10)
    edges, part = exchange(data, nonblocking=True), serial(1)
    phases = edges, edges, reduction(10, name="exchange"), wait("exchange"), part, wait("exchange")
    trace = read(program(2, *phases, arrays=[data]), one_level(), tmp_path)
    # The reduction follows on the channel: 1 -> 0 in [80, 100), 0 -> 1 in [100, 120).
    calls = [each for each in visits(trace, 0) if each[0].endswith(("Waitall", "Allreduce"))]
    assert calls == [
        ("exchange/MPI_Allreduce", 0, 120), ("wait/MPI_Waitall", 120, 120),
        ("wait/MPI_Waitall", 121, 121),
    ]  # fmt: skip


def test_long_messages_wait_for_their_receiver() -> None:
    data = array("A", 2, element_bytes=100)
    placed = program(
        2, parallel(500, data, ((1, 1),)), exchange(data, width=NEXT), arrays=[data]
    )  # fmt: skip
    assert ends(placed, one_level()) == [0, 500]
    assert ends(placed, one_level(eager_limit_bytes=64)) == [610, 610]


def test_cyclic_placement_shares_the_outer_channel() -> None:
    levels = [level(2, channel(latency, 1), name=f"level {latency}") for latency in (10, 100, 1000)]
    data = array("A", 8, element_bytes=10)
    placed = program(8, exchange(data, width=NEXT), arrays=[data])
    assert ends(placed, cluster(*levels)) == [0, 20, 110, 20, 1010, 20, 110, 20]
    cyclic = cluster(*levels, placement=Placement("cyclic", "level 10"))
    assert ends(placed, cyclic) == [0, 110, 1010, 110, 2020, 220, 3030, 220]


def test_copies_and_remote_sections() -> None:
    square, other = (array(name, 4, 4, element_bytes=1) for name in "AB")
    every, arrays = ((0, 3), (0, 3)), [square, other]
    column = copy(square, ((0, 3), (1, 1)), other, ((3, 3), (0, 3)))
    assert max(ends(program(2, column, arrays=arrays), one_level())) == 12
    transposed = copy(square, every, other, every, order=(1, 0))
    assert ends(program(2, transposed, arrays=arrays), one_level()) == [28, 14]
    row = remote(square, ((0, 0), (0, 3)))
    assert max(ends(program(2, row, arrays=arrays), one_level())) == 14


def test_pipelined_loops() -> None:
    # Four steps of 400; edges take 20: process i ends at 1600 + 420 i. Chosen quantum 2: at
    # 1600 + 92 i.
    data = array("A", 16, 40, element_bytes=1)
    for quantum, delay in ((10, 420), (None, 92)):
        sweep = pipelined(6400, data, ((1, 0), (0, 0)), quantum=quantum)
        placed = program(4, sweep, arrays=[data])
        assert ends(placed, one_level(100)) == [1600 + i * delay for i in range(4)]


def test_files() -> None:
    data = array("A", 4, element_bytes=10)
    stored = one_level(storage=[channel(1000, 2)])
    for phase, expected in (
        (access("write", data), [1110, 0]),
        (access("write", data, mode="each"), [1040, 2080]),
        (access("read", data), [1080, 1110]),
        (access("read", size=8), [1016, 1034]),
    ):
        assert max(ends(program(2, phase, arrays=[data]), stored)) == max(expected)


@pytest.mark.parametrize(
    ("algorithm", "end"), [("star", 40), ("tree", 80), ("recursive doubling", 60)]
)
def test_reductions_of_five(algorithm: str, end: int) -> None:
    on = one_level(100, algorithm=algorithm)
    assert ends(program(5, reduction(10)), on) == [end] * 5


def test_rings_of_four() -> None:
    # Six rounds of 3 bytes (13 ns), and three of 10 bytes (20 ns).
    on = one_level(100, algorithm="ring")
    assert ends(program(4, reduction(10)), on) == [78] * 4
    assert ends(program(4, collective("allgather", 10)), on) == [60] * 4


def test_links_into_a_core_are_taken_in_turn() -> None:
    on = one_level(100, links=1)
    assert ends(program(5, reduction(10)), on) == [160] * 5


def test_trees_count_from_the_root() -> None:
    on = one_level(100, algorithm="tree")
    assert ends(program(5, collective("bcast", 10, 3)), on) == [20, 40, 20, 0, 20]
    assert ends(program(4, collective("gather", 10)), on) == [50, 20, 0, 0]


def test_collectives_on_one_channel() -> None:
    for operation, expected in (
        ("bcast", [0, 20, 40]),
        ("gather", [40, 0, 0]),
        ("allgather", [120, 120, 120]),
        ("alltoall", [100, 120, 80]),
    ):
        assert ends(program(3, collective(operation, 10)), one_level()) == expected


def test_neighbors_in_a_ring() -> None:
    ring = neighbours(10, (1,), periodic=True)
    assert ends(program(3, ring), one_level(3)) == [20, 20, 20]
    assert ends(program(3, neighbours(10, (1,))), one_level(3)) == [0, 20, 20]


# Overhead 5, once for each operation: transfers begin at 5 and take 20.
def test_overhead_is_paid_once_for_each_operation() -> None:
    data = array("A", 6, element_bytes=10)
    placed = program(3, exchange(data), arrays=[data])
    assert ends(placed, one_level(4, overhead_ns=5)) == [25, 25, 25]
    assert ends(program(3, reduction(10)), one_level(4, overhead_ns=5)) == [45, 45, 45]


# --- Loops and branches --------------------------------------------------------------------------


def test_loops_repeat() -> None:
    data = array("A", 3, element_bytes=10)
    placed = program(2, loop(5, iterations(30, data), exchange(data)), arrays=[data])
    assert ends(placed, one_level()) == [340, 360]


# Shares 0.25, 0.5 and, for nothing, 0.25. Largest share x executions - times taken:
#   1   0.25   0.5  0.25    second
#   2   0.5    0    0.5     first
#   3  -0.25   0.5  0.75    nothing
#   4   0      1    0       second
def test_branches_take_what_is_furthest_behind(tmp_path: Path) -> None:
    either = branch((0.25, [serial(100, name="first")]), (0.5, [serial(10, name="second")]))
    trace = read(program(2, loop(4, either)), one_level(), tmp_path)
    for rank in (0, 1):
        assert visits(trace, rank) == [
            ("loop", 0, 120),
            ("loop/second", 0, 10),
            ("loop/first", 10, 110),
            ("loop/second", 110, 120),
        ]


def test_branches_count_in_nested_loops() -> None:
    # Three times three executions: the first, third, fifth … of nine take 100 ns.
    either = branch((0.5, [serial(100)]), (0.5, [serial(1)]))
    assert ends(program(1, loop(3, loop(3, either))), one_level()) == [5 * 100 + 4]


def test_too_many_nested_loops_are_refused() -> None:
    phase = serial(1)
    for _ in range(17):
        phase = loop(2, phase)
    with pytest.raises(ProgramError, match="nested more than 16 deep"):
        build_data_program(program(1, phase), one_level())


# --- Calls ---------------------------------------------------------------------------------------


def test_edges_are_nonblocking_messages(tmp_path: Path) -> None:
    data = array("A", 4, element_bytes=10)
    placed = program(2, interval("step", exchange(data, name="edges")), arrays=[data])
    trace = read(placed, one_level(), tmp_path)
    for rank, end in ((0, 40), (1, 20)):
        assert visits(trace, rank) == [
            ("step", 0, end),
            ("step/edges", 0, end),
            ("step/edges/MPI_Irecv", 0, 0),
            ("step/edges/MPI_Isend", 0, 0),
            ("step/edges/MPI_Waitall", 0, end),
        ]


def test_reductions_are_calls_of_allreduce(tmp_path: Path) -> None:
    placed = program(2, parallel(100), serial(50, on="first"), reduction(10, name="norm"))
    trace = read(placed, one_level(), tmp_path)
    # 1 -> 0 in [50, 70), and back in [100, 120) when process 0 has started.
    assert visits(trace, 0)[-2:] == [("norm", 100, 120), ("norm/MPI_Allreduce", 100, 120)]
    assert visits(trace, 1)[-2:] == [("norm", 50, 120), ("norm/MPI_Allreduce", 50, 120)]
    (wait_,) = true_waits(tmp_path / "archive")
    assert (wait_["property"], wait_["location_id"], wait_["wait_ns"]) == ("mpi_wait_nxn", 1, 50)


def test_pipelined_steps_receive_compute_and_send(tmp_path: Path) -> None:
    data = array("A", 2, 3, element_bytes=1)
    sweep = pipelined(600, data, ((1, 0), (0, 0)), quantum=1, name="sweep")
    trace = read(program(2, sweep, arrays=[data]), one_level(), tmp_path)
    # Steps of 100; edges of one byte take 11.
    assert visits(trace, 1) == [
        ("sweep", 0, 411),
        ("sweep/MPI_Recv", 0, 111),
        ("sweep/MPI_Recv", 211, 211),
        ("sweep/MPI_Recv", 311, 311),
    ]
    calls = [path for path, _, _ in visits(trace, 0)]
    assert calls == ["sweep", *["sweep/MPI_Isend"] * 3, "sweep/MPI_Waitall"]


def test_accesses_are_calls_on_files(tmp_path: Path) -> None:
    data = array("A", 4, element_bytes=10)
    stored = one_level(storage=[channel(1000, 2)])
    placed = program(
        2, access("write", data, name="save"), access("read", data, mode="each", name="load"),
        arrays=[data],
    )  # fmt: skip
    trace = read(placed, stored, tmp_path)
    calls = [path for path, _, _ in visits(trace, 0)]
    assert calls == [
        "MPI_File_open", "MPI_File_open", "save", "save/MPI_File_write_all", "load",
        "load/MPI_File_read_at", "MPI_File_close", "MPI_File_close",
    ]  # fmt: skip
    # Process 1 reads in [30, 1070), before process 0 stores in [1070, 2150) and reads.
    rows = true_accesses(tmp_path / "archive")
    assert [(row["location_id"], row["mode"], row["bytes"]) for row in rows] == [
        (0, "write", 20), (1, "write", 20), (0, "read", 20), (1, "read", 20),
    ]  # fmt: skip


def test_collectives_have_their_calls(tmp_path: Path) -> None:
    phases = [collective(name, 10, name=name) for name in ("bcast", "gather", "barrier")]
    started = collective("alltoall", 10, name="swap", nonblocking=True)
    trace = read(program(3, *phases, started, serial(5), wait("swap")), one_level(), tmp_path)
    calls = [path for path, _, _ in visits(trace, 1)]
    assert calls == [
        "bcast", "bcast/MPI_Bcast", "gather", "gather/MPI_Gather", "barrier",
        "barrier/MPI_Barrier", "swap", "swap/MPI_Ialltoall", "serial", "wait", "wait/MPI_Wait",
    ]  # fmt: skip


# --- Programs of processes -----------------------------------------------------------------------


def simulated_ends(phases: Sequence[dict[str, object]], on: Cluster, count: int) -> list[int]:
    machine = {"overhead_ns": 8, "noise": False, "start_ns": 0}
    given = {"processes": count, "size": 100, "machine": machine, "phase": list(phases)}
    spec = parse_spec(given)
    timing = of_processes(spec.machine, on, count)
    outcome = simulate(build_program(spec), timing, seed=spec.seed)
    return [int(each) for each in outcome.last_calls[:, 0]]


def test_messages_of_processes_share_channels() -> None:
    # All four processes send 1000 bytes to both neighbors: eight transfers of 2000 ns on one
    # channel take four times as long as on four. MPI_Init takes two rounds and a transfer.
    stencil = {"kind": "stencil", "cell_ns": 0, "bytes": 1000}
    one, four = (
        max(simulated_ends([stencil], one_level(n, latency_ns=1000), 4)) for n in (1, 4)
    )  # fmt: skip
    init = 3 * 1000 + 1
    assert init + 8 * 2000 < one < init + 8 * 2000 + 100
    assert init + 2 * 2000 < four < init + 2 * 2000 + 100


def test_work_of_processes_takes_the_speed_of_cores() -> None:
    work = {"kind": "work", "cell_ns": 1000}
    half = one_level(exceptions=[UnitException("core", (1,), 0.5)])
    first, second = simulated_ends([work], half, 2)
    assert second - first == 100_000


def test_early_messages_do_not_wait_for_their_receiver() -> None:
    # Rank 1 works 30,000 ns before its receive; the message of 1000 bytes arrives meanwhile.
    phase = {"kind": "pipeline", "blocks": 2, "bytes": 1000, "cell_ns": 10, "imbalance": 29}
    slow = one_level(latency_ns=10_000)
    _, early = simulated_ends([phase], slow, 2)
    slow_above = one_level(latency_ns=10_000, eager_limit_bytes=999)
    _, late = simulated_ends([phase], slow_above, 2)
    assert 10_000 < late - early <= 11_000


def test_collectives_of_processes_take_the_outermost_channel() -> None:
    node, network = level(2, channel(10, 0), name="node"), level(2, channel(3000, 2))
    timing = of_processes(MachineSpec(), cluster(node, network), 4)
    assert (timing.latency_ns, timing.ns_per_kib) == (3000, 2048)
    assert of_processes(MachineSpec(), cluster(node, network), 2).latency_ns == 10


def test_too_few_cores_are_an_error() -> None:
    with pytest.raises(ProgramError, match="4 cores, too few for 5 processes"):
        of_processes(MachineSpec(), one_level(cores=4), 5)
    with pytest.raises(ProgramError, match="4 cores, too few for 5 processes"):
        ends(program(5, serial(1)), one_level(cores=4))


def test_traces_name_the_cluster_and_its_nodes(tmp_path: Path) -> None:
    # Sockets of two cores, two of them in a node; process i in socket i mod 4, on core i div 4.
    levels = [level(2, channel(1, 0), name=name) for name in ("socket", "node", "network")]
    on = cluster(*levels, placement=Placement("cyclic", "socket"))
    trace = read(program(5, serial(1)), on, tmp_path)
    columns = "system_tree_node_id parent_system_tree_node_id name class_name"
    nodes = [(1, 0, "node 0", "node"), (2, 0, "node 1", "node")]
    assert trace.rows("system_tree_nodes", columns) == [(0, None, "cluster", "machine"), *nodes]
    groups = trace.rows("location_groups", "name system_tree_node_id")
    assert groups == [(f"MPI Rank {rank}", node) for rank, node in enumerate((1, 1, 2, 2, 1))]


def test_programs_with_a_grid_need_a_cluster(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="--cluster"):
        generate(program(2, serial(1)), tmp_path / "archive")
