"""Pictures of reports: what they show, and that a page can hold them."""

import re
import xml.etree.ElementTree as ElementTree
from math import nan

import numpy as np
import pytest

from tracemill.reports.model import Bar
from tracemill.reports.pictures.courses import Area, draw_course
from tracemill.reports.pictures.curves import Curve, draw_curves, draw_scaling
from tracemill.reports.pictures.drawing import standing_alone
from tracemill.reports.pictures.efficiency_bars import draw_efficiency_bars
from tracemill.reports.pictures.grids import Grid, MarkedCell, draw_heat_map, draw_surface
from tracemill.reports.pictures.icicles import Rectangle, draw_icicle
from tracemill.reports.pictures.matrices import draw_bars, draw_matrix

GRID = Grid(
    processes=(1, 2, 8),
    sizes=(100.0, 250.0),
    values=np.array([[1.0, 0.625, 0.25], [1.0, nan, 0.5]]),
    label="<E> of $x$ & y",
    is_percent=True,
)
CURVES = [Curve("<b>one</b>", (1, 2, 8), (1.0, 1.5, 2.5)), Curve("$two$", (2, 8), (2.0, 6.0))]
PICTURES = {
    "heat map": lambda: draw_heat_map(GRID, "a map", [MarkedCell((1, 2), (100.0, 250.0), "+7 −3")]),
    "surface": lambda: draw_surface(GRID, "a surface", GRID),
    "scaling": lambda: draw_scaling(CURVES, "scaling"),
    "curves": lambda: draw_curves(CURVES, "curves", "share"),
}


def texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    found = (
        "".join(element.itertext()).strip() for element in root.iter() if "text" in element.tag
    )
    return [text for text in found if text]


@pytest.mark.parametrize("kind", PICTURES)
def test_a_page_can_hold_every_picture(kind: str) -> None:
    svg = PICTURES[kind]()
    assert svg.startswith("<svg")
    assert not re.search(r"<(script|image|style[^>]*>[^<]*@import|foreignObject)", svg)
    references = re.findall(r'(?:href="|url\()([^")]*)', svg)
    assert all(reference.startswith("#") for reference in references), references
    assert "currentColor" in svg


@pytest.mark.parametrize("kind", PICTURES)
def test_the_same_numbers_give_the_same_picture(kind: str) -> None:
    assert PICTURES[kind]() == PICTURES[kind]()


def test_pictures_of_one_page_share_no_identifiers() -> None:
    one, other = draw_heat_map(GRID, "one"), draw_heat_map(GRID, "other")
    names = [set(re.findall(r'\bid="([^"]*)"', svg)) for svg in (one, other)]
    assert names[0]
    assert not names[0] & names[1]


def test_a_map_shows_values_where_they_belong() -> None:
    shown = texts(PICTURES["heat map"]())
    # From the smallest size up, by processes; a value that is missing is a dash.
    assert [text for text in shown if re.fullmatch(r"\d+%|–", text)] == [
        "100%", "62%", "25%", "100%", "–", "50%",
    ]  # fmt: skip
    assert "+7 −3" in shown


@pytest.mark.parametrize("kind", PICTURES)
def test_names_are_shown_unchanged(kind: str) -> None:
    shown = texts(PICTURES[kind]())
    wanted = {"heat map": [GRID.label], "surface": [GRID.label]}.get(kind, ["<b>one</b>", "$two$"])
    assert set(wanted) <= set(shown)


def test_speed_up_is_drawn_against_the_ideal() -> None:
    assert {"ideal", "within 80 % of it"} <= set(texts(PICTURES["scaling"]()))


def test_small_shares_stay_visible_on_a_map() -> None:
    shares = np.array([[0.0, 0.00003, 0.0049, 0.006]])
    grid = Grid(processes=(1, 2, 4, 8), sizes=(1.0,), values=shares, label="E", is_percent=True)
    shown = [text for text in texts(draw_heat_map(grid, "shares")) if text.endswith("%")]
    assert shown == ["0%", "0.003%", "0.5%", "1%"]


def test_one_configuration_can_be_drawn() -> None:
    single = Grid(processes=(4,), sizes=(1.0,), values=np.array([[0.5]]), label="E")
    assert "0.5" in texts(draw_heat_map(single, "single"))


COURSE = [Area("<one>", (0.5, 0.25), "#5b7f95"), Area("$two$", (0.5, 0.5), "#83966f")]
BOXES = [Rectangle("main <x>", 0, 0.0, 4.0, "#5b7f95"), Rectangle("$send$", 1, 0.0, 1.0, "#83966f")]
FILES = {
    "course": lambda: draw_course(COURSE, [0.0, 1.0, 3.0], "course"),
    "icicle": lambda: draw_icicle(BOXES, {"computation": "#5b7f95"}),
    "matrix": lambda: draw_matrix({(0, 1): 5.0, (3, 0): 2.0}, "m", ("from", "to"), "{:g} B".format),
    "bars": lambda: draw_bars([("8 B", 3.0), ("16 B", 0.0)], "bars", ("size", "messages")),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_file_stands_alone_and_is_always_the_same(kind: str) -> None:
    drawn = FILES[kind]()
    root = ElementTree.fromstring(drawn.svg)
    assert root.tag.endswith("svg")
    assert drawn.png.startswith(b"\x89PNG")
    assert FILES[kind]() == drawn


def test_a_matrix_names_the_ranks_that_take_part() -> None:
    shown = texts(FILES["matrix"]().svg)
    assert [text for text in shown if text.isdigit()] == ["0", "1", "3", "0", "1", "3"]
    assert {"from", "to"} <= set(shown)


def test_a_matrix_of_bytes_has_round_amounts_in_its_unit() -> None:
    drawn = draw_matrix(
        {(0, 1): 160 * 1024.0}, "m", ("from", "to"), lambda size: f"{size / 1024:g} KiB", base=1024
    )
    shown = [text for text in texts(drawn.svg) if "KiB" in text]
    assert shown == ["0 KiB", "50 KiB", "100 KiB", "150 KiB"]


def test_an_icicle_shows_names_unchanged() -> None:
    shown = texts(FILES["icicle"]().svg)
    assert {"main <x>", "$send$", "computation"} <= set(shown)


def test_a_picture_of_a_page_can_stand_alone() -> None:
    svg = standing_alone(PICTURES["curves"]())
    assert "currentColor" not in svg
    ElementTree.fromstring(svg)


def test_the_axis_of_efficiencies_has_whole_percents() -> None:
    bars = [Bar(title="Parallel efficiency", ratio=0.3377), Bar(title="MPI", ratio=0.58)]
    shown = texts(draw_efficiency_bars(bars, "bars").svg)
    assert [text for text in shown if text.endswith("%")] == [
        "0%", "20%", "40%", "60%", "80%", "100%", "33.8%", "58.0%"
    ]  # fmt: skip


def test_links_of_a_map_stay_on_the_page_and_are_no_stop_for_keys() -> None:
    svg = draw_heat_map(GRID, "a map", links={(1, 100.0): "runs-one"})
    assert re.findall("<a [^>]*>", svg) == ['<a xlink:href="#runs-one" tabindex="-1">']
