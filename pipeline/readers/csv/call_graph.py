"""Call graphs as fastotf2 writes them: a row per visit, in text or Parquet."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.base.errors import DamagedTraceError
from tracemill.kernels.records import SIDE_WIDTH
from tracemill.kernels.unfolding import LOCATION, NEVER, OPEN, SLOTS, unfold
from tracemill.readers.csv.header import Header
from tracemill.readers.csv.rows import Definition, RowMaker, Rows

BATCH_ROWS = 1 << 17
_MOST_NS = 1 << 62
_COLUMNS = ("group", "thread", "depth", "name", "start", "end")
_READ_PARQUET = "read_parquet($files, union_by_name = true, hive_partitioning = false)"


class CallGraph:
    """A call graph, with the headers of those of its files that are Parquet."""

    def __init__(self, parquet: Sequence[Header]) -> None:
        self._parquet = parquet

    def read(
        self, made: RowMaker, texts: Iterable[pa.RecordBatch], *, folder: Path, threads: int,
        allow_damaged: bool, report: Callable[[int], None],
    ) -> Iterator[Rows]:  # fmt: skip
        """All visits as records; sorted outside of memory, in `folder`.

        `texts` are the visits of files that are text. Raises DamagedTraceError for rows that cannot
        be, unless damage is allowed.
        """
        from tracemill.store.database import connect

        connection = connect(threads=threads, temp_directory=str(folder))
        try:
            connection.execute(_VISITS)
            if self._parquet:
                self._load_parquet(connection)
                self._check(connection, made, allow_damaged=allow_damaged)
            for cells in texts:
                connection.register("cells", cells)
                connection.execute(_ADD.format(rows="cells"))
                connection.unregister("cells")
            places = _places(connection, made)
            reader = connection.sql(_SORTED).to_arrow_reader(BATCH_ROWS)
            unfolder = _Unfolder(made, places)
            for batch in reader:
                report(batch.num_rows)
                yield unfolder.unfold(batch)
            yield unfolder.finish()
        finally:
            connection.close()

    def _load_parquet(self, connection: Any) -> None:
        """A table of the visits, times in ns."""
        import duckdb

        first = self._parquet[0]
        names = {name: first.columns[at] for name, at in first.call_graph_columns.items()}
        columns = ", ".join(f'"{names[name]}" AS "{name}"' for name in _COLUMNS)
        files = [str(header.path) for header in self._parquet]
        try:
            rows = f"(SELECT {columns} FROM {_READ_PARQUET})"
            connection.execute(_ADD.format(rows=rows), {"files": files})
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise DamagedTraceError(f"{files[0]}: cannot be read: {reason}") from error

    def _check(self, connection: Any, made: RowMaker, *, allow_damaged: bool) -> None:
        """Count the rows that cannot be visits, or raise DamagedTraceError."""
        ((bad, good, example),) = connection.execute(_BAD_ROWS).fetchall()
        if bad and not (good and allow_damaged):
            path = self._parquet[0].path
            advice = "correct them, or analyze the others with --allow-damaged"
            raise DamagedTraceError(
                f"{path.parent if len(self._parquet) > 1 else path}: "
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
# A number of seconds, or an integer number of nanoseconds; an open end is infinite or none.
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
_LOCATIONS = 'SELECT DISTINCT "group", thread FROM visits WHERE is_good ORDER BY ALL'


def _places(connection: Any, made: RowMaker) -> NDArray[np.int32]:
    """Define processes and threads by their names; numbers of the locations, in order of names."""
    found: list[tuple[str, str]] = connection.execute(_LOCATIONS).fetchall()
    groups = sorted({group for group, _ in found}, key=_natural)
    ranks = _ranks(groups)
    order = sorted(groups, key=lambda group: ranks[group])
    keys: dict[tuple[str, str], int] = {}
    for group in order:
        made.definitions.append(
            Definition("Process", group, ranks[group], 0, {"rank": ranks[group]})
        )
        threads = sorted((thread for owner, thread in found if owner == group), key=_natural)
        for number, thread in enumerate(threads):
            made.definitions.append(Definition("Thread", thread, ranks[group], number, {}))
            keys[group, thread] = ranks[group] << 32 | number
    numbers = [made.places.setdefault(keys[pair], len(made.places)) for pair in found]
    return np.array(numbers, np.int32)


def _natural(name: str) -> tuple[int, str]:
    """Order of names that end with a number: those without one first."""
    number = re.search(r"(\d{1,9})\s*$", name)
    return (int(number[1]) if number else -1, name)


def _ranks(groups: Sequence[str]) -> dict[str, int]:
    """Ranks of processes: the numbers their names end with, if these differ, else positions."""
    numbers = [_natural(group)[0] for group in groups]
    is_numbered = len(set(numbers)) == len(numbers) and all(0 <= n < 1 << 24 for n in numbers)
    return dict(zip(groups, numbers if is_numbered else range(len(groups)), strict=True))


class _Unfolder:
    """Turns sorted visits into records, batch by batch."""

    def __init__(self, made: RowMaker, places: NDArray[np.int32]) -> None:
        self._made, self._places = made, places
        self._state = np.zeros(SLOTS, np.int64)
        self._state[LOCATION] = -1
        self._stack = np.empty((64, 3), np.int64)

    def unfold(self, batch: pa.RecordBatch) -> Rows:
        location, depth, name, begin, end = batch.columns
        encoded = name.dictionary_encode()
        words = encoded.dictionary.to_pylist()
        numbers = np.array([self._made.regions.number(word.strip()) for word in words], np.int64)
        return self._run(
            self._places[location.to_numpy()].astype(np.int64),
            depth.to_numpy().astype(np.int64),
            numbers[encoded.indices.to_numpy()],
            begin.to_numpy().copy(),  # the kernel is compiled for arrays that may be written
            end.to_numpy().copy(),
        )

    def finish(self) -> Rows:
        """The leaves of what is still open: as if a visit of another location followed."""
        one = np.zeros(1, np.int64)
        rows = self._run(np.full(1, -2, np.int64), one, one, one, one)
        count = len(rows.kind) - 1
        return _cut(rows, count)

    def _run(self, location: NDArray[np.int64], *columns: NDArray[np.int64]) -> Rows:
        opened = int(self._state[OPEN])
        room = opened + len(location)
        if room > len(self._stack):
            grown = np.empty((2 * room, 3), np.int64)
            grown[:opened] = self._stack[:opened]
            self._stack = grown
        most = room + len(location)
        made = Rows(
            np.empty(most, np.int32), np.empty(most, np.int64), np.empty(most, np.uint8),
            np.empty(most, np.uint32), np.empty((0, SIDE_WIDTH), np.uint64),
        )  # fmt: skip
        count = unfold(location, *columns, self._state, self._stack, *made[:4])
        return _cut(made, count)


def _cut(rows: Rows, count: int) -> Rows:
    """The first rows."""
    return Rows(
        rows.location[:count], rows.time[:count], rows.kind[:count], rows.ref[:count], rows.side
    )
