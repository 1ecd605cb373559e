"""The result of a night for machines: `nightly/result.json` of the store.

Keys keep their meaning as long as `version` does; new ones may be added.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracemill.base.errors import FailedArchivesError, RegressionError
from tracemill.base.text import printable
from tracemill.base.version import VERSION
from tracemill.nightly.history import PastRun
from tracemill.nightly.nights import PastNight
from tracemill.nightly.outcome import CampaignOutcome, Failure, NightOutcome
from tracemill.nightly.pages import Pages
from tracemill.nightly.verdicts import Judged, Judgement, Regression
from tracemill.nightly.wording import describe_regression

RESULT_VERSION = 1
WELL, REGRESSIONS, FAILED = 0, RegressionError.exit_code, FailedArchivesError.exit_code
"""Exit codes of a night: regressions say more than archives that failed."""
_VERDICTS = {WELL: "all well", REGRESSIONS: "regressions", FAILED: "some archives failed"}

KEYS: Mapping[str, str] = {
    "version": "of this layout",
    "tracemill": "version that wrote it",
    "source": "folder that the archives were looked for in",
    "started_at": "when the night began, in UTC",
    "ended_at": "when it had analysed what it could, in UTC",
    "exit_code": "0 all well, 23 regressions, 24 some archives, campaigns or judgements failed",
    "verdict": "the same in words",
    "sentences": "what to look at, for people",
    "page": "file of the index page",
    "counts": "how many there are of each",
    "counts.new": "runs analysed in this night",
    "counts.regressions": "new runs that are worse than those before them or their baseline",
    "counts.failed": "archives that failed in this night",
    "counts.quarantined": "archives that failed earlier and did not change since",
    "counts.waiting": "archives not ready, such as those still being written",
    "counts.left": "archives left for the next night",
    "counts.again": "runs of earlier nights that were analysed anew, and not judged again",
    "counts.unchanged": "archives analysed earlier",
    "counts.failed_campaigns": "campaigns that could not be made",
    "counts.unjudged": "new runs that could not be compared",
    "new": "runs analysed in this night, oldest first",
    "new[].run_id": "by which every command names the run",
    "new[].label": "name of the folder that holds its trace",
    "new[].application": "what it is a run of",
    "new[].processes": "how many it had",
    "new[].threads": "of the process with the most",
    "new[].recorded_at": "when it was recorded, in UTC",
    "new[].run_time_ns": "from its first record to its last",
    "new[].base_runs": "ids of the runs it was held against; none for the first of its kind",
    "new[].change_ratio": "by which part of theirs on average it took longer; null without them",
    "new[].noise_ns": "how far both may be apart by chance (95 %); null if not known",
    "new[].verdict": "worse, as before, faster and so on, for people",
    "new[].is_worse": "whether it is among the regressions",
    "new[].report": "file of its report; null if it has none",
    "regressions": "each condition that holds of a new run, worst first",
    "regressions[].run_id": "the run, which is among the new ones",
    "regressions[].application": "what it is a run of",
    "regressions[].processes": "how many it had",
    "regressions[].threads": "of the process with the most",
    "regressions[].condition": "that holds, as tracemill compare --fail-if takes it",
    "regressions[].reason": "what is, as opposed to what may be",
    "regressions[].metric": "which the condition is about",
    "regressions[].unit": "of its values: ns, bytes, visits or occurrences",
    "regressions[].base_value": "mean of the runs it was held against",
    "regressions[].value": "that of the run",
    "regressions[].change_ratio": "the change as a part of the base; null from nothing",
    "regressions[].noise_value": "how far both may be apart by chance (95 %); null if not known",
    "regressions[].base_runs": "ids of the runs it was held against",
    "regressions[].is_baseline": "whether the configuration names these",
    "regressions[].sentence": "the same for people",
    "regressions[].report": "file of the run's report; null if it has none",
    "regressions[].causes": "what explains most of the change, worst first",
    "regressions[].causes[].metric": "the deepest one that explains it",
    "regressions[].causes[].title": "its name for people",
    "regressions[].causes[].call_path": "where; empty outside of any",
    "regressions[].causes[].rank": "process on which it changed most; null if none did",
    "regressions[].causes[].unit": "of the values",
    "regressions[].causes[].base_value": "mean of the runs it was held against",
    "regressions[].causes[].value": "that of the run",
    "regressions[].causes[].rank_change_value": "how much of the change is on that process",
    "failed": "archives that failed in this night",
    "failed[].path": "the archive",
    "failed[].reason": "in a line",
    "failed[].exit_code": "that tracemill analyze has for it",
    "failed[].since": "when that was first found, in UTC",
    "quarantined": "archives that failed earlier and did not change since",
    "quarantined[].path": "the archive",
    "quarantined[].reason": "in a line",
    "quarantined[].exit_code": "that tracemill analyze has for it",
    "quarantined[].since": "when that was first found, in UTC",
    "waiting": "archives that are not ready",
    "waiting[].path": "the archive",
    "waiting[].reason": "in a line",
    "left": "archives left for the next night",
    "campaigns": "those of the configuration",
    "campaigns[].name": "of the campaign",
    "campaigns[].is_new": "whether it was made anew",
    "campaigns[].reason": "why it could not be made; empty if it is there",
    "campaigns[].exit_code": "that tracemill campaign has for it",
    "campaigns[].report": "file of its report; null if it has none",
    "unjudged": "new runs that could not be compared",
    "unjudged[].run_id": "the run",
    "unjudged[].reason": "in a line",
    "nights": "the last ones before this, and those of other hosts that ended earlier",
    "nights[].started_at": "when it began, in UTC",
    "nights[].exit_code": "of that night",
    "nights[].new": "runs analysed in it",
    "nights[].regressions": "how many of them were worse",
    "nights[].failed": "archives that failed in it",
    "nights[].result": "file of its result",
}
"""Every key and its meaning; `[]` stands for each of a list."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """What the document is made of."""

    night: NightOutcome
    judgement: Judgement
    sentences: tuple[str, ...]
    pages: Pages
    nights: tuple[PastNight, ...] = ()

    @property
    def exit_code(self) -> int:
        """That of the worst there is."""
        return exit_code_of(self.night, self.judgement)


def exit_code_of(night: NightOutcome, judgement: Judgement) -> int:
    """The exit code of a night."""
    if judgement.regressions:
        return REGRESSIONS
    is_failed = night.failed or judgement.unjudged or any(each.reason for each in night.campaigns)
    return FAILED if is_failed else WELL


def document_of(told: Told) -> dict[str, Any]:
    """The result as plain values, with the keys of KEYS."""
    night, judgement = told.night, told.judgement
    return {
        "version": RESULT_VERSION,
        "tracemill": VERSION,
        "source": printable(str(night.source)),
        "started_at": night.started_at,
        "ended_at": night.ended_at,
        "exit_code": told.exit_code,
        "verdict": _VERDICTS[told.exit_code],
        "sentences": list(told.sentences),
        "page": str(told.pages.own),
        "counts": _counts(night, judgement),
        "new": [_new(each, told.pages) for each in judgement.judged],
        "regressions": [_regression(each, told.pages) for each in judgement.regressions],
        "failed": [_failure(each) for each in night.failed],
        "quarantined": [_failure(each) for each in night.quarantined],
        "waiting": [
            {"path": printable(str(each.path)), "reason": each.reason} for each in night.waiting
        ],
        "left": [printable(str(path)) for path in night.left],
        "campaigns": [_campaign(each, told.pages) for each in night.campaigns],
        "unjudged": [{"run_id": each.run_id, "reason": each.reason} for each in judgement.unjudged],
        "nights": [_night(each) for each in told.nights],
    }


def describe_result() -> str:
    """The reference of the document as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# The result of a night"
    yield ""
    yield "Generated from `pipeline/nightly/result.py` by `make docs`; do not edit."
    yield ""
    yield (
        "Every night writes `nightly/result.json` into its store, and the same into a file of its "
        "own in `nightly/nights`, since several hosts may have theirs at once. Keys keep their "
        f"meaning as long as `version` is {RESULT_VERSION}; new ones may be added. `[]` stands for "
        "each of a list. Times are nanoseconds unless they are moments, which are ISO 8601."
    )
    yield ""
    yield "| key | meaning |"
    yield "| --- | --- |"
    yield from (f"| `{key}` | {meaning} |" for key, meaning in KEYS.items())


