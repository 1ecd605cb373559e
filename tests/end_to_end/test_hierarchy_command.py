"""The command hierarchy."""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable

import pytest

from tests.helpers.commands import run
from tracemill.engine.analyze import Analysis

HYBRID, MASTER = "m29_hybrid", "m18_master_worker"
Analyses = Callable[[str], Analysis]


def test_it_prints_a_level_with_the_activities_first(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("hierarchy", analysis_of(MASTER), "--level", "node") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["Node", "Metric", "Value", "Share"]
    assert lines[1].split() == ["vm", "main_ns", "819", "ms", "100.0%"]
    assert "blocked_ns" in lines[2]
    assert not [line for line in lines[1:] if "_ns" not in line]


def test_of_an_entity_it_prints_what_belongs_to_it(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--metric", "COMPUTING_NS", "--format", "csv")
    assert run("hierarchy", analysis_of(MASTER), *options) == 0
    process = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))[3]
    assert (
        run("hierarchy", analysis_of(MASTER), "--level", "call-path", "--of", "process:3", *options)
        == 0
    )
    paths = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["entity"] for row in paths] == ["main/work", "main"]
    assert sum(int(row["value"]) for row in paths) == int(process["value"])
    assert sum(float(row["share"]) for row in paths) == pytest.approx(1)


def test_threads_of_an_activity_of_a_hybrid_run(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the workers are idle: two of each process."""
    options = ("--level", "thread", "--of", "activity:idle", "--metric", "main_ns")
    assert run("hierarchy", analysis_of(HYBRID), *options, "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["entity"] for row in rows] == [f"{rank}:{n}" for rank in range(4) for n in (1, 2)]


def test_parts_of_the_main_part_sum_to_it(
    analysis_of: Analyses, capsys: pytest.CaptureFixture[str]
) -> None:
    analysis = analysis_of(HYBRID)
    begin, end = analysis.run.read("main_part").to_pylist()[0].values()
    options = ("--level", "activity", "--metric", "main_ns", "--format", "csv")

    def times(*focus: str) -> Counter[str]:
        assert run("hierarchy", analysis, *options, *focus) == 0
        rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
        return Counter({row["entity"]: int(row["value"]) for row in rows})

    middle = (begin + end) // 2
    windows = (f"{begin}ns..{middle}ns", f"{middle}ns..{end}ns")
    whole = times()
    assert sum((times("--window", each) for each in windows), Counter()) == whole
    assert times("--ranks", "0-1") + times("--ranks", "2-3") == whole


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--level", "rank"), "--level rank: no such level: there are program, node, process,"),
        (("--level", "proces"), "--level proces: no such level: did you mean process?"),
        (("--metric", "blokced_ns"), "no metric fits: did you mean blocked_ns?"),
        (("--metric", "foo*"), "--metric foo*: no metric fits: there are main_ns, blocked_ns,"),
        (("--of", "process:9"), "--of process:9: no such process: there are 0, 1, 2, 3, 4\n"),
        (("--of", "process"), "--of process: no such process: there are 0, 1, 2, 3, 4\n"),
        (("--of", "rank:1"), "--of rank:1: no such level: there are program, node, process,"),
        (("--of", "call path:x"), "no such call path: there are main, outside, main/work,"),
    ],
)
def test_unknown_levels_metrics_and_entities_are_refused_with_those_there_are(
    options: tuple[str, ...],
    message: str,
    analysis_of: Analyses,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("hierarchy", analysis_of(MASTER), *options) == 2
    assert message in capsys.readouterr().err
