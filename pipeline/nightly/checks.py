"""The result of a night as checks: one for each new run, failed archive and campaign."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tracemill.comparison.checks import Check
from tracemill.nightly.result import Document

_NANOSECONDS = 10**9
_ARCHIVES, _CAMPAIGNS = "archives", "campaigns"


def night_checks(night: Document) -> tuple[Check, ...]:
    """The checks of a night from its result; archives in quarantine are skipped."""
    return tuple(_checks(night))


def _checks(night: Document) -> Iterator[Check]:
    regressions: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for each in night["regressions"]:
        regressions[each["run_id"]].append(each)
    for run in night["new"]:
        yield _check_of(run, regressions[run["run_id"]])
    for each in night["unjudged"]:
        yield _trouble("unjudged", f"{each['label']} ({each['run_id']})", each)
    for each in night["failed"]:
        yield _trouble(_ARCHIVES, each["path"], each)
    for each in night["campaigns"]:
        if each["reason"]:
            yield _trouble(_CAMPAIGNS, each["name"], each)
    for each in night["quarantined"]:
        yield Check(group=_ARCHIVES, name=each["path"], state="skipped", message=each["reason"])


def _check_of(run: dict[str, Any], regressions: list[dict[str, Any]]) -> Check:
    """A new run; it fails with all its regressions."""
    return Check(
        group=run["application"],
        name=f"{run['label']} ({run['run_id']})",
        state="failure" if regressions else "passed",
        message="; ".join(each["sentence"] for each in regressions) or run["verdict"],
        detail="\n".join(f"{each['condition']}: {each['reason']}" for each in regressions),
        seconds=run["run_time_ns"] / _NANOSECONDS,
    )


def _trouble(group: str, name: str, each: dict[str, Any]) -> Check:
    return Check(group=group, name=name, state="error", message=each["reason"])
