"""The results of a store's nights, each a file of its own, so that many hosts can have theirs."""

import json
import secrets
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tracemill.base.files import write_bytes
from tracemill.nightly.notes import FOLDER
from tracemill.store import Store
from tracemill.store.manifest import to_json

RESULT_NAME = "result.json"
MOST_KEPT = 400
_ADVICE = "name another folder with --store"


@dataclass(frozen=True, kw_only=True)
class PastNight:
    """A night as its result in `path` tells it: how many there were of each, and what was worse."""

    path: Path
    started_at: str
    exit_code: int
    new_count: int
    worse_count: int
    failed_count: int
    verdict: str
    alarms: tuple[tuple[str, str], ...]
    """Sentence and run id of each regression."""


@dataclass(frozen=True)
class Alarm:
    """A run that a night called worse, and how that night put it."""

    started_at: str
    sentence: str
    run_id: str


def keep(store: Store, document: Mapping[str, Any]) -> Path:
    """Write the result of a night: as the last one, whose path is returned, and for later pages.

    Raises PipelineError if it cannot be written.
    """
    content = to_json(dict(document))
    moment = datetime.fromisoformat(document["started_at"]).strftime("%Y%m%dT%H%M%SZ")
    own = _folder(store) / f"{moment}-{secrets.token_hex(4)}.json"
    last = store.path / FOLDER / RESULT_NAME
    for path in (own, last):
        write_bytes(path, content, advice=_ADVICE, is_folder_made=True)
    for old in _files(store)[MOST_KEPT:]:
        with suppress(OSError):  # another night removes it too
            old.unlink()
    return last


def read_nights(store: Store, most: int) -> list[PastNight]:
    """The last nights, latest first; those that cannot be read are left out."""
    found = (_read(path) for path in _files(store)[:most])
    return [night for night in found if night is not None]


def alarms_of(nights: Sequence[PastNight], told: Collection[str]) -> list[Alarm]:
    """What was worse in some nights: each run once, and none of those `told` already."""
    found: dict[str, Alarm] = {}
    for night in nights:
        for sentence, run_id in night.alarms:
            if run_id not in told:
                found.setdefault(run_id, Alarm(night.started_at, sentence, run_id))
    return list(found.values())


def is_of_last_day(alarm: Alarm, moment: str) -> bool:
    """Whether its night began within a day before some moment, or later."""
    begun, until = map(datetime.fromisoformat, (alarm.started_at, moment))
    return begun >= until - timedelta(days=1)


def _folder(store: Store) -> Path:
    return store.path / FOLDER / "nights"


def _files(store: Store) -> list[Path]:
    """Latest first."""
    return sorted(_folder(store).glob("*.json"), reverse=True)


def _read(path: Path) -> PastNight | None:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        counts = document["counts"]
        return PastNight(
            path=path,
            started_at=str(datetime.fromisoformat(document["started_at"])),
            exit_code=document["exit_code"],
            new_count=counts["new"],
            worse_count=counts["regressions"],
            failed_count=counts["failed"],
            verdict=document["verdict"],
            alarms=tuple((each["sentence"], each["run_id"]) for each in document["regressions"]),
        )
    except (OSError, ValueError, KeyError, TypeError):  # gone meanwhile, or of another version
        return None
