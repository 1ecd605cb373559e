"""Finds the traces of a campaign, and reads parameters from their names."""

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tracemill.base.errors import CampaignError, MissingInputError
from tracemill.base.near import near_path
from tracemill.base.text import printable
from tracemill.campaign.configurations import special_parameters
from tracemill.campaign.description import Description
from tracemill.campaign.mistakes import Mistakes
from tracemill.campaign.names import (
    APPLICATION,
    DEFAULT_PATTERNS,
    program_of,
    read_name,
    standard_name,
)
from tracemill.readers.wrong_input import recognize
from tracemill.store.runs import Store

TRACE_COLUMN = "trace"
# Number of folders above the trace of a stored run whose names may hold parameters.
_FOLDERS_OF_STORED = 3
_SUFFIXES = (".gz", ".zst", ".csv", ".parquet")


@dataclass(frozen=True, kw_only=True)
class Member:
    """A trace of the campaign, and the properties of its run from names and lists.

    `folders` are names that may hold parameters, down to that of the trace. `run_id` is set for a
    run of the store, and `failure` if an earlier analysis failed. `place` is the line of a list.
    `is_named` unless the application was guessed.
    """

    trace: Path
    label: str
    place: str = ""
    is_named: bool = True
    folders: tuple[str, ...] = ()
    run_id: str = ""
    failure: str = ""
    application: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class FoundTraces:
    """The traces of the campaign, and those whose names do not fit the pattern."""

    members: tuple[Member, ...]
    left_out: tuple[Member, ...] = ()


def find_members(places: Sequence[Path], pattern: str, application: str = "") -> FoundTraces:
    """Traces at or below some paths whose names, or those of folders above, fit the pattern.

    Without pattern, the first of DEFAULT_PATTERNS that fits any name is used, or else none. The
    application is the given one, else the part of the name beside the parameters, else a folder
    above that separates programs. Raises MissingInputError if there are no traces, and
    CampaignError if a given pattern fits none.
    """
    found = {member.trace: member for place in places for member in _members_at(place)}
    if not found:
        for place in places:
            if refusal := recognize(place):
                raise refusal
        listed = ", ".join(map(str, places))
        raise MissingInputError(f"no traces: {listed}: name a folder with OTF2 archives below it")
    return _fitting([found[trace] for trace in sorted(found)], pattern, application)


def members_of_store(store: Store, description: Description) -> tuple[Member, ...]:
    """The runs of a store whose names fit the pattern. Raises MissingInputError if it has none."""
    sources = store.sources()
    if not sources:
        raise MissingInputError(f"no runs: {store.path}: name a folder of traces")
    members = []
    for run_id in sorted(sources, key=lambda run_id: (sources[run_id].label, run_id)):
        path, label = Path(sources[run_id].path), printable(sources[run_id].label)
        above = path.parent.parent if path.suffix == ".otf2" else path.parent
        folders = (*map(printable, above.parts[1:][1 - _FOLDERS_OF_STORED :]), label)
        members.append(Member(trace=path, label=label, folders=folders, run_id=run_id))
    return _fitting(members, description.pattern, description.application).members


def _fitting(given: Sequence[Member], pattern: str, application: str) -> FoundTraces:
    """The members that fit the pattern, or else the first default pattern that fits any."""
    for each in [pattern] if pattern else DEFAULT_PATTERNS:
        members = _name_by_folders(tuple(_named(given, each, application)))
        if members:
            taken = {member.trace for member in members}
            return FoundTraces(members, tuple(m for m in given if m.trace not in taken))
    if pattern:
        raise CampaignError(
            f"no trace fits the pattern {pattern!r}: their names are "
            f"{', '.join(member.label for member in given[:3])} …"
        )
    return FoundTraces(
        tuple(
            replace(
                member,
                application=application or program_of(member.folders),
                is_named=bool(application),
            )
            for member in given
        )
    )


def _name_by_folders(members: Sequence[Member]) -> tuple[Member, ...]:
    """Members without application get one from folders above, if these differ."""
    above = {
        member.trace: program_of(member.folders) for member in members if not member.application
    }
    if len(set(above.values())) < 2:
        return tuple(members)
    return tuple(
        replace(member, application=above[member.trace], is_named=False)
        if member.trace in above
        else member
        for member in members
    )


