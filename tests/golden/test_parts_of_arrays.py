"""Parts of arrays on grids, and computing times of parts of programs, by hand."""

from tracemill.programs.clusters.cluster import Channel, Cluster, Level, UnitException
from tracemill.programs.parts import computing, coordinates, iteration_counts, own_ranges
from tracemill.programs.placed import Array, Parallel, PlacedProgram, Section, Serial, Work

CLUSTER = Cluster("H", (Level("machine", 8, (Channel(1, 10, 1),)),))


def placed(grid: tuple[int, ...], *arrays: Array, speed: float = 1) -> PlacedProgram:
    return PlacedProgram("program", "", grid, speed, {each.name: each for each in arrays}, ())


def line(extent: int, element_bytes: int = 8) -> Array:
    return Array("A", (extent,), element_bytes, (0,), ((1, 1),))


def test_ranks_count_the_last_coordinate_fastest():
    assert coordinates((2, 3)).tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]


def test_ten_elements_on_three_have_blocks_of_four():
    ranges = own_ranges(line(10), (3,))
    assert ranges.tolist() == [[[0, 3]], [[4, 7]], [[8, 9]]]


def test_a_process_beyond_the_last_block_has_nothing():
    # Blocks of ceil(4 / 3) = 2: the third would begin at 4.
    ((_, _, last),) = (own_ranges(line(4), (3,)).tolist(),)
    assert last == [[4, 3]]
    assert iteration_counts(line(4), ((0, 3),), (3,)).tolist() == [2, 2, 0]


def test_arrays_are_repeated_over_other_dimensions_of_the_grid():
    array = Array("A", (4, 6), 8, (None, 0), ((1, 1), (1, 1)))
    ranges = own_ranges(array, (2, 2))
    assert ranges.tolist() == [[[0, 3], [0, 2]]] * 2 + [[[0, 3], [3, 5]]] * 2
    assert iteration_counts(array, ((1, 2), (2, 4)), (2, 2)).tolist() == [2, 2, 4, 4]


def test_parallel_time_follows_own_elements():
    part = Parallel(name="part", work=Work(1000), array="A", over=((0, 9),))
    times, is_productive = computing(part, placed((3,), line(10)), CLUSTER)
    assert times.tolist() == [400, 400, 200]
    assert is_productive.all()


def test_repeated_parts_are_productive_once():
    array = Array("A", (4,), 8, (1,), ((1, 1),))
    part = Parallel(name="part", work=Work(100), array="A", over=((0, 3),))
    times, is_productive = computing(part, placed((2, 2), array), CLUSTER)
    assert times.tolist() == [50, 50, 50, 50]
    assert is_productive.tolist() == [True, True, False, False]


def test_parallel_without_array_is_shared_evenly():
    part = Parallel(name="part", work=Work(100))
    assert computing(part, placed((3,)), CLUSTER).times_ns.tolist() == [33, 33, 33]


def slow_third_core() -> Cluster:
    return Cluster("H", CLUSTER.levels, exceptions=(UnitException("core", (2,), 0.5),))


def test_serial_time_follows_the_speed_of_cores():
    program = placed((3,), speed=2)
    times, is_productive = computing(Serial(name="a", work=Work(100)), program, slow_third_core())
    assert times.tolist() == [200, 200, 400]
    assert is_productive.tolist() == [True, False, False]
    first = Serial(name="a", work=Work(50), on="first")
    assert computing(first, program, slow_third_core()).times_ns.tolist() == [100, 0, 0]


def test_operations_take_the_speed_of_the_cluster_alone():
    # 300 operations at 2 a nanosecond are 150 ns, on the slow core 300 ns.
    cluster = Cluster(
        "H", CLUSTER.levels, operations_per_s=2e9, exceptions=slow_third_core().exceptions
    )
    part = Serial(name="a", work=Work(300, is_operations=True))
    assert computing(part, placed((3,), speed=2), cluster).times_ns.tolist() == [150, 150, 300]


def test_serial_over_a_section_is_run_by_those_who_have_some_of_it():
    over: Section = ((3, 5),)
    part = Serial(name="a", work=Work(70), on="section", array="A", over=over)
    times, is_productive = computing(part, placed((3,), line(12)), CLUSTER)
    assert times.tolist() == [70, 70, 0]
    assert is_productive.tolist() == [True, False, False]


def test_halves_of_nanoseconds_are_rounded_up():
    part = Parallel(name="part", work=Work(5), array="A", over=((0, 1),))
    assert computing(part, placed((2,), line(2)), CLUSTER).times_ns.tolist() == [3, 3]
