"""Reports: the same in every form, whole, and safe whatever a trace holds."""

import io
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.theme import Theme

from tests.helpers.hand_made import (
    METRICS,
    MS,
    HandMadeRun,
    late_sender_run,
    make_run_row,
    with_rows,
)
from tests.helpers.report_reading import (
    all_forms,
    late_sender_report,
    read_page,
    section_of,
    some_of,
    tables_of,
    text_of,
)
from tracemill.base.console import STYLES
from tracemill.engine.analyze import Options, analyze_source
from tracemill.readers import open_source
from tracemill.reports.build import build_report
from tracemill.reports.grid import TextGrid, grid_of
from tracemill.reports.html import render_html
from tracemill.reports.model import Layout, Report, Section
from tracemill.reports.sections import section_modules
from tracemill.reports.sections.communication import MATRIX_LIMIT
from tracemill.reports.terminal import fit, print_report
from tracemill.reports.units import format_value
from tracemill.store.runs import Store

DATA = Path(__file__).resolve().parents[2] / "data"
HOSTILE = (
    '<script>alert("x")</script>',
    '"><img src=x onerror=alert(1)>',
    "a" * 10_000,
    "\u202egnp.exe",
    "\x1b[31mred\x1b[0m",
    "line\nbreak\ttab\r\x00",
    "pipe | `tick` *star* _under_ [link](http://x) <b>&amp; $x$",
    "{{ 7 * 7 }} {% raw %}",
    "[bold]rich markup[/bold] \\[",
    "متجه ועוד 漢字",
    "",
)


def test_the_query_of_every_table_returns_exactly_its_rows() -> None:
    report = late_sender_report()
    shown = [table for table in tables_of(report).values() if table.sql]
    assert len(shown) >= 10
    with late_sender_run().connect() as connection:
        for table in shown:
            cursor = connection.execute(table.sql)
            names = [column[0] for column in cursor.description]
            assert names == [column.name for column in table.columns]
            assert tuple(cursor.fetchall()) == table.rows, table.name
        for section in report.sections:
            of_widgets = [source for widget in section.widgets for source in widget.of]
            for source in (*section.sources, *of_widgets):
                assert connection.execute(source.sql).description, source.name


def test_a_table_that_was_cut_says_so_and_its_query_is_cut_alike() -> None:
    edges = [
        {"caller_region_id": at, "callee_region_id": at, "visit_count": 1, "total_ns": at}
        for at in range(40)
    ]
    regions = [{"region_id": at, "name": f"region_{at}"} for at in range(40)]
    run = with_rows(late_sender_run(), region_graph_edges=edges, regions=regions)
    table = tables_of(some_of(run, "region_call_graph"))["heaviest_edges"]
    assert table.is_cut
    assert len(table.rows) == 25
    assert table.rows[0][0] == "region_39"
    with run.connect() as connection:
        assert tuple(connection.execute(table.sql).fetchall()) == table.rows


def test_every_form_shows_the_same_cells() -> None:
    report = late_sender_report()
    html, markdown, text = all_forms(report)
    cells = read_page(html).cells
    for table in tables_of(report).values():
        if table.layout in (Layout.TREE, Layout.MATRIX, Layout.COURSE):
            continue
        for row in table.rows:
            for position, column in table.shown:
                value = format_value(row[position], column.unit)
                assert value in cells, (table.name, column.name)
                assert f" {value} |" in markdown
                assert value in text


def test_every_form_shows_the_same_sections_and_sentences() -> None:
    report = late_sender_report()
    page = read_page(render_html(report))
    said = "".join(page.texts)
    _, markdown, text = all_forms(report)
    for section in report.sections:
        for part in (section.title, *section.sentences):
            assert part in said
            assert part in markdown
            assert part in text
        for finding in section.findings:
            assert all(
                finding.headline in form and finding.detail in form
                for form in (said, markdown, text)
            )


def test_a_terminal_leaves_out_sections_that_only_pages_show() -> None:
    shown, drawn = Section(key="a", title="A", remarks=("Said.",)), Section(key="b", title="Drawn")
    text = text_of(Report(title="run", subtitle="", name="0", sections=(shown, drawn)))
    assert text.split() == ["run", "A", "Said."]


@pytest.mark.parametrize("name", ["m01_late_sender", "m29_hybrid"])
def test_report_over_the_database_of_the_analysis_is_that_over_the_store(
    name: str, tmp_path: Path
) -> None:
    analysis = analyze_source(
        open_source(DATA / name),
        store=Store(tmp_path),
        options=Options(threads=1),
        keeps_database=True,
    )
    assert analysis.database is not None
    assert {"call_tree", "locations", "wait_states"} <= analysis.database.names
    page = render_html(build_report(analysis.run, threads=1, database=analysis.database))
    assert page == render_html(build_report(analysis.run, threads=1))


