"""All tables of a trace: definitions and rows of records."""

from collections import Counter
from collections.abc import Callable, Mapping
from operator import attrgetter

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.kernels.call_tree import NO_NODE, PathTree, describe_tree
from tracemill.kernels.clock_replay import Clocks
from tracemill.kernels.location_walk import AS_RECORDED
from tracemill.kernels.path_names import path_names
from tracemill.kernels.walk_state import Code
from tracemill.readers.common.call_sites import ARTIFICIAL_REGIONS, CallSites
from tracemill.readers.common.definition_tables import DefinitionTables, table_of_rows
from tracemill.readers.common.identifiers import Identifiers
from tracemill.readers.common.reading import LocationState, RecordFiles, TraceOrigin
from tracemill.readers.common.references import count_undefined
from tracemill.readers.common.setup_marks import marks_for
from tracemill.readers.common.survey import PlainSurveyor, Survey, Surveyor
from tracemill.readers.common.writing import LocationOutcome, RowWriter
from tracemill.schemas import communicators, definitions, events, named_values
from tracemill.schemas.definitions import FULL
from tracemill.schemas.matching import MISREAD_CELLS, READING_FINDINGS, RECORD_COUNTS
from tracemill.schemas.profiles import CALL_TREE
from tracemill.schemas.table import Table
from tracemill.store.sink import PartedSink

_KEPT_NUMBERS = 1_000_000
_OF_LOCATIONS = attrgetter(
    "record_count", "moved_count", "visit_count", "begin_ns", "end_ns", "is_complete",
    "record_gap_count", "short_record_gap_ns",
)  # fmt: skip
"""The columns of locations that follow from reading."""
READ_TABLES: tuple[Table, ...] = (
    *definitions.TABLES, *communicators.TABLES, *named_values.TABLES, *events.TABLES, CALL_TREE,
    READING_FINDINGS, RECORD_COUNTS, MISREAD_CELLS,
)  # fmt: skip


def read_tables(
    files: RecordFiles, origin: TraceOrigin, sites: CallSites, code: Code,
    limits: list[LocationState], sink: PartedSink, *, run_id: str, threads: int,
    allow_damaged: bool, report: Callable[[int], None], plain: PlainSurveyor | None = None,
    findings: Mapping[str, int] | None = None, clocks: Clocks = AS_RECORDED,
    survey: Survey | None = None, detail: str = FULL,
) -> Survey | None:  # fmt: skip
    """Write all tables in two passes over the records.

    `findings` are the counts of the format's reader for the trace as a whole, `clocks` the
    corrections of locations. Returns the survey of the first pass if it does not depend on times
    and is small; it spares another reading this pass. Raises DamagedTraceError unless damage is
    allowed.
    """
    identifiers = sites.identifiers
    if survey is None:
        surveyor = Surveyor(
            files, identifiers, code, limits, threads=threads, allow_damaged=allow_damaged,
            report=report, plain=plain, clocks=clocks,
            marks=marks_for(detail, identifiers),
        )  # fmt: skip
        survey = surveyor.run()
    made = DefinitionTables(origin, identifiers)
    # The names of call paths need much memory, which is free again for the rows.
    _write_definitions(sink, made, sites, survey)
    writer = RowWriter(
        files, identifiers, code, survey, sink, threads=threads, report=report, clocks=clocks,
        detail=detail,
    )  # fmt: skip
    outcomes = writer.run()
    _write_outcomes(sink, made, outcomes, run_id, detail)
    found = identifiers.definitions
    of_definitions = {
        "repeated_definition": found.repeated,
        "invalid_text": found.invalid_text,
        "unknown_record": found.unknown,
        "impossible_id": count_undefined(found),
    }
    counts = Counter(of_definitions) + Counter(findings or {})
    sink.write(READING_FINDINGS, _findings(counts, outcomes))
    is_small = sum(len(each.numbers) for each in survey.locations) <= _KEPT_NUMBERS
    return survey if is_small and all(each.is_plain for each in survey.locations) else None


def _write_definitions(
    sink: PartedSink, made: DefinitionTables, sites: CallSites, survey: Survey
) -> None:
    for table, rows in made.all():
        sink.write(table, rows)
    names = made.region_names()
    sink.write(definitions.REGIONS, made.regions(_used_artificial(survey.tree, len(names))))
    sink.write(definitions.CALL_PATHS, _call_paths(survey.tree, names, sites))
    sink.write(events.THREAD_TEAMS, _thread_teams(survey, sites.identifiers))


