"""Sentences on the ranking of call sites."""

from typing import Any

import pytest

from tests.helpers.measured_runs import MeasuredRun, tables_of
from tests.helpers.running import query_tables, run_stage
from tracemill.reports.campaign_sections.call_sites import describe_worst
from tracemill.schemas.call_sites import TOO_FEW_RUNS
from tracemill.stages.campaign.call_site_ranking import CALL_SITE_RANKING_STAGE

FIRST, SECOND = "main/MPI_Wait", "main/MPI_Send"


def least(*processes: int) -> list[float | None]:
    runs = [MeasuredRun(p, {FIRST: [p] * p, SECOND: [5] * p}) for p in processes]
    tables = tables_of(runs)
    tables |= query_tables({"communication_times": "", "call_site_times": ""}, tables)
    (ranking,) = run_stage(CALL_SITE_RANKING_STAGE, tables).values()
    return [row["perfect_p_value"] for row in ranking]


# Of n! orders the rising and the falling one are perfect; among ties 2! 2! of 4! rise.
@pytest.mark.parametrize(
    ("processes", "expected"),
    [((2, 4, 8), 2 / 6), ((2, 4, 8, 16, 32), 2 / 120), ((2, 2, 4, 4), 8 / 24), ((2, 4, 4), 1 / 3)],
)
def test_a_perfect_correlation_has_the_least_p_value(
    processes: tuple[int, ...], expected: float
) -> None:
    assert least(*processes) == pytest.approx([expected] * 2)


def test_without_a_coefficient_the_least_p_value_is_missing() -> None:
    assert least(2, 4) == [None, None]


def row(**changes: Any) -> dict[str, Any]:
    return {
        "application": "x", "call_path": "sweep/MPI_Wait", "source": "exchange.f:71",
        "spearman": 1.0, "p_value": 2 / 6, "perfect_p_value": 2 / 6, "q_value": 1 / 2,
        "largest_share_ratio": 0.388, "is_above_guard": True, "run_count": 3, "reason": None,
    } | changes  # fmt: skip


def test_too_few_runs_are_reported() -> None:
    other = row(source="exchange.f:88", spearman=0.5)
    assert list(describe_worst([row(), other])) == [
        "x: 3 runs are too few to test whether the share of a call site grows with the number of "
        "processes: even a perfect trend comes by chance with a probability of 33.3%, and at most "
        '5.0% is accepted. Among call sites that matter, the share of "sweep/MPI_Wait" '
        "(exchange.f:71) grows most steadily (rank correlation 1.00); it is 38.8% of communication "
        "in the largest run."
    ]


def test_enough_runs_without_growth_have_the_usual_sentence() -> None:
    (sentence,) = describe_worst([row(perfect_p_value=2 / 120, spearman=-0.2)])
    assert sentence.startswith("x: no call site that matters takes a share")


def test_a_growing_call_site_is_named_with_its_call_path() -> None:
    (sentence,) = describe_worst(
        [row(perfect_p_value=0.0, q_value=0.001, source="/a/exchange.f:71")]
    )
    assert sentence.startswith('x: the share of "sweep/MPI_Wait" (exchange.f:71) grows most ')


def test_impossible_comparisons_name_their_runs() -> None:
    (sentence,) = describe_worst([row(spearman=None, reason=TOO_FEW_RUNS)])
    assert sentence == (
        "x: no call site can be ranked: fewer than three runs can be compared. The comparison "
        "includes runs with communication and at least 2 processes (default)."
    )
