"""Reads call graphs of fastotf2, with one row per visit, from text or Parquet."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.base.errors import DamagedTraceError
from tracemill.kernels.columns import each, empty
from tracemill.kernels.records import SIDE_WIDTH
from tracemill.kernels.unfolding import LOCATION, NEVER, OPEN, SLOTS, unfold
from tracemill.readers.csv.header import Header
from tracemill.readers.csv.rows import Definition, RowMaker, Rows
from tracemill.store.database import connect

BATCH_ROWS = 1 << 17
_MOST_NS = 1 << 62
_COLUMNS = ("group", "thread", "depth", "name", "start", "end")
_READ_PARQUET = "read_parquet($files, union_by_name = true, hive_partitioning = false)"


def read_call_graph(
    parquet: Sequence[Header], texts: Iterable[pa.RecordBatch], made: RowMaker, *, folder: Path,
    threads: int, allow_damaged: bool, report: Callable[[int], None],
) -> Iterator[Rows]:  # fmt: skip
    """All visits as records; DuckDB sorts them with temporary files in `folder`.

    `parquet` are the headers of Parquet files, `texts` the visits of text files. Raises
    DamagedTraceError for impossible rows, unless damage is allowed.
    """
    with closing(connect(threads=threads, temp_directory=str(folder))) as connection:
        connection.execute(_VISITS)
        if parquet:
            _load_parquet(connection, parquet)
            _check(connection, parquet, made, allow_damaged=allow_damaged)
        for cells in texts:
            connection.register("cells", cells)
            connection.execute(_ADD.format(rows="cells"))
            connection.unregister("cells")
        unfolder = _Unfolder(made, _locations(connection, made))
        for batch in connection.sql(_SORTED).to_arrow_reader(BATCH_ROWS):
            report(batch.num_rows)
            yield unfolder.unfold(batch)
        yield unfolder.finish()


def _load_parquet(connection: Any, parquet: Sequence[Header]) -> None:
    """Add the visits of Parquet files to the table of visits."""
    first = parquet[0]
    columns = ", ".join(f'"{first.columns[first.known[name]]}" AS "{name}"' for name in _COLUMNS)
    files = [str(header.path) for header in parquet]
    try:
        rows = f"(SELECT {columns} FROM {_READ_PARQUET})"
        connection.execute(_ADD.format(rows=rows), {"files": files})
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise DamagedTraceError(f"{files[0]}: cannot be read: {reason}") from error


def _check(
    connection: Any, parquet: Sequence[Header], made: RowMaker, *, allow_damaged: bool
) -> None:
    """Count the rows that cannot be visits, or raise DamagedTraceError."""
    ((bad, good, example),) = connection.execute(_BAD_ROWS).fetchall()
    if bad and not (good and allow_damaged):
        path = parquet[0].path
        advice = "correct them, or analyze the others with --allow-damaged"
        raise DamagedTraceError(
            f"{path.parent if len(parquet) > 1 else path}: "
            f"{bad if good else 'all'} rows without possible times or depth, such as "
            f"{example}; {advice if good else 'copy it again'}"
        )
    made.findings["unreadable_row"] += bad


_VISITS = """
CREATE TEMP TABLE visits (
    "group" VARCHAR, thread VARCHAR, name VARCHAR, level INTEGER, begin_ns BIGINT, end_ns BIGINT,
    is_closed BOOLEAN, is_good BOOLEAN
)
"""
# Integers are nanoseconds, other numbers seconds. An open visit has an infinite or no end.
_ADD = f"""
INSERT INTO visits
SELECT
    coalesce("group"::VARCHAR, '') AS "group",
    coalesce(thread::VARCHAR, '') AS thread,
    coalesce(name::VARCHAR, '') AS name,
    TRY_CAST(depth AS INTEGER) AS level,
    CASE
        WHEN regexp_full_match(typeof("start"), '.*INT(EGER)?') THEN TRY_CAST("start" AS BIGINT)
        ELSE TRY_CAST(round(TRY_CAST("start" AS DOUBLE) * 1e9) AS BIGINT)
    END AS begin_ns,
    CASE
        WHEN regexp_full_match(typeof("end"), '.*INT(EGER)?') THEN TRY_CAST("end" AS BIGINT)
        ELSE TRY_CAST(round(TRY_CAST("end" AS DOUBLE) * 1e9) AS BIGINT)
    END AS end_ns,
    "end" IS NOT NULL
    AND NOT coalesce(isinf(TRY_CAST("end" AS DOUBLE)), FALSE) AS is_closed,
    coalesce(
        abs(begin_ns) < {_MOST_NS}
        AND level >= 0
        AND (NOT is_closed OR abs(end_ns) < {_MOST_NS}),
        FALSE
    ) AS is_good
