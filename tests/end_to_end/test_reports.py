"""Reports: right figures in plain words, the same in every form, safe whatever a trace holds."""

import re
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.console import plain
from pipeline.reports.build import MATRIX_LIMIT, build_report, build_summary
from pipeline.reports.html import render_html
from pipeline.reports.markdown import render_markdown
from pipeline.reports.model import Layout, Report, Table
from pipeline.reports.terminal import print_report
from pipeline.reports.trees import DEEPEST, nest
from pipeline.reports.units import (
    drop_arguments,
    format_share,
    format_size,
    format_time,
    format_value,
    shorten,
    shorten_path,
)
from tests.hand_made import METRICS, MS, HandMadeRun, late_sender_run, make_run_row

VOID = {"meta", "wbr"}
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


@dataclass
class Page(HTMLParser):
    """What a browser would find on a page; fails where elements do not nest."""

    tags: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str]] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    deepest: int = 0
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)
            self.deepest = max(self.deepest, len(self.open))
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if "td" in self.open or "th" in self.open:
            self.cells[-1] += data


def read_page(html: str) -> Page:
    page = Page()
    page.feed(html)
    page.close()
    assert page.open == []
    return page


def text_of(report: Report) -> str:
    console = plain()
    print_report(report, console)
    return console.export_text()


def all_forms(report: Report) -> tuple[str, str, str]:
    return render_html(report), render_markdown(report), text_of(report)


def tables_of(report: Report) -> dict[str, Table]:
    return {table.name: table for section in report.sections for table in section.tables}


def test_one_late_sender_is_told_in_plain_words() -> None:
    # 200 ms in all: main 90 + 40, MPI_Send 10, MPI_Recv 60, of which 50 wait.
    summary = build_report(late_sender_run()).section("summary")
    assert summary.sentences == (
        "Together the locations spent 200 ms, 35.0% of it in MPI and 25.0% waiting on messages.",
        '"main" takes most time itself: 130 ms, 65.0% of all time, in 2 visits.',
        "Trace quality: nothing is missing or doubtful.",
        "Analysed for waiting: messages between processes.",
        "1 wait lost 50.0 ms; worst first:",
    )
    (finding,) = summary.findings
    assert finding.headline == "Late Sender: 50.0 ms, 25.0% of all time."
    assert finding.detail == (
        '1 wait in "main/MPI_Recv". Rank 1 waits for rank 0 in "main/MPI_Send".'
    )


def test_parts_of_the_time_add_up_to_all_of_it() -> None:
    parts = tables_of(build_report(late_sender_run()))["time_parts"]
    assert parts.rows == (
        ("program code", 130 * MS, 0.65),
        ("waiting on messages", 50 * MS, 0.25),
        ("MPI, other calls", 20 * MS, 0.1),
    )


def test_time_lost_elsewhere_is_charged_to_the_location_that_caused_it() -> None:
    rows = tables_of(build_report(late_sender_run()))["time_by_location"].as_dicts()
    assert [(row["rank"], row["wait_ns"], row["caused_ns"]) for row in rows] == [
        (0, 0, 50 * MS),
        (1, 50 * MS, 0),
    ]


def waits(*rows: tuple[int, int, int, int]) -> list[dict[str, Any]]:
    """Wait states from (location, call path, milliseconds, location that is waited for)."""
    return [
        {
            "property": "mpi_latesender",
            "location_id": location,
            "visit_id": 100 + at,
            "call_path_id": call_path,
            "wait_ns": milliseconds * MS,
            "cause_location_id": cause,
            "cause_visit_id": 1,
        }
        for at, (location, call_path, milliseconds, cause) in enumerate(rows)
    ]


def with_rows(run: HandMadeRun, **tables: Any) -> HandMadeRun:
    return replace(run, tables={**run.tables, **tables})


