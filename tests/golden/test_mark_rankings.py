"""Programs in the order of their marks, measured or published."""

import csv
from decimal import Decimal
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.running import run_stage
from tracemill.base.errors import CampaignError
from tracemill.stages.campaign.mark_rankings import MARK_RANKINGS_STAGE, MEASURED
from tracemill.stages.campaign.published_marks import COLUMNS, read_published_marks
from tracemill.stages.campaign.scalability import SCALABILITY_STAGE

TEPLOV = Path(__file__).parents[2] / "data" / "published_marks" / "teplov2014.csv"
Row = dict[str, Any]


def rankings(rows: list[Row], published: str = "", **options: Any) -> dict[str, list[Row]]:
    tables = {"scalability_marks": rows}
    return run_stage(MARK_RANKINGS_STAGE, tables, published_marks=published, **options)


def order(rows: list[Row], criterion: str) -> list[str]:
    return [row["application"] for row in rows if row["criterion"] == criterion]


def marks(application: str, procs: float | None, data: float, both: float, **others: Any) -> Row:
    row = {"application": application, "region": "whole", "efficiency_definition": "as given"}
    row |= {"mark_procs": procs, "mark_data": data, "mark_all": both, "cell_count": 4}
    return row | {"min_efficiency": 0.25, "max_efficiency": 0.5} | others


# --- The programs of Teplov 2014 ------------------------------------------------------------------


def test_published_programs_come_out_in_the_published_orders():
    ranked = rankings([], TEPLOV.read_text())["mark_rankings"]
    assert order(ranked, "MarkProcs") == [
        "Linpack benchmark", "block matrix multiplication", "matrix-vector product",
        "Cholesky decomposition", "Gauss elimination, forward pass", "pairwise summation",
        "vector sum", "dot product",
    ]  # fmt: skip
    assert order(ranked, "MarkData") == [
        "block matrix multiplication", "dot product", "Gauss elimination, forward pass",
        "matrix-vector product", "pairwise summation", "vector sum", "Linpack benchmark",
        "Cholesky decomposition",
    ]  # fmt: skip
    assert order(ranked, "MarkAll") == [
        "block matrix multiplication", "dot product", "matrix-vector product",
        "Gauss elimination, forward pass", "vector sum", "pairwise summation",
        "Linpack benchmark", "Cholesky decomposition",
    ]  # fmt: skip
    assert [row["rank"] for row in ranked] == [float(rank) for rank in range(1, 9)] * 3
    assert {row["comparison"] for row in ranked} == {"attainable performance"}
    assert {row["source"] for row in ranked} == {"Teplov 2014"}


def test_published_marks_are_converted_to_ratios():
    linpack = read_published_marks(TEPLOV.read_text())[0]
    found = (linpack.mark_procs, linpack.mark_data, linpack.mark_all, linpack.max_efficiency)
    assert found == pytest.approx((-0.00061256, 0.00010134, 2.84e-07, 0.867))


def test_published_orders_have_rank_correlations():
    """1 - 6 Σd² / (n (n² - 1)) with n = 8; differences of ranks as in the orders above.

    MarkProcs and MarkData: 36 + 1 + 1 + 16 + 4 + 1 + 1 + 36 = 96;
    MarkProcs and MarkAll: 36 + 1 + 0 + 16 + 1 + 0 + 4 + 36 = 94; MarkData and MarkAll: 4.
    Five programs have a range of efficiency: ranks 1, 4, 2.5, 2.5, 5 of the lowest and
    5, 4, 1, 2, 3 of the highest, so -1.5 / sqrt(9.5 × 10).
    """
    rows = rankings([], TEPLOV.read_text())["mark_ranking_correlations"]
    found = {(row["criterion"], row["other_criterion"]): row for row in rows}
    assert len(found) == 10
    expected = {
        ("MarkProcs", "MarkData"): (8, 1 - 6 * 96 / 504),
        ("MarkProcs", "MarkAll"): (8, 1 - 6 * 94 / 504),
        ("MarkData", "MarkAll"): (8, 1 - 6 * 4 / 504),
        ("min E", "max E"): (5, -1.5 / sqrt(95)),
    }
    for pair, (count, spearman) in expected.items():
        assert found[pair]["program_count"] == count
        assert found[pair]["spearman"] == pytest.approx(spearman, abs=1e-12)


