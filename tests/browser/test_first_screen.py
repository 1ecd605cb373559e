"""The first screen of a run's page, and how long the page is."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Open, unfold
from tests.helpers.explored import make_run
from tracemill.engine.analyze import analyze
from tracemill.reports.build import build_report
from tracemill.reports.html import render_html
from tracemill.store.runs import Store

SCREEN = {"width": 1400, "height": 900}
SCREENS = 8
MOST_WORDS = 60
DATA = Path(__file__).parent.parent.parent / "data"
# Everything that is seen without scrolling.
SEEN = """(selector) => [...document.querySelectorAll(selector)].every((it) => {
  const box = it.getBoundingClientRect()
  return box.top >= 0 && box.bottom <= innerHeight && box.width > 0
})"""


@pytest.fixture(scope="module", params=["m01_late_sender", "m29_hybrid"])
def page(request: pytest.FixtureRequest, tmp_path_factory, open_for_all: Open) -> Page:
    folder = tmp_path_factory.mktemp("first")
    run = analyze(DATA / request.param, store=Store(folder / "store")).run
    path = folder / "page.html"
    path.write_text(render_html(build_report(run)), encoding="utf-8")
    return open_for_all(path, viewport=SCREEN)


def test_the_first_screen_has_verdict_efficiencies_causes_and_the_timeline(page: Page) -> None:
    assert page.evaluate(SEEN, ".verdict, .bars > div, .causes > li, .timeline canvas")
    assert page.locator(".bars > div").count() >= 4
    assert page.locator(".verdict").inner_text().startswith("Parallel efficiency is ")
    assert 1 <= page.locator(".causes > li").count() <= 3


def test_its_prose_is_short(page: Page) -> None:
    script = """(it) => {
      const copy = it.cloneNode(true)
      copy.querySelectorAll("small").forEach((site) => site.remove())
      return copy.textContent
    }"""
    prose = [each.evaluate(script) for each in page.locator(".verdict, .advice").all()]
    assert len(re.findall(r"\S+", " ".join(prose))) <= MOST_WORDS


def test_the_page_is_short_and_never_wider_than_the_window(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollHeight") <= SCREENS * SCREEN["height"]
    for width in (1400, 700):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size(SCREEN)


def test_a_narrow_window_shows_the_verdict_before_the_list_of_sections(page: Page) -> None:
    page.set_viewport_size({"width": 700, "height": 900})
    top = "(selector) => document.querySelector(selector).getBoundingClientRect().top"
    tops = [page.evaluate(top, each) for each in (".verdict", ".causes", "nav", "#timeline")]
    assert tops == sorted(tops)
    page.set_viewport_size(SCREEN)


def test_causes_have_their_whole_source_lines(page: Page) -> None:
    for width in (1400, 700):
        page.set_viewport_size({"width": width, "height": 900})
        sites = page.locator(".causes small")
        assert sites.count() >= 1
        for site in sites.all():
            assert re.fullmatch(r"\S+:\d+", site.inner_text())
            assert site.get_attribute("title").endswith(site.inner_text())
            assert site.evaluate(
                "(it) => it.getBoundingClientRect().right"
                " <= it.closest('li').getBoundingClientRect().right"
            )
    page.set_viewport_size(SCREEN)


def test_a_link_opens_what_it_leads_to(page: Page) -> None:
    for key in ("load-balance", "trace-quality"):
        fold = page.locator(f"#{key} > details.fold")
        assert not fold.evaluate("(it) => it.open")
        page.locator(f"nav a[href='#{key}']").click()
        assert fold.evaluate("(it) => it.open")


def test_a_fold_says_its_main_figure(page: Page) -> None:
    said = page.locator("#communication .fold > summary .figure").inner_text()
    assert re.match(r"\d+ matched messages carried .*B", said)


def test_tables_are_ordered_by_any_column_by_key_alone(page: Page) -> None:
    unfold(page)
    table = page.locator("#load-balance table").first
    head = table.locator("th.n").first
    place = head.evaluate("(it) => it.cellIndex") + 1
    cells = table.locator(f"tbody td:nth-child({place})")
    texts = cells.all_text_contents()
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    down = cells.all_text_contents()
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert sorted(down) == sorted(texts)
    assert amounts(cells.all_text_contents()) == sorted(amounts(texts))
    assert amounts(down) == sorted(amounts(texts), reverse=True)


UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}


def amounts(texts: list[str]) -> list[float]:
    found = [text.replace(",", "").split() for text in texts]
    return [float(amount) * UNITS[unit] for amount, unit in found]


def test_a_filter_finds_rows_behind_the_first(open_page: Open, tmp_path: Path) -> None:
    run = analyze(DATA / "m29_hybrid", store=Store(tmp_path / "store")).run
    path = tmp_path / "page.html"
    path.write_text(render_html(build_report(run)), encoding="utf-8")
    page = open_page(path, viewport=SCREEN)
    unfold(page)
    table = page.locator("table.short:has(th[data-filter='rank'])").first
    place = table.locator("th[data-filter='rank']").first.evaluate("(it) => it.cellIndex") + 1
    last = table.locator("tbody tr").last
    assert not last.is_visible()
    page.get_by_label("Rank", exact=True).fill(
        last.locator(f"td:nth-child({place})").text_content() or ""
    )
    assert last.is_visible()
    page.get_by_role("button", name="Clear filter").click()
    assert not last.is_visible()


# 144 px show the last name of a call path; tables that then are too wide scroll.
LEAST_PATH = 144
# 60 characters do not fit into a column at 700 px.
DEEP = "main(int, char**)/" + "/".join(f"solve_level_{at}(Domain&)" for at in range(5))


def test_call_paths_take_two_lines_at_most_and_are_copied_whole(open_page: Open) -> None:
    run = make_run(DEEP)
    page = open_page(build_report(run), viewport=SCREEN)
    unfold(page)
    page.evaluate(
        "addEventListener('copy', (e) => { window.copied = e.clipboardData.getData('text') })"
    )
    for width in (1400, 700):
        page.set_viewport_size({"width": width, "height": 900})
        cells = page.locator("td.p:visible")
        assert cells.count() > 5
        boxes = [cell.bounding_box() for cell in cells.all()]
        assert max(box["height"] for box in boxes) < 2 * 26 + 4
        assert min(box["width"] for box in boxes) >= LEAST_PATH
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    cell = page.locator("td.p:visible", has_text="MPI_Recv").first
    cell.locator("bdi.path").evaluate("(it) => getSelection().selectAllChildren(it)")
    page.evaluate("document.execCommand('copy')")
    assert page.evaluate("window.copied") == f"{DEEP}/MPI_Recv"
    assert cell.locator("bdi.path").get_attribute("title").startswith(f"{DEEP}/MPI_Recv")
    page.set_viewport_size({"width": 700, "height": 900})
    page.emulate_media(media="print")
    assert page.evaluate("""() => [...document.querySelectorAll(".scroll, td.p")].every(
      (it) => it.scrollWidth <= it.clientWidth + 1)""")