def test_a_finding_names_who_loses_most_and_whom_that_one_waits_for() -> None:
    # Location 1 waits 30 + 5 ms, location 0 only 20 ms; of the 35 ms, 30 are for location 0.
    run = with_rows(
        late_sender_run(),
        wait_states=waits((1, 2, 30, 0), (1, 2, 5, 1), (0, 2, 20, 1)),
    )
    (finding,) = build_summary(run).section("summary").findings
    assert finding.headline == "Late Sender: 55.0 ms, 27.5% of all time."
    assert finding.detail == (
        '3 waits in "main/MPI_Recv". Rank 1 loses most, 35.0 ms, '
        '30.0 ms of it waiting for rank 0 in "main/MPI_Send". Doubtful: confidence 0%.'
    )


def test_findings_are_ordered_by_cost_and_equal_ones_by_call_path() -> None:
    run = with_rows(late_sender_run(), wait_states=waits((1, 2, 5, 0), (1, 1, 5, 0), (1, 0, 9, 0)))
    details = [found.detail for found in build_summary(run).section("summary").findings]
    assert [detail.split(". ")[0] for detail in details] == [
        '1 wait in "main"',
        '1 wait in "main/MPI_Send"',
        '1 wait in "main/MPI_Recv"',
    ]


def test_threads_are_named_where_a_process_has_several() -> None:
    run = with_rows(late_sender_run(), runs=[make_run_row(process_count=1)])
    (finding,) = build_summary(run).section("summary").findings
    assert "Rank 1 thread 0 waits for rank 0 thread 0" in finding.detail


def test_a_damaged_trace_is_told_in_one_line() -> None:
    run = with_rows(
        late_sender_run(),
        trace_quality=[
            {"kind": "clock_violation", "location_id": 0, "count": 3, "detail": "Clocks differ."},
            {"kind": "clock_violation", "location_id": 1, "count": 1, "detail": "Clocks differ."},
            {"kind": "missing_records", "location_id": 1, "count": 1200, "detail": "Gone."},
        ],
        locations=[
            {"location_id": 0, "is_complete": True},
            {"location_id": 1, "rank": 1, "declared_count": 1300, "record_count": 100},
        ],
    )
    first = (
        "Incomplete trace: of 2 locations, 1 could not be read whole; the figures hold only what "
        "was readable."
    )
    line = "Trace quality: 1 location incomplete; 1,200 × missing records; 4 × clock violation."
    report = build_report(run)
    assert line in report.section("summary").sentences
    assert report.section("summary").sentences[0] == first
    assert all(line.replace("×", "×") in form for form in all_forms(report))


def test_the_query_of_every_table_returns_exactly_its_rows() -> None:
    report = build_report(late_sender_run())
    shown = [table for table in tables_of(report).values() if table.sql]
    assert len(shown) >= 10
    with late_sender_run().connect() as connection:
        for table in shown:
            cursor = connection.execute(table.sql)
            names = [column[0] for column in cursor.description]
            assert names == [column.name for column in table.columns]
            assert tuple(cursor.fetchall()) == table.rows, table.name
        for section in report.sections:
            for source in section.sources:
                assert connection.execute(source.sql).description, source.name


def test_a_table_that_was_cut_says_so_and_its_query_is_cut_alike() -> None:
    edges = [
        {"caller_region_id": at, "callee_region_id": at, "visit_count": 1, "inclusive_ns": at}
        for at in range(40)
    ]
    regions = [{"region_id": at, "name": f"region_{at}"} for at in range(40)]
    run = with_rows(late_sender_run(), region_graph_edges=edges, regions=regions)
    table = tables_of(build_report(run))["heaviest_edges"]
    assert table.is_cut
    assert len(table.rows) == 25
    assert table.rows[0][0] == "region_39"
    with run.connect() as connection:
        assert tuple(connection.execute(table.sql).fetchall()) == table.rows


def test_every_form_shows_the_same_cells() -> None:
    report = build_report(late_sender_run())
    html, markdown, text = all_forms(report)
    cells = read_page(html).cells
    for table in tables_of(report).values():
        if table.layout in (Layout.TREE, Layout.MATRIX):
            continue
        for row in table.rows:
            for position, column in table.shown:
                value = format_value(row[position], column.unit)
                assert value in cells, (table.name, column.name)
                assert f" {value} |" in markdown
                assert value in text


def test_every_form_shows_the_same_sections_and_sentences() -> None:
    report = build_report(late_sender_run())
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