FROM {{rows}}
"""
_BAD_ROWS = """
SELECT
    count(*) FILTER (NOT is_good),
    count(*) FILTER (is_good),
    min(concat_ws(', ', "group", thread, name, level, begin_ns, end_ns)) FILTER (NOT is_good)
FROM visits
"""
_SORTED = f"""
SELECT
    dense_rank() OVER (ORDER BY "group", thread) - 1 AS location,
    level AS depth,
    name,
    begin_ns,
    if(is_closed, end_ns, {NEVER}) AS end_ns
FROM visits
WHERE is_good
ORDER BY location, begin_ns, depth, end_ns, name
"""
_PAIRS = 'SELECT DISTINCT "group", thread FROM visits WHERE is_good ORDER BY ALL'


def _locations(connection: Any, made: RowMaker) -> NDArray[np.int32]:
    """Define processes and threads; returns the numbers of locations in order of their names."""
    found: list[tuple[str, str]] = connection.execute(_PAIRS).fetchall()
    groups = sorted({group for group, _ in found}, key=_natural)
    ranks = _ranks(groups)
    keys: dict[tuple[str, str], int] = {}
    for group, rank in sorted(ranks.items(), key=lambda item: item[1]):
        made.definitions.append(Definition("Process", group, rank, 0, {"rank": rank}))
        threads = sorted((thread for owner, thread in found if owner == group), key=_natural)
        for number, thread in enumerate(threads):
            made.definitions.append(Definition("Thread", thread, rank, number, {}))
            keys[group, thread] = rank << 32 | number
    numbers = [made.location_number(keys[pair]) for pair in found]
    return np.array(numbers, np.int32)


def _natural(name: str) -> tuple[int, str]:
    """Sort key of names by the number at their end; names without one are first."""
    number = re.search(r"(\d{1,9})\s*$", name)
    return (int(number[1]) if number else -1, name)


def _ranks(groups: Sequence[str]) -> dict[str, int]:
    """Ranks of processes: the numbers at the end of their names if distinct, else positions."""
    numbers = [_natural(group)[0] for group in groups]
    is_numbered = len(set(numbers)) == len(numbers) and all(0 <= n < 1 << 24 for n in numbers)
    return dict(zip(groups, numbers if is_numbered else range(len(groups)), strict=True))


class _Unfolder:
    """Makes records of sorted visits, batch by batch."""

    def __init__(self, made: RowMaker, locations: NDArray[np.int32]) -> None:
        self._made, self._locations = made, locations.astype(np.int64)
        self._state = np.zeros(SLOTS, np.int64)
        self._state[LOCATION] = -1
        self._stack = np.empty((0, 3), np.int64)

    def unfold(self, batch: pa.RecordBatch) -> Rows:
        location, depth, name, begin, end = batch.columns
        encoded = name.dictionary_encode()
        words = encoded.dictionary.to_pylist()
        numbers = np.array([self._made.regions.number(word.strip()) for word in words], np.int64)
        return self._run(
            self._locations[location.to_numpy()],
            depth.to_numpy().astype(np.int64),
            numbers[encoded.indices.to_numpy()],
            begin.to_numpy().copy(),  # the kernel is compiled for arrays that may be written
            end.to_numpy().copy(),
        )

    def finish(self) -> Rows:
        """The leaves of open visits: all but the last record of a visit of another location."""
        one = np.zeros(1, np.int64)
        return self._run(np.full(1, -2, np.int64), one, one, one, one, dropped=1)

    def _run(
        self, location: NDArray[np.int64], *columns: NDArray[np.int64], dropped: int = 0
    ) -> Rows:
        opened = int(self._state[OPEN])
        room = opened + len(location)
        if room > len(self._stack):
            grown = np.empty((2 * room, 3), np.int64)
            grown[:opened] = self._stack[:opened]
            self._stack = grown
        most = room + len(location)
        rows = empty(Rows, most, side=SIDE_WIDTH)
        count = unfold(location, *columns, self._state, self._stack, *rows[:4]) - dropped
        return each(rows, lambda column: column[:count])._replace(side=rows.side[:0])
