"""The main part of a run: from the end of the last MPI_Init to the first MPI_Finalize."""

from tests.helpers.micro_trace import read_trace
from tests.helpers.running import query_rows, run_query

#            0    10   20   30        60   70   80   90  100
# rank 0     [Init     ][work .........]    [  Finalize   ]
# rank 1     [Init          ][Recv ........]     [Finalize]
PAIR = """
    0   0..20    MPI_Init
    0   20..60   work
    0   70..100  MPI_Finalize
    1   0..30    MPI_Init
    1   30..65   MPI_Recv
    1   80..100  MPI_Finalize
"""


def part_of(trace: str, **parameters: bool) -> list[tuple[int, int]]:
    tables = read_trace(trace)
    ends = [row["leave_ns"] for row in tables["visits"]]
    run = {"run_id": "x", "begin_ns": 0, "end_ns": max(ends)}
    return run_query("main_part", tables | {"runs": [run]}, "begin_ns end_ns", **parameters)


def test_it_lasts_from_the_last_init_to_the_first_finalize() -> None:
    assert part_of(PAIR) == [(30, 70)]


def test_with_setup_it_is_the_whole_run() -> None:
    assert part_of(PAIR, is_setup_included=True) == [(0, 100)]


def test_without_mpi_it_is_the_whole_run() -> None:
    assert part_of("0 10..20 solve\n1 5..40 solve") == [(0, 40)]


def test_without_finalize_it_lasts_to_the_end() -> None:
    assert part_of("0 0..20 MPI_Init\n0 50..70 MPI_Recv") == [(20, 70)]


def test_a_process_that_finalizes_before_another_starts_leaves_the_whole_run() -> None:
    assert part_of("0 0..5 MPI_Init\n0 10..15 MPI_Finalize\n1 0..30 MPI_Init") == [(0, 30)]


def test_time_outside_it_is_setup_time() -> None:
    """Rank 0 works 20..30 before it; main takes 65..70 in it and 70..80 after it on rank 1."""
    tables = read_trace(PAIR) | {"main_part": [{"begin_ns": 30, "end_ns": 70}]}
    names = [row["path"] for row in tables["call_paths"]]
    found = query_rows("setup_times", tables)
    assert {(names[row["call_path_id"]], row["location_id"]): row["time_ns"] for row in found} == {
        ("main/MPI_Init", 0): 20,
        ("main/work", 0): 30 - 20,
        ("main/MPI_Finalize", 0): 100 - 70,
        ("main/MPI_Init", 1): 30,
        ("main", 1): 80 - 70,
        ("main/MPI_Finalize", 1): 100 - 80,
    }
    inside = query_rows("main_times", tables)
    assert {(names[row["call_path_id"]], row["location_id"]): row["time_ns"] for row in inside} == {
        ("main/work", 0): 60 - 30,
        ("main", 0): 70 - 60,
        ("main/MPI_Recv", 1): 65 - 30,
        ("main", 1): 70 - 65,
    }


def test_a_wait_counts_with_its_part_in_it() -> None:
    """The waits last 10..40 and 60..65."""
    wait = {"property": "mpi_lswo_same", "visit_id": 1, "start_ns": 10, "wait_ns": 30}
    tables = {
        "wait_states": [wait, wait | {"visit_id": 2, "start_ns": 60, "wait_ns": 5}],
        "main_part": [{"begin_ns": 30, "end_ns": 70}],
        "metrics": [
            {"metric": name, "parent_metric": parent, "kind": "wait state"}
            for name, parent in (
                ("mpi_latesender", None), ("mpi_latesender_wo", "mpi_latesender"),
                ("mpi_lswo_same", "mpi_latesender_wo"),
            )
        ],
    }  # fmt: skip
    assert sorted(run_query("main_waits", tables, "kind property wait_ns main_ns")) == [
        ("mpi_latesender", "mpi_lswo_same", 5, 5),
        ("mpi_latesender", "mpi_lswo_same", 30, 40 - 30),
    ]
