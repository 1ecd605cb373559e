"""The result of a night as a JSON document, and the results of earlier nights.

Each night writes its result into `nightly/result.json` and into a file of its own in
`nightly/nights`, as several hosts may have nights at once. Keys keep their meaning as long as
`version` stays the same; keys may be added.
"""

import json
import secrets
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tracemill.base.errors import FailedArchivesError, RegressionError
from tracemill.base.text import printable
from tracemill.base.version import VERSION
from tracemill.nightly.history import PastRun
from tracemill.nightly.judge import JudgedRun, Judgment, Regression
from tracemill.nightly.notes import FOLDER, write_file
from tracemill.nightly.outcome import CampaignOutcome, Failure, Night
from tracemill.nightly.pages import Pages
from tracemill.nightly.wording import describe_regression
from tracemill.store import Store
from tracemill.store.manifest import to_json

RESULT_NAME = "result.json"
RESULT_VERSION = 1
MOST_KEPT = 400
"""Number of results of earlier nights that a store keeps."""
WELL, REGRESSIONS, FAILED = 0, RegressionError.exit_code, FailedArchivesError.exit_code
_VERDICTS = {WELL: "all well", REGRESSIONS: "regressions", FAILED: "some archives failed"}

KEYS: Mapping[str, str] = {
    "version": "version of this layout",
    "tracemill": "version of Tracemill that wrote it",
    "source": "folder that was searched for archives",
    "started_at": "start of the night, in UTC",
    "ended_at": "end of its analyses, in UTC",
    "exit_code": "0 all well, 23 regressions, 24 some archives, campaigns or comparisons failed",
    "verdict": "the same in words",
    "sentences": "summary for people",
    "page": "file of the index page",
    "counts": "number of each",
    "counts.new": "runs analyzed in this night",
    "counts.regressions": "new runs that are worse than earlier runs or their baseline",
    "counts.failed": "archives that failed in this night",
    "counts.quarantined": "archives that failed earlier and have not changed since",
    "counts.waiting": "archives not ready, such as those still being written",
    "counts.left": "archives left for the next night",
    "counts.again": "runs of earlier nights that were analyzed again, and not judged again",
    "counts.unchanged": "archives analyzed earlier",
    "counts.failed_campaigns": "campaigns that failed",
    "counts.unjudged": "new runs that could not be compared",
    "new": "runs analyzed in this night, oldest first",
    "new[].run_id": "id of the run, as in every command",
    "new[].label": "name of the folder that holds its trace",
    "new[].application": "application that it is a run of",
    "new[].processes": "number of processes",
    "new[].threads": "number of threads of the process with the most",
    "new[].recorded_at": "time of recording, in UTC",
    "new[].run_time_ns": "time from its first record to its last",
    "new[].base_runs": "ids of the runs it was compared with; none for the first of its kind",
    "new[].change_ratio": "change of the run time as a share of their mean; null without them",
    "new[].noise_ns": "largest difference explained by chance (95 %); null if unknown",
    "new[].verdict": "worse, as before, faster and so on, for people",
    "new[].is_worse": "whether it is among the regressions",
    "new[].report": "file of its report; null if it has none",
    "regressions": "conditions that hold of new runs, worst first",
    "regressions[].run_id": "id of the run, which is one of the new runs",
    "regressions[].application": "application that it is a run of",
    "regressions[].processes": "number of processes",
    "regressions[].threads": "number of threads of the process with the most",
    "regressions[].condition": "condition, as for tracemill compare --fail-if",
    "regressions[].reason": "the actual value, not the limit",
    "regressions[].metric": "metric of the condition",
    "regressions[].unit": "unit of the values: ns, bytes, visits or occurrences",
    "regressions[].base_value": "mean of the runs it was compared with",
    "regressions[].value": "value of the run",
    "regressions[].change_ratio": "change as a share of the base; null if the base is 0",
    "regressions[].noise_value": "largest difference explained by chance (95 %); null if unknown",
    "regressions[].base_runs": "ids of the runs it was compared with",
    "regressions[].is_baseline": "whether the configuration names these runs",
    "regressions[].sentence": "the regression in words",
    "regressions[].report": "file of the run's report; null if it has none",
    "regressions[].causes": "causes of most of the change, worst first",
    "regressions[].causes[].metric": "deepest metric that explains the change",
    "regressions[].causes[].title": "name of the metric for people",
    "regressions[].causes[].call_path": "call path; empty outside of any",
    "regressions[].causes[].rank": "process with the largest change; null if none changed",
    "regressions[].causes[].unit": "unit of the values",
    "regressions[].causes[].base_value": "mean of the runs it was compared with",
    "regressions[].causes[].value": "value of the run",
    "regressions[].causes[].rank_change_value": "change on that process",
    "failed": "archives that failed in this night",
    "failed[].path": "anchor file of the archive",
    "failed[].reason": "reason in one line",
    "failed[].exit_code": "exit code of tracemill analyze",
    "failed[].since": "time of the first failure, in UTC",
    "quarantined": "archives that failed earlier and have not changed since",
    "quarantined[].path": "anchor file of the archive",
    "quarantined[].reason": "reason in one line",
    "quarantined[].exit_code": "exit code of tracemill analyze",
    "quarantined[].since": "time of the first failure, in UTC",
    "waiting": "archives that are not ready, such as those still being written",
    "waiting[].path": "anchor file of the archive",
    "waiting[].reason": "reason in one line",
    "left": "archives left for the next night",
    "campaigns": "campaigns of the configuration",
    "campaigns[].name": "name of the campaign",
    "campaigns[].is_new": "whether it was computed in this night",
    "campaigns[].reason": "reason of its failure; empty if there is none",
    "campaigns[].exit_code": "exit code of tracemill campaign",
    "campaigns[].report": "file of its report; null if it has none",
    "unjudged": "new runs that could not be compared",
    "unjudged[].run_id": "id of the run",
    "unjudged[].reason": "reason in one line",
    "nights": "the last nights before this one, also those of other hosts",
    "nights[].started_at": "start of that night, in UTC",
    "nights[].exit_code": "exit code of that night",
    "nights[].new": "runs analyzed in it",
    "nights[].regressions": "number of them that were worse",
    "nights[].failed": "archives that failed in it",
    "nights[].result": "file of its result",
}
"""Every key and its meaning; `[]` stands for each item of a list."""


