"""Commands that make described programs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tracemill.base.console import messages
from tracemill.base.errors import UsageError
from tracemill.cli.parameters import StorePath, check_positive

if TYPE_CHECKING:
    from tracemill.forecast.from_traces.computing import Given

_Repeated = Parameter(negative="", consume_multiple=False)


def program_from(
    name: Annotated[str, Parameter(help="Run or campaign in the store, by its id, label or path.")],
    /,
    *,
    output: Path,
    grid: str | None = None,
    replicated: Annotated[list[str] | None, _Repeated] = None,
    part: Annotated[list[str] | None, _Repeated] = None,
    size: float | None = None,
    application: str | None = None,
    max_processes: Annotated[int | None, Parameter(validator=check_positive)] = None,
    store: StorePath = Path("store"),
) -> None:
    """Make a described program of an analyzed run or campaign, to forecast it.

    The operations of all processes are merged to one sequence with loops. A campaign of one problem
    size and at least three numbers of processes shows how the time of each call path depends on
    them. A single run does not: all computing is taken as shared evenly by the processes, except
    parts of a single process.

    Examples:
      tracemill program-from n_lu_W_4 --output lu.toml --grid 2x2
      tracemill program-from sweep --size 400 --output sweep.toml
      tracemill program-from small --output small.toml --replicated "*/setup" --part "solve=8e9 / p"

    Parameters
    ----------
    output
        File to write (TOML).
    grid
        Grid of the processes, such as 4x4: messages go to offsets in it. [default: the one recorded
        in the trace, else the one with the fewest different offsets]
    replicated
        Call path, or region, that all processes compute alike; * and ? match any characters. Can be
        repeated.
    part
        Time of a call path or region on each process, as PATH=EXPRESSION: nanoseconds per
        execution, from p, the number of processes. Can be repeated.
    size
        Problem size of the runs, if the campaign has several.
    application
        Program, if the campaign has several.
    max_processes
        Use only runs of a campaign with at most so many processes.
    """
    from tracemill.base.files import check_folder, write_text
    from tracemill.forecast.described import find_source, parse_grid
    from tracemill.forecast.from_traces.campaigns import Choice
    from tracemill.forecast.from_traces.making import Options
    from tracemill.forecast.from_traces.sources import program_text
    from tracemill.store.finding import existing_store

    options = Options(
        grid=None if grid is None else parse_grid(grid),
        given=_read_given(replicated or [], part or []),
    )
    choice = Choice(size=size, application=application, most_processes=max_processes)
    check_folder(output)
    source = find_source(name, store)
    write_text(output, program_text(source, existing_store(store), options, choice))
    messages().print(f"program written to {output}", markup=False, soft_wrap=True)


def _read_given(replicated: list[str], parts: list[str]) -> "Given":
    """Patterns of replicated parts, and times by pattern. Raises UsageError."""
    from tracemill.forecast.from_traces.computing import Given

    times = {}
    for text in parts:
        pattern, sign, expression = text.rpartition("=")
        if not sign or not pattern.strip() or not expression.strip():
            raise UsageError(f'--part {text}: give PATH=EXPRESSION, such as "solve=8e9 / p"')
        times[pattern.strip()] = expression.strip()
    return Given(tuple(replicated), times)
