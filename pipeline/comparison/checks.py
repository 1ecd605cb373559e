"""Checks in the formats of systems for continuous integration: JUnit and annotations of GitHub."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tracemill.comparison.comparing import Comparison
from tracemill.comparison.conditions import CheckedCondition
from tracemill.comparison.naming import title_of
from tracemill.comparison.sentences import describe_cause

CheckFormat = Literal["junit", "github"]
State = Literal["passed", "failure", "error", "skipped"]
_LEVELS: dict[State, str] = {
    "passed": "notice", "failure": "error", "error": "error", "skipped": "warning",
}  # fmt: skip
_MOST_CAUSES = 3
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, kw_only=True)
class Check:
    """A check: its name, the outcome in a line, and details; `seconds` is a run time.

    An error could not be checked, a skipped one need not be.
    """

    group: str
    name: str
    state: State
    message: str
    detail: str = ""
    seconds: float | None = None


def comparison_checks(
    comparison: Comparison, verdicts: Sequence[CheckedCondition]
) -> tuple[Check, ...]:
    """A check for each condition; it fails if the condition holds, and names the causes."""
    causes = (describe_cause(each, comparison) for each in comparison.causes(limit=_MOST_CAUSES))
    detail = "\n".join(f"{each.headline} {each.detail}" for each in causes)
    sides = title_of(comparison)
    return tuple(
        Check(
            group=sides,
            name=each.expression,
            state="failure" if each.holds else "passed",
            message=each.reason,
            detail=detail if each.holds else "",
        )
        for each in verdicts
    )


def render_checks(checks: Sequence[Check], format: CheckFormat, *, suite: str) -> str:
    """The checks in a format; `suite` names them all."""
    return _junit(checks, suite) if format == "junit" else "".join(map(_annotation, checks))


def _junit(checks: Sequence[Check], suite: str) -> str:
    """A document as Jenkins, GitLab and others read it."""
    states = [each.state for each in checks]
    counts = {
        "tests": str(len(checks)),
        "failures": str(states.count("failure")),
        "errors": str(states.count("error")),
    }
    root = ET.Element("testsuites", counts)
    skipped = str(states.count("skipped"))
    inner = ET.SubElement(root, "testsuite", {"name": _xml(suite), **counts, "skipped": skipped})
    for each in checks:
        named = {"classname": _xml(each.group), "name": _xml(each.name)}
        timed = {} if each.seconds is None else {"time": f"{each.seconds:.9f}"}
        case = ET.SubElement(inner, "testcase", named | timed)
        if each.state == "passed":
            ET.SubElement(case, "system-out").text = _xml(each.message)
        else:
            outcome = ET.SubElement(case, each.state, {"message": _xml(each.message)})
            outcome.text = _xml(each.detail) or None
    ET.indent(root)
    return f"{_DECLARATION}{ET.tostring(root, encoding='unicode')}\n"


def _xml(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return _NO_XML.sub("?", text)


def _annotation(check: Check) -> str:
    """A line that a workflow of GitHub shows as an annotation."""
    title = _escape(f"{check.group}: {check.name}").replace(":", "%3A").replace(",", "%2C")
    text = "\n".join(filter(None, (check.message, check.detail)))
    return f"::{_LEVELS[check.state]} title={title}::{_escape(text)}\n"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
