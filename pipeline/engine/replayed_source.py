"""A trace read with the times of a replay, and analyzed into a run of its own kind."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracemill.base.errors import ChangedTraceError, UsageError
from tracemill.base.text import hash_of
from tracemill.engine.analyze import Options, analyze_source
from tracemill.engine.progress import Reporter
from tracemill.kernels.clock_replay import Clocks
from tracemill.readers import open_source
from tracemill.readers.common.source import Trace
from tracemill.schemas import Table
from tracemill.schemas.clocks import CLOCK_CORRECTIONS
from tracemill.stages.clock_corrections import clocks_of
from tracemill.store.manifest import ReplayOrigin, SourceFile
from tracemill.store.runs import Run, Store


@dataclass(frozen=True)
class _Identity:
    """The identity of a changed run: that of its trace and of its times."""

    base: Run
    origin: ReplayOrigin
    clocks: Clocks
    files: Sequence[SourceFile]

    @property
    def run_id(self) -> str:
        return f"{self.origin.kind}-{hash_of(f'{self.base.run_id} {self.origin.hashed}')}"

    def digest(self, threads: int = 1) -> str:
        digest = hashlib.blake2b(self.base.source.digest.encode(), digest_size=16)
        for location, steps in sorted(self.clocks.items()):
            digest.update(str(location).encode())
            for column in (column for knots in steps for column in knots):
                digest.update(column.tobytes())
        return digest.hexdigest()


@dataclass(frozen=True)
class ReplayedSource:
    """The trace of a run, whose records have new times."""

    trace: Trace
    base: Run
    origin: ReplayOrigin
    clocks: Clocks

    @property
    def format(self) -> str:
        return self.trace.format

    @property
    def path(self) -> Path:
        return self.trace.path

    @property
    def tables(self) -> tuple[Table, ...]:
        return self.trace.tables

    @property
    def code_modules(self) -> tuple[str, ...]:
        return self.trace.code_modules

    @property
    def event_count(self) -> int:
        return self.trace.event_count

    @property
    def record_count(self) -> int:
        return self.trace.record_count

    def identity(self) -> _Identity:
        files = tuple(self.trace.identity().files)
        return _Identity(self.base, self.origin, self.clocks, files)

    def read(self, sink: Any, **options: Any) -> None:
        """Write all tables, with the new times."""
        self.trace.read(sink, **options, clocks=self.clocks)


def open_trace(run: Run) -> Trace:
    """The trace of a measured run, to be read again.

    Raises UsageError, MissingInputError or ChangedTraceError.
    """
    if not run.source.is_measured:
        raise UsageError(
            f"{run.label} is itself the result of a replay: name the measured run and all changes"
        )
    trace = open_source(Path(run.source.path))
    identity = trace.identity()
    if tuple(identity.files) != run.source.files and identity.digest() != run.source.digest:
        raise ChangedTraceError(
            f"{run.source.path}: the trace is not the one that was analyzed: analyze it again"
        )
    return trace


def analyze_changed(
    run: Run, trace: Trace, store: Path, origin: ReplayOrigin, clocks: Clocks, reporter: Reporter
) -> Run:
    """Analyze a trace with changed times into the store; reuse an existing equal run.

    The options are those of the analyzed run, also its folders of patterns.
    """
    before = clocks_of(run.read(CLOCK_CORRECTIONS.name))
    both = {
        location: (*before.get(location, ()), *clocks.get(location, ()))
        for location in before.keys() | clocks.keys()
    }
    given = run.manifest.options
    options = Options(
        allow_damaged=run.manifest.is_damaged_allowed,
        # Records may be closer than clocks of machines are, and are in order.
        parameters={**given.get("parameters", {}), "clock_correction": "off"},
        files=given.get("files", {}),
        patterns=tuple(map(Path, given.get("patterns", ()))),
    )
    source = ReplayedSource(trace, run, origin, both)
    found = analyze_source(
        source, store=Store(store), options=options, reporter=reporter, origin=origin
    )
    return found.run
