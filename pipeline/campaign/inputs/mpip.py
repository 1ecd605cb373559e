"""Reads reports of mpiP, a profiler of MPI: one run each.

Taken are the command, the times of processes (MPI Time, seconds), the call sites with their
callers, and the calls of each process at each site (Callsite Time statistics, milliseconds),
whose total is count times mean, to the three digits that mpiP prints. A call site is told by its
operation and by function, file and line of its callers, so that it is the same in every run; sites
that this leaves equal are one. mpiP counts no MPI_Init and MPI_Finalize.

A report's name, or that of its folder, may tell parameters as that of a trace does. mpiP user
guide, "mpiP Output".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tracemill.base.errors import CampaignError, MissingInputError
from tracemill.campaign.inputs.measurements import (
    UNKNOWN_FUNCTION,
    CallSite,
    CallSiteTask,
    Frame,
    MeasuredRun,
    MeasuredRuns,
    TaskTime,
)
from tracemill.campaign.inputs.parsing import (
    check_parameters,
    parse_count,
    parse_ns,
    read_lines,
)
from tracemill.campaign.mistakes import Mistakes
from tracemill.campaign.names import DEFAULT_PATTERNS, PROCESSES, read_name

FORMAT = "mpip"
SUFFIX = ".mpiP"
FIRST_LINE = "@ mpiP"
_TIMES, _SITES, _STATISTICS = "MPI Time", "Callsites", "Callsite Time statistics"
_SECTION = re.compile(r"@--- (?P<title>[^(:]+?)\s*[(:-]")
_COMMAND = re.compile(r"@ Command\s*:\s*(?P<command>.*)")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+$")
_SITE = re.compile(r"\s*(?P<number>\d+)\s+(?P<level>\d+)\s+(?P<place>\S+)(?P<rest>.*)$")
_LINE = re.compile(r"\s+(?P<line>\d+)(?=\s|$)")
_ALL = "*"
# Names that tell processes only say nothing new.
_PATTERNS = tuple(each for each in DEFAULT_PATTERNS if each.count("{") > 1)

Line = tuple[str, str]


@dataclass
class _Site:
    """A call site while its lines are read."""

    operation: str = ""
    frames: list[Frame] = field(default_factory=list)


@dataclass(frozen=True)
class _Sections:
    """The command, and the lines of each section below its headings, each with its place."""

    command: str
    lines: Mapping[str, Sequence[Line]]


def read_mpip(
    path: Path, *, pattern: str = "", application: str = "", mistakes: Mistakes | None = None
) -> MeasuredRuns:
    """Read a report, or all reports (*.mpiP) at or below a folder, in order of their names.

    Raises MissingInputError, or CampaignError that names the files and lines with mistakes, unless
    such reports are to be left out.
    """
    mistakes = mistakes or Mistakes()
    paths = sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else [path]
    if not paths:
        raise MissingInputError(f"{path}: no reports of mpiP: there is no *{SUFFIX} below it")
    notes: list[str] = []
    runs: list[MeasuredRun] = []
    for each in paths:
        with mistakes.noted():
            runs.append(_read_report(each, pattern, application, notes))
    mistakes.tell()
    if not runs:
        raise CampaignError(f"{path}: no runs: no report can be read")
    return MeasuredRuns(source=path, format=FORMAT, runs=tuple(runs), notes=tuple(notes))


def is_mpip(lines: Sequence[str]) -> bool:
    """Whether these are the lines of a report."""
    return any(line.strip() == FIRST_LINE for line in lines[:5])


def _read_report(path: Path, pattern: str, application: str, notes: list[str]) -> MeasuredRun:
    lines = read_lines(path)
    if not is_mpip(lines):
        raise CampaignError(f"{path}: no report of mpiP: it does not begin with {FIRST_LINE}")
    sections = _split(path, lines)
    tasks = tuple(_read_tasks(path, sections.lines[_TIMES]))
    sites = _read_sites(sections.lines.get(_SITES, ()))
    statistics = sections.lines.get(_STATISTICS, ())
    calls = tuple(_merged(_read_calls(path, statistics, sites, len(tasks), notes)))
    if not calls:
        notes.append(f"{path}: no calls of call sites: was the report made with -c or -d?")
    elif any(not site.frames[-1].file for site in sites.values()):
        notes.append(f"{path}: call sites without file and line: was it compiled without -g?")
    return MeasuredRun(
        place=str(path),
        application=application or _application(sections.command),
        parameters=_parameters(path, pattern, len(tasks)),
        time_ns=max(task.time_ns for task in tasks),
        tasks=tasks,
        call_sites=calls,
    )


def _split(path: Path, lines: Sequence[str]) -> _Sections:
    command, found = "", dict[str, list[Line]]()
    current: list[Line] = []
    for number, line in enumerate(lines, 1):
        section, told = _SECTION.match(line), _COMMAND.match(line)
        if section:
            current = found.setdefault(section["title"].strip(), [])
        elif told:
            command = told["command"].strip()
        elif line.strip() and not line.startswith(("-----", "@")):
            current.append((f"{path}: line {number}", line))
    if _TIMES not in found:
        raise CampaignError(
            f"{path}: no section {_TIMES}: is the report complete, made without -c?"
        )
    return _Sections(command, found)


def _read_tasks(path: Path, lines: Sequence[Line]) -> Iterator[TaskTime]:
    ranks = set()
    for where, cells in _table(lines, "Task", "AppTime", "MPITime"):
        if cells["Task"] == _ALL:
            continue
        rank = parse_count(cells["Task"], where, "task")
        if rank in ranks:
            raise CampaignError(f"{where}: task {rank} is listed twice")
        ranks.add(rank)
        yield TaskTime(
            rank=rank,
            time_ns=parse_ns(cells["AppTime"], "s", where, "AppTime"),
            communication_ns=parse_ns(cells["MPITime"], "s", where, "MPITime"),
        )
    if not ranks:
        raise CampaignError(f"{path}: {_TIMES} lists no tasks")


def _table(lines: Sequence[Line], *needed: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The rows of a section whose first line names its columns, each with its place."""
    columns = lines[0][1].split() if lines else []
    missing = [name for name in needed if name not in columns]
    if lines and missing:
        raise CampaignError(f"{lines[0][0]}: no column {', '.join(missing)}: {' '.join(columns)}")
    for where, line in lines[1:]:
        cells = line.split()
        if len(cells) != len(columns):
            raise CampaignError(f"{where}: {len(cells)} cells, but {len(columns)} columns")
        yield where, dict(zip(columns, cells, strict=True))


