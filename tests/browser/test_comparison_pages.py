"""The page of a comparison: within the window, light and dark, and its links lead somewhere."""

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Open
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


def test_efficiencies_of_both_sides_are_colored(page: Page) -> None:
    rows = page.locator("#efficiencies tbody tr")
    cells = [row.locator("td.n").all() for row in rows.all()]
    assert [[cell.inner_text() for cell in row] for row in cells] == [
        ["45.0%", "90.0%", "+45.0"], ["–", "70.0%", "–"],
    ]  # fmt: skip
    assert [[cell.get_attribute("class") for cell in row] for row in cells] == [
        ["n bad", "n good", "n"], ["n", "n fair", "n"],
    ]  # fmt: skip
    sentence = "Parallel efficiency 45.0% → 90.0%: transfer – → 70.0%."
    assert page.locator("#summary").get_by_text(sentence).is_visible()
