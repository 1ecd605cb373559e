"""The application: all commands under their names, and how a wrong command line is told."""

from cyclopts import App, CycloptsError, MissingArgumentError, UnusedCliTokensError

from tracemill.base.version import VERSION
from tracemill.cli import computing, exporting, keeping, querying, reporting
from tracemill.cli.nightly import nightly


def _describe(error: CycloptsError) -> str:
    """What is wrong with a command line, in a line that says what to write."""
    command = " ".join(error.command_chain or ())
    if isinstance(error, MissingArgumentError) and error.argument:
        meaning = (error.argument.parameter.help or "a value").rstrip(".")
        text = f"{command} needs {error.argument.name}: {meaning}"
    elif isinstance(error, UnusedCliTokensError):
        surplus = " ".join(error.unused_tokens or ())
        text = f"{command} cannot use {surplus}: quote words that belong together"
    else:
        text = str(error)
    return f"tracemill: {text} (see --help)"


app = App(
    name="tracemill",
    help="Find out where a parallel program loses its time, from a trace of one of its runs.",
    help_format="plaintext",
    help_formatter="plain",
    version=VERSION,
    suppress_keyboard_interrupt=False,
    error_formatter=_describe,
)
for command in (
    computing.analyze,
    computing.campaign,
    nightly,
    computing.generate,
    keeping.runs,
    querying.sql,
    reporting.quality,
    reporting.report,
    reporting.compare,
    querying.tables,
    querying.explain,
    keeping.du,
    keeping.prune,
):
    app.command(command)

patterns = App(name="patterns", help="What is looked for in traces, and what you add to it.")
patterns.command(querying.list_patterns, name="list")
app.command(patterns)

export = App(name="export", help="Write results to files that other tools read.")
for exported in (exporting.severities, exporting.tables, exporting.perfetto):
    export.command(exported)
app.command(export)
