"""What a page says first: causes in one order, each with advice that fits its kind of waiting.

The run is that of `explored`: rank 1 waits 50 ms for a message of rank 0.
"""

from typing import Any

import duckdb
import pytest

from tests.helpers.explored import make_run
from tests.helpers.hand_made import MS, HandMadeRun, waits, with_rows
from tests.helpers.report_reading import section_of
from tracemill.reports.build import build_report, build_summary
from tracemill.reports.html import render_html
from tracemill.reports.markdown import render_markdown
from tracemill.reports.material import Material
from tracemill.reports.model import Finding, Opening, Section
from tracemill.reports.sections.summary import describe_advice
from tracemill.reports.source_lines import with_sources

MAIN, SEND, RECV = range(3)


def opening_of(**tables: Any) -> Opening:
    opening = build_report(make_run(**tables)).section("summary").opening
    assert opening is not None
    return opening


def cause(call_path: int, kind: str, direct: int, *, location: int = 0) -> dict[str, Any]:
    return {
        "kind": kind, "call_path_id": call_path, "location_id": location,
        "victim_location_id": 1 - location, "direct_ns": float(direct * MS), "passed_on_ns": 0.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("call_path", "kind", "advice"),
    [
        (MAIN, "latesender", "Give rank 0 less of this work: receivers wait."),
        (MAIN, "n2n", "Give rank 0 less of this work: all wait in a collective."),
        (SEND, "latesender", "Send earlier, without blocking, in fewer messages: receivers wait."),
        (RECV, "latereceiver", "Post receives earlier, before this call: senders wait."),
        (RECV, "barrier", "Overlap its messages with computation: all wait at a barrier."),
    ],
)
def test_advice_fits_the_call_and_the_waiting(call_path: int, kind: str, advice: str) -> None:
    (found,) = opening_of(root_causes=[cause(call_path, kind, 50)]).causes
    assert found.advice == advice


def test_what_many_take_long_for_is_to_be_distributed() -> None:
    causes = [cause(MAIN, "n2n", 25), cause(MAIN, "n2n", 25, location=1)]
    (found,) = opening_of(root_causes=causes).causes
    assert found.advice == "Distribute it evenly: all wait in a collective."


def test_page_and_terminal_name_causes_in_the_same_order() -> None:
    """main causes 28 ms, of which rank 0 causes 20; MPI_Recv 22."""
    causes = [
        cause(MAIN, "latesender", 20), cause(MAIN, "latesender", 8, location=1),
        cause(RECV, "latesender", 22),
    ]  # fmt: skip
    shown = [found.call_path for found in opening_of(root_causes=causes).causes]
    assert shown == ["main", "main/MPI_Recv"]
    said = build_summary(make_run(root_causes=causes)).section("summary").sentences
    found = [sentence for sentence in said if "causes" in sentence]
    assert found == [
        '"main", mostly on rank 0, causes 56.0% of all waiting (28.0 ms of 50.0 ms).',
        'The time without waiting in "main/MPI_Recv" on rank 0 causes 44.0% of all waiting '
        "(22.0 ms of 50.0 ms).",
    ]


def test_kinds_without_a_line_are_listed() -> None:
    kinds = [Finding(f"{name}: 1 s, 5% of all time.", "", "x") for name in ("A", "B", "C")]
    assert describe_advice(kinds[:1], kinds) == (
        "Also B: 1 s, 5% of all time; C: 1 s, 5% of all time. "
        "Meaning and what to try: tracemill explain x"
    )
    assert describe_advice([], kinds) == ""


@pytest.mark.parametrize(("useful", "has_caveat"), [(0.049, True), (0.05, False)])
def test_efficiencies_without_computation_have_a_caveat(useful: float, *, has_caveat: bool) -> None:
    pop = [
        {"interval": "whole", "convention": "multiplicative", "metric": "parallel_efficiency",
         "value": useful, "is_valid": True}
    ]  # fmt: skip
    caveat = "Processes hardly compute, so efficiencies say little."
    assert (caveat in opening_of(pop_metrics=pop).verdict) == has_caveat
    places = [
        each | ({"kind": "gpu"} if each["location_id"] else {})
        for each in make_run().tables["locations"]
    ]
    report = build_report(make_run(pop_metrics=pop, locations=places))
    opening = report.section("summary").opening
    assert opening is not None
    assert caveat not in opening.verdict
    streams = "GPU streams compute instead of processes, so efficiencies say little."
    assert (streams in opening.verdict) == has_caveat
    for key in ("efficiencies", "exploration"):
        assert (streams in report.section(key).sentences) == has_caveat