@dataclass(frozen=True)
class Alarm:
    """A regression that an earlier night reported."""

    started_at: str
    sentence: str
    run_id: str


@dataclass(frozen=True, kw_only=True)
class EarlierNight:
    """An earlier night, read from its result in `path`."""

    path: Path
    started_at: str
    exit_code: int
    new_count: int
    worse_count: int
    failed_count: int
    verdict: str
    alarms: tuple[Alarm, ...]


def exit_code_of(night: Night, judgment: Judgment) -> int:
    """The exit code of a night; regressions outweigh failures."""
    if judgment.regressions:
        return REGRESSIONS
    is_failed = night.failed or judgment.unjudged or any(each.reason for each in night.campaigns)
    return FAILED if is_failed else WELL


def document_of(
    night: Night,
    judgment: Judgment,
    sentences: Sequence[str],
    earlier: Sequence[EarlierNight],
    pages: Pages,
) -> dict[str, Any]:
    """The result as plain values, with the keys of KEYS."""
    exit_code = exit_code_of(night, judgment)
    return {
        "version": RESULT_VERSION,
        "tracemill": VERSION,
        "source": printable(str(night.source)),
        "started_at": night.started_at,
        "ended_at": night.ended_at,
        "exit_code": exit_code,
        "verdict": _VERDICTS[exit_code],
        "sentences": list(sentences),
        "page": str(pages.of_night),
        "counts": _counts(night, judgment),
        "new": [_new(each, pages) for each in judgment.judged],
        "regressions": [_regression(each, pages) for each in judgment.regressions],
        "failed": [_failure(each) for each in night.failed],
        "quarantined": [_failure(each) for each in night.quarantined],
        "waiting": [
            {"path": printable(str(each.path)), "reason": each.reason} for each in night.waiting
        ],
        "left": [printable(str(path)) for path in night.left],
        "campaigns": [_campaign(each, pages) for each in night.campaigns],
        "unjudged": [{"run_id": each.run_id, "reason": each.reason} for each in judgment.unjudged],
        "nights": [_earlier(each) for each in earlier],
    }


