"""The timeline of a run in a browser: what is drawn, zoomed, chosen and told."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from pipeline.reports.build import build_report
from pipeline.reports.html import render_html
from pipeline.reports.windows import Window
from pipeline.run import Options, analyze
from pipeline.store import Store
from tests.browser.conftest import Open
from tests.hand_made import HandMadeRun, make_run_row
from tests.reference.cases import DATA

LANES = ".timeline .lanes"
HOSTILE = (
    "</script><script>document.title='run'</script>",
    "\"quoted\" & 'quoted'",
    "\u202eright to left",
    "n" * 10_000,
)


@pytest.fixture(scope="session")
def late_sender(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Even ranks send late, five times 50 ms, odd ones wait for them."""
    folder = tmp_path_factory.mktemp("timeline")
    run = analyze(DATA / "m01_late_sender", store=Store(folder), options=Options(threads=1)).run
    path = folder / "late_sender.html"
    path.write_text(render_html(build_report(run)), encoding="utf-8")
    return path


@pytest.fixture
def page(open_page: Open, late_sender: Path) -> Page:
    return open_page(late_sender)


def press(page: Page, *keys: str) -> None:
    page.focus(LANES)
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_timeout(400)


def told(page: Page) -> str:
    return page.inner_text(".timeline .tell")


def colours(page: Page) -> dict[str, int]:
    """How many pixels of the rows have each colour."""
    found = page.evaluate(
        """() => {
          const canvas = document.querySelector(".timeline canvas");
          const context = canvas.getContext("2d");
          const { data } = context.getImageData(90, 30, canvas.width - 90, canvas.height - 30);
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
    value = page.evaluate("(name) => tracemill.colour(name)", name)
    return ",".join(str(int(value[at : at + 2], 16)) for at in (1, 3, 5))


def window(page: Page) -> dict[str, float] | None:
    found: dict[str, float] | None = page.evaluate("() => tracemill.selection.get('window')")
    return found


def test_calls_have_the_colours_of_the_legend(page: Page) -> None:
    legend = page.locator(".timeline .legend li")
    assert sorted(legend.all_inner_texts()) == ["MPI_Init", "MPI_Recv", "work"]
    seen = colours(page)
    for swatch in legend.locator("span").all():
        shown = swatch.evaluate("(it) => getComputedStyle(it).backgroundColor")
        assert seen.get(shown.removeprefix("rgb(").rstrip(")").replace(" ", ""), 0) > 1000
    assert seen[rgb(page, "--path")] > 100


def test_a_place_worth_looking_at_is_shown_with_what_is_around_it(page: Page) -> None:
    options = page.locator(".timeline select option").all_inner_texts()
    wait = next(text for text in options if text.startswith("Late Sender"))
    assert "waits 50" in wait or "waits 49.9" in wait
    page.select_option(".timeline select", label=wait)
    page.wait_for_timeout(400)
    shown = window(page)
    assert shown is not None
    assert shown["end"] - shown["begin"] == pytest.approx(1.3 * 50e6, rel=0.01)


def test_keys_alone_zoom_move_and_choose(page: Page) -> None:
    assert told(page).startswith("Nothing is chosen")
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
    assert told(page).startswith("Nothing is chosen")


def test_the_wheel_zooms_where_it_points_once_clicked(page: Page) -> None:
    box = page.locator(LANES).bounding_box()
    assert box is not None
    page.locator(LANES).scroll_into_view_if_needed()
    page.locator(LANES).click(position={"x": 300, "y": 60})
    assert "Rank 0" in told(page)
    page.mouse.wheel(0, -500)
    page.wait_for_timeout(400)
    assert window(page) is not None


def test_filters_leave_rows_out_and_dim_regions(page: Page) -> None:
    whole = page.locator(LANES).bounding_box()
    page.evaluate("() => tracemill.filter.set({rank: '1'})")
    page.wait_for_timeout(200)
    one = page.locator(LANES).bounding_box()
    assert whole
    assert one
    assert one["height"] < whole["height"] / 2
    page.evaluate("() => tracemill.filter.set({rank: '', region: 'work'})")
    page.wait_for_timeout(200)
    seen = colours(page)
    assert seen[rgb(page, "--k0")] > 1000  # work alone keeps its colour
    assert rgb(page, "--k6") not in seen  # MPI_Recv


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_it_is_drawn_in_the_colours_of_the_page(
    open_page: Open, late_sender: Path, scheme: str
) -> None:
    page = open_page(late_sender, color_scheme=scheme)
    assert colours(page)[rgb(page, "--page")] > 1000


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


def test_hostile_names_are_text(open_page: Open) -> None:
    page = open_page(build_report(hostile_run(), windows=(Window(0, 10_000_000),)))
    assert page.title() != "run"
    for row, shown in enumerate(("</script>", '"quoted" & ', "right to left", "nnn…")):
        press(page, *("ArrowUp",) * 9, *("ArrowDown",) * row, "Escape", ".")
        assert shown in told(page)
        assert "\u202e" not in told(page)