def _read_sites(lines: Sequence[Line]) -> dict[int, CallSite]:
    """Call sites by number; each has a line per caller, the innermost first."""
    sites: dict[int, _Site] = {}
    for where, line in lines[1:]:
        found = _SITE.match(line)
        if found is None:
            raise CampaignError(f"{where}: no call site: {line.strip()[:60]}")
        number, level = int(found["number"]), int(found["level"])
        site = sites.setdefault(number, _Site())
        if level != len(site.frames):
            raise CampaignError(f"{where}: call site {number} has no caller {len(site.frames)}")
        rest = found["rest"]
        if level == 0:
            rest, _, site.operation = rest.rstrip().rpartition(" ")
        site.frames.append(_frame(found["place"], rest))
    return {
        number: CallSite(operation=_operation(site.operation), frames=tuple(site.frames))
        for number, site in sites.items()
    }


def _frame(place: str, rest: str) -> Frame:
    """A caller from its file or address, and what follows: perhaps a line, then the function."""
    found = None if _ADDRESS.match(place) else _LINE.match(rest)
    function = rest[found.end() if found else 0 :].strip()
    function = "" if function == UNKNOWN_FUNCTION else function
    if found is None:
        return Frame(function=function, address=place)
    return Frame(function=function, file=place, line=int(found["line"]))


def _operation(name: str) -> str:
    return name if name.upper().startswith("MPI_") else f"MPI_{name}"


def _read_calls(
    path: Path,
    lines: Sequence[Line],
    sites: Mapping[int, CallSite],
    task_count: int,
    notes: list[str],
) -> Iterator[CallSiteTask]:
    listed: dict[int, int] = {}
    hidden = 0
    for where, cells in _table(lines, "Site", "Rank", "Count", "Max", "Mean", "Min"):
        number = parse_count(cells["Site"], where, "site")
        count = parse_count(cells["Count"], where, "count")
        if number not in sites:
            raise CampaignError(f"{where}: call site {number} is not in the section {_SITES}")
        if cells["Rank"] == _ALL:
            hidden += count > listed.get(number, 0)
            continue
        listed[number] = listed.get(number, 0) + count
        yield _calls(sites[number], cells, count, task_count, where)
    if hidden:
        notes.append(
            f"{path}: of {hidden} call sites not all calls are listed: was the report made with -t?"
        )


def _calls(
    site: CallSite, cells: Mapping[str, str], count: int, task_count: int, where: str
) -> CallSiteTask:
    rank = parse_count(cells["Rank"], where, "rank")
    if rank >= task_count:
        raise CampaignError(f"{where}: rank {rank}, but there are {task_count} tasks")
    mean, shortest, longest = (
        parse_ns(cells[name], "ms", where, name) for name in ("Mean", "Min", "Max")
    )
    return CallSiteTask(
        site=site,
        rank=rank,
        call_count=count,
        total_ns=count * mean,
        shortest_ns=shortest,
        longest_ns=longest,
    )


def _merged(calls: Iterator[CallSiteTask]) -> Iterator[CallSiteTask]:
    """Calls of one process at sites that cannot be told apart are taken together."""
    found: dict[tuple[str, int], CallSiteTask] = {}
    for each in calls:
        key = (each.site.identity, each.rank)
        other = found.get(key)
        found[key] = each if other is None else _together(other, each)
    return iter(found.values())


def _together(one: CallSiteTask, other: CallSiteTask) -> CallSiteTask:
    return CallSiteTask(
        site=one.site,
        rank=one.rank,
        call_count=one.call_count + other.call_count,
        total_ns=one.total_ns + other.total_ns,
        shortest_ns=min(one.shortest_ns, other.shortest_ns),
        longest_ns=max(one.longest_ns, other.longest_ns),
    )


def _application(command: str) -> str:
    """The program of a command line: the last part of its path."""
    words = command.split()
    return words[0].rpartition("/")[2] if words else ""


def _parameters(path: Path, pattern: str, task_count: int) -> dict[str, str]:
    """What the name of the report, or else that of its folder, tells; and the processes."""
    names = (path.name.removesuffix(SUFFIX), path.absolute().parent.name)
    told: Mapping[str, str] = {}
    for name in names:
        found = [read_name(name, each) for each in ([pattern] if pattern else _PATTERNS)]
        told = next((dict(named.parameters) for named in found if named), {})
        if told:
            break
    processes = told.get(PROCESSES, str(task_count))
    if processes.lstrip("0") != str(task_count):
        raise CampaignError(
            f"{path}: called a run of {processes} processes, but the report has {task_count} tasks"
        )
    parameters = dict(told) | {PROCESSES: str(task_count)}
    check_parameters(parameters, str(path))
    return parameters
