"""The page of a comparison: within the window, light and dark, and its links lead somewhere."""

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Open, unfold
from tests.browser.test_first_screen import SCREEN, SEEN
from tests.helpers.compared_sides import comparison_of
from tracemill.comparison.changes import EfficiencyChange
from tracemill.comparison.conditions import check_condition
from tracemill.comparison.report import build_comparison_report

SCROLLED = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
DEAD_LINKS = """() => [...document.querySelectorAll('a[href^="#"]')]
  .filter((link) => !document.getElementById(link.getAttribute("href").slice(1))).length"""
DEEP = "main/" + "/".join(f"a_region_with_a_long_name_{level}" for level in range(12))
HOSTILE = "main/<script>alert(1)</script>"


@pytest.fixture(scope="module")
def page(open_for_all: Open) -> Page:
    comparison = comparison_of(
        ("time", None, 3e9, 4e9),
        *((metric, path, 1e9, 1.5e9) for metric in ("time", "computation")
          for path in (DEEP, HOSTILE)),
        ("critical_path", DEEP, 1e9, 1.5e9),
        ranked=tuple(("computation", DEEP, rank, 1e8, 2e8) for rank in range(40)),
        noise=1e8,
        times=((1_000_000_000,), (1_500_000_000, 1_600_000_000)),
    )  # fmt: skip
    comparison = replace(
        comparison,
        efficiencies=(
            EfficiencyChange(
                metric="parallel_efficiency", title="Parallel efficiency", base_ratio=0.45,
                other_ratio=0.9,
            ),
            EfficiencyChange(
                metric="transfer_efficiency", title="Transfer", base_ratio=None, other_ratio=0.7
            ),
        ),
    )  # fmt: skip
    return open_for_all(
        build_comparison_report(comparison, [check_condition("time > +5%", comparison)])
    )


@pytest.mark.parametrize("width", [1800, 1000, 420])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_comparison_fits_into_the_window(page: Page, width: int, scheme: Any) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    assert page.evaluate(SCROLLED) == 0
    assert page.evaluate(DEAD_LINKS) == 0
    assert page.get_by_text("Fails: time > +5%").is_visible()
    assert page.get_by_text("tracemill sql --all-runs").is_visible()


# Comparisons have neither partners nor tags.
def test_the_filter_offers_only_what_tables_have(page: Page) -> None:
    assert page.locator("#filter label:has([type=search])").all_inner_texts() == ["Region", "Rank"]


def test_efficiencies_of_both_sides_are_colored(page: Page) -> None:
    unfold(page)
    rows = page.locator("#efficiencies tbody tr")
    cells = [row.locator("td.n").all() for row in rows.all()]
    assert [[cell.inner_text() for cell in row] for row in cells] == [
        ["45.0%", "90.0%", "+45.0"], ["–", "70.0%", "–"],
    ]  # fmt: skip
    assert [[cell.get_attribute("class") for cell in row] for row in cells] == [
        ["n bad", "n good", "n"], ["n", "n fair", "n"],
    ]  # fmt: skip
    sentence = "Parallel efficiency 45.0% → 90.0%: transfer – → 70.0%."
    assert page.locator("#efficiencies").get_by_text(sentence).last.is_visible()


# B takes 1.55 s on average, A 1 s; the noise of two runs and one is larger than 0.55 s.
def test_the_first_screen_says_how_much_longer_and_where(page: Page) -> None:
    page.set_viewport_size(SCREEN)
    page.evaluate("document.querySelectorAll('details').forEach((it) => it.open = false)")
    assert page.evaluate(SEEN, ".verdict, .bars > div, .causes > li")
    said = " ".join(page.locator(".verdict").inner_text().split())
    assert said.startswith("Fails: time > +5%.")
    assert "B takes 55.0% longer than A: 1.000 s → 1.550 s (+550 ms)" in said
    assert page.locator(".bars > div").first.inner_text().split() == [
        "Parallel", "efficiency", "45.0%", "→", "90.0%",
    ]  # fmt: skip
    assert 1 <= page.locator(".causes > li").count() <= 3
    assert page.locator("#summary ~ section > details.fold").count() == 5
    assert page.evaluate("document.documentElement.scrollHeight") <= 2 * SCREEN["height"]