def test_the_report_has_all_its_sections() -> None:
    keys = [section.key for section in build_report(late_sender_run()).sections]
    assert keys == [
        "summary", "profile", "call-tree", "region-call-graph", "wait-states",
        "communication", "trace-quality", "how-it-was-made",
    ]  # fmt: skip


def test_how_it_was_made_names_versions_and_slowest_stages_first() -> None:
    section = build_report(late_sender_run()).section("how-it-was-made")
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
        "pre", "code", "footer", "wbr",
    }  # fmt: skip
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
    short = render_html(build_report(late_sender_run()))
    assert len(long) < len(short) + 20_000


def test_the_page_needs_nothing_but_itself() -> None:
    html = render_html(build_report(late_sender_run()))
    page = read_page(html)
    for name, value in page.attributes:
        if name in ("href", "src", "srcset", "action", "data", "poster"):
            assert value.startswith("#")
    assert "url(" not in html
    assert "@import" not in html
    assert "default-src 'none'" in html
    assert len(html.encode()) < 300_000


def test_links_lead_to_sections_of_the_page() -> None:
    page = read_page(render_html(build_report(late_sender_run())))
    targets = [value for name, value in page.attributes if name == "id"]
    assert len(targets) == len(set(targets))
    links = [value.removeprefix("#") for name, value in page.attributes if name == "href"]
    assert set(links) <= set(targets)


EMPTY = HandMadeRun({"runs": [make_run_row(
    process_count=0, location_count=0, record_count=0, end_ns=0
)]})  # fmt: skip
SPARSE = {
    "empty trace": EMPTY,
    "one location": with_rows(
        late_sender_run(),
        runs=[make_run_row(process_count=1, location_count=1)],
        wait_states=[],
        messages=[],
        communication_matrix=[],
        message_sizes=[],
    ),
    "no MPI": with_rows(
        late_sender_run(),
        regions=[{"region_id": at, "name": f"r{at}", "paradigm": "openmp"} for at in range(3)],
        wait_states=[],
        messages=[],
        communication_matrix=[],
        message_sizes=[],
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
        body = re.sub(r"<style>.*?</style>|<pre>.*?</pre>|```.*?```", "", form, flags=re.DOTALL)
        assert not re.search(r"\b(nan|inf|None|NULL)\b", body)
        assert not re.search(r"[>| ]-0\b", body)


def test_an_empty_trace_says_what_it_lacks() -> None:
    report = build_report(EMPTY)
    assert report.subtitle == (
        "0 processes with 0 locations ran for 0 s; the trace holds 0 event records."
    )
    assert "No region was visited: there is nothing to profile." in (
        report.section("summary").sentences
    )


def test_what_was_looked_for_in_vain_is_named() -> None:
    summary = build_report(with_rows(late_sender_run(), wait_states=[])).section("summary")
    said = "No waiting on messages was found (looked for: Late Receiver and Late Sender)."
    assert summary.sentences[-1] == said


def test_time_that_may_hold_other_waiting_is_named() -> None:
    # MPI_Send (10 of 200 ms) becomes a barrier of threads, MPI_Recv (60 ms) a collective.
    names = (("main", "user", "function"), ("b", "openmp", "barrier"), ("c", "mpi", "coll_other"))
    regions = [
        {"region_id": at, "name": name, "paradigm": paradigm, "role": role}
        for at, (name, paradigm, role) in enumerate(names)
    ]
    report = build_report(with_rows(late_sender_run(), regions=regions, wait_states=[]))
    assert report.section("summary").sentences[-2] == (
        "Analysed for waiting: messages between processes. Not analysed: collectives and "
        "barriers (30.0% of all time) and thread synchronisation (5.0% of all time)."
    )
    parts = [row[0] for row in tables_of(report)["time_parts"].rows]
    assert parts == [
        "program code",
        "MPI collectives and barriers, waiting inside not analysed",
        "thread synchronisation, waiting inside not analysed",
    ]


def test_starting_mpi_does_not_blur_its_share() -> None:
    # MPI_Recv becomes MPI_Init: 60 of 70 ms in MPI; 10 of the other 140 ms are 7.1%.
    names = ("main", "MPI_Send", "MPI_Init")
    regions = [
        {"region_id": at, "name": name, "paradigm": "mpi" if at else "user"}
        for at, name in enumerate(names)
    ]
    summary = build_summary(with_rows(late_sender_run(), regions=regions)).section("summary")
    assert summary.sentences[1] == "Without MPI_Init and MPI_Finalize: 7.1% in MPI."


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
        tables = build_report(pairs(process_count)).section("communication").tables
        return {table.layout for table in tables}

    assert Layout.MATRIX in layouts(MATRIX_LIMIT)
    assert Layout.MATRIX not in layouts(MATRIX_LIMIT + 1)


def test_the_matrix_has_a_row_per_sender_and_a_column_per_receiver() -> None:
    page = read_page(render_html(build_report(pairs(3))))
    start = page.cells.index("from \\ to")
    assert page.cells[start : start + 16] == [
        "from \\ to", "0", "1", "2",
        "0", "", "1.00 KiB", "",
        "1", "", "", "1.00 KiB",
        "2", "1.00 KiB", "", "",
    ]  # fmt: skip


@given(st.lists(st.integers(0, 200), max_size=60))
def test_rows_of_a_tree_nest_without_gaps(depths: list[int]) -> None:
    rows = nest(depths)
    open_branches = 0
    for row in rows:
        assert row.level == open_branches
        open_branches += row.has_children
        open_branches -= row.closes
        assert 0 <= open_branches <= DEEPEST
    assert open_branches == 0


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "0 s"),
        (1, "1.00 ns"),
        (850, "850 ns"),
        (999.96, "1.00 µs"),
        (12_345, "12.3 µs"),
        (999_960, "1.00 ms"),
        (250_000_000, "250 ms"),
        (1_000_000_000, "1.000 s"),
        (12_345_678_901, "12.35 s"),
        (4_321_000_000_000, "4,321 s"),
        (-5_000_000, "-5.00 ms"),
    ],
)
def test_times_have_three_or_four_digits(nanoseconds: float, text: str) -> None:
    assert format_time(nanoseconds) == text


