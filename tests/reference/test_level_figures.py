"""Figures of levels and pairs of recorded traces, from an independent implementation."""

import csv
from collections import defaultdict

import pytest

from tests.reference.recorded import SHARED, analyzed
from tracemill.sql.query_files import create_all_views
from tracemill.store.runs import Run

MASTER, MODEL, LULESH = (
    f"traces/{name}" for name in ("m18_master_worker", "sB_model_p8_n400_r1", "l01_lulesh_8")
)


def viewed(run: Run, query: str) -> list[tuple[object, ...]]:
    """Rows of a query that reads views."""
    with run.connect() as connection:
        create_all_views(connection)
        return connection.execute(query).fetchall()


def in_ms(run: Run, metric: str) -> dict[str, float]:
    """Values of the processes, in ms with one digit."""
    query = "SELECT entity, value / 1e6 FROM hierarchy WHERE level = 'process' AND metric = '{}'"
    return {
        str(rank): round(float(str(value)), 1) for rank, value in viewed(run, query.format(metric))
    }


def test_processes_of_a_master_and_its_workers() -> None:
    run = analyzed(MASTER)
    assert in_ms(run, "computing_ns") == {
        "0": 112.8, "1": 124.5, "2": 120.7, "3": 110.5, "4": 110.4,
    }  # fmt: skip
    assert in_ms(run, "path_ns") == {"0": 51.6, "1": 393.7, "4": 43.0}
    pairs = "SELECT from_rank, to_rank, message_count FROM process_pairs WHERE property IS NULL"
    assert {row[:2]: row[2] for row in viewed(run, f"{pairs} AND message_count > 0")} == {
        (0, 1): 7, (0, 2): 7, (0, 3): 5, (0, 4): 5, (1, 0): 7, (2, 0): 7, (3, 0): 5, (4, 0): 5,
    }  # fmt: skip


def test_the_path_of_a_model_program() -> None:
    found = in_ms(analyzed(MODEL), "path_ns")
    assert (found["0"], found["7"], found["1"]) == (804.1, 74.9, 3.4)


def test_activities_and_pairs_of_lulesh() -> None:
    run = analyzed(LULESH)
    found = viewed(
        run,
        """
        SELECT activity, sum(time_ns)::BIGINT FROM activity_times GROUP BY ALL
    """,
    )
    assert dict(found)["computing"] == 358_026_759
    # Before blocked time is taken off.
    ((communicating,),) = viewed(
        run,
        """
        SELECT sum(time_ns)::BIGINT
        FROM activity_times
        JOIN call_paths USING (call_path_id)
        JOIN region_classes USING (region_id)
        JOIN overhead_classes USING (overhead_id)
        WHERE overhead_classes.activity = 'communicating'
    """,
    )
    assert communicating == 12_524_189_990
    pairs = """
        SELECT count(*), sum(message_count), sum(bytes)
        FROM process_pairs WHERE message_count > 0
    """
    assert viewed(run, pairs) == [(56, 4376, 3_436_096)]
    # All waits of the reference, also outside the main part, but not in MPI_Finalize.
    waits = """
        SELECT round(sum(value) / 1e9, 3) FROM hierarchy
        WHERE level = 'program' AND metric IN (
            'mpi_latesender', 'mpi_latereceiver', 'mpi_wait_nxn', 'mpi_barrier_wait',
            'mpi_earlyreduce'
        )
    """
    assert viewed(run, waits) == [(6.087,)]


@pytest.mark.parametrize("folder", [MASTER, MODEL, LULESH, "traces/m29_hybrid", "traces/n_lu_S_4"])
def test_waiting_of_threads_is_that_of_the_reference(folder: str) -> None:
    """Sums over call paths, which the reference rounds one by one."""
    query = """
        SELECT entity, metric, value
        FROM hierarchy JOIN metrics USING (metric)
        WHERE level = 'thread' AND kind IN ('wait state', 'completion') AND hierarchy.unit = 'ns'
    """
    ours = {row[:2]: float(str(row[2])) for row in viewed(analyzed(folder), query)}
    wanted: dict[tuple[str, str], float] = defaultdict(float)
    with (SHARED / folder / "reference.csv").open() as file:
        for row in csv.DictReader(file):
            thread = f"{row['rank']}:{row['thread']}"
            wanted[thread, row["metric"]] += 1e9 * float(row["exclusive"])
    compared = {key: value for key, value in wanted.items() if key in ours}
    assert len(compared) == len(ours)
    for key, value in compared.items():
        assert ours[key] == pytest.approx(value, rel=1e-5, abs=10), key
