"""The prompt: statements typed with history, completion and colors."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tracemill.base.console import print_error
from tracemill.base.errors import QueryError
from tracemill.shell.completion import Catalog, complete
from tracemill.shell.cookbook import questions_for
from tracemill.shell.formats import Output
from tracemill.shell.script import ENDINGS, is_ended, run_interruptibly
from tracemill.shell.session import Session

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import CompleteEvent, Completion
    from prompt_toolkit.document import Document
    from prompt_toolkit.history import History

PROMPT = "tracemill> "
CONTINUED = "   ...> "
Reader = Callable[[], str]


def run_prompt(session: Session, output: Output, *, read: Reader | None = None) -> None:
    """Run what is typed until `.quit`, `quit` or the end of input; errors do not end the prompt.

    `read` returns a statement or command; it raises KeyboardInterrupt for a canceled one, EOFError
    at the end.
    """
    reader = read or make_reader(session)
    while True:
        try:
            text = reader().strip()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if text in ENDINGS:
            return
        try:
            run_interruptibly(session, text, output)
        except QueryError as error:
            print_error(str(error))
        except KeyboardInterrupt:
            print_error("interrupted")


def make_reader(session: Session, **options: Any) -> Reader:
    """Reads statements from the terminal; `options` are those of prompt_toolkit's session."""
    prompt = make_prompt(lambda: _catalog(session), **options)
    return lambda: prompt.prompt(PROMPT)


def make_prompt(catalog: Callable[[], Catalog], **options: Any) -> "PromptSession[str]":
    """A prompt that ends with a command or a ';' and completes names of the catalog."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.lexers import PygmentsLexer
    from prompt_toolkit.shortcuts import CompleteStyle
    from pygments.lexers.sql import SqlLexer

    bindings = KeyBindings()
    prompt: PromptSession[str] = PromptSession(
        history=_history(),
        completer=_completer(catalog),
        complete_style=CompleteStyle.READLINE_LIKE,
        reserve_space_for_menu=0,
        lexer=PygmentsLexer(SqlLexer),
        multiline=True,
        prompt_continuation=lambda width, *_: CONTINUED.rjust(width),
        key_bindings=bindings,
        **options,
    )
    is_done = Condition(lambda: is_whole_statement(prompt.default_buffer.text))

    @bindings.add("enter", filter=is_done)
    def _accept(event: Any) -> None:
        event.current_buffer.validate_and_handle()

    return prompt


def is_whole_statement(text: str) -> bool:
    """True for a command, for statements up to a ';', and for nothing."""
    stripped = text.strip()
    return stripped in ENDINGS or stripped.startswith(".") or is_ended(stripped)


def _catalog(session: Session) -> Catalog:
    """Names there are now; none while a transaction has failed."""
    with suppress(QueryError):
        return Catalog(session.columns(), [each.name for each in questions_for(session.given)])
    return Catalog({})


def _completer(catalog: Callable[[], Catalog]) -> Any:
    from prompt_toolkit.completion import Completer, Completion

    class NameCompleter(Completer):
        """Looks up the names each time, as statements may have made tables."""

        def get_completions(
            self, document: "Document", complete_event: "CompleteEvent"
        ) -> "Iterable[Completion]":
            return self._completions(document)

        def _completions(self, document: "Document") -> Iterator[Completion]:
            found = complete(document.text_before_cursor, document.text, catalog())
            for name, replaced in found:
                yield Completion(name, start_position=-len(replaced))

    return NameCompleter()


def _history() -> "History":
    """The typed input, kept for the next session if possible."""
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    path = state / "tracemill" / "sql_history"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a"):
            return FileHistory(path)
    except OSError:
        return InMemoryHistory()
