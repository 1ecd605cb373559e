"""The timeline of a run in a browser: what is drawn, zoomed, chosen and told."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Open
from tests.helpers.hand_made import HandMadeRun, make_run_row, with_rows
from tracemill.engine.analyze import Analysis
from tracemill.reports import timelines
from tracemill.reports.build import build_report
from tracemill.reports.html import render_html
from tracemill.reports.windows import Window

LANES = ".timeline .lanes"
HOSTILE = (
    "</script><script>document.title='run'</script>",
    "\"quoted\" & 'quoted'",
    "\u202eright to left",
    "n" * 10_000,
)


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


def press(page: Page, *keys: str) -> None:
    page.focus(LANES)
    for key in keys:
        page.keyboard.press(key)
    see_drawn(page)


def see_drawn(page: Page) -> None:
    """Wait until what was done so far is drawn, which is at the next frame."""
    page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


def told(page: Page) -> str:
    return page.inner_text(".timeline .tell")


def colors(page: Page) -> dict[str, int]:
    """How many pixels of the rows have each color, once the page is laid out and drawn."""
    found = page.evaluate(
        """async () => {
          const frame = () => new Promise(requestAnimationFrame);
          await frame();
          await frame();
          await frame();
          const canvas = document.querySelector(".timeline canvas");
          const [width, height] = [canvas.width - 90, canvas.height - 30];
          const copy = new OffscreenCanvas(width, height).getContext("2d");
          copy.drawImage(canvas, -90, -30);
          const { data } = copy.getImageData(0, 0, width, height);
          const counts = {};
          for (let at = 0; at < data.length; at += 4) {
            const name = [data[at], data[at + 1], data[at + 2]].join();
            counts[name] = (counts[name] || 0) + 1;
          }
          return counts;
        }"""
    )
    return {str(name): int(count) for name, count in found.items()}


def rgb(page: Page, name: str) -> str:
    """A color of the page; "#fff" is short for "#ffffff"."""
    value = str(page.evaluate("(name) => tracemill.color(name)", name)).lstrip("#")
    digits = value if len(value) > 3 else "".join(2 * digit for digit in value)
    return ",".join(str(int(digits[at : at + 2], 16)) for at in (0, 2, 4))


def window(page: Page) -> dict[str, float] | None:
    """What is shown, as other parts of the page are told a quarter of a second after a change."""
    found: dict[str, float] | None = page.evaluate(
        """() => new Promise((done) => {
          setTimeout(() => done(tracemill.selection.get("window")), 260);
        })"""
    )
    return found


def test_calls_have_the_colors_of_the_legend(page: Page) -> None:
    legend = page.locator(".timeline .legend li")
    assert sorted(legend.all_inner_texts()) == ["MPI_Init", "MPI_Recv", "work"]
    seen = colors(page)
    for swatch in legend.locator("span").all():
        shown = swatch.evaluate("(it) => getComputedStyle(it).backgroundColor")
        assert seen.get(shown.removeprefix("rgb(").rstrip(")").replace(" ", ""), 0) > 1000
    assert seen[rgb(page, "--path")] > 100


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


def run_on_nodes() -> HandMadeRun:
    """Two nodes with two processes each; rank 0 has a second thread and a stream of a GPU.

    The only bin is 10 ms long. Rank 0's first thread is in r0 all the time, all others in r1.
    """
    ms = 1_000_000
    places = [  # rank, thread, group, kind, name
        (0, 0, 0, "cpu_thread", "Master thread"), (0, 1, 0, "cpu_thread", "Worker"),
        (0, 0, 4, "gpu", "HIP[0:0]"), (1, 0, 1, "cpu_thread", "Master thread"),
        (2, 0, 2, "cpu_thread", "Master thread"), (3, 0, 3, "cpu_thread", "Master thread"),
    ]  # fmt: skip
    groups = [
        {"location_group_id": at, "rank": at, "kind": "process", "system_tree_node_id": 1 + at // 2}
        for at in range(4)
    ]
    gpu = {"location_group_id": 4, "rank": 0, "kind": "accelerator"}
    return HandMadeRun(
        {
            "runs": [make_run_row(end_ns=10 * ms, location_count=6)],
            "system_tree_nodes": [
                {"system_tree_node_id": 0, "name": "machine", "class_name": "machine"},
                *({"system_tree_node_id": 1 + at, "name": name, "class_name": "node"}
                  | {"parent_system_tree_node_id": 0} for at, name in enumerate(("alpha", "beta"))),
            ],
            "location_groups": [*groups, gpu | {"creating_location_group_id": 0}],
            "locations": [
                {"location_id": at, "rank": rank, "thread": 2 if kind == "gpu" else thread}
                | {"location_group_id": group, "kind": kind, "name": name, "visit_count": 1}
                for at, (rank, thread, group, kind, name) in enumerate(places)
            ],
            "regions": [{"region_id": at, "name": f"r{at}"} for at in range(2)],
            "timeline_bins": [
                {"location_id": at, "region_id": min(at, 1), "end_ns": 10 * ms, "time_ns": 10 * ms}
                for at in range(6)
            ],
        }
    )  # fmt: skip


def test_rows_are_grouped_by_node_and_process_and_folded_by_key(open_page: Open) -> None:
    page = open_page(build_report(run_on_nodes()))
    seen = []
    for _ in range(8):
        press(page, "ArrowDown")
        seen.append(told(page))
    assert seen == [
        "Row 1 of 8: Node alpha, unfolded, 4 rows",
        "Row 2 of 8: Rank 0, thread 0, unfolded, 3 rows",
        "Row 3 of 8: Rank 0, thread 1",
        "Row 4 of 8: GPU stream HIP[0:0] of rank 0",
        "Row 5 of 8: Rank 1, thread 0",
        "Row 6 of 8: Node beta, unfolded, 2 rows",
        "Row 7 of 8: Rank 2, thread 0",
        "Row 8 of 8: Rank 3, thread 0",
    ]
    press(page, *("ArrowUp",) * 4, "Space")  # the stream folds its process
    assert told(page) == "Row 2 of 6: Rank 0, thread 0, folded, 3 rows"
    press(page, ".")  # two of three locations are in r1
    assert told(page).startswith("Region r1 Rank 0, thread 0 most time of 3 folded rows")
    press(page, "Space", ".")
    assert told(page).startswith("Region r0 Rank 0, thread 0 from")
    press(page, "Escape", "ArrowUp", "Space", ".")
    assert told(page).startswith("Region r1 Node alpha most time of 4 folded rows")
    press(page, "ArrowDown")
    assert told(page) == "Row 2 of 4: Node beta, unfolded, 2 rows"


def test_rows_are_folded_by_mouse_and_all_at_once(open_page: Open) -> None:
    page = open_page(build_report(run_on_nodes()))
    levels = page.get_by_label("Rows", exact=True)
    assert levels.locator("option").all_inner_texts() == [
        "Rows …",
        "Nodes",
        "Processes",
        "All rows",
    ]
    assert levels.input_value() == "All rows"
    height = (page.locator(".timeline canvas").evaluate("(it) => it.clientHeight") - 36) / 8
    page.locator(LANES).click(position={"x": 30, "y": 36 + height / 2})
    assert told(page) == "Row 1 of 4: Node alpha, folded, 4 rows"
    levels.select_option(label="Nodes")
    press(page, "End", "ArrowDown")
    assert told(page) == "Row 2 of 2: Node beta, folded, 2 rows"
    levels.select_option(label="Processes")
    press(page, "ArrowUp")
    assert told(page) == "Row 3 of 6: Rank 1, thread 0"


def test_a_wait_in_a_folded_node_is_unfolded_by_going_to_it(open_page: Open) -> None:
    waits = [
        {"property": "mpi_latesender", "location_id": 5, "cause_location_id": 0, "visit_id": 7}
        | {"start_ns": 1_000_000, "wait_ns": 2_000_000}
    ]
    metrics = [{"metric": "mpi_latesender", "title": "Late Sender"}]
    run = with_rows(run_on_nodes(), wait_states=waits, metrics=metrics)
    page = open_page(build_report(run))
    page.get_by_label("Rows", exact=True).select_option(label="Nodes")
    page.get_by_label("Go to").select_option(index=1)
    assert told(page) == (
        "Late Sender Rank 3, thread 0 waits 2.00 ms from 0.001 s for rank 0, thread 0"
    )
    press(page, "ArrowUp")
    assert told(page) == "Row 3 of 4: Rank 2, thread 0"  # only beta is unfolded


def many_ranks(count: int, per_node: int) -> HandMadeRun:
    """Processes in one bin of 10 ms; the path leads over the last of them."""
    ms = 1_000_000
    return HandMadeRun(
        {
            "runs": [make_run_row(end_ns=10 * ms, location_count=count, process_count=count)],
            "system_tree_nodes": [
                {"system_tree_node_id": at, "name": f"node {at}", "class_name": "node"}
                for at in range(count // per_node)
            ],
            "location_groups": [
                {"location_group_id": at, "rank": at, "system_tree_node_id": at // per_node}
                for at in range(count)
            ],
            "locations": [
                {"location_id": at, "rank": at, "location_group_id": at} for at in range(count)
            ],
            "regions": [{"region_id": 0, "name": "r0"}],
            "timeline_bins": [
                {"location_id": at, "end_ns": 10 * ms, "time_ns": 10 * ms} for at in range(count)
            ],
            "critical_path_segments": [
                {"ordinal": 0, "location_id": count - 1, "begin_ns": 0, "end_ns": 10 * ms}
            ],
        }
    )


def test_64_ranks_and_their_path_are_seen_at_once(open_page: Open) -> None:
    page = open_page(build_report(many_ranks(64, 64)))
    assert page.evaluate(f"(() => {{ const it = document.querySelector('{LANES}');"
                         " return it.scrollHeight === it.clientHeight })()")  # fmt: skip
    assert colors(page)[rgb(page, "--path")] > 900  # a line over the width of the window


def run_with_lanes() -> HandMadeRun:
    """Two processes for 20 ms: two iterations, and a counter in four bins of 5 ms."""
    ms = 1_000_000
    run = with_rows(many_ranks(2, 2), runs=[make_run_row(end_ns=20 * ms)])
    return with_rows(
        run,
        location_groups=[
            {"location_group_id": at, "rank": at, "name": f"MPI Rank {at}"} for at in range(2)
        ],
        iterations=[
            {"location_group_id": place, "iteration": at, "begin_ns": 10 * ms * at}
            | {"end_ns": 10 * ms * (at + 1)}
            for place in range(2)
            for at in range(2)
        ],
        counters=[{"counter_id": 0, "name": "PAPI_TOT_INS", "unit": "#"}],
        counter_recordings=[{"recording_id": 0, "counter_id": 0, "value_count": 1}],
        counter_profile=[
            {"bin": at, "begin_ns": 5 * ms * at, "end_ns": 5 * ms * (at + 1), "scope_id": place}
            | {"value": 1000 * (at + 1) * (place + 1), "covered_ns": 5 * ms, "method": "exact"}
            for place in range(2)
            for at in range(4)
        ],
    )


def test_lanes_of_iterations_and_counters_stay_above_the_rows(open_page: Open) -> None:
    page = open_page(build_report(run_with_lanes()))
    press(page, "ArrowUp")
    assert told(page) == (
        "PAPI_TOT_INS of the run, lane 2 of 2: 4 parts; comma and period walk over them."
    )
    press(page, ".")  # the middle of the run is the begin of the third bin: 3,000 and 6,000
    assert told(page) == "Counter PAPI_TOT_INS of the run 9,000 from 0.010 s for 5.00 ms"
    press(page, ",")
    assert "of the run 6,000 from 0.005 s" in told(page)
    press(page, "ArrowUp", ".")
    assert told(page) == "Iteration 1 from 0.010 s for 10.0 ms"
    press(page, "Enter")  # 20% more on each side, where there is room
    assert window(page) == {"begin": pytest.approx(6e6), "end": pytest.approx(20e6)}
    press(page, "ArrowDown", "ArrowDown", "ArrowDown")
    assert told(page) == "Row 2 of 2: Rank 1"
    press(page, "ArrowUp", "ArrowUp", ".")  # rank 0: the lane is that of its process
    assert "Counter PAPI_TOT_INS of MPI Rank 0" in told(page)


def test_a_lane_tells_its_values_to_the_mouse_and_can_be_put_away(open_page: Open) -> None:
    page = open_page(build_report(run_with_lanes()))
    canvas = page.locator(".timeline canvas")
    box = canvas.bounding_box()
    assert box is not None
    middle = 14 + 11 + 8  # below the times and the iterations
    page.mouse.move(box["x"] + 84 + (box["width"] - 84) * 0.9, box["y"] + middle)
    see_drawn(page)
    assert page.inner_text(".timeline .tip") == (
        "Counter PAPI_TOT_INS of the run 12,000 from 0.015 s for 5.00 ms"
    )
    assert canvas.get_attribute("aria-hidden") == "true"
    page.locator(".timeline .counters summary").click()
    page.get_by_role("checkbox", name="PAPI_TOT_INS").uncheck()
    press(page, "ArrowUp")
    assert told(page).startswith("Iterations, lane 1 of 1: 2 parts")


DRAWN_BY_FRAME = """async () => {
  const lanes = document.querySelector(".timeline .lanes");
  const frame = () => new Promise(requestAnimationFrame);
  let count = 0;
  for (const name of ["fillText", "fillRect", "drawImage", "fill", "stroke"]) {
    const draw = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...given) {
      count++;
      return draw.apply(this, given);
    };
  }
  const counts = [];
  for (let at = 1; at < 10; at++) {
    count = 0;
    lanes.scrollTop = (lanes.scrollHeight - lanes.clientHeight) * at / 10;
    await frame();
    await frame();
    await frame();
    counts.push(count);
  }
  return [lanes.scrollHeight, counts];
}"""


def test_1024_ranks_open_folded_by_node_and_draw_only_what_is_seen(open_page: Open) -> None:
    page = open_page(build_report(many_ranks(1024, 16)))
    press(page, "ArrowDown")
    assert told(page) == "Row 1 of 64: Node 0, folded, 16 rows"
    page.get_by_label("Rows", exact=True).select_option(label="All rows")
    height, counts = page.evaluate(DRAWN_BY_FRAME)
    assert height == 36 + 12 * (1024 + 64)
    assert min(counts) > 0
    assert max(counts) < 1024
    press(page, "ArrowDown")
    assert told(page).startswith("Row 2 of 1088")


def test_it_is_printed_as_it_is_seen_on_white(open_page: Open, late_sender: Path) -> None:
    page = open_page(late_sender, color_scheme="dark")
    assert colors(page)[rgb(page, "--page")] > 1000
    page.emulate_media(media="print")
    assert page.locator(".timeline canvas").is_visible()
    assert not page.locator(".timeline .tools").is_visible()
    assert not page.locator(".widget:has(.timeline) .in-print").is_visible()
    assert rgb(page, "--page") == "255,255,255"
    assert colors(page)["255,255,255"] > 1000


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


def test_where_all_is_drawn_nothing_is_said(page: Page) -> None:
    assert not page.locator(".timeline .lack").is_visible()


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