def _write_outcomes(
    sink: PartedSink,
    made: DefinitionTables,
    outcomes: list[LocationOutcome],
    run_id: str,
    detail: str,
) -> None:
    sink.write(definitions.LOCATIONS, made.locations([_OF_LOCATIONS(o) for o in outcomes]))
    run = made.run(
        run_id,
        begin_ns=min((o.begin_ns for o in outcomes if o.begin_ns is not None), default=0),
        end_ns=max((o.end_ns for o in outcomes if o.end_ns is not None), default=0),
        record_count=sum(o.record_count for o in outcomes),
        detail=detail,
    )
    sink.write(definitions.RUNS, run)
    counts = [
        (outcome.location, record, count)
        for outcome in outcomes
        for record, count in sorted(outcome.records.items())
    ]
    sink.write(RECORD_COUNTS, table_of_rows(RECORD_COUNTS, counts))


def _used_artificial(tree: PathTree, region_count: int) -> list[bool]:
    used = tree.region[: int(tree.size[0])]
    return [bool((used == region_count + n).any()) for n in range(len(ARTIFICIAL_REGIONS))]


def _call_paths(tree: PathTree, region_names: list[str], sites: CallSites) -> pa.Table:
    count, region_count = int(tree.size[0]), len(region_names)
    parent, callee, is_stub = tree.parent[:count], tree.region[:count], tree.is_stub[:count]
    region, source = sites.region_of[callee], sites.sources_of(callee)
    tasks, threads = region_count + 1, region_count + 2
    depth, last, kind = describe_tree(parent, region, is_stub, tasks, threads)
    kinds = pa.array(definitions.CALL_PATH_KINDS, pa.string())
    return pa.table(
        {
            "call_path_id": pa.array(np.arange(count, dtype=np.int32)),
            "parent_call_path_id": pa.array(parent, mask=parent < 0),
            "region_id": pa.array(region),
            "caller_region_id": _callers(parent, region, region_count),
            "last_call_path_id": pa.array(last),
            "depth": pa.array(depth),
            "kind": pa.DictionaryArray.from_arrays(pa.array(kind), kinds),
            "source_location_id": pa.array(source, mask=source < 0),
            "path": _paths(parent, region, source, callee, region_names, sites),
        }
    )


def _paths(
    parent: NDArray[np.int32], region: NDArray[np.int32], source: NDArray[np.int32],
    callee: NDArray[np.int32], region_names: list[str], sites: CallSites,
) -> pa.Array:  # fmt: skip
    """Names of callees from the root."""
    names = [*region_names, *ARTIFICIAL_REGIONS]
    _, first, places = np.unique(callee, return_index=True, return_inverse=True)
    used = [sites.name_of(names[region[node]], int(source[node])) for node in first.tolist()]
    return path_names(parent, places.astype(np.int32), used)


def _callers(parent: NDArray[np.int32], region: NDArray[np.int32], region_count: int) -> pa.Array:
    """Region of the caller; TASKS and THREADS, which come last, call nothing."""
    callers = region[parent]
    return pa.array(callers, mask=(parent < 0) | (callers > region_count))


def _thread_teams(survey: Survey, identifiers: Identifiers) -> pa.Table:
    teams = survey.all_teams
    numbers = identifiers["Comm"].lookup(teams.team.astype(np.uint64))
    nodes = np.append(survey.prefixes.number, np.int32(NO_NODE))[teams.node]
    return pa.table(
        {
            "thread_team_id": pa.array(teams.number),
            "location_id": pa.array(teams.location),
            "communicator_id": pa.array(numbers.astype(np.int32), mask=numbers < 0),
            "call_path_id": pa.array(nodes, mask=nodes < 0),
            "fork_ns": pa.array(teams.fork),
            "join_ns": pa.array(teams.join),
        }
    )


def _findings(counts: Counter[str], outcomes: list[LocationOutcome]) -> pa.Table:
    """Findings of the whole trace, given by `counts`, and of its locations."""
    rows: list[tuple[str, int | None, int, int | None]] = [
        (kind, outcome.location, count, outcome.gap_ns.get(kind))
        for outcome in outcomes
        for kind, count in outcome.findings.items()
        if count > 0
    ]
    rows += [(kind, None, count, None) for kind, count in counts.items()]
    rows.sort(key=lambda row: (row[0], -1 if row[1] is None else row[1]))
    return table_of_rows(READING_FINDINGS, rows)