@given(st.integers(1, 10**18))
def test_a_time_as_text_is_right_to_the_digits_shown(nanoseconds: int) -> None:
    number, unit = format_time(nanoseconds).split()
    value = float(number.replace(",", "")) * {"s": 1e9, "ms": 1e6, "µs": 1e3, "ns": 1}[unit]
    assert value == pytest.approx(nanoseconds, rel=0.0051)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.00 KiB"),
        (1536, "1.50 KiB"),
        (1023.99 * 1024, "1.00 MiB"),
        (5 * 1024**4, "5.00 TiB"),
    ],
)
def test_sizes_have_binary_prefixes(size: float, text: str) -> None:
    assert format_size(size) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0%"),
        (0.00001, "<0.01%"),
        (0.0012, "0.12%"),
        (0.123, "12.3%"),
        (1.0, "100.0%"),
    ],
)
def test_small_shares_stay_visible(share: float, text: str) -> None:
    assert format_share(share) == text


@given(st.text(max_size=300), st.integers(10, 100))
def test_shortened_names_are_short_and_keep_both_ends(name: str, longest: int) -> None:
    short = shorten(name, longest)
    assert len(short) <= longest
    assert short[:2] == name[:2]
    assert short[-3:] == name[-3:]


def test_a_long_call_path_loses_its_middle() -> None:
    path = "/".join(["main", *(f"function_{at:02}" for at in range(20)), "MPI_Recv"])
    assert shorten_path(path, 40) == "main/…/function_18/function_19/MPI_Recv"


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("main", "main"),
        ("send(Domain&, void (*)(int))/MPI_Send", "send(…)/MPI_Send"),
        ("run()", "run()"),
        ("(anonymous namespace)::work(int)", "(anonymous namespace)::work(…)"),
        ("unbalanced(", "unbalanced("),
    ],
)
def test_cpp_names_lose_their_argument_lists(name: str, short: str) -> None:
    assert drop_arguments(name) == short


def test_metrics_used_here_are_named_as_in_the_tables() -> None:
    assert {row["metric"] for row in METRICS} >= {"time", "mpi_latesender", "mpi_latereceiver"}
