"""Waiting on the critical path, where it does not go to the cause of the wait."""

import pytest


def segment(location, begin, end, *, visit=None, wait=0):
    return {
        "location_id": location, "begin_ns": begin, "end_ns": end, "visit_id": visit,
        "wait_ns": wait,
    }  # fmt: skip


def wait(location, begin, end, *, visit=0, kind="mpi_wait_nxn", call_path=7, **changes):
    return {
        "property": kind, "location_id": location, "visit_id": visit, "call_path_id": call_path,
        "start_ns": begin, "wait_ns": end - begin, "is_extended": True,
    } | changes  # fmt: skip


# The path is on location 0 from 0 to 10, and after a wait of 3 in visit 5 from 23 to 30.
SEGMENTS = [segment(0, 0, 10), segment(1, 8, 22), segment(0, 20, 30, visit=5, wait=3)]


@pytest.fixture
def found(run_query):
    """Times of the path in given waits."""

    def find(*waits):
        tables = {"critical_path_segments": SEGMENTS, "wait_states": list(waits)}
        return run_query("critical_path_waits", tables)

    return find


#           0         10        20        30
# path      [=========]         [..=======]
@pytest.mark.parametrize(
    ("begin", "end", "time"),
    [
        (2, 5, 3),  # within
        (8, 20, 2),  # until the path leaves at 10
        (12, 20, 0),  # while it is elsewhere
        (12, 24, 1),  # it is back at 23
        (2, 28, 13),  # 10 - 2 and 28 - 23
        (30, 40, 0),
        (-5, 40, 17),  # all of it
    ],
)
def test_waiting_counts_while_the_path_is_on_its_location(found, begin, end, time):
    rows = [("mpi_wait_nxn", 7, 0, True, time)] if time else []
    assert found(wait(0, begin, end)) == rows


def test_waits_are_added_by_property_call_path_and_location(found):
    assert found(
        wait(0, 1, 2, visit=0), wait(0, 3, 5, visit=1), wait(0, 6, 7, visit=2, call_path=8),
        wait(1, 9, 12, visit=3), wait(2, 0, 30, visit=4),
        wait(0, 8, 9, visit=6, kind="mpi_earlyscan", is_extended=False),
    ) == [
        ("mpi_earlyscan", 7, 0, False, 1),
        ("mpi_wait_nxn", 7, 0, True, 3),
        ("mpi_wait_nxn", 7, 1, True, 3),
        ("mpi_wait_nxn", 8, 0, True, 1),
    ]  # fmt: skip


# The path jumps to another location in visit 5, so this wait is not on it, even if the begins
# differ slightly. Another wait of the same call is on it.
def test_a_wait_that_moves_the_path_is_not_on_it(found):
    followed = wait(0, 21, 24, visit=5, kind="mpi_latesender", is_extended=False)
    assert found(followed) == []
    assert found(followed, wait(0, 24, 27, visit=5)) == [("mpi_wait_nxn", 7, 0, True, 3)]


def test_completion_is_not_waiting(found):
    assert found(wait(0, 2, 5, kind="mpi_nxn_completion", is_completion=True)) == []


# All enter MPI_Finalize at 6000 µs; of them the path takes the lowest, and nothing leads it away.
# Rank 0 waits in MPI_Wait from 1500 µs until rank 3 starts the collective, at 2000 µs.
def test_waiting_for_a_nonblocking_collective_is_on_the_path_of_a_written_trace(analysis_of):
    run = analysis_of("z01_otf2v3_nbc_rma").run
    assert run.read("critical_path_segments")["location_id"].to_pylist() == [0]
    columns = ["property", "location_id", "is_extended", "path_ns"]
    assert run.read("critical_path_waits", columns).to_pylist() == [
        dict(zip(columns, ("mpi_wait_nxn", 0, True, 500_000), strict=True))
    ]
