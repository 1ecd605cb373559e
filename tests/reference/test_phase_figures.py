"""Phases of recorded and of exact traces, as an independent implementation found them."""

from pathlib import Path

import pytest

from tests.reference.recorded import SHARED, analyzed, rows_of
from tracemill.engine.asking import computed_again

DATA = Path(__file__).parents[2] / "data"
# One trace was cut off, and LU of class W is large.
LEFT_OUT = {"x01_truncated_evt", "n_lu_W_4"}
TRACES = sorted(
    str(each.parent)
    for folder in (DATA, SHARED / "traces", SHARED / "fixtures")
    for each in folder.glob("*/*.otf2")
    if each.parent.name not in LEFT_OUT
)


def test_master_and_workers_have_eleven_phases_of_five_kinds() -> None:
    run = analyzed("fixtures/f3_five_phases")
    rows = rows_of(run, "SELECT begin_ns, kind FROM phases WHERE threshold = 0.25 ORDER BY phase")
    found = [round(begin / 1e6) for begin, _ in rows]
    assert found == [0, 101, 162, 202, 403, 476, 521, 722, 795, 840, 1042]
    true = [0, 100, 160, 200, 400, 480, 520, 720, 800, 840, 1040]
    assert all(abs(begin / 1e6 - at) <= 5.6 for (begin, _), at in zip(rows, true, strict=True))
    # Set the problem, initialize workers, then three times deal, compute, combine.
    assert [kind for _, kind in rows] == [0, 1, *[2, 3, 4] * 3]


@pytest.mark.parametrize(
    ("trace", "counts"),
    [
        ("fixtures/f3_five_phases", [7, 11]),
        ("traces/sB_model_p8_n400_r1", [17, 17, 17, 17]),
        ("traces/m18_master_worker", [5, 11, 13, 13]),
    ],
)
def test_levels_have_so_many_phases(trace: str, counts: list[int]) -> None:
    query = "SELECT count(*) FROM phases GROUP BY level ORDER BY level"
    found = [count for (count,) in rows_of(analyzed(trace), query)]
    assert found[: len(counts)] == counts


@pytest.mark.parametrize(
    ("trace", "computing"),
    [
        ("traces/l01_lulesh_8", 358_026_759),
        # Ranks 0 to 4, in ms, each rounded: 112.8 + 124.5 + 120.7 + 110.5 + 110.4.
        ("traces/m18_master_worker", 578.9e6),
    ],
)
def test_computing_of_the_main_part(trace: str, computing: float) -> None:
    query = """
        SELECT sum(computing_ratio * (end_ns - begin_ns)) * (
            SELECT count(*) FROM locations WHERE kind = 'cpu_thread'
        )
        FROM phases WHERE level = 0
    """
    ((found,),) = rows_of(analyzed(trace), query)
    tolerance = 0.5 if trace.endswith("lulesh_8") else 0.25e6
    assert abs(found - computing) <= tolerance


@pytest.mark.parametrize("trace", ["traces/l01_lulesh_8", "traces/n_lu_S_4", "traces/m29_hybrid"])
def test_levels_consist_of_whole_phases_of_the_next_one(trace: str) -> None:
    query = """
        SELECT count(*) FROM phases AS above
        WHERE level < 3 AND (begin_ns, end_ns) IS DISTINCT FROM (
            SELECT (min(begin_ns), max(end_ns)) FROM phases AS below
            WHERE below.level = above.level + 1 AND below.parent_phase = above.phase
        )
    """
    assert rows_of(analyzed(trace), query) == [(0,)]


@pytest.mark.parametrize("trace", TRACES)
def test_a_higher_threshold_never_gives_more_phases(trace: str) -> None:
    thresholds = ",".join(f"{number / 100}" for number in range(100, 0, -1))
    tables = ("phases", "time_profile")
    with computed_again(analyzed(trace), tables, phase_thresholds=thresholds) as answer:
        answer.provide("phases")
        query = "SELECT count(*), sum(end_ns - begin_ns) FROM phases GROUP BY level ORDER BY level"
        found = answer.connection.execute(query).fetchall()
    counts = [count for count, _ in found]
    assert len(counts) == 100
    assert counts == sorted(counts)
    assert len({time for _, time in found}) == 1  # they fill the main part


@pytest.mark.parametrize(
    "trace", ["traces/m18_master_worker", "traces/m29_hybrid", "traces/sB_model_p8_n400_r1"]
)
def test_the_critical_path_fills_all_phases_and_no_iteration_twice(trace: str) -> None:
    """The path is at one place at a time, also where it leaves a call that waited."""
    run = analyzed(trace)
    phases = "SELECT DISTINCT sum(path_ns) FROM phases GROUP BY level"
    main = "SELECT end_ns - begin_ns FROM main_part"
    assert rows_of(run, phases) == rows_of(run, main)
    overfull = """
        SELECT iteration FROM iterations
        GROUP BY iteration HAVING sum(path_ns) > max(end_ns) - min(begin_ns)
    """
    assert rows_of(run, overfull) == []
