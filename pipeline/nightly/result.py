"""The result of a night as a JSON document, and the results of earlier nights.

Each night writes its result into `nightly/result.json`, and a copy into `nightly/nights`, because
several hosts may run at the same time. docs/reference/nightly-result.md describes every key.
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
from tracemill.comparison.efficiencies import Efficiencies
from tracemill.nightly.history import PastRun
from tracemill.nightly.judge import JudgedRun, Judgment, Regression
from tracemill.nightly.notes import FOLDER, write_file
from tracemill.nightly.outcome import CampaignOutcome, Failure, Night
from tracemill.nightly.pages import Pages
from tracemill.nightly.wording import describe_regression
from tracemill.store.manifest import to_json
from tracemill.store.runs import Store

RESULT_NAME = "result.json"
RESULT_VERSION = 1
MOST_KEPT = 400
"""Number of results that a store keeps."""
WELL, REGRESSIONS, FAILED = 0, RegressionError.exit_code, FailedArchivesError.exit_code
_VERDICTS = {WELL: "no new problems", REGRESSIONS: "regressions", FAILED: "some archives failed"}

Document = Mapping[str, Any]
"""The result of a night as plain values."""


@dataclass(frozen=True)
class Alarm:
    """A regression that an earlier night reported."""

    started_at: str
    sentence: str
    run_id: str


def document_of(
    night: Night,
    judgment: Judgment,
    sentences: Sequence[str],
    earlier: Sequence[Document],
    pages: Pages,
    efficiencies: Efficiencies,
) -> dict[str, Any]:
    """The result of a night; `earlier` are the results of the nights before.

    `efficiencies` are those of new runs and of the runs that these were compared with.
    """
    counts = _counts(night, judgment)
    is_failed = counts["failed"] or counts["unjudged"] or counts["failed_campaigns"]
    exit_code = REGRESSIONS if judgment.regressions else FAILED if is_failed else WELL
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
        "counts": counts,
        "new": [_new(each, pages, efficiencies) for each in judgment.judged],
        "regressions": [_regression(each, pages) for each in judgment.regressions],
        "failed": [_failure(each) for each in night.failed],
        "quarantined": [_failure(each) for each in night.quarantined],
        "waiting": [
            {"path": printable(str(each.path)), "reason": each.reason} for each in night.waiting
        ],
        "left": [printable(str(path)) for path in night.left],
        "campaigns": [_campaign(each, pages) for each in night.campaigns],
        "unjudged": [
            {"run_id": each.run_id, "label": printable(each.label), "reason": each.reason}
            for each in judgment.unjudged
        ],
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
    page = pages.of_run(run.run_id)
    return {
        "run_id": run.run_id,
        "application": printable(run.series.application),
        "processes": run.series.processes,
        "threads": run.series.threads,
        "report": str(page) if page else None,
    }


def _new(judged: JudgedRun, pages: Pages, efficiencies: Efficiencies) -> dict[str, Any]:
    run, change = judged.run, judged.change
    base = [each.run_id for each in judged.base]
    return _run(run, pages) | {
        "label": printable(run.label),
        "recorded_at": run.recorded_at,
        "run_time_ns": run.run_time_ns,
        "base_runs": base,
        "base_run_time_ns": change.base_value if change else None,
        "change_ratio": judged.change_ratio,
        "noise_ns": change.noise_value if change else None,
        "efficiencies": [
            {
                "metric": each.metric,
                "title": each.title,
                "ratio": each.other_ratio,
                "base_ratio": each.base_ratio,
            }
            for each in efficiencies.change(base, [run.run_id])
        ],
        "verdict": judged.verdict,
        "is_worse": bool(judged.regressions),
    }


def _regression(found: Regression, pages: Pages) -> dict[str, Any]:
    change = found.change
    return _run(found.run, pages) | {
        "condition": printable(found.condition),
        "reason": found.reason,
        "metric": change.metric,
        "unit": change.unit,
        "base_value": change.base_value,
        "value": change.other_value,
        "change_ratio": found.change_ratio,
        "noise_value": change.noise_value,
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
    page = pages.of_campaign(campaign.run.run_id) if campaign.run else None
    return {
        "name": printable(campaign.name),
        "is_new": campaign.is_new,
        "reason": campaign.reason,
        "exit_code": campaign.exit_code,
        "report": str(page) if page else None,
    }


def _earlier(night: Document) -> dict[str, Any]:
    counts = {name: night["counts"][name] for name in ("new", "regressions", "failed")}
    kept = {name: night[name] for name in ("started_at", "exit_code", "verdict", "result")}
    return counts | kept


# --- Files ---------------------------------------------------------------------------------------


def write_result(store: Store, document: Mapping[str, Any]) -> Path:
    """Write the result of a night and remove the oldest ones; returns `nightly/result.json`."""
    content = to_json(dict(document))
    moment = datetime.fromisoformat(document["started_at"]).strftime("%Y%m%dT%H%M%SZ")
    last = store.path / FOLDER / RESULT_NAME
    write_file(_folder(store) / f"{moment}-{secrets.token_hex(4)}.json", content)
    write_file(last, content)
    for old in _files(store)[MOST_KEPT:]:
        with suppress(OSError):  # another night removes it, too
            old.unlink()
    return last


def read_earlier(store: Store, most: int) -> list[Document]:
    """The readable results of the last nights, latest first, each with its file in `result`."""
    found = []
    for path in _files(store)[:most]:
        with suppress(OSError, ValueError, KeyError, TypeError):  # another night may remove it
            document = json.loads(path.read_bytes())
            if document["version"] == RESULT_VERSION:
                found.append(document | {"result": str(path.absolute())})
    return found


def alarms_of(nights: Sequence[Document], reported: Collection[str]) -> list[Alarm]:
    """The regressions of some nights: one for each run, without those `reported` already."""
    found: dict[str, Alarm] = {}
    for night in nights:
        for each in night["regressions"]:
            alarm = Alarm(night["started_at"], each["sentence"], each["run_id"])
            found.setdefault(alarm.run_id, alarm)
    return [alarm for alarm in found.values() if alarm.run_id not in reported]


def is_of_last_day(alarm: Alarm, moment: str) -> bool:
    """True if its night began within the day before a moment, or later."""
    begun, until = map(datetime.fromisoformat, (alarm.started_at, moment))
    return begun >= until - timedelta(days=1)


def _folder(store: Store) -> Path:
    return store.path / FOLDER / "nights"


def _files(store: Store) -> list[Path]:
    """The latest first."""
    return sorted(_folder(store).glob("*.json"), reverse=True)
