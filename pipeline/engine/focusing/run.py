"""A run within a focus, which commands read like a stored run."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tracemill.engine.focusing.options import FocusOptions
from tracemill.engine.focusing.pop import POP, pop_tables
from tracemill.engine.focusing.resolve import Focus, resolve_focus
from tracemill.engine.focusing.tables import Tables, focus_records, focus_tables
from tracemill.patterns.catalog import known_tables
from tracemill.store.generation import GenerationWriter
from tracemill.store.runs import Run


@dataclass(frozen=True)
class FocusedRun(Run):
    """A run whose tables are those of a focus; it lies in a folder that is removed afterwards.

    Efficiencies are computed when they are read.
    """

    focus: Focus
    writer: GenerationWriter

    @property
    def label(self) -> str:
        return f"{self.whole_label}, {self.focus.description}"

    @property
    def whole_label(self) -> str:
        """The label of the run without its focus."""
        return super().label

    def files(self, name: str) -> list[Path]:
        if name in POP and name not in self.writer.finished:
            for each, rows in pop_tables(self.focus).items():
                self.writer.write(known_tables()[each], rows)
        return super().files(name)

    def missing_tables(self) -> list[str]:
        return [name for name in super().missing_tables() if name not in POP]


@contextmanager
def focused(run: Run, options: FocusOptions, *, has_records: bool = False) -> Iterator[Run]:
    """The run in a focus, or the run itself without one.

    With `has_records`, tables of records hold only records of the focus. Raises UsageError.
    """
    if not options.given:
        yield run
        return
    focus = resolve_focus(run, options)
    made = focus_tables(run, focus)
    if has_records:
        made |= focus_records(run, focus)
    with TemporaryDirectory(prefix="tracemill-focus-") as folder:
        yield _write(run, focus, made, Path(folder))


def _write(run: Run, focus: Focus, made: Tables, folder: Path) -> FocusedRun:
    """Write the tables of the focus, and link all others of the run."""
    run_id = f"{run.run_id}@{focus.options.name}"
    path = folder / f"run={run_id}" / f"gen={run.generation}"
    path.parent.mkdir()
    writer = GenerationWriter(path).__enter__()
    for name, rows in made.items():
        writer.write(known_tables()[name], rows)
    for name in set(run.tables) - made.keys() - set(POP):
        for file in run.files(name):
            link = path / file.relative_to(run.path)
            link.parent.mkdir(exist_ok=True)
            os.symlink(file.resolve(), link)
    sizes = {name: vars(writer.finished[name]) for name in made}
    tables = {
        name: replace(record, **sizes.get(name, {})) for name, record in run.manifest.tables.items()
    }
    manifest = replace(run.manifest, run_id=run_id, tables=tables)
    return FocusedRun(path, manifest, run.source, focus, writer)
