"""Limits of the timeline: what is too much to draw, and names of any kind."""

import re
from collections.abc import Callable

import pytest

from tests.browser.conftest import Open
from tests.helpers.hand_made import HandMadeRun, make_run_row, with_rows
from tests.helpers.timeline_page import LANES, press, see_drawn, told
from tracemill.engine.analyze import Analysis
from tracemill.reports import timelines, window_details
from tracemill.reports.build import build_report
from tracemill.reports.embedding import embed
from tracemill.reports.material import Material
from tracemill.reports.windows import Window

HOSTILE = (
    "</script><script>document.title='run'</script>",
    "\"quoted\" & 'quoted'",
    "\u202eright to left",
    "n" * 10_000,
)


def hostile_run() -> HandMadeRun:
    """A row for each region name; each is visited for 10 ms and recorded in the only bin."""
    count, ms = len(HOSTILE), 1_000_000
    visits = [
        {"location_id": at, "visit_id": at, "region_id": at, "leave_ns": 10 * ms}
        for at in range(count)
    ]
    return HandMadeRun(
        {
            "runs": [make_run_row(end_ns=10 * ms, location_count=count)],
            "locations": [
                {"location_id": at, "rank": at, "location_group_id": at} for at in range(count)
            ],
            "location_groups": [{"location_group_id": at, "rank": at} for at in range(count)],
            "regions": [{"region_id": at, "name": name} for at, name in enumerate(HOSTILE)],
            "visits": visits,
            "timeline_bins": [
                {"location_id": at, "region_id": at, "end_ns": 10 * ms, "time_ns": 10 * ms}
                for at in range(count)
            ],
        }
    )


def test_what_is_too_much_to_draw_is_said(
    open_page: Open, analysis_of: Callable[[str], Analysis], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(timelines.LIMITS, "window_messages", 3)
    monkeypatch.setattr(timelines, "MOST_WAITS", 2)
    report = build_report(analysis_of("m01_late_sender").run)
    (sentence,) = [s for s in report.section("timeline").sentences if s.startswith("Too many")]
    assert "only the 2 longest waits for the whole run" in sentence
    assert "only the 3 longest messages" in sentence
    assert re.search(r" from \d\.\d{3,4} s to \d\.\d{3,4} s", sentence)
    page = open_page(report)
    assert "only the 3 longest messages" in page.inner_text(".timeline .lack")
    assert "calls" not in page.inner_text(".timeline .lack")


def test_exactly_as_much_as_may_be_drawn_is_all(
    analysis_of: Callable[[str], Analysis], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = analysis_of("m01_late_sender").run
    tables = {
        "waits": "FROM wait_states WHERE NOT is_completion",
        "messages": "FROM messages",
        "path": "FROM critical_path_segments",
    }
    with run.connect() as connection:
        sizes = {name: len(connection.sql(query).fetchall()) for name, query in tables.items()}
    monkeypatch.setitem(timelines.LIMITS, "window_messages", sizes["messages"])
    monkeypatch.setattr(timelines, "MOST_WAITS", sizes["waits"])
    monkeypatch.setattr(timelines, "MOST_SEGMENTS", sizes["path"])
    sentences = build_report(run).section("timeline").sentences
    assert not [each for each in sentences if each.startswith("Too many")]


def test_windows_of_runs_with_many_events_are_those_of_runs_with_few(
    analysis_of: Callable[[str], Analysis], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = analysis_of("m29_hybrid").run
    monkeypatch.setattr(timelines, "MOST_VISITS", 40)
    monkeypatch.setattr(timelines, "MOST_WAITS", 4)
    for query in ("window_waits", "window_messages"):
        monkeypatch.setitem(timelines.LIMITS, query, 4)
    few = build_report(run).section("timeline").widgets[0].data
    monkeypatch.setattr(window_details, "MOST_WINDOWS", 0)
    single = build_report(run).section("timeline").widgets[0].data
    assert embed(few) == embed(single)
    monkeypatch.setattr(Material, "row_count", lambda *_: 10**9)
    many = build_report(run).section("timeline").widgets[0].data
    assert len(few["windows"]) > 1
    assert any(each["leftOut"] for each in few["windows"])
    assert any(len(each["collectives"]["row"]) for each in few["windows"])
    assert embed(few) == embed(many)


def test_a_call_tells_its_source_line(open_page: Open) -> None:
    run = with_rows(hostile_run(), regions=[
        {"region_id": at, "name": f"r{at}", "file": "<b>.c", "begin_line": 10 + at}
        for at in range(len(HOSTILE))
    ])  # fmt: skip
    page = open_page(build_report(run, windows=(Window(0, 10_000_000),)))
    press(page, "ArrowDown", ".")
    assert "Source <b>.c:10" in told(page)


def test_hostile_names_are_text(open_page: Open) -> None:
    page = open_page(build_report(hostile_run(), windows=(Window(0, 10_000_000),)))
    assert page.title() != "run"
    for row, shown in enumerate(("</script>", '"quoted" & ', "right to left", "nnn…")):
        press(page, *("ArrowUp",) * 9, *("ArrowDown",) * row, "Escape", ".")
        assert shown in told(page)
        assert "\u202e" not in told(page)
        box = page.locator(LANES).bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 300, box["y"] + 24 + (box["height"] - 22) / 4 * (row + 0.5))
        see_drawn(page)
        assert page.locator(".timeline .tip").is_visible()
        assert "\u202e" not in page.inner_text(".timeline .tip")
    assert page.title() != "run"
