"""Records of an archive that are lost without a finding, or made up.

Compares the tables with counts from the OTF2 library alone.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from tests.damage.counting import TABLES, count_records
from tests.damage.reading import Reading, Tables

_REFS = 1 << 64
_REPORTED_OTHERWISE = {
    "visits": (), "closed visits": ("mismatched_leave",), "buffer flushes": (),
    "counter_values": ("impossible_id", "unknown_record"),
}  # fmt: skip
"""Findings that explain why records are in no table; all others can only be unknown."""
_OF_CONTEXTS = {
    "visits": "visits of contexts", "closed visits": "closed visits of contexts"
}  # fmt: skip
_NO_ROWS = {"elsewhere", "unknown", *_OF_CONTEXTS.values()}


def problems_of_archive(reading: Reading, path: Path, strict: Reading) -> Iterator[str]:
    """What is wrong with the tables of an archive, read with damage allowed."""
    if reading.refusal:
        return
    (anchor,) = path.glob("*.otf2")
    places = [row for row in reading.tables["locations"].to_pylist() if row["record_count"]]
    limits = {row["source_ref"] % _REFS: row["record_count"] for row in places}
    there, kept = count_records(anchor, limits), kept_records(reading.tables)
    for row in places:
        number, count = row["location_id"], row["record_count"]
        counted = there[row["source_ref"] % _REFS]
        carried = {name: counted.pop(name, 0) for name in ("attributes", "values")}
        reported, unread = reading.findings_of(number), count - counted.total()
        for problem in (
            *_problems(counted, kept[number], reported, unread),
            *_problems_of_carried(carried, kept[number], reported, unread),
        ):
            yield f"location {number}: {problem}; reported: {dict(reported)}"


def _problems(
    there: Counter[str], kept: Counter[str], reported: Counter[str], unread: int
) -> Iterator[str]:
    """Losses of a location, per kind no more than the findings of that kind explain.

    `unread` records are those beyond one that the count stumbles over: of a kind for which the
    trace has no definitions, so that the reader passes over it, counting.
    """
    if unread and not reported["unknown_record"]:
        yield f"{unread} records more were read than are there"
    lost = {name: there[name] - kept[name] for name in TABLES if name not in _NO_ROWS}
    unknown = there["unknown"]
    for name, context in _OF_CONTEXTS.items():  # unknown where no context is defined
        lost[name] += there[context]
        explained = sum(reported[kind] for kind in _REPORTED_OTHERWISE[name])
        missing = min(max(lost[name] - explained, 0), there[context])
        lost[name] -= missing
        unknown += missing
    if -sum(min(count, 0) for count in lost.values()) > unread:
        yield f"made up: {lost}"
    for name, count in lost.items():
        kinds = _REPORTED_OTHERWISE.get(name)
        if kinds is None:
            unknown += max(count, 0)
        elif count > sum(reported[kind] for kind in kinds):
            yield f"lost: {count} {name}"
    if unknown > reported["unknown_record"]:
        yield f"lost: {lost} and {there['unknown']} unknown"
    unknown += there["elsewhere"] + max(lost["counter_values"], 0) + unread
    if reported["unknown_record"] > unknown:
        yield f"more reported as unknown than the {unknown} that may be"


def _problems_of_carried(
    there: Mapping[str, int], kept: Counter[str], reported: Counter[str], unread: int
) -> Iterator[str]:
    """Attributes and values of counters: losses in records that are not read are not reported."""
    for name, count in there.items():
        if kept[name] > count and not unread:
            yield f"{kept[name]} {name} made up of {count}"
        explained = reported["dropped_attribute"] + reported["impossible_id"]
        if count - kept[name] > explained and not reported["unknown_record"]:
            yield f"{count - kept[name]} {name} lost of {count}"


def kept_records(tables: Tables) -> dict[int, Counter[str]]:
    """Records that the tables hold, by location and the names of counting.TABLES."""
    kept: dict[int, Counter[str]] = {
        number: Counter() for number in tables["locations"]["location_id"].to_pylist()
    }
    values = tables["counter_values"].group_by(["location_id", "sequence"]).aggregate([])
    visits, gaps = tables["visits"], tables["measurement_gaps"]
    chosen = {name: tables[name] for name in TABLES if name in tables} | {
        "closed visits": visits.filter(pc.field("is_closed")),
        "counter_values": values,
        "attributes": tables["record_attributes"],
        "values": tables["counter_values"],
        "buffer flushes": gaps.filter(pc.equal(gaps["kind"], "buffer_flush")),
    }
    for name, table in chosen.items():
        for number, count in _rows_by_location(table).items():
            kept[number][name] = count
    return kept


def _rows_by_location(table: pa.Table) -> Counter[int]:
    return Counter(table["location_id"].to_pylist())
