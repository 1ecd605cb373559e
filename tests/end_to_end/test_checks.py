"""Conditions and nights as test cases of JUnit and annotations of GitHub.

Jenkins, the strictest reader, validates results against junit-10.xsd of its xunit plugin. The rules
of this schema for the elements in use are repeated below.
"""

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.nights import cut, write_archive
from tracemill import cli
from tracemill.base.errors import RegressionError, UsageError
from tracemill.comparison.checks import Check, render_checks
from tracemill.nightly.checks import night_checks

# Per element: attributes that it needs, others that it may have, and what may be inside of it.
_MESSAGE: tuple[set[str], set[str], set[str]] = (set(), {"type", "message"}, set())
JUNIT_10 = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {
            "group",
            "time",
            "skipped",
            "timestamp",
            "hostname",
            "id",
            "package",
            "file",
            "log",
            "url",
        },
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
    ),
    "testcase": (
        {"name"},
        {"time", "classname", "group"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": _MESSAGE,
    "error": _MESSAGE,
    "skipped": _MESSAGE,
    "system-out": (set(), set(), set()),
}
TRACE = """\
Timestamp (ns),Event Type,Name,Process
0,Enter,main,0
1000,Enter,solve,0
{leave},Leave,solve,0
{end},Leave,main,0
"""
Output = pytest.CaptureFixture[str]


def read_junit(text: str) -> ET.Element:
    """The suite of a document, which is valid and whose counts are right."""
    root = ET.fromstring(text)
    assert root.tag == "testsuites"
    for element in root.iter():
        needed, optional, inner = JUNIT_10[element.tag]
        assert needed <= set(element.attrib) <= needed | optional, element.tag
        assert {each.tag for each in element} <= inner
    (suite,) = root
    found = {
        "tests": len(suite),
        **{f"{kind}s": len(suite.findall(f"testcase/{kind}")) for kind in ("failure", "error")},
    }
    assert {name: int(root.attrib[name]) for name in found} == found
    assert {name: int(suite.attrib[name]) for name in found} == found
    assert int(suite.attrib["skipped"]) == len(suite.findall("testcase/skipped"))
    return suite


def test_checks_of_every_state_are_counted_and_kept_apart() -> None:
    checks = (
        Check(group="app", name="a", state="passed", message="as before", seconds=1.5),
        Check(group="app", name="b < 5%", state="failure", message="worse & <worse>", detail="why"),
        Check(group="app", name="c", state="error", message="damaged"),
        Check(group="app", name="d\x1b", state="skipped", message="in quarantine"),
    )
    suite = read_junit(render_checks(checks, "junit", suite="night"))
    assert suite.attrib["name"] == "night"
    good, worse, failed, skipped = suite
    assert (good.attrib["time"], good.findtext("system-out")) == ("1.500000000", "as before")
    assert worse.attrib["name"] == "b < 5%"
    assert worse[0].attrib["message"] == "worse & <worse>"
    assert worse[0].text == "why"
    assert (failed[0].tag, failed[0].text) == ("error", None)
    assert skipped.attrib["name"] == "d?"


def test_an_annotation_is_one_line_whatever_it_says() -> None:
    """GitHub decodes %25, %0A and %0D, and in titles %3A and %2C, too."""
    checks = (
        Check(
            group="a → b", name="t > 5%, in x:y", state="failure", message="5%\nmore", detail="z"
        ),
        Check(group="a → b", name="t", state="passed", message="less"),
        Check(group="a → b", name="t", state="skipped", message="later"),
    )
    assert render_checks(checks, "github", suite="night").splitlines() == [
        "::error title=a → b%3A t > 5%25%2C in x%3Ay::5%25%0Amore%0Az",
        "::notice title=a → b%3A t::less",
        "::warning title=a → b%3A t::later",
    ]


# --- Comparisons ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs before (10 µs) and after (12 µs); the region solve takes 2 µs longer."""
    folder = tmp_path_factory.mktemp("checks")
    for label, leave in (("before", 9_000), ("after", 11_000)):
        trace = folder / f"{label}.csv"
        trace.write_text(TRACE.format(leave=leave, end=leave + 1_000))
        arguments = [str(trace), "--store", str(folder / "store"), "--no-report"]
        assert cli.main(["analyze", *arguments]) == 0
    return folder / "store"


def compare(store: Path, *options: str) -> int:
    limits = ["--fail-if", "run_time > +5%", "--fail-if", "visits > +0"]
    return cli.main(["compare", "before", "after", "--store", str(store), *limits, *options])


def test_a_comparison_has_a_test_case_for_each_condition(store: Path, capsys: Output) -> None:
    capsys.readouterr()
    assert compare(store, "--format", "junit") == RegressionError.exit_code
    slower, visits = read_junit(capsys.readouterr().out)
    assert slower.attrib["classname"] == "before → after"
    assert slower.attrib["name"] == "run_time > +5%"
    (failure,) = slower
    assert failure.tag == "failure"
    assert "+20.0%" in failure.attrib["message"]
    assert "10.0 µs → 12.0 µs" in failure.attrib["message"]
    assert "main/solve" in (failure.text or "")
    assert visits.attrib["name"] == "visits > +0"
    assert [each.tag for each in visits] == ["system-out"]


def test_a_comparison_annotates_a_workflow(store: Path, tmp_path: Path, capsys: Output) -> None:
    capsys.readouterr()
    assert compare(store, "--format", "github") == RegressionError.exit_code
    text = capsys.readouterr().out
    slower, visits = text.splitlines()
    assert slower.startswith("::error title=before → after%3A run_time > +5%25::")
    assert visits.startswith("::notice title=before → after%3A visits > +0::")
    output = tmp_path / "checks.txt"
    assert compare(store, "--format", "github", "--output", str(output)) == 23
    assert output.read_text() == text


def test_checks_of_nothing_are_refused(store: Path, capsys: Output) -> None:
    arguments = ["before", "after", "--store", str(store), "--format", "junit"]
    assert cli.main(["compare", *arguments]) == UsageError.exit_code
    assert "add --fail-if" in capsys.readouterr().err


# --- Nights ---------------------------------------------------------------------------------------


def night(source: Path, *options: str) -> int:
    quick = ["--settle", "0s", "--threads", "1", "--no-report"]
    store = str(source.parent / "store")
    return cli.main(["nightly", str(source), "--store", store, *quick, *options])


def cases(text: str) -> Sequence[tuple[str, str]]:
    """The group of each test case, and its outcome."""
    return [(each.attrib["classname"], each[0].tag) for each in read_junit(text)]


def test_a_night_has_a_test_case_for_each_new_run_and_failed_archive(
    tmp_path: Path, capsys: Output
) -> None:
    source = tmp_path / "traces"
    write_archive(source / "app" / "2026-01-01", 1_000_000)
    assert night(source, "--format", "junit") == 0
    assert cases(capsys.readouterr().out) == [("app", "system-out")]
    cut(write_archive(source / "app" / "2026-01-02", 1_000_001, "cut"))
    write_archive(source / "app" / "2026-01-03", 1_300_000)
    assert night(source, "--format", "junit") == RegressionError.exit_code
    printed = capsys.readouterr()
    assert cases(printed.out) == [("app", "failure"), ("archives", "error")]
    worse = read_junit(printed.out)[0]
    assert "30.0% longer" in worse[0].attrib["message"]
    assert (worse[0].text or "").startswith("run_time > ")
    assert "some runs are worse" in printed.err
    assert night(source, "--format", "github") == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("::warning title=archives%3A ")


def test_failed_campaigns_and_runs_not_compared_are_errors() -> None:
    lists: dict[str, list[Any]] = {
        name: [] for name in ("new", "regressions", "failed", "quarantined")
    }
    result = lists | {
        "unjudged": [{"run_id": "1f2e", "label": "app", "reason": "its base is gone"}],
        "campaigns": [{"name": "good", "reason": ""}, {"name": "odd", "reason": "no runs"}],
    }
    found = [(each.name, each.state, each.message) for each in night_checks(result)]
    assert found == [("app (1f2e)", "error", "its base is gone"), ("odd", "error", "no runs")]


def test_a_dry_run_has_no_checks(tmp_path: Path, capsys: Output) -> None:
    write_archive(tmp_path / "traces" / "a")
    assert night(tmp_path / "traces", "--dry-run", "--format", "junit") == UsageError.exit_code
    assert "omit --format" in capsys.readouterr().err
