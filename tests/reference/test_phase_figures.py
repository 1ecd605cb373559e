"""Phases of recorded and of exact traces, as an independent implementation found them."""

import pytest

from tests.reference.recorded import analyzed, rows_of


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


def test_computing_of_the_main_part() -> None:
    query = """
        SELECT sum(least(spent.end_ns, part.end_ns) - greatest(spent.begin_ns, part.begin_ns))
        FROM activities AS spent, main_part AS part
        WHERE spent.activity = 'computing'
        AND spent.end_ns > part.begin_ns AND spent.begin_ns < part.end_ns
    """
    assert rows_of(analyzed("traces/l01_lulesh_8"), query) == [(358_026_759,)]
    by_rank = query.replace("SELECT", "SELECT location_id,") + "GROUP BY ALL ORDER BY 1"
    found = [
        round(time / 1e6, 1) for _, time in rows_of(analyzed("traces/m18_master_worker"), by_rank)
    ]
    assert found == [112.8, 124.5, 120.7, 110.5, 110.4]