def of_pop(**values: float) -> list[dict[str, Any]]:
    return [
        {"interval": "whole", "convention": "multiplicative", "metric": metric, "value": value}
        | {"is_valid": True}
        for metric, value in values.items()
    ]


TEAMS = {"openmp_serialization": 1.0, "openmp_load_balance": 0.5, "openmp_scheduling": 0.2}
MPI = {"load_balance": 0.8, "serialization_efficiency": 1.0, "transfer_efficiency": 1.0}


def test_the_worst_part_of_openmp_is_named_and_a_run_without_mpi_has_no_bars_of_it() -> None:
    pop = of_pop(parallel_efficiency=0.1, mpi_efficiency=1, openmp_efficiency=0.1, **TEAMS)
    opening = opening_of(pop_metrics=[*pop, *of_pop(**dict.fromkeys(MPI, 1))])
    assert opening.verdict.startswith(
        "Parallel efficiency is 10.0%, limited most by OpenMP scheduling (20.0%)."
    )
    assert [(bar.title, bar.level) for bar in opening.bars] == [
        ("Parallel efficiency", 0),
        ("OpenMP serialization", 1),
        ("OpenMP load balance", 1),
        ("OpenMP scheduling", 1),
    ]


def test_bars_of_mpi_and_openmp_stand_apart() -> None:
    pop = of_pop(parallel_efficiency=0.08, mpi_efficiency=0.8, openmp_efficiency=0.1, **TEAMS)
    bars = opening_of(pop_metrics=[*pop, *of_pop(**MPI)]).bars
    assert [(bar.title, bar.level) for bar in bars] == [
        ("Parallel efficiency", 0), ("MPI", 1), ("Load balance", 2), ("Serialization", 3),
        ("Transfer", 3), ("OpenMP", 1), ("OpenMP serialization", 2), ("OpenMP load balance", 2),
        ("OpenMP scheduling", 2),
    ]  # fmt: skip


def run_with_lines(**changes: Any) -> HandMadeRun:
    """main is in /src/app.c, line 7, and calls MPI there."""
    regions = [
        each | ({"file": "/src/app.c", "begin_line": 7} if each["name"] == "main" else {})
        for each in make_run().tables["regions"]
    ]
    main = regions[0]["region_id"]
    paths = [
        each | {"caller_region_id": main if each["parent_call_path_id"] is not None else None}
        for each in make_run().tables["call_paths"]
    ]
    return make_run(regions=regions, call_paths=paths, **changes)


def test_sentences_and_causes_have_source_lines_in_every_form() -> None:
    """MPI_Recv causes 22 ms; main is on the critical path, and what removing it brings is known."""
    gain = {"kind": "call path", "call_path_id": MAIN, "path_ns": 90 * MS, "gain_ns": 50 * MS,
            "run_ns": 50 * MS}  # fmt: skip
    run = run_with_lines(root_causes=[cause(RECV, "latesender", 22)], gains=[gain])
    report = build_report(run)
    summary = report.section("summary")
    assert summary.opening is not None
    why = (
        "That is less than the 90.0 ms of this call path on the critical path, because other work "
        "would become critical."
    )
    assert summary.opening.verdict == (
        '"main/MPI_Recv" (app.c:7) causes 44.0% of all waiting; without "main" (app.c:7), the '
        "whole run would be 50.0 ms (50.0%) shorter, less than its 90.0 ms on the critical path, "
        "because other work would become critical."
    )
    assert [each.source for each in summary.opening.causes] == ["/src/app.c:7"]
    gained = (
        'Without "main" (app.c:7), the whole run would take 50.0 ms instead of 100 ms, 50.0 ms '
        f"(50.0%) less. {why}"
    )
    assert gained in summary.sentences
    assert report.section("gains").sentences == (gained,)
    assert 'in "main/MPI_Recv" (app.c:7). ' in summary.findings[0].detail
    assert gained in build_summary(run).section("summary").sentences
    assert 'Without "main" (app.c:7), the' in render_markdown(report)
    assert 'Without "<bdi class="said" title="main\n/src/app.c:7">main</bdi>"' in render_html(
        report
    )


