"""SQL on the tables of runs and campaigns: one query, a script, or a prompt."""

from tracemill.shell.formats import Format, Output, RowFormat, print_rows
from tracemill.shell.script import run_interruptibly, run_script
from tracemill.shell.session import Session

__all__ = [
    "Format",
    "Output",
    "RowFormat",
    "Session",
    "print_rows",
    "run_interruptibly",
    "run_script",
]
