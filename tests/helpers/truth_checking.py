"""Analyses of generated traces, held against their true waits, accesses and critical path."""

from pathlib import Path

from tests.helpers.computing import Computation
from tests.helpers.truth_reading import true_accesses, true_path, true_segments, true_waits

RELATIONS = (
    "wait_states", "critical_path_profile", "critical_path_segments", "parallel_visits",
    "file_accesses",
)  # fmt: skip
TABLES = (*RELATIONS, "call_paths")
WAITS = """
    SELECT property, call_paths.path, waits.location_id, visit_id, start_ns, wait_ns,
        cause_location_id, cause_visit_id, is_extended
    FROM wait_states AS waits
    INNER JOIN call_paths USING (call_path_id)
"""
# Forks are no wait states; their records and tables are compared like them.
FORKS = """
    SELECT 'omp_fork', call_paths.path, workers.location_id, workers.visit_id, workers.fork_ns,
        workers.enter_ns - workers.fork_ns, masters.location_id, masters.visit_id, FALSE
    FROM parallel_visits AS workers
    INNER JOIN parallel_visits AS masters
        ON workers.thread_team_id = masters.thread_team_id
        AND masters.location_id = workers.master_location_id
    INNER JOIN call_paths ON workers.call_path_id = call_paths.call_path_id
"""
ACCESSES = """
    SELECT io_handle_id, file, location_id, mode, sum(operation_count)::BIGINT,
        sum(bytes)::BIGINT, sum(time_ns)::BIGINT
    FROM file_accesses
    WHERE mode IN ('read', 'write')
    GROUP BY ALL
"""
PATH = """
    SELECT call_paths.path, location_id, path_ns
    FROM critical_path_profile
    INNER JOIN call_paths USING (call_path_id)
"""
SEGMENTS = """
    SELECT location_id, begin_ns, end_ns, wait_ns FROM critical_path_segments ORDER BY ordinal
"""


def check_truth(folder: Path, found: Computation, what: str) -> None:
    """Raise AssertionError if an analysis differs from the truth in a folder."""
    waits = [tuple(row.values()) for row in true_waits(folder)]
    all_waits = [*found.rows(WAITS, *TABLES), *found.rows(FORKS, *TABLES)]
    assert sorted(all_waits, key=repr) == sorted(waits, key=repr), what
    accesses = [tuple(row.values()) for row in true_accesses(folder)]
    assert sorted(found.rows(ACCESSES, *TABLES)) == sorted(accesses), what
    path = [tuple(row.values()) for row in true_path(folder)]
    assert sorted(found.rows(PATH, *TABLES), key=repr) == sorted(path, key=repr), what
    segments = [tuple(row.values()) for row in true_segments(folder)]
    assert found.rows(SEGMENTS, *TABLES) == segments, what
    assert found.records("reading_findings") == [], what