def keys_of(document: Any, prefix: str = "") -> Iterator[str]:
    """Every key of a document, as KEYS writes them."""
    if isinstance(document, dict):
        for name, value in document.items():
            yield (key := f"{prefix}.{name}".removeprefix("."))
            yield from keys_of(value, key)
    elif isinstance(document, list):
        for value in document:
            yield from keys_of(value, f"{prefix}[]")


def _counts(night: NightOutcome, judgement: Judgement) -> dict[str, int]:
    return {
        "new": len(night.analysed),
        "again": len(night.again),
        "regressions": len(judgement.worse),
        "failed": len(night.failed),
        "quarantined": len(night.quarantined),
        "waiting": len(night.waiting),
        "left": len(night.left),
        "unchanged": night.unchanged_count,
        "failed_campaigns": sum(bool(each.reason) for each in night.campaigns),
        "unjudged": len(judgement.unjudged),
    }


def _of_run(run: PastRun) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "application": printable(run.series.application),
        "processes": run.series.processes,
        "threads": run.series.threads,
    }


def _new(judged: Judged, pages: Pages) -> dict[str, Any]:
    run = judged.run
    return _of_run(run) | {
        "label": printable(run.label),
        "recorded_at": run.recorded_at,
        "run_time_ns": run.run_time_ns,
        "base_runs": [each.run_id for each in judged.base],
        "change_ratio": judged.change_ratio,
        "noise_ns": judged.change.noise_value if judged.change else None,
        "verdict": judged.word,
        "is_worse": bool(judged.regressions),
        "report": _file(pages.of_run(run.run_id)),
    }


