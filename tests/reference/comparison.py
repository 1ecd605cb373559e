"""Analyze a trace and compare every severity with the reference's."""

import csv
import time
import traceback
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from tests.reference.cases import Case, Tolerance
from tests.reference.metrics import COMPARED, CORRECTED, DERIVED, ON_CRITICAL_PATH, TIMES
from tests.reference.replaying import wrong_replays
from tracemill.base.errors import PipelineError
from tracemill.engine.analyze import Options, analyze
from tracemill.shell.exports.severities import export_severities
from tracemill.sql.query_files import all_queries, read_query
from tracemill.store.runs import Run, Store

CELLS = read_query(Path(__file__).with_name("cells.sql"))
DERIVED_CELLS = read_query(Path(__file__).with_name("derived_cells.sql"))
CELLS_OFF = read_query(Path(__file__).with_name("cells_off.sql"))
# What an independent implementation of the clock correction found.
CLOCK_JUMPS = Path(__file__).with_name("clock_jumps.csv")
UNRESOLVED = Path(__file__).with_name("unresolved_cells.csv")
CHECKS = [query for query in all_queries() if query.concept == "checks"]

# Rows of a reference.csv, and of the expected results in data/.
REFERENCE_ROWS = """
SELECT
    metric, callpath AS call_path, rank, thread, exclusive::DOUBLE AS value, 0::DOUBLE AS rounding
FROM read_csv($file, header = true)
"""
EXPECTED_ROWS = """
SELECT metric, call_path, rank, thread, value::DOUBLE AS value, 0::DOUBLE AS rounding
FROM read_csv($file, header = true)
"""


Key = tuple[str, str, int, int]


@dataclass(frozen=True)
class CellOff:
    """A cell whose value is not the expected one."""

    metric: str
    call_path: str
    rank: int
    thread: int
    ours: float
    expected: float

    @property
    def key(self) -> Key:
        return self.metric, self.call_path, self.rank, self.thread

    def __str__(self) -> str:
        where = f"{self.metric} {self.call_path}@{self.rank}.{self.thread}"
        return f"{where}: {self.ours:.9g}, expected {self.expected:.9g}"


@dataclass(frozen=True)
class Comparison:
    """Outcome for two sets of severities, the worst cell first.

    `missing` are metrics that the product does not emit, `undeclared` those that both emit but
    that are not compared, `reference_only` those that the product does not have yet. `resolved`
    are cells that agree, although they are listed as unresolved.
    """

    cell_count: int = 0
    off: tuple[CellOff, ...] = ()
    missing: tuple[str, ...] = ()
    undeclared: tuple[str, ...] = ()
    reference_only: tuple[str, ...] = ()
    resolved: tuple[Key, ...] = ()

    @property
    def is_good(self) -> bool:
        return not (self.off or self.missing or self.undeclared or self.resolved)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a case; `error` says why there is no comparison.

    `left_out` are metrics that are not compared for this trace, `broken_checks` claims about the
    tables that do not hold, each with an example.
    """

    case: str
    rank_count: int = 0
    event_count: int = 0
    seconds: float = 0.0
    error: str = ""
    comparison: Comparison = field(default_factory=Comparison)
    left_out: tuple[str, ...] = ()
    broken_checks: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        return not self.error and not self.broken_checks and self.comparison.is_good


def run_case(case: Case, *, metrics: Collection[str], threads: int) -> Outcome:
    """Analyze one trace in a store of its own and compare it.

    Whatever goes wrong is told in the outcome: one broken case must not hide the others.
    """
    start = time.perf_counter()
    try:
        with TemporaryDirectory(prefix="reference-") as folder:
            outcome = _run(case, Path(folder), metrics=metrics, threads=threads)
    except PipelineError as error:
        outcome = Outcome(case=case.name, error=str(error))
    except Exception as error:
        traceback.print_exc()
        outcome = Outcome(case=case.name, error=f"{type(error).__name__}: {error}")
    return replace(outcome, seconds=time.perf_counter() - start)


def _run(case: Case, folder: Path, *, metrics: Collection[str], threads: int) -> Outcome:
    correction = "always" if case.is_corrected else "off"
    parameters = {"is_like_scalasca": True, "clock_correction": correction}
    options = Options(threads=threads, parameters=parameters)
    run = analyze(case.path, store=Store(folder), options=options).run
    severities = folder / "severities.parquet"
    export_severities(run, severities)
    counts = run.read("runs", ["process_count", "record_count"]).to_pylist()[0]
    compared = set(metrics) & compared_of(run)
    if not case.derived.exists():
        compared -= DERIVED
    if case.is_corrected:
        compared &= CORRECTED
    left_out = set(metrics) - compared
    return Outcome(
        case=case.name,
        rank_count=counts["process_count"],
        event_count=counts["record_count"],
        comparison=compare(severities, case, emitted=_emitted(run), metrics=compared),
        left_out=tuple(sorted(left_out)),
        broken_checks=(
            *broken_checks(run),
            *wrong_replays(run),
            *(broken_clocks(run, case) if case.is_corrected else ()),
        ),
    )


def compare(
    severities: Path, case: Case, *, emitted: Collection[str], metrics: Collection[str] = COMPARED
) -> Comparison:
    """Compare exported severities with a case's reference; `emitted` are the product's metrics."""
    with duckdb.connect() as connection:
        load_expected(connection, case.reference, REFERENCE_ROWS)
        if case.derived.exists():
            files = {"derived": str(case.derived), "reference": str(case.reference)}
            connection.sql(DERIVED_CELLS.statement, params=files).insert_into("expected")
        load_cells(connection, severities, metrics)
        cell_count = connection.sql("SELECT count(*) FROM cells").fetchall()[0][0]
        off = find_cells_off(connection, case.tolerance)
        unresolved = unresolved_cells(case.name, metrics)
        named = connection.sql("SELECT DISTINCT metric FROM expected").fetchall()
    in_reference = {metric for (metric,) in named}
    return Comparison(
        cell_count=cell_count,
        off=tuple(cell for cell in off if cell.key not in unresolved),
        resolved=tuple(sorted(unresolved - {cell.key for cell in off})),
        missing=tuple(sorted(set(metrics) - set(emitted))),
        undeclared=tuple(sorted(in_reference & set(emitted) - COMPARED)),
        reference_only=tuple(sorted(in_reference - set(emitted) - COMPARED)),
    )


def unresolved_cells(case: str, metrics: Collection[str]) -> set[Key]:
    """The cells of a case that only the reference's own arithmetic gives; the file says why."""
    with UNRESOLVED.open(encoding="utf-8", newline="") as file:
        return {
            (row["metric"], row["call_path"], int(row["rank"]), int(row["thread"]))
            for row in csv.DictReader(file)
            if row["case"] == case and row["metric"] in metrics
        }


