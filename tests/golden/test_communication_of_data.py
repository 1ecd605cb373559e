"""Transfers of operations of programs of data, by hand.

A transfer is (round, sender, receiver, bytes); the storage is S.
"""

from dataclasses import replace

import numpy as np
import pytest

from tracemill.programs.clusters.cluster import Channel, Cluster, CollectiveRule, Level
from tracemill.programs.communication import communication_of
from tracemill.programs.placed import (
    STORAGE,
    Array,
    Collective,
    Copy,
    Exchange,
    Io,
    Neighbours,
    Operation,
    PlacedProgram,
    Reduction,
    Remote,
)  # fmt: skip
from tracemill.programs.transfers import AllPairs, Ring, Transfers

S = STORAGE
CLUSTER = Cluster("H", (Level("machine", 8, (Channel(1, 10, 1),)),))


def by(algorithm: str) -> Cluster:
    return replace(CLUSTER, collectives=(CollectiveRule(algorithm),))


def line(extent: int, element_bytes: int, name: str = "A") -> Array:
    return Array(name, (extent,), element_bytes, (0,), ((1, 1),))


def square(name: str = "A") -> Array:
    """4 rows of 4 bytes, distributed by rows."""
    return Array(name, (4, 4), 1, (0, None), ((1, 1), (1, 1)))


def placed(grid: tuple[int, ...], *arrays: Array) -> PlacedProgram:
    return PlacedProgram("program", "", grid, 1, {each.name: each for each in arrays}, ())


def transfers(
    phase: Operation, program: PlacedProgram, cluster: Cluster = CLUSTER
) -> list[tuple[int, ...]]:
    found = communication_of(phase, program, cluster).transfers
    assert isinstance(found, Transfers)
    rows = zip(found.rounds, found.senders, found.receivers, found.sizes, strict=True)
    return [tuple(map(int, row)) for row in rows]


def exchange(*arrays: Array, corners: bool = False) -> Exchange:
    return Exchange(
        name="edges",
        arrays=tuple(each.name for each in arrays),
        widths=tuple(each.shadow for each in arrays),
        corners=corners,
    )


def test_edges_of_a_line():
    array = line(10, 10)
    program = placed((3,), array)
    assert transfers(exchange(array), program) == [
        (0, 0, 1, 10), (0, 1, 0, 10), (0, 1, 2, 10), (0, 2, 1, 10)
    ]  # fmt: skip
    found = communication_of(exchange(array), program, CLUSTER)
    assert found.members.tolist() == [0, 1, 2]
    assert not found.is_common_end


def test_each_array_has_edges_of_its_own():
    arrays = line(10, 10), line(10, 1, "B")
    assert transfers(exchange(*arrays), placed((2,), *arrays)) == [
        (0, 0, 1, 10), (0, 0, 1, 1), (0, 1, 0, 10), (0, 1, 0, 1)
    ]  # fmt: skip


def test_edges_are_no_wider_than_the_part_of_the_neighbor():
    # Blocks of 4, 4, 2; three below and none above: process 2 has two to give, but to nobody.
    array = replace(line(10, 1), shadow=((0, 3),))
    assert transfers(exchange(array), placed((3,), array)) == [(0, 1, 0, 3), (0, 2, 1, 2)]


def test_corners_go_to_processes_across():
    array = Array("A", (4, 6), 1, (0, 1), ((1, 1), (2, 0)))
    # Parts of 2 x 3. Edges of a row have 3 bytes; of columns, two wide, 2 x 2 bytes to the right.
    program = placed((2, 2), array)
    sides = [(0, 0, 1, 4), (0, 0, 2, 3), (0, 1, 3, 3), (0, 2, 0, 3), (0, 2, 3, 4), (0, 3, 1, 3)]
    assert transfers(exchange(array), program) == sides
    # Corners are 1 x 2 bytes, to the right as well.
    corners = [(0, 0, 3, 2), (0, 2, 1, 2)]
    assert transfers(exchange(array, corners=True), program) == sorted(sides + corners)


