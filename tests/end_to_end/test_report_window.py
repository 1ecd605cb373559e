"""`tracemill report --window`: the page's timeline shows that window of the run in full detail."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tracemill import cli
from tracemill.base.errors import UsageError

TRACE = Path(__file__).parents[2] / "data" / "m01_late_sender"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    store = str(tmp_path_factory.mktemp("window") / "store")
    assert cli.main(["analyze", str(TRACE), "--store", store, "--no-report"]) == 0
    return store


def timeline_of(page: Path) -> dict[str, Any]:
    """The data of the timeline; arrays stay packed."""
    text = page.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data-timeline-1">(.*?)</script>', text)
    assert found is not None
    return dict(json.loads(found[1]))


def test_the_page_in_the_store_holds_the_window_first(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert cli.main(["report", "--window", "400ms..0.45", "--store", store]) == 0
    (page,) = (Path(store) / "reports").glob("*/index.window-400ms..0.45.html")
    assert str(page) in capsys.readouterr().out
    data = timeline_of(page)
    window = data["windows"][0]
    assert window["isRequested"]
    assert window["begin"] + data["begin"] == 400_000_000
    assert window["end"] + data["begin"] == 450_000_000
    assert window["leftOut"] == ""


@pytest.mark.parametrize(
    "focus",
    [["--window", "400ms..0.45"], ["--ranks", "0-1"], ["--window", "0.5..0.6", "--pictures"]],
)
def test_the_page_of_the_whole_run_stays_as_it_is(focus: list[str], tmp_path: Path) -> None:
    store = ["--store", str(tmp_path)]
    assert cli.main(["analyze", str(TRACE), *store]) == 0

    def stored() -> dict[str, tuple[bytes, int]]:
        paths = (tmp_path / "reports").glob("*/*")
        return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}

    before = stored()
    assert {"index.html", "report.md"} <= set(before)
    assert cli.main(["report", *focus, *store]) == 0
    after = stored()
    assert {name: after[name] for name in before} == before
    assert len(after) == len(before) + 2


def test_a_window_that_goes_beyond_the_run_is_what_lies_in_it(store: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    command = ["report", "--window", "0.5..99", "--output", str(page), "--store", store]
    assert cli.main(command) == 0
    data = timeline_of(page)
    assert data["windows"][0]["begin"] + data["begin"] == 500_000_000
    assert data["windows"][0]["end"] + data["begin"] == data["end"]


@pytest.mark.parametrize(
    ("window", "said"),
    [
        ("soon", "write it as BEGIN..END"),
        ("0.5..0.4", "the end must lie after the begin"),
        ("98..99", "the run lasts from"),
    ],
)
def test_a_wrong_window_is_told_in_a_line_and_nothing_is_written(
    store: str, tmp_path: Path, window: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    capsys.readouterr()
    command = ["report", "--window", window, "--output", str(page), "--store", store]
    assert cli.main(command) == UsageError.exit_code == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not page.exists()