def test_equal_advice_is_said_once_so_that_the_opening_stays_short() -> None:
    gain = {"kind": "call path", "call_path_id": MAIN, "path_ns": 90 * MS, "gain_ns": 50 * MS,
            "run_ns": 50 * MS}  # fmt: skip
    caused = [cause(SEND, "latesender", 22), cause(RECV, "latesender", 11)]
    opening = build_report(make_run(root_causes=caused, gains=[gain])).section("summary").opening
    assert opening is not None
    said = [each.advice for each in opening.causes]
    assert said == [
        "Send earlier, without blocking, in fewer messages: receivers wait.", "The same."
    ]  # fmt: skip
    assert len(" ".join((opening.verdict, *said)).split()) <= 60
    assert opening.verdict.count(". ") <= 1  # one or two sentences


def test_names_that_several_call_paths_share_have_no_source_line() -> None:
    paths = [{"call_path": f"main/f({kind})"} for kind in ("int", "char")]
    names = tuple(paths[0])
    fetched = {("any", None): (names, tuple(tuple(row.values()) for row in paths))}
    sentence = 'Most in "main/f(…)".'
    section = Section(key="x", title="X", sentences=(sentence,))
    material = Material(duckdb.connect(), make_run().manifest, _fetched=dict(fetched))
    assert with_sources((section,), material) == ((section,), {})


def test_names_with_quotes_have_source_lines_in_sentences() -> None:
    run = run_with_lines(root_causes=[cause(RECV, "latesender", 22)])
    paths = [
        each | {"path": str(each["path"]).replace("MPI_Recv", 'operator""_km(char)')}
        for each in run.tables["call_paths"]
    ]
    report = build_report(with_rows(run, call_paths=paths))
    opening = report.section("summary").opening
    assert opening is not None
    assert opening.verdict == '"main/operator""_km(…)" (app.c:7) causes 44.0% of all waiting.'
    title = "main/operator&#34;&#34;_km(char)\n/src/app.c:7"
    assert f'"<bdi class="said" title="{title}">' in render_html(report)


def test_tables_show_source_lines_of_call_paths() -> None:
    report = build_report(run_with_lines())
    tables = report.section("wait-states").tables
    path = next(column for table in tables for column in table.columns if column.is_path)
    assert path.sources == {"main/MPI_Recv": "/src/app.c:7"}
    page, text = render_html(report), render_markdown(report)
    assert '<bdi class="path" title="main/MPI_Recv\n/src/app.c:7">' in page
    assert '<small class="site">app.c:7</small>' in page
    assert "main/MPI_Recv (app.c:7)" in text


def test_a_run_that_waits_only_in_extended_states_does_not_wait_for_no_time() -> None:
    """50 ms of the 200 ms of two ranks."""
    extended = [row | {"is_extended": True} for row in waits((1, RECV, 50, 0))]
    facts = build_report(make_run(wait_states=extended)).section("summary").facts
    assert [fact.value for fact in facts if fact.label == "of all time waiting"] == [0.25]


# The wait lasts from 10 to 60 ms. Another, of a kind without causes, is outside the main part.
@pytest.mark.parametrize(("main_ms", "said"), [(10, ""), (20, " in the whole run")])
def test_a_cause_says_which_part_of_the_run_its_waiting_is_in(main_ms: int, said: str) -> None:
    (late,) = waits((1, RECV, 50, 0))
    other = late | {"property": "mpi_finalize_wait", "wait_ns": 5 * MS}
    run = make_run(
        root_causes=[cause(MAIN, "latesender", 25)],
        wait_states=[late | {"start_ns": 10 * MS}, other],
        main_part=[{"begin_ns": main_ms * MS, "end_ns": 100 * MS}],
    )  # fmt: skip
    (sentence,) = section_of(run, "root-causes").sentences
    assert sentence == (f'"main" on rank 0 causes 50.0% of all waiting (25.0 ms of 50.0 ms{said}).')


# Visits that begin before a focus are not counted in it, but their time is.
def test_time_without_the_begin_of_a_visit_is_described() -> None:
    unvisited = [row | {"visit_count": 0} for row in make_run().tables["flat_profile"]]
    said = build_summary(make_run(flat_profile=unvisited)).section("summary").sentences
    assert said[0].startswith("Run time: 100 ms. All locations together spent 200 ms, ")
