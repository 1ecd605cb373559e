"""The page of a campaign: everything is within the window, however wide it is."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Open
from tests.browser.test_first_screen import MOST_WORDS, SCREEN, SEEN
from tests.helpers.ring_campaigns import campaign
from tracemill.reports.build_campaign import build_campaign_report

DATA = Path(__file__).parent.parent.parent / "data" / "campaigns"
SCROLLED = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Boxes that end beyond the column of text, and pictures that stand alone though others are there.
BEYOND = """() => {
  const right = document.querySelector("main > section").getBoundingClientRect().right + 1
  return [...document.querySelectorAll("main .scroll, main figure, main p")]
    .filter((box) => box.getBoundingClientRect().right > right).length
}"""
ALONE = """() => [...document.querySelectorAll(".pictures")].flatMap((group) => {
  const boxes = [...group.children].map((each) => each.getBoundingClientRect())
  const isBeside = (one, other) => one !== other && one.top < other.bottom && other.top < one.bottom
  return boxes.length < 2 ? [] : boxes.filter((one) => !boxes.some((each) => isBeside(one, each)))
}).length"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, open_for_all: Open) -> list[Page]:
    store: Path = tmp_path_factory.mktemp("campaigns") / "store"
    made = [campaign(DATA / name, store) for name in ("timings.csv", "mpip")]
    return [open_for_all(build_campaign_report(each.run)) for each in made]


@pytest.mark.parametrize("width", [1800, 1400, 1000, 420])
def test_a_campaign_does_not_scroll_sideways(pages: list[Page], width: int) -> None:
    for page in pages:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(SCROLLED) == 0
        assert page.evaluate(BEYOND) == 0


def test_no_picture_stands_alone_beside_others(pages: list[Page]) -> None:
    for page in pages:
        page.set_viewport_size({"width": 1400, "height": 900})
        assert page.evaluate(ALONE) == 0


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, open_for_all: Open) -> Page:
    store: Path = tmp_path_factory.mktemp("recorded") / "store"
    made = campaign(DATA / "causes", store)
    return open_for_all(build_campaign_report(made.run), viewport=SCREEN)


def test_the_first_screen_has_verdict_map_speed_up_and_costs_side_by_side(recorded: Page) -> None:
    recorded.set_viewport_size(SCREEN)
    assert recorded.evaluate(SEEN, ".verdict, .evidence table, .evidence svg.plot")
    tops = recorded.locator(".evidence > figure").evaluate_all(
        "(all) => all.map((it) => it.getBoundingClientRect().top)"
    )
    assert len(tops) == 3
    assert len(set(tops)) == 1
    # Of four configurations each has its efficiency, which leads to its runs.
    assert recorded.locator(".evidence td.heat a[href^='#runs-']").count() == 4
    assert "decides: efficiency" in recorded.locator(".verdict").inner_text()
    assert len(re.findall(r"\S+", recorded.locator(".verdict").inner_text())) <= MOST_WORDS


def test_the_page_of_a_campaign_is_short(recorded: Page) -> None:
    height = "document.documentElement.scrollHeight"
    for width, screens in ((1400, 4), (700, 6)):
        recorded.set_viewport_size({"width": width, "height": 900})
        assert recorded.evaluate(height) <= screens * 900
        assert recorded.evaluate(SCROLLED) == 0


def test_a_cell_leads_to_its_runs_by_key_alone(recorded: Page) -> None:
    recorded.set_viewport_size(SCREEN)
    cell = recorded.locator(".evidence td.heat a").last
    cell.press("Enter")
    assert recorded.locator(str(cell.get_attribute("href")).replace(".", r"\.")).is_visible()


def test_papers_indices_are_folded_with_sentences(recorded: Page) -> None:
    unfolded = recorded.evaluate(
        "() => [...document.querySelectorAll('#indices .more')].map((it) => it.open)"
    )
    assert unfolded
    assert not any(unfolded)
    said = recorded.locator("#indices .more > summary .figure").all_text_contents()
    # Of the tables of the three marks only the first has a sentence.
    assert [text for text in said if not text.endswith(".")] == ["1 row"] * 2
