"""The command that shows counters of a run."""

from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tracemill.base.console import messages, results
from tracemill.cli.parameters import EVERYTHING, FocusingOptions, RunName, StorePath

if TYPE_CHECKING:
    from collections.abc import Callable

_QUERIES = {
    "call-path": "counters_by_call_path",
    "process": "counters_by_process",
    "thread": "counters_by_thread",
    "region": "counters_by_region",
    "time": "counters_over_time",
}


def counters(
    run: RunName = None,
    /,
    *,
    counter: str = "*",
    by: Literal["call-path", "process", "thread", "region", "time"] = "call-path",
    derived_counters: Path | None = None,
    store: StorePath = Path("store"),
    format: Literal["table", "csv", "json"] = "table",
    focus: FocusingOptions = EVERYTHING,
) -> None:
    """Show counters of the trace, such as hardware events, and what is derived from them.

    Values are those of the main part of the run, or of a focus; over time, of the whole run or of
    the period of the focus. Counters of a process, a node or the run belong to no call path: they
    are shown over time.

    Examples:
      tracemill counters --counter IPC --by region
      tracemill counters --counter "PAPI_*" --format csv

    Parameters
    ----------
    counter
        Counter or derived counter; * and ? stand for other characters.
    by
        Show values by call path, process, thread or region, or in bins of the run.
    derived_counters
        CSV file with derived counters. [default: queries/counters/derived_counters.csv]
    format
        How to print the values.
    """
    from tracemill.reports.counters import (
        NO_COUNTERS,
        NO_ROWS,
        choose_rows,
        defined_counters,
        derive_counters,
        table_of,
    )
    from tracemill.reports.material import Material
    from tracemill.reports.terminal import print_table
    from tracemill.shell.formats import print_rows
    from tracemill.stages.derived_counters import read_definitions
    from tracemill.store.finding import open_run

    definitions = None if derived_counters is None else read_definitions(derived_counters)
    with (
        focus.applied(open_run(store, run)) as chosen,
        closing(chosen.connect(tables=())) as connection,
    ):
        provide: Callable[[str], object] = partial(chosen.provide, connection)
        if definitions is not None:
            provide = derive_counters(connection, provide, definitions)
        material = Material(connection, chosen.manifest, provide=provide)
        defined = defined_counters(material)
        if not defined:
            results().print(NO_COUNTERS)
            return
        found = choose_rows(material.fetch(_QUERIES[by]), counter, defined)
        if not found[1]:
            messages().print(NO_ROWS, markup=False, soft_wrap=True)
        if format != "table":
            print_rows(*found, format, results())
        elif found[1]:
            print_table(table_of(_QUERIES[by], found), results())
