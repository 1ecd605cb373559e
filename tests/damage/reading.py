"""A trace read into memory, as the tables of it or the error that refused it."""

import hashlib
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from tests.helpers.otf2_reading import read_tables
from tracemill.base.errors import (
    DamagedTraceError,
    NotATraceError,
    PipelineError,
    UnsupportedTraceError,
)
from tracemill.readers import open_source

REFUSALS = (DamagedTraceError, NotATraceError, UnsupportedTraceError)

Tables = dict[str, pa.Table]


@dataclass(frozen=True)
class Reading:
    """The tables of a trace, or the error that refused it."""

    tables: Tables = field(default_factory=dict)
    refusal: PipelineError | None = None

    def findings(self) -> Counter[str]:
        """What the reader counted, by kind."""
        found: Counter[str] = Counter()
        for row in self.tables["reading_findings"].to_pylist():
            found[row["kind"]] += row["count"]
        return found

    def findings_of(self, location: int | None) -> Counter[str]:
        """What it counted of a location, or of the trace as a whole."""
        rows = self.tables["reading_findings"].to_pylist()
        return Counter({r["kind"]: r["count"] for r in rows if r["location_id"] == location})

    @cached_property
    def digest(self) -> str:
        """A hash over all tables but `runs`, which names the trace."""
        whole = hashlib.blake2b()
        for name, table in self.tables.items():
            if name != "runs":
                sink = pa.BufferOutputStream()
                with pa.ipc.new_stream(sink, table.schema) as writer:
                    writer.write_table(table.combine_chunks())
                whole.update(sink.getvalue())
        return whole.hexdigest()


def read_trace(path: Path, *, allow_damaged: bool) -> Reading:
    """Read a trace into memory; errors other than the refusal of a bad trace are raised."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            assert open_source(path).identity().run_id
            return Reading(read_tables(path, Path(folder) / "spill", allow_damaged=allow_damaged))
        except REFUSALS as error:
            return Reading(refusal=error)