@pytest.mark.parametrize(
    ("program", "processes", "sizes"),
    [
        ("Cholesky decomposition", range(4, 257, 4), range(1024, 5121, 1024)),
        ("Linpack benchmark", range(8, 129, 8), range(1000, 100_001, 1000)),
        ("Gauss elimination, forward pass", range(4, 257, 4), range(1024, 5121, 1024)),
    ],
)
def test_printed_marks_come_out_of_the_printed_grids(
    program: str, processes: range, sizes: range
) -> None:
    """A plane of efficiencies with the printed MarkProcs and MarkData has the printed MarkAll.

    From end to end a plane grows by the mark times the square of the steps: over one step by a
    share of that, which is weighed by the same share.
    """
    with TEPLOV.open(newline="") as file:
        row = next(row for row in csv.DictReader(file) if row["program"] == program)
    procs, data, both = (Decimal(row[name]) for name in ("mark_procs", "mark_data", "mark_all"))
    n_p, n_d = len(processes) - 1, len(sizes) - 1
    found = measured_plane(processes, sizes, float(procs) * n_p**2, float(data) * n_d**2)
    assert (found["mark_procs"], found["mark_data"]) == pytest.approx((float(procs), float(data)))
    rounding = half_digit(both) + (half_digit(procs) / n_d + half_digit(data) / n_p) / 2
    assert abs(found["mark_all"] - float(both)) <= float(rounding)


def measured_plane(processes: range, sizes: range, by_processes: float, by_size: float) -> Row:
    """The marks, in percent, of an efficiency that grows by so much percent over each range."""
    rows = [
        {
            "application": "plane", "processes": p, "size": float(d), "state": "measured",
            "efficiency": 0.5 + (by_processes * i / (len(processes) - 1)
                                 + by_size * j / (len(sizes) - 1)) / 100,
        }
        for i, p in enumerate(processes)
        for j, d in enumerate(sizes)
    ]  # fmt: skip
    (whole, *_) = run_stage(SCALABILITY_STAGE, {"efficiency_grid": rows})["scalability_marks"]
    return {name: 100 * whole[name] for name in ("mark_procs", "mark_data", "mark_all")}


def half_digit(number: Decimal) -> Decimal:
    """Half a unit of the last digit that is printed."""
    return Decimal(5).scaleb(number.as_tuple().exponent - 1)


# --- Programs of a campaign -----------------------------------------------------------------------


def test_programs_are_ranked_by_each_mark_from_the_lowest():
    rows = [
        marks("a", -0.5, 0.25, 0.125, max_efficiency=0.75),
        marks("b", -0.25, 0.25, -0.5),
        marks("c", -0.75, 0.5, 0.25),
        marks("a", -9.0, -9.0, -9.0) | {"region": "growth with both 1"},
    ]
    found = rankings(rows)
    columns = ("criterion", "rank", "application", "mark", "source", "cell_count", "reason")
    by_procs, by_data, by_all = (
        [tuple(row[name] for name in columns) for row in found["mark_rankings"][at : at + 3]]
        for at in (0, 3, 6)
    )
    assert by_procs == [
        ("MarkProcs", 1, "c", -0.75, MEASURED, 4, None),
        ("MarkProcs", 2, "a", -0.5, MEASURED, 4, None),
        ("MarkProcs", 3, "b", -0.25, MEASURED, 4, None),
    ]
    # Equal marks share the mean of positions 1 and 2.
    assert [row[1:3] for row in by_data] == [(1.5, "a"), (1.5, "b"), (3, "c")]
    assert [row[1:3] for row in by_all] == [(1, "b"), (2, "a"), (3, "c")]
    correlations = {
        (row["criterion"], row["other_criterion"]): (row["spearman"], row["reason"])
        for row in found["mark_ranking_correlations"]
    }
    # Ranks 2, 3, 1 and 2, 1, 3 are each other's reverse.
    assert correlations["MarkProcs", "MarkAll"] == (-1, None)
    # Ranks 2, 3, 1 and 1.5, 1.5, 3: -1.5 / sqrt(2 × 1.5).
    assert correlations["MarkProcs", "MarkData"][0] == pytest.approx(-1.5 / sqrt(3))
    same = "one of the values is the same for all programs"
    assert correlations["MarkAll", "min E"] == (None, same)
    # Only a has another highest efficiency: ranks 1, 2, 3 of b, a, c and 1.5, 3, 1.5.
    assert correlations["MarkAll", "max E"] == (0, None)


