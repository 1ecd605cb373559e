"""The call tree to scale: zoomed by click and by key, searched, of all or of one process."""

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Open
from tests.helpers.explored import make_report

STATUS = ".widget:has(canvas.icicle) .status"


@pytest.fixture
def page(open_page: Open) -> Page:
    return open_page(make_report())


def says(page: Page) -> str:
    return page.inner_text(STATUS)


def click(page: Page, part: float, row: int) -> None:
    """A click at a part of the width, in a row from the top."""
    canvas = page.locator("canvas.icicle")
    box = canvas.bounding_box()
    assert box is not None
    canvas.click(position={"x": part * box["width"], "y": row * 21 + 10})


def color_at(page: Page, part: float, row: int) -> list[int]:
    script = """(canvas, [part, row]) => {
      const ratio = canvas.width / canvas.clientWidth;
      const x = Math.round(part * canvas.width), y = Math.round((row * 21 + 4) * ratio);
      const copy = new OffscreenCanvas(1, 1).getContext("2d");
      copy.drawImage(canvas, -x, -y);
      return Array.from(copy.getImageData(0, 0, 1, 1).data);
    }"""
    return list(page.locator("canvas.icicle").evaluate(script, [part, row]))


def test_widths_are_times(page: Page) -> None:
    # MPI_Send has the first 10 of 200 ms in the second row, MPI_Recv the next 60.
    assert color_at(page, 0.5, 0)[3] == 255
    assert color_at(page, 0.02, 1) == color_at(page, 0.3, 1)
    assert color_at(page, 0.36, 1)[3] == 0
    assert says(page) == "200 ms in total."


def test_a_click_zooms_and_tells(page: Page) -> None:
    click(page, 0.2, 1)
    assert says(page).startswith("MPI_Recv: 60.0 ms, 30.0%; 60.0 ms itself, point-to-point.")
    assert color_at(page, 0.9, 1)[3] == 255
    page.get_by_role("button", name="Show all").click()
    assert color_at(page, 0.9, 1)[3] == 0


def test_the_trees_follow(page: Page) -> None:
    click(page, 0.2, 1)
    chosen = page.get_by_role("tree", name="Call path").locator("[aria-selected=true]")
    assert chosen.inner_text().endswith("MPI_Recv")


def test_keys_walk_and_zoom(page: Page) -> None:
    page.locator("canvas.icicle").focus()
    for key in ("ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    assert says(page).startswith("MPI_Recv: 60.0 ms")
    page.keyboard.press("ArrowLeft")
    assert says(page).startswith("MPI_Send: 10.0 ms, 5.0%")
    page.keyboard.press("Enter")
    assert color_at(page, 0.9, 1)[3] == 255
    page.keyboard.press("Escape")
    assert color_at(page, 0.9, 1)[3] == 0


def test_what_is_searched_stands_out_and_is_summed(page: Page) -> None:
    page.get_by_label("Region", exact=True).fill("mpi_")
    assert says(page) == "200 ms in total; in matches: 70.0 ms, 35.0%."
    assert color_at(page, 0.2, 1)[3] == 255
    assert color_at(page, 0.9, 0)[3] < 100
    page.get_by_label("Region", exact=True).fill("nothing like it")
    assert "no matches" in says(page)


def test_one_process_can_be_shown(page: Page) -> None:
    page.get_by_label("Of", exact=True).select_option(label="\u00a0\u00a0MPI Rank 1")
    assert says(page) == "100 ms in total."
    assert color_at(page, 0.5, 1)[3] == 255
    assert color_at(page, 0.7, 1)[3] == 0


def test_the_mouse_is_told_beside_it_and_the_status_stays(page: Page) -> None:
    before = says(page)
    page.locator("canvas.icicle").hover(position={"x": 200, "y": 10})
    assert "200 ms, 100" in page.inner_text(".tip:visible")
    assert says(page) == before
    page.mouse.move(2, 2)
    assert not page.locator(".widget:has(canvas.icicle) .tip").is_visible()
