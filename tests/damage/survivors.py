"""Records that survive a loss are as they were: their times, values and identifiers.

Where bytes are only lost, at the end of a file or with a whole file, each record that is left must
be one of the sound trace. Where bytes are changed this cannot be asked: another value that may be
is as good as the first.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.damage.reading import Reading, Tables

Row = tuple[Any, ...]

_OWN_VALUES = {
    "mpi_operations": (
        "kind", "peer_rank", "tag", "bytes", "bytes_received", "operation", "root_rank",
        "request_id", "probe_id",
    ),
    "thread_events": ("kind", "thread", "number"),
    "lock_operations": ("kind", "paradigm", "lock_id", "acquisition_order"),
    "rma_operations": (
        "kind", "remote_rank", "bytes", "bytes_received", "operation", "matching_id", "detail",
    ),
    "io_operations": ("kind", "mode", "bytes", "matching_id", "detail"),
    "counter_values": ("value_integer", "value_float"),
    "parameter_values": ("value_integer", "value_text"),
    "record_attributes": ("value_integer", "value_float", "value_text"),
    "samples": (),
}  # fmt: skip
"""Columns that a record fills itself; those of the visit around it may have lost their end."""
_REFERENCES = {
    "communicator_id": "communicators", "rma_window_id": "rma_windows",
    "io_handle_id": "io_handles", "counter_id": "counters", "parameter_id": "parameters",
    "attribute_id": "attributes", "calling_context_id": "calling_contexts",
    "region_id": "regions", "location_id": "locations",
}  # fmt: skip
"""Our numbers, which depend on how many definitions there are, and the tables with the trace's."""


def problems_of_survivors(reading: Reading, sound: Counter[Row]) -> Iterator[str]:
    """Records that the sound trace does not have and that no finding explains."""
    for location, rows in by_location(records_of(reading.tables) - sound).items():
        reported = reading.findings_of(location)
        explained = reported["impossible_id"] + reported["unknown_record"]
        if len(rows) > explained:
            yield f"location {location}: {len(rows)} records are not as they were: {rows[:3]}"


def by_location(rows: Counter[Row]) -> dict[int, list[Row]]:
    """The rows of each location, as often as they are there."""
    found: dict[int, list[Row]] = {}
    for row in rows.elements():
        found.setdefault(row[0], []).append(row)
    return found


def records_of(tables: Tables) -> Counter[Row]:
    """All records: location, table, time and what they say, with identifiers of the trace."""
    refs = {
        column: _references(tables, column, table)
        for column, table in _REFERENCES.items()
        if table in tables
    }
    found = Counter(_ends_of_visits(tables, refs["region_id"]))
    for name, columns in _OWN_VALUES.items():
        for row in tables[name].to_pylist():
            own = [refs[column].get(row[column]) for column in refs if column in row]
            found[row["location_id"], name, row["time_ns"], *own, *(row[c] for c in columns)] += 1
    return found


def _references(tables: Tables, column: str, table: str) -> dict[int, int]:
    numbers, refs = tables[table][column].to_pylist(), tables[table]["source_ref"].to_pylist()
    return dict(zip(numbers, refs, strict=True))


def _ends_of_visits(tables: Tables, regions: dict[int, int]) -> Iterator[Row]:
    """Enter and leave, with the region and that of the caller."""
    visits = {row["visit_id"]: row for row in tables["visits"].to_pylist()}
    for row in visits.values():
        caller = visits.get(row["parent_visit_id"])
        path = (regions[row["region_id"]], caller and regions[caller["region_id"]])
        yield row["location_id"], "enter", row["enter_ns"], *path
        if row["is_closed"]:
            yield row["location_id"], "leave", row["leave_ns"], *path