def test_arrays_that_are_not_distributed_have_no_edges():
    array = Array("A", (4,), 8, (None,), ((1, 1),))
    found = communication_of(exchange(array), placed((2,), array), CLUSTER)
    assert found.members.tolist() == []


def test_reduction_by_a_star():
    program = placed((3,))
    reduction = Reduction(name="sum", bytes=8)
    assert transfers(reduction, program) == [(0, 1, 0, 8), (0, 2, 0, 8), (1, 0, 1, 8), (1, 0, 2, 8)]
    found = communication_of(reduction, program, CLUSTER)
    assert found.members.tolist() == [0, 1, 2]
    assert found.is_common_end


def test_reduction_over_those_with_a_part():
    # Blocks of ceil(4 / 3) = 2: the third process has none.
    reduction = Reduction(name="sum", bytes=8, array="A")
    program = placed((3,), line(4, 8))
    assert transfers(reduction, program) == [(0, 1, 0, 8), (1, 0, 1, 8)]
    assert communication_of(reduction, program, CLUSTER).members.tolist() == [0, 1]


def test_reduction_by_a_tree():
    found = transfers(Reduction(name="sum", bytes=10), placed((5,)), by("tree"))
    up = [(0, 4, 0), (1, 2, 0), (1, 3, 1), (2, 1, 0)]
    down = [(3, 0, 1), (4, 0, 2), (4, 1, 3), (5, 0, 4)]
    assert found == [(*each, 10) for each in up + down]


def test_reduction_by_recursive_doubling():
    found = transfers(Reduction(name="sum", bytes=10), placed((5,)), by("recursive doubling"))
    first = [(1, i, i ^ 1) for i in range(4)]
    second = [(2, i, i ^ 2) for i in range(4)]
    assert found == [(*each, 10) for each in [(0, 4, 0), *first, *second, (3, 0, 4)]]


def test_reduction_on_a_ring():
    # 10 bytes in pieces of ceil(10 / 4) = 3, 2 x 3 rounds.
    found = communication_of(Reduction(name="sum", bytes=10), placed((4,)), by("ring"))
    assert found.transfers == Ring(6, 3)
    assert found.is_common_end


def collective(operation: str, size: int = 10, root: int = 0) -> Collective:
    return Collective(name=operation, operation=operation, bytes=size, root=root)


def test_broadcast_by_a_tree_counts_members_from_the_root():
    # Members are 3, 4, 0, 1, 2: 3 -> 4, then 3 -> 0 and 4 -> 1, then 3 -> 2.
    assert transfers(collective("bcast", root=3), placed((5,)), by("tree")) == [
        (0, 3, 4, 10), (1, 3, 0, 10), (1, 4, 1, 10), (2, 3, 2, 10)
    ]  # fmt: skip


def test_gather_and_scatter_by_a_tree_carry_what_is_beyond():
    assert transfers(collective("gather"), placed((4,)), by("tree")) == [
        (0, 2, 0, 10), (0, 3, 1, 10), (1, 1, 0, 20)
    ]  # fmt: skip
    # Of 6 members, 1 sends on to 3 and 5; 2 and 3 have nobody beyond.
    assert transfers(collective("scatter"), placed((6,)), by("tree")) == [
        (0, 0, 1, 30), (1, 0, 2, 10), (1, 1, 3, 10), (2, 0, 4, 10), (2, 1, 5, 10)
    ]  # fmt: skip


def test_allgather_brings_all_down():
    program = placed((3,))
    assert transfers(collective("allgather"), program) == [
        (0, 1, 0, 10), (0, 2, 0, 10), (1, 0, 1, 30), (1, 0, 2, 30)
    ]  # fmt: skip
    assert transfers(collective("allgather"), program, by("tree")) == [
        (0, 2, 0, 10), (1, 1, 0, 10), (2, 0, 1, 30), (3, 0, 2, 30)
    ]  # fmt: skip


