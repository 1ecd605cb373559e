"""Columns of relations as arrays, and the call tree as arrays indexed by call path."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.sql.failures import batches_of

if TYPE_CHECKING:
    from tracemill.store.walking import StoredRows

Relation = duckdb.DuckDBPyRelation
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


BATCH = 131_072
"""Rows of large tables that are read or made at a time."""
_FEW_PARTS = 32
VISITED = "(visit_count > 0 OR shortest_ns IS NOT NULL)"
"""Rows of a call tree whose location visits the call path, maybe outside of a focus."""


class CallTree(NamedTuple):
    """The call paths, numbered depth first without gaps.

    `overhead` is the overhead class of the region; `is_stub` marks stubs of tasks.
    """

    region: Numbers
    last: Numbers
    overhead: NDArray[np.int32]
    is_stub: Flags


def read_columns(relation: Relation, *expressions: str) -> list[NDArray[Any]]:
    """The columns, which have no nulls, all in the same order; numbers have 64 bits."""
    table = relation.select(", ".join(expressions)).to_arrow_table()
    return [column.to_numpy() for column in table.columns]


def read_many(relation: Relation, *, place: str = "", **columns: str) -> dict[str, NDArray[Any]]:
    """The columns of many rows by name, in the types of their expressions, without nulls.

    Row k is at place k, or where it is found. One batch of rows is held beside the columns.
    """
    ((count,),) = relation.aggregate("count(*)").fetchall()
    chosen = [f"{expression} AS {name}" for name, expression in columns.items()]
    if place:
        chosen.append(f"{place} AS place")
    reader = relation.select(", ".join(chosen)).to_arrow_reader(BATCH)
    types = {name: reader.schema.field(name).type.to_pandas_dtype() for name in columns}
    found = {name: np.empty(count, kind) for name, kind in types.items()}
    done = 0
    for batch in batches_of(reader):
        at = batch["place"].to_numpy() if place else slice(done, done + len(batch))
        for name, column in found.items():
            column[at] = batch[name].to_numpy(zero_copy_only=False)
        done += len(batch)
    return found


def place(ids: Numbers, values: NDArray[Any]) -> NDArray[Any]:
    """The values as an array that ids index."""
    placed = np.zeros(ids.max(initial=-1) + 1, values.dtype)
    placed[ids] = values
    return placed


def sum_by(ids: Numbers, values: NDArray[Any], size: int) -> Numbers:
    """The sum of the values of each id, or the number of those that are true."""
    if values.dtype == np.bool_:
        return np.bincount(ids[values], minlength=size)
    sums = np.zeros(size, np.int64)
    np.add.at(sums, ids, values)
    return sums


def first_rows(owner: NDArray[np.integer[Any]], count: int) -> Numbers:
    """The first row of each of `count` owners, and the number of rows; rows are in their order."""
    first = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(owner, minlength=count), out=first[1:])
    return first


def order_by(*keys: NDArray[np.integer[Any]]) -> Numbers:
    """The rows in the order of the keys, the first key first; equal rows stay in order.

    The keys become one number, which is sorted by digits of 16 bits: numpy counts those, in a tenth
    of the time of lexsort. A few parts that are in order are merged, which is faster yet.
    """
    number, size = np.zeros(len(keys[0]), np.int64), 1
    for key in keys:
        least = int(key.min(initial=0))
        span = int(key.max(initial=0)) - least + 1
        size *= span
        if size > np.iinfo(np.int64).max:
            return np.lexsort(keys[::-1])
        number = number * span + (key.astype(np.int64, copy=False) - least)
    if np.count_nonzero(number[1:] < number[:-1]) < _FEW_PARTS:
        return np.argsort(number, kind="stable")
    order = np.arange(len(number))
    for shift in range(0, size.bit_length(), 16):
        digit = (number >> shift).astype(np.uint16)
        order = order[np.argsort(digit[order], kind="stable")]
    return order


def insert_rows(
    columns: Sequence[NDArray[Any]], at: Numbers, new: Sequence[Any]
) -> tuple[NDArray[Any], ...]:
    """The columns with new rows before those `at` these places."""
    if not len(at):
        return tuple(columns)
    return tuple(np.insert(*each) for each in zip(columns, [at] * len(new), new, strict=True))


def in_order(columns: list[NDArray[Any]], *, keys: int) -> list[NDArray[Any]]:
    """The columns in the order of the first ones, the `keys`.

    Takes them out of the list, which frees each before the next one is copied.
    """
    if _are_in_order(columns[:keys]):
        return columns
    order = order_by(*columns[:keys])
    return [columns.pop(0)[order] for _ in range(len(columns))]


def _are_in_order(keys: list[NDArray[Any]]) -> bool:
    is_later = np.zeros(max(len(keys[0]) - 1, 0), np.bool_)
    is_same = np.ones_like(is_later)
    for key in keys:
        is_later |= is_same & (key[1:] > key[:-1])
        is_same &= key[1:] == key[:-1]
    return bool((is_later | is_same).all())


def group_by(*keys: NDArray[np.integer[Any]]) -> tuple[Numbers, Numbers]:
    """The rows in the order of the keys, and the places where other keys begin."""
    order = order_by(*keys)
    is_new = np.zeros(len(order), np.bool_)
    is_new[:1] = True
    for key in keys:
        ordered = key[order]
        is_new[1:] |= ordered[1:] != ordered[:-1]
    return order, np.flatnonzero(is_new)


def distinct(values: Numbers) -> Numbers:
    """The different values in order; np.unique counts many of them in a hash table, slowly."""
    ordered = np.sort(values)
    is_new = np.ones(len(ordered), np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_new]


def in_batches(make: Callable[[slice], pa.Table], count: int) -> pa.RecordBatchReader:
    """A table of `count` rows, of which `make` makes parts when they are read."""

    def batches() -> Iterator[pa.RecordBatch]:
        for begin in range(0, count, BATCH):
            yield from make(slice(begin, min(begin + BATCH, count))).to_batches()

    return pa.RecordBatchReader.from_batches(make(slice(0, 0)).schema, batches())


def coded(names: Sequence[str], codes: Numbers) -> pa.DictionaryArray:
    """The names with these numbers."""
    return pa.DictionaryArray.from_arrays(codes.astype(np.int8), list(names))


def read_call_tree(call_paths: Relation, region_classes: Relation) -> CallTree:
    """The call tree with the class of every call path's region."""
    path, region, last, is_stub = read_columns(
        call_paths,
        "call_path_id::BIGINT",
        "region_id::BIGINT",
        "last_call_path_id::BIGINT",
        "kind = 'task_stub'",
    )
    overhead = place(*read_columns(region_classes, "region_id::BIGINT", "overhead_id"))
    regions = place(path, region)
    return CallTree(regions, place(path, last), overhead[regions], place(path, is_stub))


def walk_back(rows: "StoredRows", *columns: str) -> Iterator[tuple[int, list[NDArray[Any]]]]:
    """The columns of rows of one location at a time, from the last to the first.

    A column with nulls has floating-point numbers; nulls are NaN.
    """
    names = ("location_id", *columns)
    for group in rows.backwards(*names):
        location, *values = (group[name].to_numpy() for name in names)
        changes = np.flatnonzero(location[1:] != location[:-1]) + 1
        edges = [0, *changes.tolist(), len(location)]
        for begin, end in zip(edges[-2::-1], edges[:0:-1], strict=True):
            if begin < end:
                yield int(location[begin]), [column[begin:end] for column in values]


def walk_locations(
    rows: "StoredRows", *columns: str
) -> Iterator[tuple[int, Iterator[list[NDArray[Any]]]]]:
    """Each location, from the last to the first, with the parts of its rows by `walk_back`."""
    for location, parts in groupby(walk_back(rows, *columns), key=itemgetter(0)):
        yield location, (values for _, values in parts)
