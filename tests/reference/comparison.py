"""Analyse a trace and compare every severity with the reference's."""

import time
import traceback
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from pipeline.errors import PipelineError
from pipeline.export import export_severities
from pipeline.run import Options, analyze
from pipeline.sql import read_query
from pipeline.store import Run, Store
from tests.reference.cases import Case, KnownError, Tolerance
from tests.reference.metrics import COMPARED, TIMES

CELLS = read_query(Path(__file__).with_name("cells.sql"))
CELLS_OFF = read_query(Path(__file__).with_name("cells_off.sql"))

# Rows of a reference.csv, and of the expected results in data/.
REFERENCE_ROWS = """
SELECT metric, callpath AS call_path, rank, thread, exclusive::DOUBLE AS value
FROM read_csv($file, header = true)
"""
EXPECTED_ROWS = """
SELECT metric, call_path, rank, thread, value::DOUBLE AS value
FROM read_csv($file, header = true)
"""


@dataclass(frozen=True)
class CellOff:
    """A cell whose value is not the expected one."""

    metric: str
    call_path: str
    rank: int
    thread: int
    ours: float
    expected: float

    def __str__(self) -> str:
        where = f"{self.metric} {self.call_path}@{self.rank}.{self.thread}"
        return f"{where}: {self.ours:.9g}, expected {self.expected:.9g}"

    def is_at(self, error: KnownError) -> bool:
        """True if this is the cell in which the reference is known to be wrong."""
        mine = (self.metric, self.call_path, self.rank, self.thread)
        return mine == (error.metric, error.call_path, error.rank, error.thread)


@dataclass(frozen=True)
class Comparison:
    """Outcome for two sets of severities, the worst cell first.

    `missing` are metrics that the product does not emit, `undeclared` those that both emit but
    that are not compared; `excepted` are cells in which the reference is known to be wrong and
    the product right; `unused` are such exceptions that no cell needs any more.
    `reference_only` are metrics that the product does not have yet.
    """

    cell_count: int = 0
    off: tuple[CellOff, ...] = ()
    excepted: tuple[CellOff, ...] = ()
    unused: tuple[KnownError, ...] = ()
    missing: tuple[str, ...] = ()
    undeclared: tuple[str, ...] = ()
    reference_only: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        return not (self.off or self.unused or self.missing or self.undeclared)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a case; `error` says why there is no comparison."""

    case: str
    rank_count: int = 0
    event_count: int = 0
    seconds: float = 0.0
    error: str = ""
    comparison: Comparison = field(default_factory=Comparison)

    @property
    def is_good(self) -> bool:
        return not self.error and self.comparison.is_good


def run_case(
    case: Case, *, metrics: Collection[str], known: Iterable[KnownError], threads: int
) -> Outcome:
    """Analyse one trace in a store of its own and compare it.

    Whatever goes wrong is told in the outcome: one broken case must not hide the others.
    """
    start = time.perf_counter()
    try:
        with TemporaryDirectory(prefix="reference-") as folder:
            outcome = _run(case, Path(folder), metrics=metrics, known=known, threads=threads)
    except PipelineError as error:
        outcome = Outcome(case=case.name, error=str(error))
    except Exception as error:
        traceback.print_exc()
        outcome = Outcome(case=case.name, error=f"{type(error).__name__}: {error}")
    return replace(outcome, seconds=time.perf_counter() - start)


def _run(
    case: Case,
    folder: Path,
    *,
    metrics: Collection[str],
    known: Iterable[KnownError],
    threads: int,
) -> Outcome:
    run = analyze(case.path, store=Store(folder), options=Options(threads=threads)).run
    severities = folder / "severities.parquet"
    export_severities(run, severities)
    counts = run.read("runs", ["process_count", "record_count"]).to_pylist()[0]
    return Outcome(
        case=case.name,
        rank_count=counts["process_count"],
        event_count=counts["record_count"],
        comparison=compare(severities, case, emitted=_emitted(run), metrics=metrics, known=known),
    )


def compare(
    severities: Path,
    case: Case,
    *,
    emitted: Collection[str],
    metrics: Collection[str] = COMPARED,
    known: Iterable[KnownError] = (),
) -> Comparison:
    """Compare exported severities with a case's reference; `emitted` are the product's metrics."""
    with duckdb.connect() as connection:
        load(connection, severities, case.reference, REFERENCE_ROWS, metrics)
        cell_count = connection.sql("SELECT count(*) FROM cells").fetchall()[0][0]
        off = find_cells_off(connection, case.tolerance)
        named = connection.sql("SELECT DISTINCT metric FROM expected").fetchall()
    mine = [error for error in known if error.case == case.name and error.metric in metrics]
    excepted = {cell for cell in off for error in mine if _is_right(cell, error, case.tolerance)}
    unused = [error for error in mine if not any(cell.is_at(error) for cell in off)]
    in_reference = {metric for (metric,) in named}
    return Comparison(
        cell_count=cell_count,
        off=tuple(cell for cell in off if cell not in excepted),
        excepted=tuple(cell for cell in off if cell in excepted),
        unused=tuple(unused),
        missing=tuple(sorted(set(metrics) - set(emitted))),
        undeclared=tuple(sorted(in_reference & set(emitted) - COMPARED)),
        reference_only=tuple(sorted(in_reference - set(emitted) - COMPARED)),
    )


def load(
    connection: duckdb.DuckDBPyConnection,
    severities: Path,
    expected: Path,
    expected_rows: str,
    metrics: Collection[str],
) -> None:
    """Put exported severities and expected ones side by side, as the table `cells`."""
    connection.execute("CREATE TEMP TABLE compared (metric VARCHAR, is_time BOOLEAN)")
    connection.executemany(
        "INSERT INTO compared VALUES (?, ?)", [(name, name in TIMES) for name in metrics]
    )
    connection.execute(
        "CREATE TEMP TABLE ours AS FROM read_parquet($file)", {"file": str(severities)}
    )
    connection.execute(f"CREATE TEMP TABLE expected AS {expected_rows}", {"file": str(expected)})
    connection.execute(f"CREATE TEMP TABLE cells AS {CELLS.statement}")


def find_cells_off(connection: duckdb.DuckDBPyConnection, tolerance: Tolerance) -> list[CellOff]:
    """Loaded cells outside the tolerance, the worst first."""
    values = CELLS_OFF.bind({"tolerance_s": tolerance.seconds, "tolerance_ratio": tolerance.ratio})
    return [CellOff(*row) for row in connection.sql(CELLS_OFF.statement, params=values).fetchall()]


def _is_right(cell: CellOff, error: KnownError, tolerance: Tolerance) -> bool:
    """True if our value is the right one of a cell in which the reference is wrong."""
    allowed = tolerance.seconds if cell.metric in TIMES else 0.0
    return cell.is_at(error) and abs(cell.ours - error.value) <= allowed


def _emitted(run: Run) -> list[str]:
    """Names of all metrics of the product, with or without a value in this run."""
    return run.read("metrics", ["metric"])["metric"].to_pylist()