def _counts(night: Night, judgment: Judgment) -> dict[str, int]:
    return {
        "new": len(night.analyzed),
        "again": len(night.again),
        "regressions": len(judgment.worse),
        "failed": len(night.failed),
        "quarantined": len(night.quarantined),
        "waiting": len(night.waiting),
        "left": len(night.left),
        "unchanged": night.unchanged_count,
        "failed_campaigns": sum(bool(each.reason) for each in night.campaigns),
        "unjudged": len(judgment.unjudged),
    }


def _run(run: PastRun, pages: Pages) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "application": printable(run.series.application),
        "processes": run.series.processes,
        "threads": run.series.threads,
        "report": _file(pages.of_run(run.run_id)),
    }


def _new(judged: JudgedRun, pages: Pages) -> dict[str, Any]:
    run = judged.run
    return _run(run, pages) | {
        "label": printable(run.label),
        "recorded_at": run.recorded_at,
        "run_time_ns": run.run_time_ns,
        "base_runs": [each.run_id for each in judged.base],
        "change_ratio": judged.change_ratio,
        "noise_ns": judged.change.noise_value if judged.change else None,
        "verdict": judged.verdict,
        "is_worse": bool(judged.regressions),
    }


def _regression(found: Regression, pages: Pages) -> dict[str, Any]:
    return _run(found.run, pages) | {
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


def _earlier(night: EarlierNight) -> dict[str, Any]:
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


# --- Files ---------------------------------------------------------------------------------------


def write_result(store: Store, document: Mapping[str, Any]) -> Path:
    """Write the result of a night and remove the oldest ones; returns `nightly/result.json`.

    Raises StoreError.
    """
    content = to_json(dict(document))
    moment = datetime.fromisoformat(document["started_at"]).strftime("%Y%m%dT%H%M%SZ")
    last = store.path / FOLDER / RESULT_NAME
    write_file(_folder(store) / f"{moment}-{secrets.token_hex(4)}.json", content)
    write_file(last, content)
    for old in _files(store)[MOST_KEPT:]:
        with suppress(OSError):  # another night removes it, too
            old.unlink()
    return last


def read_earlier(store: Store, most: int) -> list[EarlierNight]:
    """The last nights, latest first, without unreadable results."""
    found = (_read(path) for path in _files(store)[:most])
    return [night for night in found if night is not None]


def alarms_of(nights: Sequence[EarlierNight], reported: Collection[str]) -> list[Alarm]:
    """The regressions of some nights: one for each run, without those `reported` already."""
    found: dict[str, Alarm] = {}
    for alarm in (each for night in nights for each in night.alarms):
        if alarm.run_id not in reported:
            found.setdefault(alarm.run_id, alarm)
    return list(found.values())


def is_of_last_day(alarm: Alarm, moment: str) -> bool:
    """Whether its night began within a day before some moment, or later."""
    begun, until = map(datetime.fromisoformat, (alarm.started_at, moment))
    return begun >= until - timedelta(days=1)


def _folder(store: Store) -> Path:
    return store.path / FOLDER / "nights"


def _files(store: Store) -> list[Path]:
    """The latest first."""
    return sorted(_folder(store).glob("*.json"), reverse=True)


def _read(path: Path) -> EarlierNight | None:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        counts, started_at = document["counts"], str(datetime.fromisoformat(document["started_at"]))
        return EarlierNight(
            path=path,
            started_at=started_at,
            exit_code=document["exit_code"],
            new_count=counts["new"],
            worse_count=counts["regressions"],
            failed_count=counts["failed"],
            verdict=document["verdict"],
            alarms=tuple(
                Alarm(started_at, each["sentence"], each["run_id"])
                for each in document["regressions"]
            ),
        )
    except (OSError, ValueError, KeyError, TypeError):  # removed meanwhile, or of another version
        return None


# --- Reference -----------------------------------------------------------------------------------


def describe_result() -> str:
    """The reference of the document as Markdown."""
    return f"""# Result of a nightly run

Generated from `pipeline/nightly/result.py` by `make docs`; do not edit.

`tracemill nightly` writes `nightly/result.json` into its store. It also writes a copy into
`nightly/nights`, because several hosts may run at the same time. Keys keep their meaning while
`version` is {RESULT_VERSION}; new keys may be added. `[]` stands for each element of a list.
Durations are in nanoseconds. Points in time are ISO 8601.

| key | meaning |
| --- | --- |
""" + "".join(f"| `{key}` | {meaning} |\n" for key, meaning in KEYS.items())
