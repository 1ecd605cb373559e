"""What a campaign is made from, so that one of which nothing changed need not be asked."""

import json
import os
import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tracemill.base.text import hash_of
from tracemill.engine.analyze import Options
from tracemill.engine.graph import code_hash
from tracemill.nightly.config import NightlyCampaign
from tracemill.sql.query_files import all_queries
from tracemill.store.manifest import Pointer

_WILDCARDS = "*?["


def mark_of(
    campaign: NightlyCampaign,
    *,
    folder: Path,
    pointers: Mapping[str, Pointer],
    options: Options,
    unsettled: Collection[Path],
) -> str:
    """A hash of all that tables and report of a campaign depend on.

    That are its description, the state of all files in the places that it names, relative to
    `folder`, those of them that are left out as they are not at rest, the runs of traces there, and
    the code.
    """
    places = [os.path.normpath(place.absolute()) for place in _places(campaign, folder)]
    runs = [
        (run_id, pointer.generation)
        for run_id, pointer in pointers.items()
        if not campaign.runs or _is_below(pointer.source.path, places)
    ]
    told = [
        [campaign.runs, campaign.told],
        [list(_states(place)) for place in places],
        sorted(str(path) for path in unsettled if _is_below(str(path), places)),
        sorted(runs),
        {**asdict(options), "threads": 0, "memory_limit": ""},
        code_hash(("pipeline", "schemas")),
        [query.text for query in all_queries()],
    ]
    return hash_of(json.dumps(told, default=str))


def _places(campaign: NightlyCampaign, folder: Path) -> Iterator[Path]:
    """Files and folders that a campaign reads, or folders above where its names have wildcards."""
    marks = campaign.told.get("published_marks")
    if isinstance(marks, str):
        yield folder / campaign.runs / ".." / marks
        yield folder / marks
    if not campaign.runs:
        return
    runs = folder / campaign.runs
    yield runs
    if runs.suffix.lower() == ".toml":
        for name in _names_in(runs):
            yield runs.parent / _without_wildcards(name)
    elif runs.suffix.lower() == ".csv":  # of runs, which may lie anywhere below or beside it
        yield runs.parent


def _names_in(file: Path) -> Iterator[str]:
    """Names of files and folders in a campaign file, as far as it can be read."""
    described: dict[str, Any] = {}
    with suppress(OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        described = tomllib.loads(file.read_bytes().decode("utf-8"))
    runs, measurements = described.get("runs"), described.get("measurements")
    yield from (each for each in _listed(runs) if isinstance(each, str))
    for each in _listed(measurements):
        if isinstance(each, dict) and isinstance(each.get("path"), str):
            yield each["path"]
    if isinstance(marks := described.get("published_marks"), str):
        yield marks


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _without_wildcards(name: str) -> Path:
    """The folder below which everything is that a name may mean."""
    path = Path(name)
    for number, part in enumerate(path.parts):
        if any(sign in part for sign in _WILDCARDS):
            return Path(*path.parts[:number])
    return path


def _is_below(path: str, places: Collection[str]) -> bool:
    whole = os.path.normpath(path)
    return any(whole == place or whole.startswith(os.path.join(place, "")) for place in places)


def _states(place: str) -> Iterator[tuple[str, int, int]]:
    """Path, size and time of a file, or of all files below a folder that are not hidden.

    Links are followed, but no folder is searched twice.
    """
    folders, searched = [place], set()
    if not os.path.isdir(place):
        with suppress(OSError):
            status = os.stat(place)
            yield place, status.st_size, status.st_mtime_ns
        return
    while folders:
        folder = folders.pop()
        with suppress(OSError):
            status = os.stat(folder)
            if (status.st_dev, status.st_ino) in searched:
                continue
            searched.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
            for entry in found:
                if entry.name.startswith("."):
                    continue
                if entry.is_dir():
                    folders.append(entry.path)
                else:
                    with suppress(OSError):  # a link to nowhere
                        status = entry.stat()
                        yield entry.path, status.st_size, status.st_mtime_ns
