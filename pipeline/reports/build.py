"""From a run's tables to its report: which figures are shown in which section."""

from typing import TYPE_CHECKING, Protocol

from pipeline.reports import sentences as say
from pipeline.reports.model import Fact, Layout, Report, Section, Table
from pipeline.reports.provenance import how_it_was_made
from pipeline.reports.tables import TableSpec, fetch, read_source, read_table
from pipeline.reports.units import Unit, Value, make_visible, shorten

if TYPE_CHECKING:
    import duckdb

    from pipeline.store import Manifest

UNANALYSED = "unanalysed_waiting"
FINDING_LIMIT = 5
MATRIX_LIMIT = 64
PAIR_LIMIT = 30
LOCATION_LIMIT = 128
_ONE_THREAD: dict[str, Value] = {"thread": 0, "cause_thread": 0}

TIME_PARTS = TableSpec(
    query="time_parts",
    title="Where the time of all locations went",
    layout=Layout.PARTS,
    bars=("time_ns",),
)
TOP_REGIONS = TableSpec(
    query="top_regions",
    title="Regions by exclusive time",
    note="Summed over all locations; the worst rank is the one that spent most there.",
    row_limit=25,
    bars=("exclusive_ns",),
)
TIME_BY_LOCATION = TableSpec(
    query="time_by_location",
    title="Time by location",
    note=(
        "Waiting on messages is part of the time in MPI; 'caused to others' is what they lost "
        "by it."
    ),
    row_limit=LOCATION_LIMIT,
    bars=("outside_mpi_ns", "mpi_ns", "wait_ns", "caused_ns"),
    silent=_ONE_THREAD,
)
CALL_TREE = TableSpec(
    query="call_tree_totals",
    title="Call paths",
    note="Inclusive time counts callees, exclusive time does not; the smallest are left out.",
    row_limit=250,
    layout=Layout.TREE,
    bars=("inclusive_ns",),
    silent={"kind": "program"},
    hidden=frozenset({"depth"}),
)
ENTRY_REGIONS = TableSpec(query="entry_regions", title="Entry regions", row_limit=20)
HEAVIEST_EDGES = TableSpec(
    query="heaviest_edges",
    title="Heaviest calls",
    note="Times of the callee when called from this caller.",
    row_limit=25,
    bars=("inclusive_ns",),
)
WAITS_BY_PROPERTY = TableSpec(
    query="waits_by_property",
    title="By kind",
    row_limit=30,
    bars=("wait_ns",),
    silent={"confidence": 100},
)
WAITS_BY_CALL_PATH = TableSpec(
    query="waits_by_call_path", title="By call path", row_limit=20, bars=("wait_ns",)
)
WAITS_BY_CAUSE = TableSpec(
    query="waits_by_cause",
    title="By cause and victim",
    row_limit=20,
    bars=("wait_ns",),
    titles={"cause_rank": "Waited for", "rank": "Waiting rank"},
    silent=_ONE_THREAD,
)
PAIRS = TableSpec(
    query="communication_pairs",
    title="Who sends to whom",
    row_limit=PAIR_LIMIT,
    bars=("bytes",),
    titles={"sender_rank": "From", "receiver_rank": "To"},
)
MATRIX = TableSpec(
    query="communication_pairs",
    title="Who sends how much to whom",
    note="Rows send, columns receive.",
    row_limit=MATRIX_LIMIT * MATRIX_LIMIT,
    layout=Layout.MATRIX,
    titles=PAIRS.titles,
)
MESSAGE_SIZES = TableSpec(
    query="message_size_classes", title="Message sizes", bars=("message_count", "bytes")
)
COLLECTIVES = TableSpec(
    query="collective_totals",
    title="Collective operations",
    note="Time inside the calls, summed over their members.",
    bars=("time_ns",),
    silent={"is_nonblocking": False, "incomplete_count": 0},
)
QUALITY = TableSpec(
    query="quality_findings",
    title="What was noticed",
    titles={"detail": "What it means", "time_ns": "Time concerned"},
    silent={"time_ns": None},
)
INCOMPLETE = TableSpec(
    query="incomplete_locations", title="Incomplete locations", row_limit=50, silent=_ONE_THREAD
)