def test_allgather_on_a_ring():
    found = communication_of(collective("allgather"), placed((4,)), by("ring"))
    assert found.transfers == Ring(3, 10)
    assert found.is_common_end


def test_barrier_has_transfers_of_no_bytes():
    assert transfers(collective("barrier", 99), placed((2,))) == [(0, 1, 0, 0), (1, 0, 1, 0)]


def test_alltoall_is_every_pair():
    found = communication_of(collective("alltoall"), placed((3,)), by("ring"))
    assert found.transfers == AllPairs(10)
    assert not found.is_common_end


def test_algorithms_that_do_not_serve_give_way_to_the_tree():
    program = placed((5,))
    for algorithm in ("recursive doubling", "ring"):
        for operation in ("bcast", "reduce", "gather", "scatter"):
            phase = collective(operation)
            assert transfers(phase, program, by(algorithm)) == (
                transfers(phase, program, by("tree"))
            )
    allgather = collective("allgather")
    assert transfers(allgather, program, by("recursive doubling")) == (
        transfers(allgather, program, by("tree"))
    )


def test_the_size_chooses_the_algorithm():
    rules = (CollectiveRule("tree", ("bcast",), 100), CollectiveRule("ring", ("allreduce",)))
    cluster = replace(CLUSTER, collectives=rules)
    program = placed((4,))
    tree = transfers(collective("bcast", 100), program, by("tree"))
    assert transfers(collective("bcast", 100), program, cluster) == tree
    assert transfers(collective("bcast", 101), program, cluster) == [
        (0, 0, each, 101) for each in (1, 2, 3)
    ]
    found = communication_of(Reduction(name="sum", bytes=4), program, cluster)
    assert found.transfers == Ring(6, 1)


def test_column_to_row():
    # Column 1 of A, four elements, to row 3 of B, which process 1 has: it lacks two.
    copy = Copy(
        name="copy", source="A", target="B", order=(0,),
        from_section=((0, 3), (1, 1)), to_section=((3, 3), (0, 3)),
    )  # fmt: skip
    program = placed((2,), square(), square("B"))
    assert transfers(copy, program) == [(0, 0, 1, 2)]
    assert communication_of(copy, program, CLUSTER).members.tolist() == [0, 1]


def test_transposition():
    copy = Copy(
        name="copy", source="A", target="B", order=(1, 0),
        from_section=((0, 3), (0, 3)), to_section=((0, 3), (0, 3)),
    )  # fmt: skip
    assert transfers(copy, placed((2,), square(), square("B"))) == [(0, 0, 1, 4), (0, 1, 0, 4)]


def test_copy_of_a_shifted_section():
    # A[0..5] to A[4..9], blocks of 4, 4, 2: process 1 needs A[0..3], process 2 A[4..5].
    copy = Copy(
        name="copy", source="A", target="A", order=(0,),
        from_section=((0, 5),), to_section=((4, 9),),
    )  # fmt: skip
    assert transfers(copy, placed((3,), line(10, 10))) == [(0, 0, 1, 40), (0, 1, 2, 20)]


def test_repeated_sources_are_copied_within_own_coordinates():
    # A lies on the second dimension, B on the first: (0, 0) and (0, 1) need B[0..1], and A[0..1]
    # is with (0, 0) and (1, 0): (0, 1) gets it from (0, 0), and (1, 0) gets A[2..3] from (1, 1).
    source, target = (
        Array("A", (4,), 1, (1,), ((1, 1),)), Array("B", (4,), 1, (0,), ((1, 1),))
    )  # fmt: skip
    copy = Copy(
        name="copy", source="A", target="B", order=(0,),
        from_section=((0, 3),), to_section=((0, 3),),
    )  # fmt: skip
    assert transfers(copy, placed((2, 2), source, target)) == [(0, 0, 1, 2), (0, 3, 2, 2)]


