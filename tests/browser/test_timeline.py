"""The timeline of a run in a browser: what is drawn, zoomed, chosen and told."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Open
from tests.helpers.hand_made import HandMadeRun, make_run_row
from tests.helpers.timeline_page import LANES, colors, press, rgb, see_drawn, told, window
from tracemill.engine.analyze import Analysis, Options, analyze
from tracemill.reports import timelines
from tracemill.reports.build import build_report
from tracemill.reports.html import render_html
from tracemill.store.runs import Store


@pytest.fixture(scope="session")
def late_sender(
    tmp_path_factory: pytest.TempPathFactory, analysis_of: Callable[[str], Analysis]
) -> Path:
    """Even ranks send late, five times 50 ms, odd ones wait for them."""
    path = tmp_path_factory.mktemp("timeline") / "late_sender.html"
    report = build_report(analysis_of("m01_late_sender").run)
    path.write_text(render_html(report), encoding="utf-8")
    return path


@pytest.fixture
def page(open_page: Open, late_sender: Path) -> Page:
    """The timeline of the whole run."""
    page = open_page(late_sender)
    press(page, "Home")
    return page


def test_it_opens_on_the_main_part(open_page: Open, late_sender: Path) -> None:
    page, data = open_page(late_sender), json.loads(data_of(late_sender))
    begin, end = (data["begin"] + data["main"][name] for name in ("begin", "end"))
    assert data["begin"] < begin < end < data["end"]
    assert window(page) == {"begin": begin, "end": end}
    page.get_by_role("button", name="Show the whole run").click()
    see_drawn(page)
    assert window(page) is None


def test_calls_have_the_colors_of_the_legend(page: Page) -> None:
    legend = page.locator(".timeline .legend li")
    assert sorted(legend.all_inner_texts()) == ["MPI_Init", "MPI_Recv", "work"]
    seen = colors(page)
    for swatch in legend.locator("span").all():
        shown = swatch.evaluate("(it) => getComputedStyle(it).backgroundColor")
        assert seen.get(shown.removeprefix("rgb(").rstrip(")").replace(" ", ""), 0) > 1000
    assert seen[rgb(page, "--path")] > 100


def page_of(trace: str, folder: Path) -> Path:
    """The page of a trace in CSV."""
    (folder / "trace.csv").write_text(trace)
    options = Options(threads=1)
    run = analyze(folder / "trace.csv", store=Store(folder / "store"), options=options).run
    (folder / "page.html").write_text(render_html(build_report(run)), encoding="utf-8")
    return folder / "page.html"


SHORT = """\
Timestamp (ns),Event Type,Name,Process
0,Enter,main,0
0,Enter,MPI_Init,0
10000000,Leave,MPI_Init,0
10000000,Enter,MPI_Barrier,0
10000600,Leave,MPI_Barrier,0
10000600,Enter,work,0
10000900,Leave,work,0
10001000,Enter,MPI_Finalize,0
10001000,Leave,MPI_Finalize,0
10001000,Leave,main,0
"""


def test_the_legend_begins_with_what_is_seen_first(open_page: Open, tmp_path: Path) -> None:
    """The main part is shorter than a bin: its calls are 600, 300 and 100 ns long."""
    legend = open_page(page_of(SHORT, tmp_path)).locator(".timeline .legend li")
    assert legend.all_inner_texts() == ["MPI_Barrier", "work", "main", "MPI_Init"]


CPP = """\
Timestamp (ns),Event Type,Name,Process
0,Enter,main,0
100,Enter,"solve(Domain&, int)",0
900,Leave,"solve(Domain&, int)",0
1000,Leave,main,0
"""


def test_names_lack_the_arguments_of_cpp_as_in_tables(open_page: Open, tmp_path: Path) -> None:
    page = open_page(page_of(CPP, tmp_path))
    name = page.locator(".timeline .legend li bdi", has_text="solve")
    assert name.inner_text() == "solve(…)"
    assert name.get_attribute("title") == "solve(Domain&, int)"
    press(page, "Home", ".")
    assert "Call path main/solve(…)" in told(page)
    path = page.locator(".timeline .tell bdi", has_text="main/solve")
    assert path.get_attribute("title") == "main/solve(Domain&, int)"


def test_a_place_worth_looking_at_is_shown_with_what_is_around_it(page: Page) -> None:
    options = page.locator(".timeline select option").all_inner_texts()
    wait = next(text for text in options if text.startswith("Late Sender"))
    assert "waits 50" in wait or "waits 49.9" in wait
    page.select_option(".timeline select", label=wait)
    shown = window(page)
    assert shown is not None
    assert shown["end"] - shown["begin"] == pytest.approx(1.3 * 50e6, rel=0.01)


def test_go_to_selects_the_call_and_explains_it(page: Page) -> None:
    options = page.locator(".timeline select option").all_inner_texts()
    wait = next(text for text in options if text.startswith("Late Sender"))
    assert re.fullmatch(r"Late Sender: rank 1 waits 50\.\d ms for rank 0", wait)
    list_of_places = page.get_by_label("Go to")
    list_of_places.select_option(label=wait)
    amount = wait.split("waits ")[1].split(" for")[0]
    said = told(page)
    for part in (f"Late Sender Rank 1 waits {amount}", "for rank 0", "Call path main/MPI_Recv"):
        assert part in said
    assert re.search(r"from 0\.\d+ s .*Call from 0\.\d+ s for 50\.\d ms", said)
    assert list_of_places.input_value() == wait
    press(page, ",")  # the call before it, on the same row
    assert "Rank 1" in told(page)
    assert told(page) != said
    press(page, "+")
    assert list_of_places.input_value() == "Go to …"


def row_of_rank_1(page: Page) -> list[list[int]]:
    """The pixels of rank 1 over the name of its first call: red, green and blue, line by line."""
    found = page.evaluate(
        """async () => {
          const frame = () => new Promise(requestAnimationFrame);
          await frame();
          await frame();
          const canvas = document.querySelector(".timeline canvas");
          const height = Math.floor((canvas.height - 36) / 4);
          const copy = new OffscreenCanvas(70, height).getContext("2d");
          copy.drawImage(canvas, -85, -36 - height);
          const { data } = copy.getImageData(0, 0, 70, height);
          return Array.from({ length: 70 * height },
            (_, at) => [...data.slice(4 * at, 4 * at + 3)]);
        }"""
    )
    return list(found)


@pytest.mark.parametrize("narrower", [0, 3])
def test_hatching_does_not_cross_out_names(page: Page, narrower: int) -> None:
    """Rank 1 waits in the receive whose name stands at the left; low rows have one lane."""
    page.get_by_role("button", name="Show the run without MPI setup").click()
    for label in ("Messages", "Critical path"):
        page.get_by_role("checkbox", name=label, exact=True).uncheck()
    press(page, *"[" * narrower)
    hatched = row_of_rank_1(page)
    page.get_by_label("Waiting", exact=True).uncheck()
    plain = row_of_rank_1(page)
    changed = {at for at, pixel in enumerate(plain) if pixel != hatched[at]}
    letters = {at for at, pixel in enumerate(plain) if sum(pixel) < 60}
    assert len(changed) > 70
    assert len(letters) > 50
    assert not changed & letters


def test_keys_alone_zoom_move_and_choose(page: Page) -> None:
    assert told(page).startswith("No selection")
    press(page, "ArrowDown", "ArrowDown", *".....")  # MPI_Init, three short calls, MPI_Recv
    assert "MPI_Recv" in told(page)
    assert "Rank 1" in told(page)
    assert "for rank 0" in told(page)
    assert "main/MPI_Recv" in told(page)
    press(page, "Enter")
    near = window(page)
    assert near is not None
    assert near["end"] - near["begin"] == pytest.approx(1.4 * 50e6, rel=0.02)
    press(page, "+", "ArrowRight")
    nearer = window(page)
    assert nearer is not None
    assert nearer["end"] - nearer["begin"] == pytest.approx((near["end"] - near["begin"]) / 2)
    press(page, "Home")
    assert window(page) is None
    press(page, "Escape")
    assert told(page).startswith("No selection")


def test_the_wheel_zooms_where_it_points_once_clicked(page: Page) -> None:
    box = page.locator(LANES).bounding_box()
    assert box is not None
    page.locator(LANES).scroll_into_view_if_needed()
    page.locator(LANES).click(position={"x": 300, "y": 60})
    assert "Rank 0" in told(page)
    page.mouse.wheel(0, -500)
    see_drawn(page)
    assert window(page) is not None


def data_of(path: Path) -> str:
    """The data of the timeline as they stand in the page."""
    text = path.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data-timeline-1">(.*?)</script>', text)
    assert found is not None
    return found[1]


def point_at(page: Page, data: str, time_s: float, row: int) -> str:
    """What is told beside the mouse at the left part of a row; the whole run is shown."""
    lanes = page.locator(LANES)
    lanes.scroll_into_view_if_needed()
    box = lanes.bounding_box()
    assert box is not None
    begin, length = page.evaluate(
        """async (text) => {
          const data = await tracemill.decode(text);
          return [data.begin / 1e9, (data.end - data.begin) / 1e9];
        }""",
        data,
    )
    height = (box["height"] - 22) / 4
    x = box["x"] + 84 + (time_s - begin) / length * (box["width"] - 84)
    page.mouse.move(x, box["y"] + 22 + height * row + height * 0.75)
    see_drawn(page)
    tip = page.locator(".timeline .tip")
    return tip.inner_text() if tip.is_visible() else ""


def test_what_the_mouse_points_at_is_told_beside_it(page: Page, late_sender: Path) -> None:
    assert not page.locator(".timeline .tip").is_visible()
    page.get_by_label("Messages", exact=True).uncheck()
    begin, length = longest_receive(page, data_of(late_sender))
    shown = point_at(page, data_of(late_sender), begin + length / 2, 1)
    assert "MPI_Recv" in shown
    assert "Rank 1" in shown
    assert "Call path main/MPI_Recv" in shown
    assert f"for {length * 1e3:.1f} ms" in shown
    page.mouse.move(5, 5)
    see_drawn(page)
    assert not page.locator(".timeline .tip").is_visible()
    assert told(page).startswith("No selection")


def test_the_mouse_on_an_arrow_is_told_the_message(page: Page, late_sender: Path) -> None:
    found = page.evaluate(
        """async (text) => {
          const data = await tracemill.decode(text);
          const { messages } = data.windows[0];
          return [messages.from[0], messages.to[0], messages.tag[0], messages.bytes[0],
            messages.begin[0] / (data.end - data.begin)];
        }""",
        data_of(late_sender),
    )
    sender, receiver, tag, size, sent = found
    shown = ""
    lanes = page.locator(LANES)
    lanes.scroll_into_view_if_needed()
    box = lanes.bounding_box()
    assert box is not None
    height = (box["height"] - 22) / 4
    y = box["y"] + 22 + height * (min(sender, receiver) + 1)  # between both rows
    begin = box["x"] + 84 + sent * (box["width"] - 84)
    for x in range(int(begin) - 8, int(box["x"] + box["width"]), 4):
        page.mouse.move(x, y)
        see_drawn(page)
        shown = page.inner_text(".timeline .tip")
        if "Message from" in shown:
            break
    for part in (f"Message from Rank {sender}", f"to Rank {receiver}", f"tag {tag}"):
        assert part in shown
    assert f"size {page.evaluate('(size) => tracemill.formatSize(size)', size)}" in shown


def longest_receive(page: Page, data: str) -> tuple[float, float]:
    """When the first long call of rank 1 in a receive began, and how long it took, in seconds."""
    begin, length = page.evaluate(
        """async (text) => {
          const data = await tracemill.decode(text);
          const { visits } = data.windows[0];
          let time = 0;
          for (let at = 0; at < visits.row.length; at++) {
            time += visits.step[at];
            const name = data.regions.name[visits.region[at]];
            if (visits.row[at] === 1 && name === "MPI_Recv" && visits.length[at] > 4e7)
              return [(data.begin + time) / 1e9, visits.length[at] / 1e9];
          }
        }""",
        data,
    )
    return begin, length


def test_filters_leave_rows_out_and_dim_regions(page: Page) -> None:
    whole = page.locator(LANES).bounding_box()
    page.evaluate("() => tracemill.filter.set({rank: '1'})")
    see_drawn(page)
    one = page.locator(LANES).bounding_box()
    assert whole
    assert one
    assert one["height"] < whole["height"] / 2
    page.evaluate("() => tracemill.filter.set({rank: '', region: 'work'})")
    see_drawn(page)
    seen = colors(page)
    assert seen[rgb(page, "--k0")] > 1000  # work alone keeps its color
    assert rgb(page, "--k1") not in seen  # MPI_Recv


def test_a_part_of_the_time_has_one_color_on_the_page(page: Page) -> None:
    def color_of(widget: str, name: str) -> str:
        item = page.locator(f".widget:has({widget}) .legend li", has_text=re.compile(f"^{name}$"))
        return str(item.locator("span").evaluate("(it) => getComputedStyle(it).backgroundColor"))

    for region, part in (("MPI_Recv", "point-to-point"), ("MPI_Init", "initialise/finalise")):
        assert color_of(".timeline", region) == color_of("canvas.icicle", part)


def test_full_stop_and_comma_walk_over_bins(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """256 bins of 4 ms, every fourth without a visit; the only window is too narrow for calls."""
    ms = 1_000_000
    monkeypatch.setattr(timelines, "MOST_VISITS", 1)
    bins = [
        {"bin": at, "region_id": at % 4, "begin_ns": 4 * ms * at, "end_ns": 4 * ms * (at + 1)}
        for at in range(256)
        if at % 4 != 3
    ]
    run = HandMadeRun(
        {
            "runs": [make_run_row(end_ns=1024 * ms, location_count=1)],
            "locations": [{"visit_count": 64}],
            "location_groups": [{}],
            "regions": [{"region_id": at, "name": f"region{at}"} for at in range(4)],
            "visits": [
                {"visit_id": at, "enter_ns": 16 * ms * at, "leave_ns": 16 * ms * at + 12 * ms}
                for at in range(64)
            ],
            "timeline_bins": [row | {"time_ns": 3 * ms} for row in bins],
        }
    )
    page = open_page(build_report(run))
    walked = []
    for key in ".....,,,":
        press(page, key)
        walked.append(told(page).split()[1])
    # The middle of the run begins bin 128; bins 131 and 127 have nothing.
    assert walked == [f"region{at}" for at in (0, 1, 2, 0, 1, 0, 2, 1)]


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_it_is_drawn_in_the_colors_of_the_page(
    open_page: Open, late_sender: Path, scheme: str
) -> None:
    page = open_page(late_sender, color_scheme=scheme)
    assert colors(page)[rgb(page, "--page")] > 1000


def test_it_is_printed_as_it_is_seen_on_white(open_page: Open, late_sender: Path) -> None:
    page = open_page(late_sender, color_scheme="dark")
    assert colors(page)[rgb(page, "--page")] > 1000
    page.emulate_media(media="print")
    assert page.locator(".timeline canvas").is_visible()
    assert not page.locator(".timeline .tools").is_visible()
    assert not page.locator(".widget:has(.timeline) .in-print").is_visible()
    assert rgb(page, "--page") == "255,255,255"
    assert colors(page)["255,255,255"] > 1000


def test_where_all_is_drawn_nothing_is_said(page: Page) -> None:
    assert not page.locator(".timeline .lack").is_visible()