def _regression(found: Regression, pages: Pages) -> dict[str, Any]:
    return _of_run(found.run) | {
        "condition": printable(found.condition),
        "reason": found.reason,
        "metric": found.metric,
        "unit": found.unit,
        "base_value": found.base_value,
        "value": found.value,
        "change_ratio": found.change_ratio,
        "noise_value": found.noise_value,
        "base_runs": [each.run_id for each in found.base],
        "is_baseline": found.is_baseline,
        "sentence": describe_regression(found).headline,
        "report": _file(pages.of_run(found.run.run_id)),
        "causes": [
            {
                "metric": cause.metric,
                "title": cause.title,
                "call_path": printable(cause.call_path),
                "rank": cause.rank,
                "unit": cause.unit,
                "base_value": cause.base_value,
                "value": cause.other_value,
                "rank_change_value": cause.rank_change_value,
            }
            for cause in found.causes
        ],
    }


def _failure(failure: Failure) -> dict[str, Any]:
    return {
        "path": printable(str(failure.path)),
        "reason": failure.reason,
        "exit_code": failure.exit_code,
        "since": failure.since,
    }


def _campaign(campaign: CampaignOutcome, pages: Pages) -> dict[str, Any]:
    run = campaign.run
    return {
        "name": printable(campaign.name),
        "is_new": campaign.is_new,
        "reason": campaign.reason,
        "exit_code": campaign.exit_code,
        "report": None if run is None else _file(pages.of_campaign(run.run_id)),
    }


def _night(night: PastNight) -> dict[str, Any]:
    return {
        "started_at": night.started_at,
        "exit_code": night.exit_code,
        "new": night.new_count,
        "regressions": night.worse_count,
        "failed": night.failed_count,
        "result": str(night.path.absolute()),
    }


def _file(page: Path | None) -> str | None:
    return None if page is None else str(page)