def test_remote_row():
    remote = Remote(name="row", array="A", section=((0, 0), (0, 3)), by="B")
    assert transfers(remote, placed((2,), square(), square("B"))) == [(0, 0, 1, 4)]


def test_remote_section_of_own_columns():
    # B is distributed by columns: process 0 has 0..1, process 1 has 2..3. Both get their columns
    # of row 3 of A, which process 1 has.
    columns = Array("B", (4, 4), 1, (None, 0), ((1, 1), (1, 1)))
    remote = Remote(name="row", array="A", section=((3, 3), None), by="B")
    assert transfers(remote, placed((2,), square(), columns)) == [(0, 1, 0, 2)]


@pytest.mark.parametrize(
    ("operation", "mode", "expected"),
    [
        ("write", "one", [(0, 1, 0, 20), (1, 0, S, 40)]),
        ("write", "each", [(0, 0, S, 20), (0, 1, S, 20)]),
        ("read", "one", [(0, S, 0, 40), (1, 0, 1, 20)]),
        ("read", "each", [(0, S, 0, 20), (0, S, 1, 20)]),
    ],
)
def test_files_of_arrays(operation, mode, expected):
    phase = Io(name="io", operation=operation, array="A", section=((0, 3),), mode=mode)
    program = placed((2,), line(4, 10))
    assert transfers(phase, program) == expected
    assert communication_of(phase, program, CLUSTER).members.tolist() == [0, 1]


def test_files_of_bytes():
    program = placed((2,))
    read = Io(name="io", operation="read", bytes=8)
    assert transfers(read, program) == [(0, S, 0, 8), (1, 0, 1, 8)]
    write = Io(name="io", operation="write", bytes=8)
    assert transfers(write, program) == [(1, 0, S, 8)]
    assert communication_of(write, program, CLUSTER).members.tolist() == [0]


def test_repeated_parts_are_written_once_and_read_by_all():
    array = Array("A", (4,), 1, (1,), ((1, 1),))
    program = placed((2, 2), array)
    section = ((0, 3),)
    write = Io(name="io", operation="write", array="A", section=section, mode="each")
    assert transfers(write, program) == [(0, 0, S, 2), (0, 1, S, 2)]
    read = Io(name="io", operation="read", array="A", section=section)
    assert transfers(read, program) == [(0, S, 0, 4), (1, 0, 1, 2), (1, 0, 2, 2), (1, 0, 3, 2)]


def test_neighbors_in_a_ring():
    ring = Neighbours(name="ring", offsets=((1,),), bytes=10, periodic=True)
    assert transfers(ring, placed((3,))) == [(0, 0, 1, 10), (0, 1, 2, 10), (0, 2, 0, 10)]
    open_ring = replace(ring, periodic=False)
    assert transfers(open_ring, placed((3,))) == [(0, 0, 1, 10), (0, 1, 2, 10)]


def test_neighbors_that_are_one_process_get_one_transfer():
    # In a ring of two, the process before is also the one after; in a ring of one it is itself.
    both = Neighbours(name="ring", offsets=((1,), (-1,)), bytes=10, periodic=True)
    assert transfers(both, placed((2,))) == [(0, 0, 1, 20), (0, 1, 0, 20)]
    assert transfers(both, placed((1,))) == []


def test_ten_thousand_processes_in_little_time():
    big = replace(CLUSTER, levels=(Level("machine", 10_000, (Channel(),)),))
    array = Array("A", (10_000, 10_000), 8, (0, 1), ((1, 1), (1, 1)))
    found = communication_of(exchange(array), placed((100, 100), array), big).transfers
    assert isinstance(found, Transfers)
    assert len(found.senders) == 4 * 100 * 99
    assert np.unique(found.sizes).tolist() == [800]
