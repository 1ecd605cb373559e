"""Analyzing a trace into a folder while being interrupted at a given moment."""

import os
import sys
import threading
from pathlib import Path

from tests.helpers.fake_source import FakeSource, write_recipe
from tracemill.engine.analyze import Options, analyze_source
from tracemill.engine.progress import SilentReporter
from tracemill.engine.recipe import Recipe
from tracemill.readers import open_source
from tracemill.store.runs import Run, Store


class Interrupter(SilentReporter):
    """Sends this process a signal when a stage comes to a point."""

    def __init__(self, number: int, event: str, stage: str) -> None:
        self.number, self.event, self.stage = number, event, stage

    def stage_started(self, name: str, total: int | None) -> None:
        if name == self.stage and self.event == "later":
            threading.Timer(0.5, self.interrupt).start()
        self.interrupt_if(name, "started")

    def stage_advanced(self, name: str, amount: int) -> None:
        self.interrupt_if(name, "advanced")

    def interrupt_if(self, name: str, event: str) -> None:
        if (name, event) == (self.stage, self.event):
            self.interrupt()

    def interrupt(self) -> None:
        os.kill(os.getpid(), self.number)


def fake_recipe(queries: Path) -> Recipe:
    texts = {path.stem: path.read_text() for path in queries.glob("stays/*.sql")}
    return write_recipe(queries, **texts)


def analyze_interrupted(
    folder: Path, number: int, event: str, stage: str, trace: Path | None = None
) -> None:
    """Analyze a trace, or the fake one of the folder with the folder's queries.

    The event is `started` or `advanced` (of the stage), or `pointing`: published but not yet
    current. With `later`, the signal comes half a second after the stage started.
    """
    interrupter = Interrupter(number, event, stage)

    class InterruptedStore(Store):
        def point_to(self, run: Run) -> None:
            if event == "pointing":
                interrupter.interrupt()
            super().point_to(run)

    analyze_source(
        open_source(trace) if trace else FakeSource(folder / "first" / "trace.json"),
        store=InterruptedStore(folder / "store"),
        options=Options(threads=2),
        reporter=interrupter,
        recipe=None if trace else fake_recipe(folder / "queries"),
    )


if __name__ == "__main__":
    folder, number, event, stage, *trace = sys.argv[1:]
    analyze_interrupted(Path(folder), int(number), event, stage, *map(Path, trace))