def test_programs_without_marks_come_last_with_a_reason():
    rows = [marks("a", None, None, None, reason="no cell"), marks("b", 0.5, 0.5, 0.5)]
    found = rankings(rows)
    assert [
        (row["application"], row["rank"], row["mark"], row["reason"])
        for row in found["mark_rankings"][:2]
    ] == [("b", 1, 0.5, None), ("a", None, None, "no cell")]
    row = found["mark_ranking_correlations"][0]
    few = "fewer than 3 programs have both values"
    assert (row["program_count"], row["spearman"], row["reason"]) == (1, None, few)


def test_efficiencies_of_other_meaning_or_reference_are_not_compared():
    speed_up = "speed-up over the smallest run"

    def program(name: str, definition: str, fewest: int | None, most: int | None) -> Row:
        return marks(
            name, 0.5, 0.5, 0.5,
            efficiency_definition=definition,
            min_reference_processes=fewest,
            max_reference_processes=most,
        )  # fmt: skip

    rows = [
        program("a", "as given", None, None),
        program("b", "attainable performance", None, None),
        program("c", speed_up, 1, 1),
        program("d", speed_up, 2, 2),
        program("e", speed_up, 1, 4),
        program("f", speed_up, 2, 2),
    ]

    def compared(**options: Any) -> dict[str, list[tuple[str, float]]]:
        found: dict[str, list[tuple[str, float]]] = {}
        for row in rankings(rows, TEPLOV.read_text(), **options)["mark_rankings"]:
            if row["criterion"] == "MarkAll" and row["source"] == MEASURED:
                found.setdefault(row["comparison"], []).append((row["application"], row["rank"]))
        return found

    apart = {"as given": [("a", 1)], "attainable performance": [("b", 9)]}
    assert compared() == apart | {
        f"{speed_up}, on 1 process": [("c", 1)],
        f"{speed_up}, on 1 to 4 processes": [("e", 1)],
        f"{speed_up}, on 2 processes": [("d", 1.5), ("f", 1.5)],
    }
    everywhere = [(name, 2.5) for name in "cdef"]
    assert compared(grid_rank_across_references=True) == apart | {speed_up: everywhere}


def test_a_published_program_may_have_the_name_of_a_measured_one():
    rows = [marks("dot product", 0, 0, 0, efficiency_definition="attainable performance")]
    ranked = rankings(rows, TEPLOV.read_text())["mark_rankings"]
    sources = {row["source"] for row in ranked if row["application"] == "dot product"}
    assert sources == {MEASURED, "Teplov 2014"}


def test_without_programs_there_are_no_rankings():
    assert rankings([]) == {"mark_rankings": [], "mark_ranking_correlations": []}


# --- Tables of published marks --------------------------------------------------------------------

LINE = "sort,Someone 2001,as given,ratio,0.5,0.25,0.125,,"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["program,unit"], "line 1: no column source, efficiency_definition, mark_procs"),
        ([",".join(COLUMNS), LINE.replace("ratio", "promille")],
         "line 2: unit is 'promille': write one of ratio, percent"),
        ([",".join(COLUMNS), LINE.replace("as given", "speed")],
         "line 2: efficiency_definition is 'speed': write one of as given"),
        ([",".join(COLUMNS), LINE.replace("0.25", "much")],
         "line 2: mark_data is 'much': write a number"),
        ([",".join(COLUMNS), LINE.replace("0.25", "nan")], "line 2: mark_data is 'nan'"),
        ([",".join(COLUMNS), LINE.removeprefix("sort")], "line 2: the program has no name"),
        ([",".join(COLUMNS), "sort,Someone 2001,as given,ratio"], "line 2: mark_procs is ''"),
        ([",".join(COLUMNS), LINE, LINE], "line 3: sort of Someone 2001 comes twice"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_table_of_marks_is_reported(lines: list[str], message: str):
    with pytest.raises(CampaignError, match=f"published marks: {message}"):
        read_published_marks("\n".join(lines))


def test_a_table_of_marks_may_have_no_programs():
    assert read_published_marks("") == read_published_marks(",".join(COLUMNS)) == ()
