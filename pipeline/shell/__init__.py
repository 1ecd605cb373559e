"""SQL on the tables of runs and campaigns: one query, a script, or a prompt."""

from pipeline.shell.formats import Format, Output, RowFormat, print_rows
from pipeline.shell.script import run_interruptibly, run_script
from pipeline.shell.session import Session

__all__ = [
    "Format",
    "Output",
    "RowFormat",
    "Session",
    "print_rows",
    "run_interruptibly",
    "run_script",
]
