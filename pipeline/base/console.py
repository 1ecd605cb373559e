"""Terminal output: one theme, results on stdout, messages on stderr."""

import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING

from tracemill.base.once import once

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

# Wide enough that nothing is folded or cut in a file or pipe.
UNBOUNDED_WIDTH = 10_000
WORTH_TELLING_SECONDS = 1.0
READING_A_TRACE = {"read": "reading events"}
STYLES = {
    "heading": "bold",
    "section": "bold cyan",
    "title": "bold",
    "muted": "dim",
    "number": "yellow",
    "bar": "cyan",
    "bad": "bold red",
    "fair": "yellow",
    "good": "green",
    "path": "cyan",
    "error": "bold red",
}


@cache
def results() -> "Console":
    """Console for results: standard output."""
    return _console(is_for_messages=False)


@cache
def messages() -> "Console":
    """Console for progress, notes and errors: standard error."""
    return _console(is_for_messages=True)


def _console(*, is_for_messages: bool) -> "Console":
    from rich.console import Console
    from rich.theme import Theme

    class StreamConsole(Console):
        """A console that leaves closed pipes to the command."""

        def on_broken_pipe(self) -> None:
            if not is_for_messages:
                raise BrokenPipeError
            discard(sys.stderr)  # a closed stderr must not stop an analysis

    stream = sys.stderr if is_for_messages else sys.stdout
    width = None if stream.isatty() else UNBOUNDED_WIDTH
    return StreamConsole(
        stderr=is_for_messages, theme=Theme(STYLES), highlight=False, emoji=False, width=width
    )


def print_places(places: Sequence[tuple[str, Path]]) -> None:
    """Print the paths of written results."""
    console = results()
    console.print()
    for label, path in places:
        console.print(f"{label:<8}", style="muted", end="")
        console.print(str(path), style="path", markup=False, soft_wrap=True)


def discard(stream: IO[str]) -> None:
    """Discard everything still written to a stream, also at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def open_missing_streams() -> bool:
    """Open streams that the caller closed (`<&-`, `>&-`) as the null device; False if stdout was.

    Otherwise the first opened file would take their place.
    """
    has_output = sys.stdout is not None
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115  (kept until the end)
    return has_output


def tolerate_narrow_encodings() -> None:
    """Print '?' for characters that the terminal cannot show."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="replace")


def print_error(message: str) -> None:
    """Print a message as one line on standard error."""
    from rich.text import Text

    line = " ".join(message.split())
    messages().print(Text.assemble(("tracemill: ", "error"), line), soft_wrap=True)


@contextmanager
def report_work(title: str) -> Iterator[None]:
    """Show work of any thread as one stage, from the first that begins to the last that ends."""
    work = _Work.of(title)
    work.begin()
    try:
        yield
    finally:
        work.end()


class _Work:
    """Pieces of work under one title, shown by the reporter that was active when they began."""

    def __init__(self, title: str) -> None:
        self._title, self._lock = title, threading.Lock()
        self._pieces = 0

    @staticmethod
    @once
    def of(title: str) -> "_Work":
        return _Work(title)

    def begin(self) -> None:
        with self._lock:
            if not self._pieces:
                self._started, self._began = 0, time.monotonic()
                self._reporter = _active[-1] if _active else ProgressReporter()
                self._reporter.stage_started(self._title, None)
            self._pieces += 1
            self._started += 1
            self._reporter.stage_grown(self._title, self._started)

    def end(self) -> None:
        with self._lock:
            self._pieces -= 1
            self._reporter.stage_advanced(self._title, 1)
            if not self._pieces:
                self._reporter.stage_finished(self._title, time.monotonic() - self._began)


class ProgressReporter:
    """Shows stages while they run; without a terminal, only long ones.

    Use as a context manager. Bars disappear at the end, notes stay. `titles` replace names of
    stages.
    """

    def __init__(
        self, console: "Console | None" = None, titles: Mapping[str, str] = READING_A_TRACE
    ) -> None:
        self._console = console or messages()
        self._titles = titles
        self._tasks: dict[str, TaskID] = {}
        self._progress = _make_progress(self._console) if self._console.is_terminal else None

    def __enter__(self) -> "ProgressReporter":
        if self._progress:
            self._progress.start()
        _active.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _active.remove(self)
        if self._progress:
            self._progress.stop()

    def stage_started(self, name: str, total: int | None) -> None:
        if self._progress:
            self._tasks[name] = self._progress.add_task(self._title(name), total=total)

    def stage_grown(self, name: str, total: int) -> None:
        """More is to be done in a stage than known so far."""
        if self._progress:
            self._progress.update(self._tasks[name], total=total)

    def stage_advanced(self, name: str, amount: int) -> None:
        if self._progress:
            self._progress.advance(self._tasks[name], amount)

    def stage_finished(self, name: str, seconds: float) -> None:
        if self._progress:
            self._progress.remove_task(self._tasks.pop(name))
        if seconds >= WORTH_TELLING_SECONDS:
            self.note(f"{self._title(name)}: {seconds:.1f} s")

    def note(self, text: str) -> None:
        from rich.text import Text

        self._console.print(Text(" ".join(text.split()), style="muted"), soft_wrap=True)

    def _title(self, stage: str) -> str:
        return self._titles.get(stage) or stage.replace("_", " ")


_active: list[ProgressReporter] = []


def _make_progress(console: "Console") -> "Progress":
    from rich import progress
    from rich.text import Text

    class AmountColumn(progress.ProgressColumn):
        """The finished part, if the total is known."""

        def render(self, task: progress.Task) -> Text:
            known = task.total is not None
            return Text(f"{task.completed:,.0f} / {task.total:,.0f}" if known else "")

    return progress.Progress(
        progress.SpinnerColumn(),
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(bar_width=30),
        AmountColumn(),
        progress.TimeElapsedColumn(),
        console=console,
        transient=True,
    )


def writing_to(file: IO[str]) -> "Console":
    """A console that writes plain text to a file, with nothing folded."""
    from rich.console import Console
    from rich.theme import Theme

    return Console(
        file=file, theme=Theme(STYLES), highlight=False, width=UNBOUNDED_WIDTH,
        force_terminal=False, color_system=None,
    )  # fmt: skip


def plain(width: int = UNBOUNDED_WIDTH) -> "Console":
    """A console that keeps what is printed, for `export_text`."""
    import io

    from rich.console import Console
    from rich.theme import Theme

    return Console(
        file=io.StringIO(), record=True, theme=Theme(STYLES), highlight=False,
        width=width, force_terminal=False, color_system=None,
    )  # fmt: skip
