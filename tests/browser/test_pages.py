"""The page as a whole: names of all kinds, light and dark, without scripts, in print, by key."""

from itertools import pairwise

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Open, unfold
from tests.end_to_end.test_reports import HOSTILE
from tests.helpers.explored import make_report, make_run
from tests.helpers.hand_made import COMPUTATION, MS, HandMadeRun, with_rows
from tracemill.reports.build import build_report
from tracemill.reports.part_styles import style_of

NAMES = (*HOSTILE, "</script><script>alert(2)</script>", "&lt;b&gt;")
# Shown as they are: others lose what could be mistaken, or their middle.
PLAIN = [name for name in NAMES if name.isprintable() and 0 < len(name) < 100 and "(" not in name]

# What WCAG 2 demands of small text, at level AA; the formula is that of its "contrast ratio".
LEAST_CONTRAST = 4.5
CONTRASTS = """(styles) => {
  const luminance = (color) => {
    const [r, g, b] = color.match(/\\d+/g).map((each) => each / 255)
      .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const bar = document.body.appendChild(document.createElement("div"))
  bar.className = "stack"
  return Object.fromEntries(styles.map((style) => {
    const part = bar.appendChild(document.createElement("span"))
    part.className = style
    const {color, backgroundColor} = getComputedStyle(part)
    const [low, high] = [luminance(color), luminance(backgroundColor)].sort((a, b) => a - b)
    return [style, (high + 0.05) / (low + 0.05)]
  }))
}"""
PARTS = (
    "computation", "point-to-point", "collective", "barrier", "initialise/finalise", "I/O",
    "put/get", "lock", "fork/join", "waiting", "extended waiting", "anything else",
)  # fmt: skip


def run_with_names() -> HandMadeRun:
    """Beside main with its calls, whose names are of these kinds too, a function for each."""
    run = make_run(NAMES[-2], calls=(NAMES[-1], NAMES[0]))
    named = list(enumerate(NAMES, len(run.tables["regions"])))
    spent = {"location_id": 0, "visit_count": 1, "inclusive_ns": MS, "exclusive_ns": MS}
    paths = [{"call_path_id": at, "region_id": at, "last_call_path_id": at} for at, _ in named]
    added = {
        "regions": [{"region_id": at, "name": name} for at, name in named],
        "region_classes": [{"region_id": at, "overhead_id": COMPUTATION} for at, _ in named],
        "call_paths": [row | {"path": name} for row, name in zip(paths, NAMES, strict=True)],
        "call_tree": [spent | {"call_path_id": at} for at, _ in named],
        "flat_profile": [spent | {"region_id": at} for at, _ in named],
    }
    return with_rows(run, **{name: [*run.tables[name], *rows] for name, rows in added.items()})


def test_names_from_the_trace_are_shown_and_never_run(open_page: Open) -> None:
    page = open_page(build_report(run_with_names()))
    tree = page.get_by_role("tree", name="Call path")
    assert tree.get_by_role("treeitem").count() == 3 + len(NAMES)
    shown = tree.locator("bdi").all_inner_texts()
    assert set(PLAIN) <= set(shown)
    assert shown[0].startswith("</script><script>alert(")
    canvas = page.locator("canvas.icicle")
    canvas.focus()
    page.keyboard.press("ArrowDown")
    said = set()
    for _ in range(1 + len(NAMES)):
        page.keyboard.press("Enter")
        said.add(page.inner_text(".widget:has(canvas.icicle) .status strong"))
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        page.keyboard.press("ArrowRight")
    assert set(PLAIN) <= said
    assert len(said) == len(NAMES)
    assert page.evaluate("typeof window.ran") == "undefined"


def background(page: Page, selector: str) -> int:
    """How light the background is, 0 to 765."""
    script = "(e) => getComputedStyle(e).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
    return sum(page.locator(selector).first.evaluate(script))


def test_the_page_follows_light_and_dark(open_page: Open) -> None:
    light = open_page(make_report(), color_scheme="light")
    dark = open_page(make_report(), color_scheme="dark")
    for selector in ("body", ".tree-box", "#filter-region"):
        assert background(light, selector) > 600, selector
        assert background(dark, selector) < 150, selector


def test_without_scripts_the_tables_are_there(open_page: Open) -> None:
    page = open_page(make_report(), has_scripts=False)
    assert page.locator("#exploration noscript p").first.is_visible()
    assert page.locator("#profile table").first.locator("tbody tr").count() == 3
    assert not page.locator("#filter").is_visible()


def test_in_print_words_and_tables_stand_for_what_is_to_be_used(open_page: Open) -> None:
    page = open_page(make_report())
    page.emulate_media(media="print")
    assert not page.locator(".stage").first.is_visible()
    assert not page.locator("#filter").is_visible()
    for place in range(page.locator(".widget").count()):
        caption = page.locator(".widget").nth(place).locator("figcaption p:visible")
        assert caption.all_inner_texts() == [
            "This figure needs a screen; in print, see the tables of this page."
        ]
    assert page.get_by_role("heading", name="Exploration").is_visible()
    assert page.locator("#profile table").first.is_visible()


def test_a_query_is_copied_by_key_alone(open_page: Open) -> None:
    page = open_page(make_report())
    unfold(page)
    page.get_by_label("Show SQL").press("Space")
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => {"
        "window.copied = text}}})"
    )
    page.locator("details.sql > summary").first.press("Enter")
    button = page.get_by_role("button", name="Copy", exact=True).first
    button.press("Enter")
    query = page.locator("details.sql code").first.text_content()
    page.wait_for_function("window.copied")
    assert page.evaluate("window.copied") == query
    assert page.locator("details.sql code").count() == page.locator("button.copy").count()


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_names_on_colored_parts_can_be_read(open_page: Open, color_scheme: str) -> None:
    page = open_page(make_report(), color_scheme=color_scheme)
    ratios = page.evaluate(CONTRASTS, sorted({style_of(part) for part in PARTS}))
    assert len(ratios) > 10
    assert min(ratios.values()) >= LEAST_CONTRAST, ratios


def test_a_query_is_selected_where_nothing_may_be_copied(open_page: Open) -> None:
    page = open_page(make_report())
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    unfold(page)
    page.get_by_label("Show SQL").check()
    page.locator("details.sql > summary").first.click()
    page.get_by_role("button", name="Copy", exact=True).first.click()
    query = page.locator("details.sql code").first.text_content()
    page.wait_for_function("getSelection().toString().trim()")
    assert page.evaluate("getSelection().toString()").split() == (query or "").split()


def test_without_scripts_there_is_no_button(open_page: Open) -> None:
    page = open_page(make_report(), has_scripts=False)
    assert page.locator("button").count() == 0


def test_headings_tell_the_structure(open_page: Open) -> None:
    page = open_page(make_report())
    script = "[...document.querySelectorAll('h1,h2,h3,h4')].map((e) => Number(e.tagName[1]))"
    levels = page.evaluate(script)
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(there - here <= 1 for here, there in pairwise(levels))


def test_on_a_narrow_screen_nothing_is_cut_off(open_page: Open) -> None:
    page = open_page(make_report(), viewport={"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_focus_can_be_seen(open_page: Open) -> None:
    page = open_page(make_report())
    page.get_by_role("tree", name="Metric").focus()
    page.keyboard.press("ArrowDown")
    style = page.get_by_role("tree", name="Metric").evaluate(
        "(e) => getComputedStyle(e).outlineStyle + getComputedStyle(e).outlineWidth"
    )
    assert style == "solid2px"
