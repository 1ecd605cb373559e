"""Which traces belong to a campaign, and the parameters that their names tell."""

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipeline.campaign.description import Description
from pipeline.campaign.names import APPLICATION, DEFAULT_PATTERNS, meaning_of, read_name
from pipeline.errors import CampaignError, MissingInputError
from pipeline.store import Store

TRACE_COLUMN = "trace"


@dataclass(frozen=True, kw_only=True)
class Member:
    """A trace of the campaign, and what is known of its run without reading it.

    `run_id` is set where a run of the store is meant, whether or not its trace is still there.
    """

    trace: Path
    run_id: str = ""
    application: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return name_of(self.trace)


@dataclass(frozen=True)
class Found:
    """Traces that belong to the campaign, and those whose names did not fit."""

    members: tuple[Member, ...]
    left_out: tuple[Path, ...] = ()


def find_members(places: Sequence[Path], pattern: str, application: str = "") -> Found:
    """Traces at or below some places whose names fit the pattern.

    Without pattern the first of DEFAULT_PATTERNS that fits any name; if none does, all traces,
    whose parameters are then those that the traces tell. The application is the given one, else
    what the name holds beside the parameters. Raises MissingInputError if there are no traces,
    and CampaignError if a given pattern fits none.
    """
    traces = sorted({trace for place in places for trace in find_traces(place)})
    if not traces:
        listed = ", ".join(map(str, places))
        raise MissingInputError(f"no traces: {listed}: name a folder with OTF2 archives below it")
    return _fitting([Member(trace=trace) for trace in traces], pattern, application)


def members_of_store(store: Store, description: Description) -> tuple[Member, ...]:
    """The runs of a store whose labels fit the pattern. Raises MissingInputError if it has none."""
    runs = sorted(store.runs(), key=lambda run: (run.label, run.run_id))
    if not runs:
        raise MissingInputError(f"no runs: {store.path}: name a folder of traces")
    members = [Member(trace=Path(run.source.path), run_id=run.run_id) for run in runs]
    return _fitting(members, description.pattern, description.application).members


def _fitting(given: Sequence[Member], pattern: str, application: str) -> Found:
    """The members whose names fit the pattern, or the first of the usual ones that fits any."""
    for each in [pattern] if pattern else DEFAULT_PATTERNS:
        members = tuple(_named(given, each, application))
        if members:
            taken = {member.trace for member in members}
            return Found(members, tuple(m.trace for m in given if m.trace not in taken))
    if pattern:
        raise CampaignError(
            f"no trace fits the pattern {pattern!r}: traces are called "
            f"{', '.join(member.label for member in given[:3])} …"
        )
    return Found(tuple(replace(member, application=application) for member in given))


def _named(given: Sequence[Member], pattern: str, application: str) -> Iterator[Member]:
    for member in given:
        named = read_name(member.label, pattern)
        if named is not None:
            own = dict(named.parameters)
            told = own.pop(APPLICATION, "")
            yield replace(member, application=application or told or named.rest, parameters=own)


def find_traces(place: Path) -> Iterator[Path]:
    """The place itself if it is a file, else folders at or below it that hold OTF2 archives.

    Links to folders are not followed, hidden folders are left out.
    """
    if place.is_file():
        yield place
        return
    if not place.exists():
        raise MissingInputError(f"{place}: no such file or directory; check the path of the runs")
    for folder, below, files in os.walk(place):
        below[:] = sorted(name for name in below if not name.startswith("."))
        if any(name.endswith(".otf2") for name in files):
            below.clear()
            yield Path(folder)


def name_of(trace: Path) -> str:
    """Name that a trace goes by: that of its folder, or of a file in CSV."""
    if trace.suffix == ".otf2":
        return trace.absolute().parent.name
    return trace.absolute().name.partition(".")[0] if trace.is_file() else trace.absolute().name


def read_run_list(path: Path) -> tuple[Member, ...]:
    """Runs listed in a CSV file with a column `trace`; every other column is a parameter.

    Paths are relative to the file. Raises CampaignError that names the line.
    """
    members = []
    with path.open(encoding="utf-8-sig", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), 2):
            trace = row.pop(TRACE_COLUMN) or ""
            if not trace:
                raise CampaignError(f"{path}: line {number}: no trace is named")
            if None in row or None in row.values():
                raise CampaignError(f"{path}: line {number}: not as many cells as the first line")
            own = {meaning_of(name): value for name, value in row.items() if value}
            application = own.pop(APPLICATION, "")
            members.append(
                Member(trace=path.parent / trace, application=application, parameters=own)
            )
    if not members:
        raise CampaignError(f"{path}: no runs are listed: write a line for each")
    return tuple(members)


def lists_runs(path: Path) -> bool:
    """Whether a file is a list of runs: CSV with a column `trace`."""
    if path.suffix.lower() != ".csv":
        return False
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        return TRACE_COLUMN in next(csv.reader(file), [])
