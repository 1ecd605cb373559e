"""What became of a damaged trace: how it was read, and whether anything was lost in silence."""

import hashlib
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.errors import (
    DamagedTraceError,
    NotATraceError,
    PipelineError,
    UnsupportedTraceError,
)
from pipeline.readers import open_source
from tests.damage.counting import TABLES, count_records
from tests.damage.sink import MemorySink

REFUSALS = (DamagedTraceError, NotATraceError, UnsupportedTraceError)
LONGEST_MESSAGE = 600
EQUAL, OTHER = "read, equal", "read, other values"

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
    """Read a trace into memory; what is no refusal of a bad trace is raised."""
    sink = MemorySink()
    try:
        source = open_source(path)
        assert source.identity().run_id
        source.read(
            sink,  # type: ignore[arg-type]
            run_id="run",
            threads=1,
            allow_damaged=allow_damaged,
            report=lambda amount: None,
        )
    except REFUSALS as error:
        return Reading(refusal=error)
    return Reading({table.name: sink.table(table) for table in source.tables})


@dataclass(frozen=True)
class Judgement:
    """How a damaged trace fared, strictly and with damage allowed, and what is wrong with that."""

    strict: str
    lenient: str
    problems: list[str]

    @property
    def outcome(self) -> str:
        return f"{self.strict} / {self.lenient}"


class Judge:
    """Compares readings of damaged copies with that of the sound trace."""

    def __init__(self, original: Path) -> None:
        reading = read_trace(original, allow_damaged=True)
        self._findings, self._digest = reading.findings(), reading.digest()

    def judge(self, path: Path) -> Judgement:
        """Read a copy both ways and judge what came out."""
        strict = read_trace(path, allow_damaged=False)
        lenient = read_trace(path, allow_damaged=True)
        problems = []
        if strict.refusal is None and strict.digest() != lenient.digest():
            problems.append("sound when damage is refused, but other tables when it is allowed")
        if strict.refusal is not None:
            problems += problems_of_refusal(strict.refusal, path)
            if self._outcome(lenient) in (EQUAL, OTHER):
                problems.append(f"refused, but nothing tells when allowed: {strict.refusal}")
        if lenient.refusal is not None:
            problems += problems_of_refusal(lenient.refusal, path)
        else:
            problems += problems_of_reading(lenient, path)
        return Judgement(self._outcome(strict), self._outcome(lenient), problems)

    def _outcome(self, reading: Reading) -> str:
        if reading.refusal is not None:
            return f"refused ({reading.refusal.exit_code})"
        if reading.findings() - self._findings:
            return "read, counted"
        if all(reading.tables["locations"]["is_complete"].to_pylist()):
            return EQUAL if reading.digest() == self._digest else OTHER
        return "read, called incomplete"


def problems_of_refusal(error: PipelineError, path: Path) -> Iterator[str]:
    """What is wrong with a message: it must be one line that names the file."""
    text = str(error)
    if "\n" in text or len(text) > LONGEST_MESSAGE:
        yield f"not one short line: {text!r}"
    if str(path) not in text:
        yield f"does not name the trace: {text!r}"


def problems_of_reading(reading: Reading, path: Path) -> list[str]:
    """Losses that nothing tells of, and what cannot be."""
    tables = reading.tables
    (anchor,) = path.glob("*.otf2")
    return [
        *_problems_of_locations(tables),
        *_problems_of_visits(tables),
        *_problems_of_records(reading, anchor),
    ]


def _problems_of_locations(tables: Tables) -> Iterator[str]:
    findings = tables["reading_findings"].to_pylist()
    told = {
        row["location_id"]: row["count"] for row in findings if row["kind"] == "missing_records"
    }
    visits = Counter(tables["visits"]["location_id"].to_pylist())
    total = 0
    for place in tables["locations"].to_pylist():
        number, total = place["location_id"], total + place["record_count"]
        lost = place["declared_count"] - place["record_count"]
        if lost != told.get(number, 0) or (lost and place["is_complete"]):
            yield f"location {number}: {lost} records missing, told are {told.get(number, 0)}"
        if place["visit_count"] != visits[number]:
            yield f"location {number}: {visits[number]} visits, said are {place['visit_count']}"
    if tables["runs"]["record_count"].to_pylist() != [total]:
        yield "runs.record_count is not the sum of the locations'"


def _problems_of_visits(tables: Tables) -> Iterator[str]:
    """Visits lie in their location's time, and in that of their callers."""
    spans = {row["location_id"]: row for row in tables["locations"].to_pylist()}
    visits = {row["visit_id"]: row for row in tables["visits"].to_pylist()}
    for row in visits.values():
        span = spans[row["location_id"]]
        if not span["begin_ns"] <= row["enter_ns"] <= row["leave_ns"] <= span["end_ns"]:
            yield f"a visit outside its location's time: {row}"
        caller = visits.get(row["parent_visit_id"])
        if caller and caller["location_id"] != row["location_id"]:
            yield f"a caller on another location: {row}"


_TELLING = ("mismatched_leave", "unknown_record", "impossible_id")


def _problems_of_records(reading: Reading, anchor: Path) -> Iterator[str]:
    """Records that are in no table although nothing tells of them, or in one without being."""
    rows = reading.tables["locations"].to_pylist()
    read = {row["source_ref"] % 2**64: row["record_count"] for row in rows if row["record_count"]}
    findings = reading.findings()
    there, kept = count_records(anchor, read), kept_records(reading.tables)
    told = sum(findings[kind] for kind in _TELLING)
    if there.total() < sum(read.values()):
        # Records of kinds that the trace has no definitions for may be damaged: the reader
        # passes over them, counting, while the count fails there.
        if not told:
            yield f"{sum(read.values())} records read, {there.total()} are there"
        return
    lost = {
        name: there[name] - kept[name] for name in TABLES if name not in ("elsewhere", "unknown")
    }
    if any(count < 0 for count in lost.values()):
        yield f"made up: {lost}"
    if sum(lost.values()) + there["unknown"] > told:
        yield f"lost: {lost} and {there['unknown']} unknown; told are {dict(findings)}"


def kept_records(tables: Tables) -> Counter[str]:
    """Records that the tables hold, by the names of counting.TABLES."""
    visits, gaps, values = tables["visits"], tables["measurement_gaps"], tables["counter_values"]
    kept = Counter({name: tables[name].num_rows for name in TABLES if name in tables})
    kept["closed visits"] = pc.sum(visits["is_closed"]).as_py() or 0
    kept["counter_values"] = values.group_by(["location_id", "sequence"]).aggregate([]).num_rows
    kept["buffer flushes"] = pc.sum(pc.equal(gaps["kind"], "buffer_flush")).as_py() or 0
    return kept


def problems_of_analysis(path: Path, store: Path) -> list[str]:
    """Analyse a trace as a whole: checks that fail although the quality table is empty."""
    from pipeline.run import Options, analyze
    from pipeline.store import Store
    from tests.reference.comparison import broken_checks

    try:
        options = Options(threads=1, allow_damaged=True)
        run = analyze(path, store=Store(store), options=options).run
        broken = broken_checks(run)
        return [] if run.read("trace_quality").num_rows else list(broken)
    except REFUSALS:
        return []
    finally:
        shutil.rmtree(store, ignore_errors=True)
