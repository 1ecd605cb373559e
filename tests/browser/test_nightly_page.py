"""On the page of a night trends and tables fit the window, and links lead to reports."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Open
from tests.browser.test_campaign_pages import BEYOND, SCROLLED
from tests.browser.test_first_screen import SCREEN, SEEN
from tests.helpers.nights import outcome
from tracemill.comparison.efficiencies import Efficiencies
from tracemill.nightly.history import PastRun, RunSeries
from tracemill.nightly.judge import JudgedRun, Judgment
from tracemill.nightly.outcome import CampaignOutcome, Failure
from tracemill.nightly.page import NightReport
from tracemill.nightly.pages import Pages
from tracemill.nightly.result import alarms_of, document_of

LONG = "a-folder-with-a-long-name_" * 6
NAMES = ["lulesh", LONG, "größe/neu", "weather model"]


def past(name: str, number: int) -> PastRun:
    return PastRun(
        run_id=f"{NAMES.index(name)}{number:03d}",
        generation="g",
        label=f"{name}-{number}",
        series=RunSeries(name, 2 ** NAMES.index(name), 1),
        recorded_ns=number * 86_400 * 10**9,
        written_ns=0,
        run_time_ns=10**9 + number * 10**7,
    )


@pytest.fixture(scope="module")
def page(open_for_all: Open, tmp_path_factory: pytest.TempPathFactory) -> Page:
    folder = tmp_path_factory.mktemp("nights")
    history = [past(name, number) for name in NAMES for number in range(12)]
    (folder / "run=0011").mkdir()
    (folder / "run=0011" / "index.html").touch()
    found = outcome(
        Path("/traces"),
        failed=(
            Failure(path=Path("/traces") / LONG / LONG, reason="a reason " * 40, exit_code=13),
        ),
        campaigns=(CampaignOutcome(name=LONG, reason="no runs"),),
    )
    judged = tuple(JudgedRun(run=run, base=tuple(history[:3])) for run in history[-3:])
    before = {
        "started_at": "2026-11-20T02:00:00+00:00", "exit_code": 23, "verdict": "regressions",
        "counts": {"new": 1, "regressions": 1, "failed": 0}, "result": "/n.json",
        "regressions": [{"sentence": f"{LONG} takes longer.", "run_id": "0011"}],
    }  # fmt: skip
    judgment, pages, summary = Judgment(judged=judged), Pages(folder), f"3 new runs of {LONG}."
    titles = {f"metric_{number}": f"Efficiency {number}" for number in range(9)}
    titles = {"parallel_efficiency": "Parallel efficiency", **titles}
    efficiencies = Efficiencies(
        {
            run.run_id: {"whole": {name: number / 10 for number, name in enumerate(titles)}}
            for run in history
        },
        titles,
    )
    report = NightReport(
        document=document_of(found, judgment, [summary], [before], pages, efficiencies),
        judgment=judgment,
        sentences=(summary,),
        history=history,
        alarms=alarms_of([before], ()),
        pages=pages,
        titles=titles,
    )
    return open_for_all(report.build())


@pytest.mark.parametrize("width", [1800, 1400, 1000, 420])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_night_does_not_scroll_sideways(page: Page, width: int, scheme: Any) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    assert page.evaluate(SCROLLED) == 0
    assert page.evaluate(BEYOND) == 0


def test_the_first_screen_has_the_verdict_and_trends(page: Page) -> None:
    page.set_viewport_size(SCREEN)
    assert page.evaluate(SEEN, ".verdict, #trends h2")
    assert page.locator(".verdict").inner_text().startswith("3 new runs of ")
    folded = page.locator("details.fold > summary h2").all_inner_texts()
    assert folded == ["POP efficiencies", "Runs of this night", "Campaigns",
                      "Earlier nights, and nights of other hosts"]  # fmt: skip


def test_curves_are_drawn_and_links_lead_to_what_is_there(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    boxes = [curve.bounding_box() for curve in page.locator("td.trend svg").all()]
    assert len(boxes) == len(NAMES)
    assert all(box and box["width"] > 80 and box["height"] > 15 for box in boxes)
    links = {each.get_attribute("href") for each in page.locator("main a").all()}
    assert links == {"../run=0011/index.html"}
