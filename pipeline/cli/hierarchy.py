"""The command that shows metrics on the levels of a program."""

from contextlib import closing
from pathlib import Path
from typing import Literal

from tracemill.base.console import messages, results
from tracemill.cli.parameters import EVERYTHING, FocusingOptions, RunName, StorePath


def hierarchy(
    run: RunName = None,
    /,
    *,
    level: str = "process",
    metric: str | None = None,
    of: str | None = None,
    focus: FocusingOptions = EVERYTHING,
    store: StorePath = Path("store"),
    format: Literal["table", "csv", "json"] = "table",
) -> None:
    """Show metrics by program, node, process, thread, call path or primitive activity.

    Primitive activities, such as computing_ns or blocked_ns, are times in the main part of the run;
    other metrics are those of the whole run. With a focus, all are those of the focus. Values do
    not include callees.

    Examples:
      tracemill hierarchy --level node --metric "*_ns"
      tracemill hierarchy --level call-path --of process:3 --metric computing_ns

    Parameters
    ----------
    level
        program, node, process, thread, call-path or activity.
    metric
        Metric, activity or counter; * and ? stand for other characters. Without it, a table shows
        only the first times of activities and on the critical path; other formats show all.
    of
        Show only what belongs to an entity of some level, such as process:3, node:n17 or
        activity:blocked.
    format
        How to print the values.
    """
    from tracemill.reports.levels import TABLES, fetch_level, print_level
    from tracemill.shell.formats import print_rows
    from tracemill.store.finding import open_run

    with (
        focus.applied(open_run(store, run)) as chosen,
        closing(chosen.connect(tables=TABLES)) as connection,
    ):
        found = fetch_level(connection, level, metric or "*", of)
    if format != "table":
        print_rows(*found, format, results())
    elif print_level(found, results(), is_chosen=metric is not None):
        more = '--metric "*" shows all metrics, ' * (metric is None) + "--format csv all rows"
        messages().print(f"not all is shown: {more}", markup=False, soft_wrap=True)
