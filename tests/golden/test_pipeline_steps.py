"""Steps and edges of pipelined loops, by hand."""

from dataclasses import replace

from tracemill.programs.clusters.cluster import Channel, Cluster, Level, UnitException
from tracemill.programs.pipelining import pipeline_steps
from tracemill.programs.placed import Array, Pipelined, PlacedProgram, Section, Widths, Work

CLUSTER = Cluster("H", (Level("machine", 8, (Channel(100, 10, 1),)),))


def placed(grid: tuple[int, ...], array: Array) -> PlacedProgram:
    return PlacedProgram("program", "", grid, 1, {array.name: array}, ())


def rows(extent: int, *, columns: int = 40) -> Array:
    return Array("A", (extent, columns), 1, (0, None), ((1, 1), (1, 1)))


def sweep(
    array: Array, widths: Widths, work: float, *, quantum: int | None = None,
    over: Section | None = None, along: int | None = None,
) -> Pipelined:  # fmt: skip
    return Pipelined(
        name="sweep", work=Work(work), array="A", over=over or array.whole, widths=widths,
        quantum=quantum, along=along,
    )  # fmt: skip


DOWN: Widths = ((1, 0), (0, 0))
UP: Widths = ((0, 1), (0, 0))


def test_four_steps_of_ten_columns():
    array = rows(16)
    steps = pipeline_steps(sweep(array, DOWN, 6400, quantum=10), placed((4,), array), CLUSTER)
    assert steps.quantum == 10
    assert steps.steps.tolist() == [4, 4, 4, 4]
    assert steps.step_ns.tolist() == steps.last_step_ns.tolist() == [400] * 4
    (edges,) = steps.edges
    assert edges.predecessors.tolist() == [-1, 0, 1, 2]
    assert edges.successors.tolist() == [1, 2, 3, -1]
    assert edges.sizes.tolist() == edges.last_sizes.tolist() == [10, 10, 10, 0]
    assert steps.along is None


def test_the_last_step_is_what_is_left():
    # 40 columns in steps of 12, 12, 12 and 4; a column of a process takes 40 ns.
    array = rows(16)
    steps = pipeline_steps(sweep(array, DOWN, 6400, quantum=12), placed((4,), array), CLUSTER)
    assert steps.steps.tolist() == [4] * 4
    assert (steps.step_ns[0], steps.last_step_ns[0]) == (480, 160)
    assert (steps.edges[0].sizes[0], steps.edges[0].last_sizes[0]) == (12, 4)


def test_high_widths_run_from_the_last_process():
    array = rows(16)
    (edges,) = pipeline_steps(
        sweep(array, UP, 6400, quantum=10), placed((4,), array), CLUSTER
    ).edges
    assert edges.predecessors.tolist() == [1, 2, 3, -1]
    assert edges.successors.tolist() == [-1, 0, 1, 2]
    assert edges.sizes.tolist() == [0, 10, 10, 10]


def test_chosen_quantum():
    # S = 3, sqrt(3 * (1600 + 40) / 10) = 22.2: 22 steps, ceil(40 / 22) = 2 columns.
    array = rows(16)
    steps = pipeline_steps(sweep(array, DOWN, 6400), placed((4,), array), CLUSTER)
    assert steps.quantum == 2
    assert steps.steps.tolist() == [20] * 4
    assert steps.step_ns.tolist() == [80] * 4


def test_overheads_count_as_latency():
    # sqrt(3 * (1600 + 40) / (10 + 30)) = 11.1: 11 steps, ceil(40 / 11) = 4 columns.
    array, cluster = rows(16), replace(CLUSTER, overhead_ns=30)
    assert pipeline_steps(sweep(array, DOWN, 6400), placed((4,), array), cluster).quantum == 4


def test_without_latency_every_index_is_a_step():
    array = rows(16)
    cluster = replace(CLUSTER, levels=(Level("machine", 8, (Channel(1, 0, 1),)),))
    assert pipeline_steps(sweep(array, DOWN, 6400), placed((4,), array), cluster).quantum == 1


def test_without_cut_extents_there_is_one_step():
    array = rows(16)
    steps = pipeline_steps(sweep(array, DOWN, 6400), placed((1,), array), CLUSTER)
    assert (steps.quantum, steps.steps.tolist(), steps.edges) == (40, [1], ())
    assert steps.last_step_ns.tolist() == [6400]


def test_the_outermost_level_between_neighbors_gives_the_latency():
    # Pairs 0-1 in node 0, 1-2 between nodes: L = 1000. sqrt(3 * (1600 + 40) / 1000) = 2.2.
    node = Level("node", 2, (Channel(1, 10, 1),))
    network = Level("network", 4, (Channel(1, 1000, 1),))
    cluster = Cluster("C", (node, network))
    array = rows(16)
    phase = sweep(array, DOWN, 6400)
    assert pipeline_steps(phase, placed((4,), array), cluster).quantum == 20
    # A network with other channels: sqrt(3 * 1640 / 246) = 4.47, 4 steps.
    other = replace(cluster, exceptions=(UnitException("network", (0,), 1, (Channel(1, 246, 1),)),))
    assert pipeline_steps(phase, placed((4,), array), other).quantum == 10


def test_steps_along_a_cut_extent_end_with_one_edge():
    # 4 x 6 on 2 x 2, both cut: parts of 2 x 3 elements, steps along the last extent by 2 and 1.
    array = Array("A", (4, 6), 1, (0, 1), ((1, 1), (1, 1)))
    phase = sweep(array, ((1, 0), (2, 0)), 2400, quantum=2)
    steps = pipeline_steps(phase, placed((2, 2), array), CLUSTER)
    assert steps.steps.tolist() == [2] * 4
    # 100 ns an element, two rows: 400 and 200.
    assert (steps.step_ns[0], steps.last_step_ns[0]) == (400, 200)
    (down,) = steps.edges
    assert (down.dimension, down.predecessors.tolist()) == (0, [-1, -1, 0, 1])
    assert (down.sizes.tolist(), down.last_sizes.tolist()) == ([2, 2, 0, 0], [1, 1, 0, 0])
    # Over the columns: two wide, two rows.
    assert steps.along is not None
    assert steps.along.predecessors.tolist() == [-1, 0, -1, 2]
    assert steps.along.successors.tolist() == [1, -1, 3, -1]
    assert steps.along.last_sizes.tolist() == [4, 0, 4, 0]


def test_parts_within_the_section_count():
    # Rows 3 to 9 of 16: processes 0 to 2 of 4 have 1, 4 and 2 of them, process 3 none.
    array = rows(16)
    over = ((3, 9), (0, 39))
    phase = sweep(array, ((2, 0), (0, 0)), 7000, quantum=40, over=over)
    steps = pipeline_steps(phase, placed((4,), array), CLUSTER)
    assert steps.steps.tolist() == [1, 1, 1, 0]
    assert steps.last_step_ns.tolist() == [1000, 4000, 2000, 0]
    (edges,) = steps.edges
    assert edges.predecessors.tolist() == [-1, 0, 1, -1]
    assert edges.successors.tolist() == [1, 2, -1, -1]
    assert edges.last_sizes.tolist() == [40, 80, 0, 0]
