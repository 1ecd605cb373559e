"""Rankings of programs and variants, each on its best grid, and bounds of their times."""

import tomllib

import pytest

from tracemill.base.errors import ProgramError
from tracemill.forecast.ranking import Ranking, rank_contenders
from tracemill.forecast.search_bounds import computing_bound
from tracemill.forecast.search_programs import Limits, contenders_of
from tracemill.forecast.search_report import build_search_summary
from tracemill.programs.clusters.cluster import Channel, Cluster, Level
from tracemill.programs.language.data_program import DataProgram
from tracemill.programs.language.reading import parse_program

REDUCED = """
grid = [1]
[[phase]]
kind = "parallel"
time_ns = 1000
[[phase]]
kind = "reduction"
"""
SERIAL = """
grid = [1]
[[phase]]
kind = "parallel"
time_ns = 600
[[phase]]
kind = "serial"
time_ns = 500
"""


def program(name: str, text: str) -> DataProgram:
    found = parse_program(tomllib.loads(text), name, name)
    assert isinstance(found, DataProgram)
    return found


def cluster(name: str, latency_ns: float, cores: int = 8) -> Cluster:
    return Cluster(name, (Level("node", cores, (Channel(latency_ns=latency_ns),)),))


def ranked(*latencies: float, counts: tuple[int, ...] = (2,), **limits: object) -> Ranking:
    """The ranking of REDUCED and SERIAL on clusters with these latencies."""
    contenders = contenders_of([program("reduced", REDUCED), program("serial", SERIAL)])
    clusters = [cluster(f"L{latency:g}", latency) for latency in latencies]
    return rank_contenders(contenders, clusters, counts, Limits(**limits))  # type: ignore[arg-type]


def rows(ranking: Ranking) -> list[tuple[str, int, int, str, tuple[int, ...], float]]:
    return [
        (order.cluster, order.max_processes, each.rank, each.name, each.best.grid, each.time_ns)
        for order in ranking.orders
        for each in order.ranked
    ]


def test_the_order_changes_where_communication_is_slow() -> None:
    """On two processes: 500 + 2 L against 300 + 500; L = 400 makes one process better: 1000."""
    ranking = ranked(10, 400)
    assert rows(ranking) == [
        ("L10", 2, 1, "reduced", (2,), 520),
        ("L10", 2, 2, "serial", (2,), 800),
        ("L400", 2, 1, "serial", (2,), 800),
        ("L400", 2, 2, "reduced", (1,), 1000),
    ]
    (change,) = ranking.changes
    assert (change.first, change.second) == ("reduced", "serial")
    assert (change.faster_on, change.slower_on) == (("L10",), ("L400",))
    assert [each.of_best for each in ranking.orders[1].ranked] == [1, 1.25]
    assert build_search_summary(ranking).section("summary").sentences == (
        "With at most 2 processes, reduced is faster than serial on L10, but slower on L400.",
    )


def test_few_processes_may_be_nearly_as_fast_as_the_best() -> None:
    """SERIAL takes 1100, 800, 700, 650, 620, 600, 586 (85.7 + 500), 575 on 1 to 8 processes.

    At most 5 % above 575 is 603.75: 6 processes. Up to 4 processes, 650 is the best: 682.5.
    """
    orders = ranked(10, counts=(4, 8)).orders
    serial = [next(each for each in order.ranked if each.name == "serial") for order in orders]
    assert [each.time_ns for each in serial] == [650, 575]
    assert [each.nearly_best_processes for each in serial] == [4, 6]


def test_exact_numbers_are_compared_with_each_other_only() -> None:
    """Of 2, 7 and 8, 586 on 7 is at most 5 % above 575 on 8."""
    orders = ranked(10, counts=(2, 7, 8), is_exact=True).orders
    serial = [next(each for each in order.ranked if each.name == "serial") for order in orders]
    assert [(each.time_ns, each.nearly_best_processes) for each in serial] == [
        (800, 2), (586, 7), (575, 7)
    ]  # fmt: skip


