"""How many stages and threads of queries an analysis has at once, by its size and memory."""

import duckdb

from tracemill.base.text import bytes_of
from tracemill.store.database import FEW_RECORDS, SHORT_QUERIES, connect
from tracemill.store.generation import GenerationWriter

_MOST_LANES = 2
"""Stages that run at once; more would need more memory."""
_LANES_FROM_RECORDS = 200_000
"""Stages of a smaller trace are short, and mostly Python, which runs in one thread at a time."""
_BYTES_PER_RECORD_IN_LANES = 20
"""With a lower memory limit per record, stages run one at a time, which takes a quarter less."""
_MOST_OF_FEW_RECORDS = 100_000
"""Up to so many records, queries take more time to be planned than to run."""
_MOST_KEPT_RECORDS, _MOST_KEPT_BYTES = 3_000_000, 100_000_000
"""Tables of so many records take some 40 bytes per record. Walks and queries read them in half of
the time from memory, and they are stored once even if clocks are corrected."""
_QUERIES_IN_THREADS_FROM_ROWS = 1_000_000
"""Over fewer rows of the largest table, several threads take more CPU time and memory, and on two
processors no less time in all."""


def keeps_rows(record_count: int, byte_count: int) -> bool:
    """True if the tables of a trace are kept in memory besides being stored.

    Its files have `byte_count` bytes; some traces announce too few records.
    """
    return record_count <= _MOST_KEPT_RECORDS and byte_count <= _MOST_KEPT_BYTES


def lanes_for(record_count: int, *, threads: int, memory_limit: str) -> int:
    """How many stages of a trace run at once."""
    try:
        memory = bytes_of(memory_limit)
    except ValueError:  # no limit, or one that only DuckDB can read
        memory = float("inf")
    is_small = record_count < _LANES_FROM_RECORDS
    is_short_of_memory = memory < record_count * _BYTES_PER_RECORD_IN_LANES
    return 1 if is_small or is_short_of_memory else min(threads, _MOST_LANES)


def open_database(
    record_count: int, generation: GenerationWriter, *, threads: int, memory_limit: str
) -> duckdb.DuckDBPyConnection:
    """A database that spills into the generation's folder, opened when a trace has been read.

    Every query orders its result, so that DuckDB need not preserve the order of rows. Each lane is
    one of the threads.
    """
    has_many_rows = generation.most_rows >= _QUERIES_IN_THREADS_FROM_ROWS
    return connect(
        threads=threads if has_many_rows else 1,
        lanes=lanes_for(record_count, threads=threads, memory_limit=memory_limit),
        memory_limit=memory_limit,
        temp_directory=str(generation.spill_path),
        preserve_insertion_order=False,
        **(FEW_RECORDS if record_count <= _MOST_OF_FEW_RECORDS else {}),
    )


def prepare_for_reports(connection: duckdb.DuckDBPyConnection, record_count: int) -> None:
    """Plan queries with less effort: a report has many short ones."""
    settings = FEW_RECORDS if record_count <= _MOST_OF_FEW_RECORDS else SHORT_QUERIES
    for name, value in settings.items():
        connection.execute(f"SET {name} = $value", {"value": value})