def load_expected(
    connection: duckdb.DuckDBPyConnection, expected: Path, expected_rows: str
) -> None:
    """Make the table `expected` from a file whose rows a query makes."""
    statement = f"CREATE TEMP TABLE expected AS {expected_rows}"
    connection.execute(statement, {"file": str(expected)})


def load_cells(
    connection: duckdb.DuckDBPyConnection, severities: Path, metrics: Collection[str]
) -> None:
    """Put exported severities and expected ones side by side, as the table `cells`."""
    connection.execute("CREATE TEMP TABLE compared (metric VARCHAR, is_time BOOLEAN)")
    connection.executemany(
        "INSERT INTO compared VALUES (?, ?)", [(name, name in TIMES) for name in metrics]
    )
    connection.execute(
        "CREATE TEMP TABLE ours AS FROM read_parquet($file)", {"file": str(severities)}
    )
    connection.execute(f"CREATE TEMP TABLE cells AS {CELLS.statement}")


def find_cells_off(connection: duckdb.DuckDBPyConnection, tolerance: Tolerance) -> list[CellOff]:
    """Loaded cells outside the tolerance, the worst first."""
    values = CELLS_OFF.bind({"tolerance_s": tolerance.seconds, "tolerance_ratio": tolerance.ratio})
    return [CellOff(*row) for row in connection.sql(CELLS_OFF.statement, params=values).fetchall()]


def broken_checks(run: Run) -> tuple[str, ...]:
    """The queries in checks/ that find offending rows, each with their number and the first."""
    broken = []
    with run.connect(threads=1) as connection:
        for check in CHECKS:
            rows = connection.sql(check.statement, params=check.bind({})).fetchall()
            if rows:
                broken.append(f"{check.relation} fails for {len(rows)} rows, e.g. {rows[0]}")
    return tuple(broken)


def broken_clocks(run: Run, case: Case) -> tuple[str, ...]:
    """What differs from the known jumps of clocks, or contradicts itself after the correction."""
    quality = run.read("clock_quality").to_pylist() or [{"jump_count": 0, "largest_move_ns": 0}]
    jumps, move_us = quality[0]["jump_count"], quality[0]["largest_move_ns"] / 1000
    with CLOCK_JUMPS.open(encoding="utf-8", newline="") as file:
        known = {row["case"]: row for row in csv.DictReader(file)}.get(case.path.name)
    broken = []
    if known and jumps != int(known["jump_count"]):
        broken.append(f"{jumps} jumps of clocks, expected {known['jump_count']}")
    if known and known["largest_move_us"] and round(move_us, 1) != float(known["largest_move_us"]):
        broken.append(f"records moved by {move_us} µs, expected {known['largest_move_us']}")
    if any(run.read("messages", ["is_clock_violation"])["is_clock_violation"].to_pylist()):
        broken.append("messages are received before they are sent")
    return tuple(broken)


def compared_of(run: Run) -> frozenset[str]:
    """The metrics that are compared for a run: those of the path unless tasks leave it none."""
    has_tasks = run.read("task_fragments", ["location_id"]).num_rows > 0
    has_path = run.read("critical_path_summary", ["wall_ns"]).num_rows > 0
    return COMPARED - ON_CRITICAL_PATH if has_tasks and not has_path else COMPARED


def _emitted(run: Run) -> list[str]:
    """Names of all metrics of the product, with or without a value in this run."""
    return run.read("metrics", ["metric"])["metric"].to_pylist()
