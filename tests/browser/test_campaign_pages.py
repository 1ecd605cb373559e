"""The page of a campaign: everything is within the window, however wide it is."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Open
from tests.helpers.ring_campaigns import campaign
from tracemill.reports.build_campaign import build_campaign_report

DATA = Path(__file__).parent.parent.parent / "data" / "campaigns"
SCROLLED = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Boxes that end beyond the column of text, and pictures that stand alone though others are there.
BEYOND = """() => {
  const right = document.querySelector("main").getBoundingClientRect().right + 1
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