def test_the_report_has_all_its_sections() -> None:
    keys = [section.key for section in late_sender_report().sections]
    assert keys == [
        "summary", "exploration", "overheads", "wait-states", "critical-path", "load-balance",
        "time-course", "profile", "call-tree", "region-call-graph", "communication",
        "trace-quality", "metrics", "how-it-was-made",
    ]  # fmt: skip


def test_how_it_was_made_names_versions_and_slowest_stages_first() -> None:
    section = late_sender_report().section("how-it-was-made")
    said = " ".join(section.sentences)
    assert "2025-03-01 14:05 UTC" in said
    assert "python 3.11.2, duckdb 2.0.0" in said
    assert section.tables[0].rows == (("read", 1_500 * MS), ("messages", 250 * MS))


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_names_from_the_trace_are_only_ever_text(name: str) -> None:
    html, markdown, text = all_forms(build_report(late_sender_run(main=name, label=name)))
    page = read_page(html)
    assert set(page.tags) <= {
        "html", "head", "meta", "title", "style", "body", "a", "header", "p", "h1", "h2", "h3",
        "nav", "ol", "li", "main", "section", "dl", "div", "dt", "dd", "bdi", "strong", "figure",
        "figcaption", "table", "thead", "tbody", "tr", "th", "td", "span", "details", "summary",
        "pre", "code", "footer", "wbr", "svg", "path", "ul", "noscript", "script", "form", "h4",
        "article", "i",
    }  # fmt: skip
    plain = read_page(render_html(late_sender_report()))
    assert page.tags.count("script") == plain.tags.count("script")
    assert not [attribute for attribute, _ in page.attributes if attribute.startswith("on")]
    outside_code = re.sub(r"```.*?```", "", markdown, flags=re.DOTALL)
    assert not re.search(r"(?<!\\)<(script|img|b\b)", outside_code)
    assert not re.search(r"(?<!\\)\]\(", outside_code)
    for form in (html, markdown, text):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", form)
        form.encode("utf-8")


def test_a_hostile_name_stays_readable() -> None:
    html, markdown, text = all_forms(build_report(late_sender_run(main="a<b>|c\x1b")))
    assert "a<b>|c\\x1b" in read_page(html).texts
    assert r"a\<b\>\|c\\x1b" in markdown
    assert "a<b>|c\\x1b" in text


def test_a_name_of_any_length_leaves_the_page_small() -> None:
    long = render_html(build_report(late_sender_run(main="x" * 10_000)))
    short = render_html(late_sender_report())
    assert len(long) < len(short) + 40_000


def test_the_page_needs_nothing_but_itself() -> None:
    html = render_html(late_sender_report())
    page = read_page(html)
    for name, value in page.attributes:
        if name in ("href", "src", "srcset", "action", "data", "poster"):
            assert value.startswith("#")
    assert "url(" not in html
    assert "@import" not in html
    assert "default-src 'none'" in html
    assert len(html.encode()) < 300_000


def test_links_lead_to_sections_of_the_page() -> None:
    page = read_page(render_html(late_sender_report()))
    targets = [value for name, value in page.attributes if name == "id"]
    assert len(targets) == len(set(targets))
    links = [value.removeprefix("#") for name, value in page.attributes if name == "href"]
    assert set(links) <= set(targets)


EMPTY = HandMadeRun({"runs": [make_run_row(
    process_count=0, location_count=0, record_count=0, end_ns=0
)]})  # fmt: skip


NO_COMMUNICATION: Any = {
    "wait_states": [], "messages": [], "communication_matrix": [], "message_sizes": [],
}  # fmt: skip
SPARSE = {
    "empty trace": EMPTY,
    "one location": with_rows(
        late_sender_run(),
        runs=[make_run_row(process_count=1, location_count=1)],
        **NO_COMMUNICATION,
    ),
    "no MPI": with_rows(
        late_sender_run(),
        regions=[{"region_id": at, "name": f"r{at}", "paradigm": "openmp"} for at in range(3)],
        **NO_COMMUNICATION,
    ),
    "visits without time": with_rows(
        late_sender_run(),
        runs=[make_run_row(end_ns=0)],
        flat_profile=[{"region_id": 0, "location_id": 0, "visit_count": 7}],
        call_tree=[{"call_path_id": 0, "location_id": 0, "visit_count": 7}],
        region_graph_edges=[],
        wait_states=[],
    ),
    "messages without bytes": with_rows(
        late_sender_run(),
        messages=[{"message_id": 0}],
        communication_matrix=[
            {"sender_group_id": 0, "receiver_group_id": 1, "message_count": 3, "bytes": 0}
        ],
        message_sizes=[{"lower_bytes": 0, "upper_bytes": 0, "message_count": 3, "bytes": 0}],
    ),
    "a kind of wait without metric": with_rows(late_sender_run(), metrics=[]),
}


