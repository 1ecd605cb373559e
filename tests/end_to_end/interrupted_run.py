"""Analyse the fake trace of a folder and be interrupted at a given moment; run by the tests.

    python -m tests.end_to_end.interrupted_run FOLDER SIGNAL EVENT STAGE

EVENT is `started` or `advanced` (of STAGE), or `pointing`: published but not yet current. With
`later`, the signal comes half a second after STAGE started.
"""

import os
import signal
import sys
import threading
from pathlib import Path

from pipeline.reporter import SilentReporter
from pipeline.run import Options, analyze_source
from pipeline.store import Run, Store
from tests.support import FakeSource, write_recipe


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


def main(folder: Path, signal_name: str, event: str, stage: str, **changed: str) -> None:
    interrupter = Interrupter(signal.Signals[signal_name], event, stage)

    class InterruptedStore(Store):
        def point_to(self, run: Run) -> None:
            if event == "pointing":
                interrupter.interrupt()
            super().point_to(run)

    source = FakeSource(folder / "first" / "trace.json")
    queries = folder / "queries"
    texts = {path.stem: path.read_text() for path in queries.glob("stays/*.sql")}
    analyze_source(
        source,
        store=InterruptedStore(folder / "store"),
        options=Options(threads=2),
        reporter=interrupter,
        recipe=write_recipe(queries, **texts),
    )
    print("not interrupted")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
