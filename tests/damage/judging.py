"""Outcomes of reading damaged traces, and losses that no finding reports."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.damage.call_graph_losses import problems_of_call_graph
from tests.damage.csv_losses import problems_of_text
from tests.damage.mutators import GRAPH, OTF2
from tests.damage.otf2_losses import problems_of_archive
from tests.damage.reading import REFUSALS, Reading, Tables, read_trace
from tests.damage.survivors import problems_of_survivors, records_of
from tracemill.base.errors import PipelineError
from tracemill.readers.csv import blocks

LONGEST_MESSAGE = 600
SMALL_BLOCK = 3_000
EQUAL, OTHER = "read, equal", "read, other values"


@dataclass(frozen=True)
class Judgment:
    """How a damaged trace fared, strictly and with damage allowed, and what is wrong with that."""

    strict: str
    lenient: str
    problems: list[str]

    @property
    def outcome(self) -> str:
        return f"{self.strict} / {self.lenient}"


class Judge:
    """Compares readings of damaged copies with that of the sound trace."""

    def __init__(self, original: Path, format: str) -> None:
        reading = read_trace(original, allow_damaged=True)
        self._format = format
        self._findings, self._digest = reading.findings(), reading.digest
        self._records = records_of(reading.tables) if format == OTF2 else None

    def judge(self, path: Path, *, only_loses: bool = False) -> Judgment:
        """Read a copy both ways and judge what came out; all of it was there if it `only_loses`."""
        strict = read_trace(path, allow_damaged=False)
        with _small_blocks():
            lenient = read_trace(path, allow_damaged=True)
        problems = []
        if strict.refusal is None and strict.digest != lenient.digest:
            problems.append("sound when damage is refused, but other tables when it is allowed")
        if strict.refusal is not None:
            problems += problems_of_refusal(strict.refusal, path)
            if self._outcome(lenient) in (EQUAL, OTHER):
                problems.append(f"refused, but nothing is reported when allowed: {strict.refusal}")
        if lenient.refusal is not None:
            problems += problems_of_refusal(lenient.refusal, path)
        problems += self.problems_of_reading(lenient, path, strict)
        if only_loses:
            problems += self.problems_of_loss(lenient)
        return Judgment(self._outcome(strict), self._outcome(lenient), problems)

    def problems_of_reading(self, reading: Reading, path: Path, strict: Reading) -> list[str]:
        """Losses that are not reported, and rows that cannot be."""
        losses: Callable[..., Iterator[str]] = problems_of_text
        if self._format == OTF2:
            losses = problems_of_archive
        elif self._format == GRAPH:
            losses = problems_of_call_graph
        problems = [*losses(reading, path, strict)]
        if reading.tables:
            problems += _problems_of_locations(reading.tables)
            problems += _problems_of_visits(reading.tables)
        return problems

    def problems_of_loss(self, reading: Reading) -> list[str]:
        """Records of an archive that are not as they were; text is looked up as a whole."""
        if self._records is None or reading.refusal:
            return []
        return [*problems_of_survivors(reading, self._records)]

    def _outcome(self, reading: Reading) -> str:
        if reading.refusal is not None:
            return f"refused ({reading.refusal.exit_code})"
        if reading.findings() - self._findings:
            return "read, counted"
        if all(reading.tables["locations"]["is_complete"].to_pylist()):
            return EQUAL if reading.digest == self._digest else OTHER
        return "read, called incomplete"


@contextmanager
def _small_blocks() -> Iterator[None]:
    """Text is read in smaller blocks, which must make no difference."""
    usual, blocks.BLOCK_BYTES = blocks.BLOCK_BYTES, SMALL_BLOCK
    try:
        yield
    finally:
        blocks.BLOCK_BYTES = usual


def problems_of_refusal(error: PipelineError, path: Path) -> Iterator[str]:
    """What is wrong with a message: it must be one line that names the file."""
    text = str(error)
    if "\n" in text or len(text) > LONGEST_MESSAGE:
        yield f"not one short line: {text!r}"
    if str(path) not in text:
        yield f"does not name the trace: {text!r}"


def _problems_of_locations(tables: Tables) -> Iterator[str]:
    findings = tables["reading_findings"].to_pylist()
    reported = {
        row["location_id"]: row["count"] for row in findings if row["kind"] == "missing_records"
    }
    kinds = {(row["kind"], row["location_id"]) for row in findings}
    visits = Counter(tables["visits"]["location_id"].to_pylist())
    total = 0
    for place in tables["locations"].to_pylist():
        number, total = place["location_id"], total + place["record_count"]
        lost = place["declared_count"] - place["record_count"]
        contradiction = ("fewer" if lost > 0 else "more") + "_records_than_announced"
        if place["is_complete"] and ((contradiction, number) in kinds) != (lost != 0):
            yield f"location {number}: {lost} records fewer than announced, which is not reported"
        lost = 0 if place["is_complete"] else max(lost, 0)
        if lost != reported.get(number, 0):
            yield f"location {number}: {lost} records missing, reported: {reported.get(number, 0)}"
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
        if not caller:
            continue
        if caller["location_id"] != row["location_id"]:
            yield f"a caller on another location: {row}"
        if not caller["enter_ns"] <= row["enter_ns"] <= row["leave_ns"] <= caller["leave_ns"]:
            yield f"a visit outside its caller {caller}: {row}"


def problems_of_analysis(path: Path, store: Path) -> list[str]:
    """Analyze a trace as a whole: checks that fail although the quality table is empty."""
    from tests.reference.comparison import broken_checks
    from tracemill.engine.analyze import Options, analyze
    from tracemill.store.runs import Store

    try:
        options = Options(threads=1, allow_damaged=True)
        run = analyze(path, store=Store(store), options=options).run
        broken = broken_checks(run)
        return [] if run.read("trace_quality").num_rows else list(broken)
    except REFUSALS:
        return []
    finally:
        shutil.rmtree(store, ignore_errors=True)
