"""Reads reports of mpiP, a profiler of MPI: one run each.

The reader takes the command, the times of processes (MPI Time, seconds), the call sites with their
callers, and the calls of each process at each site (Callsite Time statistics, milliseconds). The
total time of calls is count times mean, with the three digits that mpiP prints. Operation, and
function, file and line of the callers identify a call site in every run. mpiP does not count
MPI_Init and MPI_Finalize.

The name of a report, or of its folder, may hold parameters, as names of traces do. Source: mpiP
user guide, "mpiP Output".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tracemill.base.errors import CampaignError, MissingInputError
from tracemill.base.text import counted
from tracemill.campaign.inputs.measurements import (
    UNKNOWN_FUNCTION,
    CallSite,
    CallSiteTask,
    Frame,
    MeasuredRun,
    MeasuredRuns,
    TaskTime,
)
from tracemill.campaign.inputs.parsing import check_parameters, parse_count, parse_ns, read_lines
from tracemill.campaign.mistakes import Mistakes
from tracemill.campaign.names import DEFAULT_PATTERNS, PROCESSES, read_name

SUFFIX = ".mpiP"
FIRST_LINE = "@ mpiP"
_TIMES, _SITES, _STATISTICS = "MPI Time", "Callsites", "Callsite Time statistics"
_SECTION = re.compile(r"@--- (?P<title>[^(:]+?)\s*[(:-]")
_COMMAND = re.compile(r"@ Command\s*:\s*(?P<command>.*)")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+$")
_SITE = re.compile(r"\s*(?P<number>\d+)\s+(?P<level>\d+)\s+(?P<place>\S+)(?P<rest>.*)$")
_LINE = re.compile(r"\s+(?P<line>\d+)(?=\s|$)")
_ALL = "*"
# The report itself has the number of processes.
_PATTERNS = tuple(each for each in DEFAULT_PATTERNS if each.count("{") > 1)

Line = tuple[str, str]


def read_mpip(path: Path, *, pattern: str, application: str, mistakes: Mistakes) -> MeasuredRuns:
    """Read a report, or all reports (*.mpiP) at or below a folder, in order of their names.

    Raises MissingInputError, or CampaignError with all mistakes.
    """
    paths = sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else [path]
    if not paths:
        raise MissingInputError(f"{path}: no reports of mpiP: there is no *{SUFFIX} below it")
    notes: list[str] = []
    runs: list[MeasuredRun] = []
    for each in paths:
        with mistakes.collecting():
            runs.append(_read_report(each, pattern, application, notes))
    mistakes.report()
    if not runs:
        raise CampaignError(f"{path}: no runs: no report can be read")
    return MeasuredRuns(tuple(runs), tuple(notes))


def is_mpip(lines: Sequence[str]) -> bool:
    """Whether these are the lines of a report."""
    return any(line.strip() == FIRST_LINE for line in lines[:5])


def _read_report(path: Path, pattern: str, application: str, notes: list[str]) -> MeasuredRun:
    lines = read_lines(path)
    if not is_mpip(lines):
        raise CampaignError(f"{path}: no report of mpiP: it does not begin with {FIRST_LINE}")
    command, sections = _split(path, lines)
    tasks = tuple(_read_tasks(path, sections[_TIMES]))
    sites = _read_sites(sections.get(_SITES, ()))
    statistics = sections.get(_STATISTICS, ())
    calls = tuple(_merged(_read_calls(path, statistics, sites, len(tasks), notes)))
    if not calls:
        notes.append(f"{path}: no calls of call sites: was the report made with -c or -d?")
    elif any(not site.frames[-1].file for site in sites.values()):
        notes.append(f"{path}: call sites without file and line: was it compiled without -g?")
    return MeasuredRun(
        place=str(path),
        application=application or (command.split() or [""])[0].rpartition("/")[2],
        parameters=_parameters(path, pattern, len(tasks)),
        time_ns=max(task.time_ns for task in tasks),
        tasks=tasks,
        call_sites=calls,
    )


def _split(path: Path, lines: Sequence[str]) -> tuple[str, dict[str, list[Line]]]:
    """The command, and the lines of each section, each with its place."""
    command, found = "", dict[str, list[Line]]()
    current: list[Line] = []
    for number, line in enumerate(lines, 1):
        section, command_line = _SECTION.match(line), _COMMAND.match(line)
        if section:
            current = found.setdefault(section["title"].strip(), [])
        elif command_line:
            command = command_line["command"].strip()
        elif line.strip() and not line.startswith(("-----", "@")):
            current.append((f"{path}: line {number}", line))
    if _TIMES not in found:
        raise CampaignError(
            f"{path}: no section {_TIMES}: is the report complete, made without -c?"
        )
    return command, found


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
    """Call sites by number; the file has a line per caller, the innermost first."""
    frames: dict[int, list[Frame]] = {}
    operations: dict[int, str] = {}
    for where, line in lines[1:]:
        found = _SITE.match(line)
        if found is None:
            raise CampaignError(f"{where}: no call site: {line.strip()[:60]}")
        number, level = int(found["number"]), int(found["level"])
        own = frames.setdefault(number, [])
        if level != len(own):
            raise CampaignError(f"{where}: call site {number} has no caller {len(own)}")
        rest = found["rest"]
        if level == 0:
            rest, _, name = rest.rstrip().rpartition(" ")
            operations[number] = name if name.upper().startswith("MPI_") else f"MPI_{name}"
        own.append(_frame(found["place"], rest))
    return {
        number: CallSite(operation=operations[number], frames=tuple(own))
        for number, own in frames.items()
    }


def _frame(place: str, rest: str) -> Frame:
    """A caller, from its file or address and the rest of its line: line number, function."""
    found = None if _ADDRESS.match(place) else _LINE.match(rest)
    function = rest[found.end() if found else 0 :].strip()
    function = "" if function == UNKNOWN_FUNCTION else function
    if found is None:
        return Frame(function=function, address=place)
    return Frame(function=function, file=place, line=int(found["line"]))


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
    """One entry per process and call site; equal sites with several numbers are added up."""
    found: dict[tuple[str, int], list[CallSiteTask]] = {}
    for call in calls:
        found.setdefault((call.site.identity, call.rank), []).append(call)
    for own in found.values():
        yield replace(
            own[0],
            call_count=sum(call.call_count for call in own),
            total_ns=sum(call.total_ns for call in own),
            shortest_ns=min(call.shortest_ns for call in own),
            longest_ns=max(call.longest_ns for call in own),
        )


def _parameters(path: Path, pattern: str, task_count: int) -> dict[str, str]:
    """Parameters from the name of the report, or else of its folder, and the processes."""
    names = (path.name.removesuffix(SUFFIX), path.absolute().parent.name)
    patterns = [pattern] if pattern else _PATTERNS
    found = (read_name(name, each) for name in names for each in patterns)
    given: Mapping[str, str] = next((named.parameters for named in found if named), {})
    processes = given.get(PROCESSES, str(task_count))
    if processes.lstrip("0") != str(task_count):
        said = f"{processes} {'process' if processes == '1' else 'processes'}"
        raise CampaignError(
            f"{path}: its name says {said}, but the report has {counted(task_count, 'task')}"
        )
    parameters = dict(given) | {PROCESSES: str(task_count)}
    check_parameters(parameters, str(path))
    return parameters
