"""Second pass: writes the rows of every location with canonical numbers."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.base.errors import DamagedTraceError
from tracemill.kernels import walk_state as ws
from tracemill.kernels.clock_replay import Clocks
from tracemill.kernels.location_walk import LocationWalk
from tracemill.kernels.records import RECORD_NAMES
from tracemill.kernels.visit_sums import VisitSums
from tracemill.kernels.walk_state import Code, RecordRows, VisitRows
from tracemill.readers.common.identifiers import Identifiers, Peers
from tracemill.readers.common.intervals import GapRows, TeamMemberRows
from tracemill.readers.common.parallel import map_in_threads
from tracemill.readers.common.reading import LocationRead, OpenLocations, RecordFiles
from tracemill.readers.common.record_tables import RecordTables, sum_table, visit_table
from tracemill.readers.common.summing import summing_of
from tracemill.readers.common.survey import Survey, blocks, damage_of
from tracemill.schemas import events as tables
from tracemill.schemas.definitions import CALLS, PROFILE
from tracemill.schemas.profiles import CALL_TREE
from tracemill.schemas.table import Table
from tracemill.store.sink import PartedSink


@dataclass
class LocationOutcome:
    """Counts of one location, findings with their counts and times, and records by type."""

    location: int
    record_count: int
    moved_count: int
    visit_count: int
    begin_ns: int | None
    end_ns: int | None
    is_complete: bool
    record_gap_count: int
    short_record_gap_ns: int | None
    findings: Counter[str] = field(default_factory=Counter)
    records: Counter[str] = field(default_factory=Counter)
    gap_ns: Counter[str] = field(default_factory=Counter)


class RowWriter:
    """Writes all locations, several blocks at a time, one file per block and table."""

    def __init__(
        self, files: RecordFiles, identifiers: Identifiers, code: Code, survey: Survey,
        sink: PartedSink, *, threads: int, report: Callable[[int], None], clocks: Clocks,
        detail: str,
    ) -> None:  # fmt: skip
        self._files, self._ids, self._code, self._survey = files, identifiers, code, survey
        self._sink, self._threads, self._report = sink, threads, report
        self._clocks, self._detail = clocks, detail
        self._summing = None
        if detail == CALLS:
            self._summing = summing_of(files, identifiers, code, survey, clocks)
        self._peers = Peers(identifiers)
        self._declared = [count for _, _, count, _ in files.definitions["Location"].values()]
        counts = [found.visit_count for found in survey.locations]
        self._first_visit = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def run(self) -> list[LocationOutcome]:
        numbered = list(enumerate(blocks(self._survey.limits)))
        written = map_in_threads(self._write_block, numbered, self._threads)
        return [found for block in written for found in block]

    def _write_block(self, numbered: tuple[int, list[int]]) -> list[LocationOutcome]:
        number, block = numbered
        with self._files.open_locations(self._ids.present, block) as reader:
            survey = self._survey
            walk = LocationWalk(
                self._code,
                survey.tree,
                partial(self._write_visits, number),
                possible_times=survey.possible_times,
                clocks=self._clocks,
                sums=VisitSums(self._summing) if self._summing else None,
            )
            found = [
                _LocationWriter(self, reader, walk, location, number).run() for location in block
            ]
            walk.hand_over_visits()
        for table in (*tables.TABLES, CALL_TREE):
            if table.is_partitioned:
                self._sink.part(table, number).close()
        return found

    def _write_visits(self, block: int, rows: VisitRows, counts: NDArray[np.int32] | None) -> None:
        if self._detail == PROFILE:
            return
        self._sink.part(tables.VISITS, block).write(visit_table(rows))
        if counts is not None:
            self._sink.part(tables.VISIT_SUMS, block).write(sum_table(rows, counts))


class _LocationWriter:
    """Writes one location."""

    def __init__(
        self, owner: RowWriter, reader: OpenLocations, walk: LocationWalk, location: int, block: int
    ) -> None:
        self._owner, self._reader, self._walk = owner, reader, walk
        self._location, self._block = location, block
        survey = owner._survey
        self._surveyed = surveyed = survey.locations[location]
        walk.begin(
            location,
            first_visit=int(owner._first_visit[location]),
            teams=survey.teams[location],
            prefixes=survey.prefixes if surveyed.is_below_forks else None,
            numbers=surveyed.numbers,
            is_plain=surveyed.is_plain,
            record_count=surveyed.record_count,
        )
        self._rows = RecordTables(owner._ids, owner._peers.seen_from(location), location)
        self._gaps = GapRows()
        self._members = TeamMemberRows(len(survey.all_teams.team))

    def run(self) -> LocationOutcome:
        # After a damaged record the library may return other records in the second pass.
        limit = self._surveyed.record_count
        end = self._reader.feed(
            self._location, limit, self._walk, self._owner._report, self._take_records
        )
        last = int(self._walk.state[ws.NOW])
        gaps = self._gaps.table(self._location, last)
        self._write(tables.MEASUREMENT_GAPS, gaps)
        members = self._members.drain(self._location, last)
        if self._owner._detail != PROFILE:
            self._write(tables.THREAD_TEAM_MEMBERS, members)
        self._check_unchanged(end)
        self._write(CALL_TREE, self._rows.profile(self._walk.profile()))
        return self._outcome(end, gaps)

    def _take_records(self, records: RecordRows) -> None:
        if len(records.kind):
            self._gaps.add(records)
            self._members.add(records)
            members = self._members.drain(self._location)
            if self._owner._detail == PROFILE:
                return
            self._write(tables.THREAD_TEAM_MEMBERS, members)
            for table, rows in self._rows.records(records):
                self._write(table, rows)

    def _write(self, table: Table, rows: pa.Table) -> None:
        if rows.num_rows:
            self._owner._sink.part(table, self._block).write(rows)

    def _check_unchanged(self, end: LocationRead) -> None:
        """Raise DamagedTraceError if the survey read other records."""
        surveyed, files = self._surveyed, self._owner._files
        if end.error and not surveyed.problem:
            raise DamagedTraceError(damage_of([f"{files.file_of(self._location)}: {end.error}"]))
        counts = end.record_count, self._walk.visit_count
        is_changed = counts != (surveyed.record_count, surveyed.visit_count)
        if is_changed or self._walk.state[ws.LOST_NODES]:
            raise DamagedTraceError(
                f"{files.path}: the trace changed while it was read; wait until it is complete "
                "and analyze it again"
            )

    def _outcome(self, end: LocationRead, gaps: pa.Table) -> LocationOutcome:
        state = self._walk.state
        limits = self._owner._survey.limits[self._location]
        declared = self._owner._declared[self._location]
        has_records = bool(state[ws.HAS_RECORDS])
        is_damaged = bool(end.error or self._surveyed.problem or limits.problem)
        outcome = LocationOutcome(
            location=self._location,
            record_count=end.record_count,
            moved_count=self._walk.moved_count,
            visit_count=self._walk.visit_count,
            begin_ns=int(state[ws.FIRST_NS]) if has_records else None,
            end_ns=int(state[ws.NOW]) if has_records else None,
            is_complete=not is_damaged and (end.record_count > 0 or not declared),
            record_gap_count=self._walk.gaps.count,
            short_record_gap_ns=self._walk.gaps.percentile_ns,
            findings=self._findings(end.record_count),
            records=self._records(end.record_count),
        )
        outcome.findings.update(_contradiction(end.record_count, declared, is_damaged))
        for gap in gaps.to_pylist():
            outcome.findings[gap["kind"]] += 1
            outcome.gap_ns[gap["kind"]] += max(gap["end_ns"] - gap["begin_ns"], 0)
        return outcome

    def _records(self, record_count: int) -> Counter[str]:
        counts = self._walk.gaps.counts
        found = Counter({name: int(counts[kind]) for kind, name in RECORD_NAMES.items()})
        found["Unknown"] += record_count - found.total()  # not registered with the library
        return +found

    def _findings(self, record_count: int) -> Counter[str]:
        state = self._walk.state
        unregistered = record_count - int(state[ws.SEQUENCE])
        return Counter(
            {
                "mismatched_leave": int(state[ws.MISMATCHED]),
                "unclosed_visit": int(state[ws.UNCLOSED]),
                "impossible_time": int(state[ws.OUTSIDE]),
                "time_reversal": int(state[ws.REVERSALS]),
                "impossible_id": int(state[ws.IMPOSSIBLE]) + self._rows.impossible.total(),
                "unknown_record": int(state[ws.UNKNOWNS]) + unregistered,
                "team_without_fork": self._members.unforked,
                "dropped_attribute": self._reader.take_dropped(),
            }
        )


def _contradiction(record_count: int, declared: int, is_damaged: bool) -> dict[str, int]:
    """How a location contradicts the announced number of its records."""
    if is_damaged or not record_count:
        return {
            "missing_records": max(declared - record_count, 0),
            "missing_location": int(declared > 0 and not record_count),
        }
    return {
        "fewer_records_than_announced": int(declared > record_count),
        "more_records_than_announced": int(declared < record_count),
    }
