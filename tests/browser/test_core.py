"""What the widgets of a page share: data arrive, choices are told, amounts read as in tables."""

import numpy as np
import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Open
from tests.helpers.explored import make_report
from tracemill.reports.embedding import embed
from tracemill.reports.model import Column, Report, Section, Table
from tracemill.reports.units import Unit, format_value


@pytest.fixture(scope="module")
def page(open_for_all: Open) -> Page:
    return open_for_all(make_report())


ARRAYS = {
    "u1": np.array([0, 255]),
    "i1": np.array([-128, 127]),
    "u2": np.array([0, 65_535]),
    "i2": np.array([-129, 40]),
    "i4": np.array([-(2**31), 2**31 - 1]),
    "f8": np.array([-(2**53), 2**53, 2**40 + 1]),
    "packed u1": np.arange(256) % 255,
    "packed i1": np.arange(256) % 255 - 128,
    "packed u2": np.arange(256) % 255 * 257,
    "packed i2": np.arange(256) % 255 * 257 - 2**15,
    "packed i4": np.arange(256) % 255 * -(2**23),
    "packed f8": np.arange(256) % 255 * -(2**45),
    "packed f4": np.arange(256, dtype=np.float32) / 16,
    "rising": np.arange(1_000, dtype=np.int64) * 1_000_003 + 5,
    "f4": np.array([1.5, -2.25, np.inf], dtype=np.float32),
    "float": np.array([0.1, -1e300]),
    "empty": np.array([], dtype=np.int64),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_arrive_as_they_were(page: Page, name: str) -> None:
    script = "async (text) => Array.from((await tracemill.decode(text)).it)"
    assert page.evaluate(script, embed({"it": ARRAYS[name]})) == ARRAYS[name].tolist()


def test_plain_values_and_many_names_arrive_as_they_were(page: Page) -> None:
    data = {"names": ["</script>é漢"] * 500, "deep": [{"a": None, "b": [True, 1.5, "x"]}], "z": {}}
    assert page.evaluate("(text) => tracemill.decode(text)", embed(data)) == data


AMOUNTS = {
    Unit.TIME: ("ns", [0, 1, 999, 999.96, 1_234, 12_345_678, 999_949_999, 71_234_567_890, -5e6]),
    Unit.SIZE: ("bytes", [0, 1, 1023, 1024, 1_500_000, 2**40 * 12.345]),
    Unit.COUNT: ("count", [0, 7, 1_234_567]),
    Unit.SHARE: ("ratio", [0, 0.00001, 0.0012345, 0.00995, 0.5, 1]),
}


@pytest.mark.parametrize("unit", AMOUNTS)
def test_amounts_read_as_in_tables(page: Page, unit: Unit) -> None:
    name, values = AMOUNTS[unit]
    shown = page.evaluate("([values, unit]) => values.map((v) => tracemill.format(v, unit))",
                          [values, name])  # fmt: skip
    assert shown == [format_value(value, unit) for value in values]


@pytest.mark.parametrize(
    ("kind", "text", "passing", "failing"),
    [
        ("region", "SEND", ["MPI_Send", "sender"], ["MPI_Recv", ""]),
        ("region", "  ", ["anything"], []),
        ("rank", "0-2, 7", [0, 1, 2, 7], [3, 6, 8]),
        ("rank", "4..5 9", [4, 5, 9], [3, 6]),
        ("tag", "12", [12], [1, 2, 121]),
        ("partner", "x", [], [0, 1]),
        ("rank", "", [0, 99], []),
    ],
)
def test_filters_let_pass(
    page: Page, kind: str, text: str, passing: list[object], failing: list[object]
) -> None:
    page.evaluate("([kind, text]) => tracemill.filter.set({[kind]: text})", [kind, text])
    test = "([kind, values]) => values.map((v) => tracemill.passing(kind)(v))"
    assert page.evaluate(test, [kind, passing]) == [True] * len(passing)
    assert page.evaluate(test, [kind, failing]) == [False] * len(failing)


def test_what_is_chosen_is_told_once(page: Page) -> None:
    heard = page.evaluate(
        """() => {
          const heard = [];
          tracemill.selection.subscribe((changed) => heard.push(changed.join()));
          tracemill.selection.set({rank: 1, metric: "time"});
          tracemill.selection.set({metric: "time"});
          tracemill.selection.set({metric: null});
          return heard;
        }"""
    )
    assert heard == ["rank,metric", "metric"]


def test_scripts_that_are_not_those_of_the_page_do_not_run(
    open_page: Open, complaints: list[str]
) -> None:
    page = open_page(make_report())
    ran = page.evaluate(
        """() => {
          document.body.setAttribute("onclick", "window.ran = true");
          document.body.click();
          return window.ran === true;
        }"""
    )
    assert not ran
    assert "Content Security Policy" in complaints.pop()


GRADED = {"bad": 0.49, "fair": 0.79, "good": 0.8}


def graded_report() -> Report:
    """A report with an efficiency of each grade."""
    columns = (
        Column(name="name", title="Name", unit=Unit.TEXT),
        Column(name="value", title="Value", unit=Unit.SHARE, is_efficiency=True),
    )
    rows = tuple(GRADED.items())
    table = Table(name="graded", title="Graded", columns=columns, rows=rows, sql="")
    section = Section(key="graded", title="Graded", tables=(table,))
    return Report(title="", subtitle="", name="graded", sections=(section,))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_efficiencies_are_colored_and_can_be_read(open_page: Open, scheme: str) -> None:
    page = open_page(graded_report(), color_scheme=scheme)
    grounds = []
    for name, value in GRADED.items():
        cell = page.locator(f"td.{name}")
        assert cell.inner_text() == f"{100 * value:.1f}%"
        ground, ink = cell.evaluate(
            "(e) => ['backgroundColor', 'color'].map((name) => '#' + getComputedStyle(e)[name]"
            ".match(/\\d+/g).map((part) => (+part).toString(16).padStart(2, '0')).join(''))"
        )
        below, above = sorted(map(luminance, (ground, ink)))
        assert (above + 0.05) / (below + 0.05) >= 4.5, (name, ground, ink)
        grounds.append(ground)
    red, pale, green = ([int(each[at : at + 2], 16) for at in (1, 3, 5)] for each in grounds)
    assert max(red) == red[0]
    assert max(green) == green[1]
    assert max(pale) - min(pale) < min(max(each) - min(each) for each in (red, green))


def luminance(color: str) -> float:
    """Relative luminance of "#rrggbb" by WCAG 2."""
    levels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in levels]
    return sum(part * level for part, level in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_names_can_be_read_on_every_color(open_page: Open, scheme: str) -> None:
    page = open_page(make_report(), color_scheme=scheme)
    styles = [*(f"--k{at}" for at in range(10)), "--c1", "--c2", "--c3"]
    found = page.evaluate(
        """(styles) => styles.flatMap((style) => [1, 0.22, 0.15].map((part) => {
          const ground = tracemill.mix(tracemill.color("--page"), tracemill.color(style), part);
          return [ground, tracemill.inkOn(ground)];
        }))""",
        styles,
    )
    assert len({ground for ground, _ in found}) >= len(styles)
    for ground, ink in found:
        below, above = sorted((luminance(ground), 1.0 if ink == "#fff" else 0.0))
        assert (above + 0.05) / (below + 0.05) >= 4.5, (ground, ink)
