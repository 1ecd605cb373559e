"""Operations and computing of a run, read from its tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from tracemill.base.errors import ProgramError
from tracemill.sql.failures import stage_errors
from tracemill.sql.query_files import load_query
from tracemill.store.database import parsed
from tracemill.store.runs import Run

QUERIES = (
    "program_collectives", "program_messages", "program_files", "program_computing",
    "program_missing", "program_neighbors",
)  # fmt: skip
_NEIGHBORS = "cart_neighbors"
ADVICE = "replay its trace instead"
_NO_PATH = "(outside of calls)"


@dataclass(frozen=True, kw_only=True)
class Recording:
    """Operations and computing of a run, with the columns of the queries in queries/from_traces.

    `grids` has the sizes of recorded Cartesian grids of all processes, `unrecorded` the call paths
    of calls without records, `neighbors` the pairs of processes of neighborhood collectives by
    communicator.
    """

    label: str
    process_count: int
    paths: Mapping[int, str]
    collectives: pl.DataFrame
    messages: pl.DataFrame
    files: pl.DataFrame
    computing: pl.DataFrame
    grids: tuple[tuple[int, ...], ...] = ()
    unrecorded: tuple[str, ...] = ()
    neighbors: Mapping[int, tuple[tuple[int, int, int], ...]] = field(default_factory=dict)

    def path(self, call_path_id: int) -> str:
        """The text of a call path."""
        return self.paths.get(call_path_id, _NO_PATH)


def read_recording(run: Run) -> Recording:
    """Read the tables of a run. Raises QueryError or StoreError, or ProgramError."""
    queries = [load_query(name) for name in QUERIES]
    own = load_query(_NEIGHBORS)
    inputs = {name for query in (*queries, own) for name in query.inputs} - {_NEIGHBORS}
    connection = run.connect(tables=sorted(inputs))
    try:
        with stage_errors("merging calls"):
            connection.execute(f"CREATE TEMP VIEW {_NEIGHBORS} AS {own.statement}")
            frames = [connection.sql(parsed(connection, each.statement)).pl() for each in queries]
    finally:
        connection.close()
    collectives, messages, files, computing, missing, neighbors = frames
    _check_sides(run, missing)
    processes = run.read("location_groups", ["kind"])["kind"].to_pylist().count("process")
    paths = run.read("call_paths", ["call_path_id", "path"])
    recording = Recording(
        label=run.label,
        process_count=processes,
        paths=dict(zip(*(paths[name].to_pylist() for name in paths.column_names), strict=True)),
        collectives=collectives,
        messages=messages,
        files=files,
        computing=computing,
        grids=_grids(run, processes),
        unrecorded=tuple(missing["path"]),
        neighbors=_neighbors(neighbors),
    )
    return _checked(recording)


def _check_sides(run: Run, missing: pl.DataFrame) -> None:
    """Raise ProgramError if there is one-sided communication."""
    one_sided = missing.filter("is_one_sided")["path"].to_list()
    if one_sided:
        raise ProgramError(
            f"{run.label}: one-sided communication ({one_sided[0]}) has no kind of phase in a "
            f"program on a grid: {ADVICE}"
        )


def _neighbors(rows: pl.DataFrame) -> dict[int, tuple[tuple[int, int, int], ...]]:
    """Sender, receiver and a message of each pair, by communicator."""
    pairs: dict[int, list[tuple[int, int, int]]] = {}
    for communicator, sender, receiver in rows.iter_rows():
        pairs.setdefault(communicator, []).append((sender, receiver, 1))
    return {communicator: tuple(each) for communicator, each in pairs.items()}


def _grids(run: Run, process_count: int) -> tuple[tuple[int, ...], ...]:
    """Sizes of the recorded grids of all processes."""
    rows = run.read("cart_dimensions", ["communicator_id", "dimension", "size"]).to_pylist()
    found: dict[int, dict[int, int]] = {}
    for row in rows:
        found.setdefault(row["communicator_id"], {})[row["dimension"]] = row["size"]
    grids = {tuple(size for _, size in sorted(sizes.items())) for sizes in found.values()}
    return tuple(sorted(grid for grid in grids if _product(grid) == process_count))


def _product(grid: tuple[int, ...]) -> int:
    product = 1
    for size in grid:
        product *= size
    return product


def _checked(recording: Recording) -> Recording:
    """The recording; raises ProgramError if a collective is not one of all processes."""
    wrong = recording.collectives.filter(
        (pl.col("expected_count") != recording.process_count) | ~pl.col("is_complete")
    )
    if wrong.height:
        first = wrong.row(0, named=True)
        ranks = wrong.filter(pl.col("collective_id") == first["collective_id"])["rank"].to_list()
        what = (
            "lacks members, or they disagree"
            if not first["is_complete"]
            else f"joins {first['expected_count']} of {recording.process_count} processes"
        )
        raise ProgramError(
            f"{recording.label}: {first['operation']} in {recording.path(first['call_path_id'])} "
            f"{what} (ranks {describe_ranks(ranks)}), which no program on a grid has: {ADVICE}"
        )
    return recording


def describe_ranks(ranks: list[int], most: int = 6) -> str:
    """Ranks in words, at most `most` of them."""
    listed = ", ".join(map(str, ranks[:most]))
    return f"{listed} and {len(ranks) - most} more" if len(ranks) > most else listed
