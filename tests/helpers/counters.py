"""Traces of one location with counters, as rows of tables."""

from collections.abc import Sequence
from typing import Any

from tests.helpers.micro_trace import Row, Tables
from tests.helpers.running import run_stage
from tracemill.stages.counters import COUNTERS_STAGE

Value = tuple[int, float]
"""Time (ns) and value."""
Visit = tuple[str, int, int]
"""Path, enter and leave (ns)."""


def counted_trace(
    visits: Sequence[Visit],
    values: Sequence[Value],
    *,
    mode: str = "accumulated start",
    base: int = 10,
    exponent: int = 0,
    scope: str = "",
    main_part: tuple[int, int] | None = None,
    gaps: Sequence[tuple[int, int]] = (),
) -> Tables:
    """Visits in the order of entering, and values of location 0 for itself, or for a scope.

    A value at an enter or leave comes right before it.
    """
    tables = visited(visits)
    accumulation, occurrence = mode.split()
    end = max(row["leave_ns"] for row in tables["visits"])
    begin, finish = main_part or (0, end)
    instance = {"counter_instance_id": 0, "scope": scope, "location_id": 0}
    return tables | {
        "runs": [{"run_id": "x", "begin_ns": 0, "end_ns": end}],
        "main_part": [{"begin_ns": begin, "end_ns": finish}],
        "counters": [
            {"counter_id": 0, "name": "c", "accumulation": accumulation}
            | {"occurrence": occurrence, "base": base, "exponent": exponent}
        ],
        "counter_instances": [instance] if scope else [],
        "counter_values": [
            _value_row(tables, number, *value) | ({"counter_instance_id": 0} if scope else {})
            for number, value in enumerate(values)
        ],
        "measurement_gaps": [
            {"location_id": 0, "sequence": number, "kind": "buffer_flush"}
            | {"begin_ns": first, "end_ns": last}
            for number, (first, last) in enumerate(gaps)
        ],
    }


def visited(visits: Sequence[Visit]) -> Tables:
    """The call tree, the location, and the visits in the order of leaving."""
    paths = sorted({path for path, _, _ in visits}, key=lambda path: path.split("/"))
    number = {path: at for at, path in enumerate(paths)}
    open_visits: list[int] = []
    rows = []
    for at, (path, enter, leave) in enumerate(visits):
        del open_visits[path.count("/") :]
        parent = open_visits[-1] if open_visits else None
        open_visits.append(at)
        row = {"location_id": 0, "visit_id": at, "parent_visit_id": parent, "is_closed": True}
        row |= {"call_path_id": number[path], "region_id": number[path], "exclusive_ns": 0}
        rows.append(row | {"enter_ns": enter, "leave_ns": leave})
    return {
        "locations": [{"location_id": 0, "location_group_id": 0}],
        "call_paths": [
            {
                "call_path_id": at,
                "parent_call_path_id": number.get(path.rpartition("/")[0]),
                "last_call_path_id": max(
                    number[each] for each in paths if f"{each}/".startswith(f"{path}/")
                ),
                "region_id": at,
                "path": path,
            }
            for path, at in number.items()
        ],
        "visits": sorted(rows, key=lambda row: (row["leave_ns"], -row["visit_id"])),
    }


def _value_row(tables: Tables, sequence: int, time: int, value: float) -> Row:
    """A value in the innermost visit that began before it and has not ended."""
    is_integer = isinstance(value, int)
    around = [
        row for row in tables["visits"]
        if row["location_id"] == 0 and row["enter_ns"] < time <= row["leave_ns"]
    ]  # fmt: skip
    inner = max(around, key=lambda row: row["enter_ns"], default={})
    return {
        "location_id": 0,
        "sequence": sequence,
        "time_ns": time,
        "visit_id": inner.get("visit_id"),
        "call_path_id": inner.get("call_path_id"),
        "counter_id": 0,
        "value_integer": value if is_integer else None,
        "value_float": None if is_integer else value,
    }


def count(tables: Tables, **parameters: Any) -> Tables:
    """The tables of the stage."""
    return run_stage(COUNTERS_STAGE, tables, **parameters)


def counters_of(tables: Tables, columns: str) -> dict[str, tuple[Any, ...]]:
    """Some columns of call_path_counters by the path of the call path."""
    names = {row["call_path_id"]: row["path"] for row in tables["call_paths"]}
    return {
        names[row["call_path_id"]]: tuple(row[name] for name in columns.split())
        for row in count(tables)["call_path_counters"]
    }