def test_contenders_without_an_efficient_grid_are_not_ranked() -> None:
    """On 2 processes: 1000 / (2 · 520) = 0.96; SERIAL 1100 / (2 · 800) = 0.69."""
    ranking = ranked(10, is_exact=True, min_efficiency=0.9)
    assert [row[3] for row in rows(ranking)] == ["reduced"]
    assert [each.contender.name for each in ranking.orders[0].unranked] == ["serial"]
    assert build_search_summary(ranking).section("summary").sentences == (
        "Not efficient enough on L10 with exactly 2 processes: serial (68.8% at best).",
    )


def test_it_is_an_error_if_no_grid_is_efficient_enough() -> None:
    message = (
        "reduced and 1 more on L10: no grid of exactly 2 processes has an efficiency of 0.97: "
        "the best efficiency found is 0.962: give a smaller --min-efficiency"
    )
    with pytest.raises(ProgramError, match=message):
        ranked(10, is_exact=True, min_efficiency=0.97)


def test_equal_times_have_equal_ranks() -> None:
    names = ("a", "b", "c")
    texts = (REDUCED, REDUCED, SERIAL)
    programs = [program(name, text) for name, text in zip(names, texts, strict=True)]
    ranking = rank_contenders(contenders_of(programs), [cluster("H", 10)], (2,), Limits())
    assert [(each.name, each.rank) for each in ranking.orders[0].ranked] == [
        ("a", 1), ("b", 1), ("c", 3)
    ]  # fmt: skip


def test_variants_count_in_place_of_their_program() -> None:
    varied = program("varied", f'{REDUCED}[[variant]]\nname = "x"\n[[variant]]\nname = "y"\n')
    plain = program("plain", REDUCED)
    assert [each.name for each in contenders_of([varied, plain])] == [
        "varied/x", "varied/y", "plain"
    ]  # fmt: skip
    assert [each.name for each in contenders_of([varied, plain], ["y"])] == ["varied/y"]


def test_a_grid_that_the_program_does_not_fit_is_named() -> None:
    """On 3 processes a time is negative."""
    text = REDUCED.replace("1000", '"1000 - 400 * p"')
    with pytest.raises(ProgramError, match=r"^x: phase 1 .* \(on grid 3\)$"):
        rank_contenders(contenders_of([program("x", text)]), [cluster("H", 10)], (4,), Limits())


def test_the_bound_is_the_longest_computing_time_of_a_process() -> None:
    """A(10) on 3: blocks 4, 4, 2.

    Five iterations of parallel 1000 (400, 400, 200) and serial 30 on the first; a branch with
    0.25 of serial 100 on all; a pipelined loop of 100 (40, 40, 20). The first computes
    5 · 430 + 25 + 40 = 2215. Productive: 5 · 1030 + 25 + 100 = 5275 of 3 · 2215.
    """
    described = program(
        "p",
        """
        grid = [3]
        [[array]]
        name = "A"
        extent = [10]
        distribution = ["block"]
        [[phase]]
        kind = "loop"
        iterations = 5
        [[phase.phase]]
        kind = "parallel"
        array = "A"
        time_ns = 1000
        [[phase.phase]]
        kind = "serial"
        on = "first"
        time_ns = 30
        [[phase]]
        kind = "branch"
        [[phase.alternative]]
        probability = 0.25
        [[phase.alternative.phase]]
        kind = "serial"
        time_ns = 100
        [[phase]]
        kind = "interval"
        name = "sweep"
        [[phase.phase]]
        kind = "pipelined"
        array = "A"
        width = [[1, 0]]
        time_ns = 100
        """,
    )
    bound = computing_bound(described.place(), cluster("H", 10))
    assert bound.time_ns == 2215
    assert bound.efficiency == 5275 / (3 * 2215)
