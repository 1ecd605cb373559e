"""The reference of commands: the help of each one, and the exit codes."""

import inspect
from collections.abc import Iterator, Sequence

from cyclopts import App

from tracemill.base.console import plain
from tracemill.base.errors import PipelineError
from tracemill.cli import BROKEN_PIPE, INTERRUPTED, app

HELP_WIDTH = 96
_INTRODUCTION = """\
# Commands

Generated from the help of the commands by `make docs`; do not edit.

`tracemill COMMAND --help` prints the same text. Results go to standard output, progress and
messages to standard error. RUN is a run id or the first characters of one, the label of a run
(the name of the folder that holds its trace), or the path of its trace."""
_EXIT_CODES = """\
## Exit codes

Each kind of failure has its own exit code. `make` always exits with 2.

| code | meaning |
| ---: | --- |"""
_NOT_ERRORS = {
    0: "success",
    INTERRUPTED: "interrupted; nothing half-written was published",
    BROKEN_PIPE: "the reader of the output, such as `head`, closed it; files were still written",
}


def describe_commands() -> str:
    """The document as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    names = [" ".join(words) for words in command_names(app)]
    yield _INTRODUCTION
    yield ""
    yield " · ".join(f"[{name}](#tracemill-{name.replace(' ', '-')})" for name in names)
    yield "· [exit codes](#exit-codes)"
    for name in names:
        yield ""
        yield f"## tracemill {name}"
        yield ""
        yield f"```text\n{help_of(name.split())}\n```"
    yield ""
    yield _EXIT_CODES
    for code, meaning in exit_codes().items():
        yield f"| {code} | {meaning} |"


def command_names(commands: App, above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The words of every command that does something: ('export', 'severities')."""
    names: list[tuple[str, ...]] = []
    for name in sorted(commands):
        if name.startswith("-"):
            continue
        inner = command_names(commands[name], (*above, name))
        names += inner or [(*above, name)]
    return names


def help_of(words: Sequence[str]) -> str:
    """The output of `tracemill WORDS --help`."""
    console = plain(HELP_WIDTH)
    app.help_print([*words], console=console)
    return "\n".join(line.rstrip() for line in console.export_text().strip().splitlines())


def exit_codes() -> dict[int, str]:
    """The meaning of every exit code, in ascending order."""
    public = [
        each for each in _errors(PipelineError) if each.__module__ == PipelineError.__module__
    ]
    meanings = {each.exit_code: _first_sentence(each) for each in public}
    return dict(sorted((_NOT_ERRORS | meanings).items()))


def _errors(base: type[PipelineError]) -> Iterator[type[PipelineError]]:
    yield base
    for child in base.__subclasses__():
        yield from _errors(child)


def _first_sentence(error: type[PipelineError]) -> str:
    sentence = (inspect.getdoc(error) or "").splitlines()[0].rstrip(".")
    return sentence[:1].lower() + sentence[1:]