@pytest.mark.parametrize("run", SPARSE.values(), ids=SPARSE.keys())
def test_runs_with_little_in_them_render_without_oddities(run: HandMadeRun) -> None:
    for form in all_forms(build_report(run)):
        body = re.sub(
            r"<style>.*?</style>|<script.*?</script>|<pre>.*?</pre>|```.*?```",
            "",
            form,
            flags=re.DOTALL,
        )
        assert not re.search(r"\b(nan|inf|None|NULL)\b", body)
        assert not re.search(r"[>| ]-0\b", body)


def test_an_empty_trace_says_what_it_lacks() -> None:
    report = build_report(EMPTY)
    assert report.subtitle == "0 processes with 0 locations; the trace contains 0 event records."
    assert report.section("summary").sentences == (
        "Run time: 0 s. No region was visited: the profile is empty.",
    )


def chain(length: int) -> HandMadeRun:
    """A recursion: every call path calls the next."""
    return HandMadeRun(
        {
            "runs": [make_run_row()],
            "regions": [{"region_id": 0, "name": "recurse", "paradigm": "user"}],
            "locations": [{"location_id": 0, "is_complete": True}],
            "call_paths": [
                {"call_path_id": at, "depth": at, "last_call_path_id": length - 1}
                for at in range(length)
            ],
            "call_tree": [
                {
                    "call_path_id": at,
                    "visit_count": 1,
                    "inclusive_ns": length - at,
                    "exclusive_ns": 1,
                }
                for at in range(length)
            ],
        }
    )


def test_a_deep_recursion_does_not_nest_deeper_than_browsers_allow() -> None:
    page = read_page(render_html(build_report(chain(200))))
    assert page.deepest < 200
    assert page.texts.count("recurse") == 200


def pairs(process_count: int) -> HandMadeRun:
    """Every process sends one message to the next."""
    numbers = range(process_count)
    return with_rows(
        late_sender_run(),
        runs=[make_run_row(process_count=process_count, location_count=process_count)],
        location_groups=[{"location_group_id": at, "rank": at} for at in numbers],
        communication_matrix=[
            {
                "sender_group_id": at,
                "receiver_group_id": (at + 1) % process_count,
                "message_count": 1,
                "bytes": 1024,
            }
            for at in numbers
        ],
    )


def test_few_processes_are_shown_as_a_matrix_and_many_as_pairs() -> None:
    def layouts(process_count: int) -> set[Layout]:
        tables = section_of(pairs(process_count), "communication").tables
        return {table.layout for table in tables}

    assert Layout.MATRIX in layouts(MATRIX_LIMIT)
    assert Layout.MATRIX not in layouts(MATRIX_LIMIT + 1)


def test_the_matrix_has_a_row_per_sender_and_a_column_per_receiver() -> None:
    page = read_page(render_html(some_of(pairs(3), "communication")))
    start = page.cells.index("from \\ to")
    assert page.cells[start : start + 16] == [
        "from \\ to", "0", "1", "2",
        "0", "", "1.00 KiB", "",
        "1", "", "", "1.00 KiB",
        "2", "1.00 KiB", "", "",
    ]  # fmt: skip


def test_metrics_used_here_are_named_as_in_the_tables() -> None:
    assert {row["metric"] for row in METRICS} >= {"time", "mpi_latesender", "mpi_latereceiver"}


@pytest.mark.parametrize("width", [60, 80, 120])
def test_numbers_are_whole_however_narrow_the_terminal(width: int) -> None:
    report = late_sender_report()
    console = Console(
        file=io.StringIO(), record=True, force_terminal=True, width=width, theme=Theme(STYLES)
    )
    print_report(report, console)
    text = console.export_text()
    assert max(map(len, text.splitlines())) <= width
    for table in tables_of(report).values():
        if table.layout is Layout.MATRIX:
            continue
        grid, left_out = fit(grid_of(table), width)
        assert len(grid.titles) >= 2
        assert not left_out or f"in a wider terminal also: {left_out[0]}" in text
        for _, cells in grid.rows:
            numbers = [cell for cell, is_one in zip(cells, grid.is_numeric, strict=True) if is_one]
            assert all(number in text for number in numbers)


def test_bars_go_before_columns_where_space_lacks() -> None:
    grid = TextGrid(
        titles=("Call path", "Time", "Its share"),
        is_numeric=(False, True, True),
        rows=((0, ("main", "12.3 ms", "99.9%")),),
        bars=(1.0,),
    )
    # Call path folds to its longest word or value, 4; times take 7, shares 5; gaps are 2.
    assert fit(grid, 34) == (grid, ())
    without_bars, left_out = fit(grid, 33)
    assert (without_bars.bars, without_bars.titles, left_out) == ((), grid.titles, ())
    assert fit(grid, 20)[0].titles == grid.titles
    narrow, left_out = fit(grid, 19)
    assert (narrow.titles, left_out) == (("Call path", "Time"), ("Its share",))


def test_sections_have_places_of_their_own() -> None:
    places = [module.PLACE for module in section_modules()]
    assert len(places) >= 10
    assert places == sorted(set(places))
