"""The application: all commands, and messages for wrong command lines."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cyclopts import App, CoercionError, CycloptsError, MissingArgumentError, UnusedCliTokensError

from tracemill.base.version import VERSION

if TYPE_CHECKING:
    from tracemill.cli.plain_help import WrappingFormatter

NAMED_TOKENS = 2
_WRONG_VALUE = re.compile(r'Invalid value (?:"(?P<value>.*)" )?for (?P<option>\S+?)[.:] (?P<why>.)')

_NUMBERS = {int: "a whole number", float: "a number"}


class _LazyFormatter:
    """The formatter of help, loaded when help is printed."""

    @cached_property
    def _formatter(self) -> "WrappingFormatter":
        from tracemill.cli.plain_help import WrappingFormatter

        return WrappingFormatter()

    def __call__(self, console: Any, options: Any, panel: Any) -> None:
        self._formatter(console, options, panel)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._formatter, name)


def load_commands() -> None:
    """Load all commands: help lists them with their first lines."""
    for name in app:
        app[name]


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
    help_formatter=_LazyFormatter(),
    version=VERSION,
    suppress_keyboard_interrupt=False,
    error_formatter=_describe,
)
for command in (
    "computing:analyze",
    "computing:campaign",
    "nightly:nightly",
    "computing:generate",
    "forecasting:forecast",
    "searching:best_grid",
    "searching:forecast_errors",
    "programs:program_from",
    "keeping:runs",
    "querying:sql",
    "reporting:quality",
    "reporting:report",
    "phasing:phases",
    "reporting:compare",
    "overheads:overheads",
    "counting:counters",
    "iterating:iterations",
    "hierarchy:hierarchy",
    "replaying:what_if",
    "replaying:pop",
    "querying:tables",
    "querying:explain",
    "keeping:du",
    "keeping:prune",
    "querying:patterns",
    "exporting:export",
):
    app.command(f"tracemill.cli.{command}")
