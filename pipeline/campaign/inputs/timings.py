"""Reads tables of times or efficiencies: a line per run; the first line names the columns.

    application,p,n,repetition,time_s,efficiency_percent,state,reason,compiler
    cg,4,100,1,12.5,81.2,,,gcc
    cg,8,100,1,,,out of memory,,gcc

Columns are in any order, in upper or lower case, and separated by commas, semicolons or tabs.
Required are the processes and one of time, efficiency and state:

- `p`, `np`, `ranks` or `processes`; `t` or `threads`; `n`, `d` or `size`; `app` or `application`;
- `r`, `rep` or `repetition`; without it, equal configurations are numbered in their order;
- `time_s`, `time_ms`, `time_us` or `time_ns`: elapsed time;
- `efficiency` as a fraction, or `efficiency_percent`;
- `state`: measured, failed, or out of memory (oom), and `reason`: why it failed;
- every other column is a parameter with its name.

Empty lines and lines that begin with # are skipped.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tracemill.base.errors import CampaignError
from tracemill.campaign.configurations import FAILED, MEASURED, OUT_OF_MEMORY, special_parameters
from tracemill.campaign.inputs import parsing
from tracemill.campaign.inputs.measurements import MeasuredRun, MeasuredRuns
from tracemill.campaign.mistakes import Mistakes
from tracemill.campaign.names import APPLICATION, REPETITION, standard_name

_TIMES = {f"time_{unit}": unit for unit in parsing.NANOSECONDS}
_EFFICIENCIES = {"efficiency": 1, "efficiency_percent": 100}
_STATES = {
    "": MEASURED, "ok": MEASURED, MEASURED: MEASURED,
    FAILED: FAILED, OUT_OF_MEMORY: OUT_OF_MEMORY, "oom": OUT_OF_MEMORY, "memory": OUT_OF_MEMORY,
}  # fmt: skip
_OTHERS = ("state", "reason")
_UNITLESS = ("time", "seconds", "runtime", "elapsed", "walltime", "wall_time")
# A larger efficiency is probably a percentage.
_MOST_EFFICIENT = 10

Cells = Mapping[str, str]


def read_timings(path: Path, *, application: str, mistakes: Mistakes) -> MeasuredRuns:
    """Read a table; `application` is that of lines without one.

    Raises MissingInputError, or CampaignError with all mistakes.
    """
    lines = parsing.read_lines(path)
    rows = _rows(path, lines)
    _, header = next(rows)
    columns = _columns(path, header)
    runs: list[MeasuredRun] = []
    seen: dict[object, str] = {}
    for number, row in rows:
        with mistakes.collecting():
            where = f"{path}: line {number}"
            if len(row) != len(columns):
                raise CampaignError(f"{where}: {len(row)} cells, but {len(columns)} columns")
            cells = dict(zip(columns, (cell.strip() for cell in row), strict=True))
            cells[APPLICATION] = cells.get(APPLICATION) or application
            run = _run(where, cells)
            _refuse_duplicate(run, seen)
            runs.append(run)
    mistakes.report()
    if not runs:
        raise CampaignError(f"{path}: no runs: there is nothing below the first line")
    return MeasuredRuns(tuple(runs))


def _rows(path: Path, lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    wanted = [(n, line) for n, line in enumerate(lines, 1) if line.strip() and line[0] != "#"]
    if not wanted:
        raise CampaignError(f"{path}: no columns: there are only comments")
    delimiter = max(",;\t", key=wanted[0][1].count)
    try:
        for number, line in wanted:
            yield number, next(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise CampaignError(f"{path}: line {number}: not a table: {error}") from error


def _columns(path: Path, header: Sequence[str]) -> list[str]:
    """Standard names of the columns. Raises CampaignError for surplus or missing columns."""
    names = [name.strip() for name in header]
    known = {*_TIMES, *_EFFICIENCIES, *_OTHERS}
    columns = [name.lower() if name.lower() in known else standard_name(name) for name in names]
    for name in columns:
        if not name or columns.count(name) > 1:
            problem = f"two columns mean {name}" if name else "a column without name"
            raise CampaignError(f"{path}: line 1: {problem}")
    for kind in (_TIMES, _EFFICIENCIES):
        several = [name for name in columns if name in kind]
        if len(several) > 1:
            raise CampaignError(f"{path}: line 1: {' and '.join(several)}: use only one of them")
    if not {*_TIMES, *_EFFICIENCIES, "state"} & set(columns):
        unitless = [name for name in names if name.lower() in _UNITLESS]
        hint = f"in which unit is {unitless[0]}? " if unitless else ""
        raise CampaignError(
            f"{path}: line 1: {hint}no column {', '.join(_TIMES)}, {', '.join(_EFFICIENCIES)} or "
            f"state: columns present: {', '.join(names)}"
        )
    return columns


def _run(where: str, cells: Cells) -> MeasuredRun:
    parameters = {
        name: value
        for name, value in cells.items()
        if value and name not in (*_TIMES, *_EFFICIENCIES, *_OTHERS, APPLICATION)
    }
    parsing.check_parameters(parameters, where)
    state = _state(where, cells.get("state", ""))
    time_ns, efficiency = _time(where, cells), _efficiency(where, cells)
    if state == MEASURED and time_ns is None and efficiency is None:
        raise CampaignError(
            f"{where}: neither time nor efficiency: write failed or out of memory in a column state"
        )
    if state != MEASURED and (time_ns is not None or efficiency is not None):
        raise CampaignError(f"{where}: {state}, but it has a time or efficiency: which is right?")
    return MeasuredRun(
        place=where,
        application=cells[APPLICATION],
        parameters=parameters,
        time_ns=time_ns,
        efficiency=efficiency,
        state=state,
        reason=None if state == MEASURED else cells.get("reason") or "no reason given",
    )


def _state(where: str, text: str) -> str:
    state = _STATES.get(text.lower().replace("_", " ").replace("-", " "))
    if state is None:
        known = ", ".join((MEASURED, FAILED, OUT_OF_MEMORY))
        raise CampaignError(f"{where}: unknown state {text!r}: states are {known}")
    return state


def _time(where: str, cells: Cells) -> int | None:
    for name, unit in _TIMES.items():
        if cells.get(name):
            return parsing.parse_ns(cells[name], unit, where, name)
    return None


def _efficiency(where: str, cells: Cells) -> float | None:
    for name, whole in _EFFICIENCIES.items():
        if cells.get(name):
            efficiency = float(parsing.parse_amount(cells[name], where, name) / whole)
            if efficiency > _MOST_EFFICIENT:
                raise CampaignError(
                    f"{where}: {name} cannot be {cells[name]}: is it in percent? Then call it "
                    "efficiency_percent"
                )
            return efficiency
    return None


def _refuse_duplicate(run: MeasuredRun, seen: dict[object, str]) -> None:
    """Raise CampaignError if the same repetition of the same configuration came before."""
    if REPETITION not in run.parameters:
        return
    numbers, others = special_parameters(run.parameters, "", run.place)
    key = (run.application, *sorted(numbers.items()), *sorted(others.items()))
    if key in seen:
        raise CampaignError(
            f"{run.place}: the same run as in {seen[key].rpartition(': ')[2]}: number repetitions"
        )
    seen[key] = run.place