def _named(given: Sequence[Member], pattern: str, application: str) -> Iterator[Member]:
    """Members that fit the pattern, with the parameters of the last name that does.

    A pattern with '/' is compared with as many joined names. Folders below the name are removed.
    """
    width = pattern.count("/") + 1
    for member in given:
        for start in range(len(member.folders) - width, -1, -1):
            named = read_name("/".join(member.folders[start : start + width]), pattern)
            if named is not None:
                own = dict(named.parameters)
                application_in_name = own.pop(APPLICATION, "")
                yield replace(
                    member,
                    label="/".join(member.folders[start:]),
                    folders=member.folders[:start],
                    application=application or application_in_name or named.rest,
                    parameters=own,
                )
                break


def _members_at(place: Path) -> Iterator[Member]:
    normal = Path(os.path.normpath(place.absolute()))
    for trace in _find_traces(place):
        below = trace.relative_to(place).parts
        label = name_of(trace)
        folders = (label,) if not below else tuple(map(printable, (normal.name, *below)))
        yield Member(trace=trace, label=label, folders=folders)


def _find_traces(place: Path) -> Iterator[Path]:
    """The path itself if it is a file, else folders with OTF2 archives; no hidden folders."""
    if place.is_file():
        yield place
        return
    if not place.exists():
        advice = near_path(place) or "check the path of the runs"
        raise MissingInputError(f"{place}: no such file or directory; {advice}")
    searched = set()
    for folder, below, files in os.walk(place, followlinks=True):
        status = os.stat(folder)
        identity = (status.st_dev, status.st_ino)
        is_trace = any(name.endswith(".otf2") for name in files)
        if is_trace:
            yield Path(folder)
        is_over = is_trace or identity in searched
        below[:] = [] if is_over else sorted(name for name in below if name[0] != ".")
        searched.add(identity)


def name_of(trace: Path) -> str:
    """The label of a trace: the name of its folder, or of a CSV file without suffixes."""
    path = Path(os.path.normpath(trace.absolute()))
    if path.suffix == ".otf2":
        return printable(path.parent.name)
    name = path.name
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return printable(name)


def read_run_list(path: Path, mistakes: Mistakes | None = None) -> tuple[Member, ...]:
    """Runs listed in a CSV file with a column `trace`, relative to the file.

    Every other column is a parameter. Raises MissingInputError, or CampaignError with all mistakes.
    """
    mistakes = mistakes or Mistakes()
    members: list[Member] = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            _check_columns(path, rows.fieldnames or ())
            for row in rows:
                with mistakes.collecting():
                    members.append(_listed(path, rows.line_num, row))
    except OSError as error:
        raise MissingInputError(f"cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise CampaignError(f"{path}: not a CSV file in UTF-8: {error}") from error
    mistakes.report()
    if not members:
        raise CampaignError(f"{path}: no runs are listed: write a line for each")
    return tuple(members)


def _check_columns(path: Path, names: Sequence[str]) -> None:
    meanings = [standard_name(name) for name in names]
    for meaning in meanings:
        if meanings.count(meaning) > 1:
            alike = ", ".join(name for name in names if standard_name(name) == meaning)
            raise CampaignError(f"{path}: line 1: several columns mean {meaning}: {alike}")


def _listed(path: Path, number: int, row: dict[str, str]) -> Member:
    where = f"{path}: line {number}"
    if None in row or None in row.values():
        raise CampaignError(f"{where}: not as many cells as the first line")
    own = {standard_name(name): value.strip() for name, value in row.items() if value.strip()}
    if TRACE_COLUMN not in own:
        raise CampaignError(f"{where}: no trace is named")
    trace = path.parent / own.pop(TRACE_COLUMN)
    application = own.pop(APPLICATION, "")
    special_parameters(own, "", where)
    return Member(
        trace=trace, label=name_of(trace), place=where, application=application, parameters=own
    )


def lists_runs(path: Path) -> bool:
    """Whether a file is a list of runs: CSV with a column `trace`."""
    if path.suffix.lower() != ".csv":
        return False
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            return TRACE_COLUMN in next(csv.reader(file), [])
    except OSError as error:
        raise MissingInputError(f"cannot read {path}: {error.strerror}") from error
    except csv.Error:
        return False
