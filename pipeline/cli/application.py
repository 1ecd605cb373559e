"""The application: all commands, and messages for wrong command lines."""

import re
from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING

from cyclopts import App, CoercionError, CycloptsError, MissingArgumentError, UnusedCliTokensError
from cyclopts.help.formatters.plain import PlainFormatter

from tracemill.base.version import VERSION
from tracemill.cli import (
    computing,
    counting,
    exporting,
    forecasting,
    iterating,
    keeping,
    phasing,
    programs,
    querying,
    replaying,
    reporting,
    searching,
)
from tracemill.cli.hierarchy import hierarchy
from tracemill.cli.nightly import nightly
from tracemill.cli.overheads import overheads

if TYPE_CHECKING:
    from rich.console import Console

NAMED_TOKENS = 2
_WRONG_VALUE = re.compile(r'Invalid value (?:"(?P<value>.*)" )?for (?P<option>\S+?)[.:] (?P<why>.)')

_NUMBERS = {int: "a whole number", float: "a number"}


class _Wrapping(PlainFormatter):
    """Plain help with wrapped entries; cyclopts prints the line breaks of docstrings."""

    def _print_plain(self, console: "Console", text: str) -> None:
        if text.startswith(self.indent):
            text = fill(
                " ".join(text.split()),
                console.width,
                initial_indent=self.indent,
                subsequent_indent=3 * self.indent,
                break_long_words=False,
                break_on_hyphens=False,
            )
        super()._print_plain(console, text)


def _describe(error: CycloptsError) -> str:
    """One line about a wrong command line, with advice."""
    command = " ".join(error.command_chain or ())
    if isinstance(error, MissingArgumentError) and error.argument:
        choices = ", ".join(error.argument.get_choices() or ())
        meaning = f"one of {choices}" if choices else error.argument.parameter.help or ""
        text = f"{command} needs {error.argument.name}: {meaning}".removesuffix(": ")
    elif isinstance(error, UnusedCliTokensError):
        tokens = error.unused_tokens or ()
        are_whole = any(" " in each or "/" in each for each in tokens)
        advice = "too many arguments" if are_whole else "quote arguments with spaces"
        text = f"{command} does not take {_shorten(tokens)}: {advice}"
    elif isinstance(error, CoercionError) and error.token and error.target_type in _NUMBERS:
        option = error.token.keyword or command
        text = f"{option} {error.token.value}: give {_NUMBERS[error.target_type]}"
    else:
        text = _WRONG_VALUE.sub(_name_option, str(error), count=1)
    return f"tracemill: {text if text.endswith('...') else text.removesuffix('.')} (see --help)"


def _name_option(found: re.Match[str]) -> str:
    """'--threads 0: m', the option first, then the advice in lower case."""
    value = "" if found["value"] is None else f" {found['value']}"
    return f"{found['option']}{value}: {found['why'].lower()}"


def _shorten(tokens: Sequence[str]) -> str:
    """The first tokens; of many, such as the files of a shell pattern, how many follow."""
    named = " ".join(tokens[:NAMED_TOKENS])
    others = len(tokens) - NAMED_TOKENS
    return f"{named} and {others:,} more" if others > 0 else named


app = App(
    name="tracemill",
    help="Find out where a parallel program loses time, from traces of its runs.",
    help_format="plaintext",
    help_formatter=_Wrapping(),
    version=VERSION,
    suppress_keyboard_interrupt=False,
    error_formatter=_describe,
)
for command in (
    computing.analyze,
    computing.campaign,
    nightly,
    computing.generate,
    forecasting.forecast,
    searching.best_grid,
    searching.forecast_errors,
    programs.program_from,
    keeping.runs,
    querying.sql,
    reporting.quality,
    reporting.report,
    phasing.phases,
    reporting.compare,
    overheads,
    counting.counters,
    iterating.iterations,
    hierarchy,
    replaying.what_if,
    replaying.pop,
    querying.tables,
    querying.explain,
    keeping.du,
    keeping.prune,
):
    app.command(command)

patterns = App(name="patterns", help="Patterns that are searched for in traces, and your own ones.")
patterns.command(querying.list_patterns, name="list")
app.command(patterns)

export = App(name="export", help="Write results to files for other tools.")
for exported in (
    exporting.severities,
    exporting.tables,
    exporting.perfetto,
    exporting.speedscope,
    exporting.picture,
):
    export.command(exported)
app.command(export)