class ReportedRun(Protocol):
    """What a report needs of a run: its tables as views and how they were made."""

    @property
    def run_id(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def manifest(self) -> "Manifest": ...
    def connect(
        self, *, threads: int | None = None, memory_limit: str = ""
    ) -> "duckdb.DuckDBPyConnection": ...


def build_report(run: ReportedRun, *, threads: int | None = None, memory_limit: str = "") -> Report:
    """The whole report of a run. Raises QueryError if a table does not fit its query."""
    connection = run.connect(threads=threads, memory_limit=memory_limit)
    try:
        overview = _overview(connection)
        sections = (
            _summary(connection, overview),
            _profile(connection, overview),
            _call_tree(connection),
            _call_graph(connection),
            _wait_states(connection, overview),
            _communication(connection, overview),
            _quality(connection),
            how_it_was_made(connection, run.manifest),
        )
    finally:
        connection.close()
    return Report(
        title=shorten(make_visible(run.label)),
        subtitle=say.describe_size(overview),
        run_id=run.run_id,
        sections=sections,
    )


def build_summary(
    run: ReportedRun, *, threads: int | None = None, memory_limit: str = ""
) -> Report:
    """Only the first section, for the end of an analysis in the terminal."""
    connection = run.connect(threads=threads, memory_limit=memory_limit)
    try:
        overview = _overview(connection)
        section = _summary(connection, overview)
    finally:
        connection.close()
    return Report(
        title=shorten(make_visible(run.label)),
        subtitle=say.describe_size(overview),
        run_id=run.run_id,
        sections=(section,),
    )


def _overview(connection: "duckdb.DuckDBPyConnection") -> dict[str, Value]:
    return _rows(connection, "run_overview")[0]


def _rows(
    connection: "duckdb.DuckDBPyConnection", query: str, row_limit: int | None = None
) -> list[dict[str, Value]]:
    names, rows = fetch(connection, query, row_limit)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _summary(connection: "duckdb.DuckDBPyConnection", overview: dict[str, Value]) -> Section:
    findings = _rows(connection, "worst_findings", FINDING_LIMIT)
    top = _rows(connection, "top_regions", 1)
    has_threads = overview["location_count"] != overview["process_count"]
    quality = _rows(connection, "quality_findings")
    incomplete = _rows(connection, "incomplete_locations", int(overview["location_count"] or 0))
    return Section(
        key="summary",
        title="Summary",
        facts=_facts(overview),
        sentences=(
            *_said(say.describe_damage(incomplete, overview)),
            say.describe_use(overview),
            *_said(say.describe_use_without_setup(overview)),
            *([say.describe_top_region(top)] if top and overview["total_ns"] else []),
            say.describe_quality(quality, incomplete),
            say.describe_coverage(_rows(connection, UNANALYSED)),
            say.describe_waiting(overview, _rows(connection, "searched_wait_states")),
        ),
        findings=tuple(say.describe_finding(row, has_threads=has_threads) for row in findings),
        tables=(read_table(connection, TIME_PARTS),),
        sources=(
            read_source("run_overview"),
            read_source("top_regions", 1),
            read_source(UNANALYSED),
            read_source("worst_findings", FINDING_LIMIT),
        ),
    )


def _facts(overview: dict[str, Value]) -> tuple[Fact, ...]:
    return (
        Fact("run time", overview["duration_ns"], Unit.TIME),
        Fact("processes", overview["process_count"], Unit.COUNT),
        Fact("locations", overview["location_count"], Unit.COUNT),
        Fact("in MPI", overview["mpi_ratio"], Unit.SHARE),
        Fact("waiting on messages", overview["wait_ratio"], Unit.SHARE),
        Fact("messages", overview["message_count"], Unit.COUNT),
    )


def _profile(connection: "duckdb.DuckDBPyConnection", overview: dict[str, Value]) -> Section:
    regions = read_table(connection, TOP_REGIONS)
    locations = read_table(connection, TIME_BY_LOCATION)
    balance = say.describe_balance(locations.as_dicts())
    return Section(
        key="profile",
        title="Flat profile",
        sentences=_said(say.describe_top_region(regions.as_dicts()), balance),
        tables=_filled(regions, locations),
    )


def _call_tree(connection: "duckdb.DuckDBPyConnection") -> Section:
    tree = read_table(connection, CALL_TREE)
    empty = "" if tree.rows else "No region was visited."
    return Section(key="call-tree", title="Call tree", sentences=_said(empty), tables=_filled(tree))


def _call_graph(connection: "duckdb.DuckDBPyConnection") -> Section:
    entries = read_table(connection, ENTRY_REGIONS)
    edges = read_table(connection, HEAVIEST_EDGES)
    return Section(
        key="region-call-graph",
        title="Region call graph",
        sentences=(say.describe_graph(entries.as_dicts(), edges.as_dicts()),),
        tables=_filled(edges, entries),
    )


def _wait_states(connection: "duckdb.DuckDBPyConnection", overview: dict[str, Value]) -> Section:
    specs = (WAITS_BY_PROPERTY, WAITS_BY_CALL_PATH, WAITS_BY_CAUSE)
    searched = _rows(connection, "searched_wait_states")
    return Section(
        key="wait-states",
        title="Wait states",
        sentences=_said(
            say.describe_coverage(_rows(connection, UNANALYSED)),
            "" if overview["wait_ns"] else say.describe_waiting(overview, searched),
        ),
        tables=_filled(*(read_table(connection, spec) for spec in specs)),
        sources=(read_source(UNANALYSED),),
    )


def _communication(connection: "duckdb.DuckDBPyConnection", overview: dict[str, Value]) -> Section:
    is_small = int(overview["process_count"] or 0) <= MATRIX_LIMIT
    specs = (*((MATRIX,) if is_small else ()), PAIRS, MESSAGE_SIZES, COLLECTIVES)
    return Section(
        key="communication",
        title="Communication",
        sentences=(say.describe_traffic(overview),),
        tables=_filled(*(read_table(connection, spec) for spec in specs)),
        sources=(read_source("run_overview"),),
    )


def _quality(connection: "duckdb.DuckDBPyConnection") -> Section:
    findings = read_table(connection, QUALITY)
    incomplete = read_table(connection, INCOMPLETE)
    return Section(
        key="trace-quality",
        title="Trace quality",
        sentences=(say.describe_quality(findings.as_dicts(), incomplete.as_dicts()),),
        tables=_filled(findings, incomplete),
    )


def _said(*sentences: str) -> tuple[str, ...]:
    return tuple(sentence for sentence in sentences if sentence)


def _filled(*tables: Table) -> tuple[Table, ...]:
    return tuple(table for table in tables if table.rows)
