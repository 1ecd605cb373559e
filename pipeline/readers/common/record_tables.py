"""Records of a location as tables."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.kernels import records as kinds
from tracemill.kernels.columns import rows_at
from tracemill.kernels.profile import ProfileRows
from tracemill.kernels.quantities import take_quantities
from tracemill.kernels.walk_state import NONE, TASK_FRAGMENT, RecordRows, VisitRows
from tracemill.readers.common.arguments import KIND_LIMIT, positions_of
from tracemill.readers.common.identifiers import UNDEFINED_NUMBER, Identifiers, LocalPeers
from tracemill.schemas import events as tables
from tracemill.schemas import records
from tracemill.schemas.columns import COLLECTIVE_OPERATIONS, PARADIGMS
from tracemill.schemas.table import Table

Integers = NDArray[np.int64]
Rows = dict[str, pa.Array]

_LAST_RANK = np.iinfo(np.int32).max
"""Larger numbers mean "no root", "this group" and similar."""
# Types of attribute values narrower than 64 bits; most references to definitions have 32.
_NARROW_TYPES = {8: (1,), 16: (2,), 32: (3, 9, 11, 12, *range(14, 26))}
_NARROW_SIGNED_TYPES = {8: 5, 16: 6, 32: 7}
_USED_BITS = np.full(256, 2**64 - 1, np.uint64)
_SIGN_BIT = np.zeros(256, np.uint64)
for _bits in _NARROW_TYPES:
    _USED_BITS[[*_NARROW_TYPES[_bits], _NARROW_SIGNED_TYPES[_bits]]] = 2**_bits - 1
    _SIGN_BIT[_NARROW_SIGNED_TYPES[_bits]] = 1 << (_bits - 1)
_FLOAT, _DOUBLE, _STRING = 9, 10, 11
_LOCK_PARADIGM = PARADIGMS.index("openmp")


def _codes(first: int, table_kinds: tuple[str, ...], skipped: tuple[int, ...]) -> NDArray[np.int8]:
    """Position in a table's list of kinds for each record kind from `first` on."""
    codes = np.zeros(KIND_LIMIT, np.int8)
    present = [k for k in range(first, KIND_LIMIT) if k not in skipped][: len(table_kinds)]
    codes[present] = np.arange(len(table_kinds), dtype=np.int8)
    return codes


_MPI_CODES = _codes(kinds.MPI_FIRST, tables.MPI_KINDS, (kinds.MPI_COLLECTIVE_BEGIN,))
_RMA_CODES = _codes(kinds.RMA_FIRST, tables.RMA_KINDS, (kinds.RMA_COLLECTIVE_BEGIN,))
_IO_CODES = _codes(kinds.IO_FIRST, tables.IO_KINDS, ())
_THREAD_CODES = _codes(kinds.FORK, tables.THREAD_KINDS, ())
_THREAD_CODES[[kinds.OMP_FORK, kinds.OMP_JOIN]] = [0, 1]
_THREAD_CODES[[kinds.OMP_TASK_CREATE, kinds.OMP_TASK_SWITCH, kinds.OMP_TASK_COMPLETE]] = [8, 9, 10]


def _nullable(values: NDArray[np.generic], is_absent: NDArray[np.bool_]) -> pa.Array:
    return pa.array(values, mask=is_absent if is_absent.any() else None)


def _significant(bits: NDArray[np.uint64], kinds: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Attribute values without the bytes that their type does not use, which may not be zero."""
    kinds = np.minimum(kinds, np.uint64(255))
    sign = _SIGN_BIT[kinds]
    return ((bits & _USED_BITS[kinds]) ^ sign) - sign  # extends the sign of signed ones


def _ids(numbers: Integers) -> pa.Array:
    """Numbers of definitions, absent where negative."""
    return _nullable(numbers.astype(np.int32), numbers < 0)


def _ranks(ranks: Integers, is_absent: NDArray[np.bool_]) -> pa.Array:
    """Ranks; absent also if the number is too large."""
    return _nullable(ranks.astype(np.int32), is_absent | (ranks > _LAST_RANK))


def _enum(
    codes: NDArray[np.int8], values: tuple[str, ...], mask: NDArray[np.bool_] | None = None
) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=mask), pa.array(values, pa.string()))


def visit_table(rows: VisitRows) -> pa.Table:
    """Visits as a table that shares their memory."""
    return pa.table(
        {
            "location_id": rows.location,
            "visit_id": rows.visit,
            "parent_visit_id": _nullable(rows.parent, rows.parent < 0),
            "call_path_id": rows.node,
            "region_id": rows.region,
            "enter_ns": rows.enter,
            "leave_ns": rows.leave,
            "exclusive_ns": rows.exclusive,
            "is_closed": rows.is_closed,
        }
    )


def sum_table(rows: VisitRows, counts: NDArray[np.int32]) -> pa.Table:
    """The rows of visits that stand for several."""
    chosen = np.flatnonzero(counts > 1)
    return pa.table(
        {
            "location_id": rows.location[chosen],
            "visit_id": rows.visit[chosen],
            "visit_count": counts[chosen].astype(np.int64),
        }
    )


@dataclass
class RecordTables:
    """Makes tables of the records of one location; counts references to undefined things."""

    identifiers: Identifiers
    peers: LocalPeers
    location: int
    impossible: Counter[str] = field(default_factory=Counter)

    def profile(self, rows: ProfileRows) -> pa.Table:
        is_unvisited = rows.shortest < 0
        return pa.table(
            {
                "location_id": self._location(len(rows.node)),
                "call_path_id": rows.node,
                "visit_count": rows.visits,
                "inclusive_ns": rows.inclusive,
                "exclusive_ns": rows.exclusive,
                "shortest_ns": _nullable(rows.shortest, is_unvisited),
                "longest_ns": _nullable(rows.longest, is_unvisited),
                "is_recursive": rows.is_recursive,
                "is_repeated": rows.is_repeated,
            }
        )

    def records(self, rows: RecordRows) -> Iterator[tuple[Table, pa.Table]]:
        """The tables that have rows here."""
        counts = np.bincount(rows.kind, minlength=KIND_LIMIT)
        for part in _PARTS:
            count = counts[part.first : part.last + 1].sum()
            if count:
                chosen = rows
                if count < len(rows.kind):
                    is_wanted = (rows.kind >= part.first) & (rows.kind <= part.last)
                    chosen = rows_at(rows, np.flatnonzero(is_wanted))
                columns = part.build(self, _Chosen(chosen, part.quantities))
                yield part.table, pa.table(columns)

    def _location(self, count: int) -> pa.Array:
        return pa.array(np.full(count, self.location, np.int32))

    def _head(self, rows: "_Chosen", *, has_call: bool = True) -> Rows:
        """Columns that all record tables begin with."""
        raw = rows.rows
        head = {
            "location_id": self._location(rows.count),
            "sequence": raw.sequence,
            "time_ns": raw.time,
            "visit_id": _nullable(raw.visit, raw.visit < 0),
            "call_path_id": _nullable(raw.node, raw.node < 0),
        }
        if has_call:
            is_outside = raw.visit < 0
            head["enter_ns"] = _nullable(raw.enter, is_outside)
            head["leave_ns"] = _nullable(raw.leave, is_outside)
        return head

    def _defined(self, rows: "_Chosen", quantity: str, kind: str) -> Integers:
        """Numbers of the definitions that an argument refers to; negative if there is none."""
        refs, is_absent = rows.take(quantity)
        numbers = self.identifiers[kind].lookup(refs.view(np.uint64))
        numbers[is_absent] = UNDEFINED_NUMBER
        self.impossible[kind] += int((numbers < 0).sum()) - int(is_absent.sum())
        return numbers

    def _amount(self, rows: "_Chosen", quantity: str) -> pa.Array:
        """Bytes; an amount of 2**63 or more is impossible, counted, and taken as none."""
        values, is_absent = rows.take(quantity)
        is_impossible = values < 0
        self.impossible[quantity] += int(is_impossible.sum())
        values[is_impossible] = 0
        return _nullable(values, is_absent)

    def _mpi(self, rows: "_Chosen") -> Rows:
        communicators = self._defined(rows, "communicator", "Comm")
        ranks, no_peer = rows.take("peer")
        processes = self.peers.processes(communicators, ranks)
        is_stray = ~no_peer & (communicators >= 0) & (processes < 0)
        self.impossible["rank"] += int(is_stray.sum())
        roots, no_root = rows.take("root")
        return self._head(rows) | {
            "kind": _enum(_MPI_CODES[rows.rows.kind], tables.MPI_KINDS),
            "begin_ns": _nullable(rows.rows.begin, rows.rows.begin == NONE),
            "communicator_id": _ids(communicators),
            "peer_rank": _ranks(ranks, no_peer),
            "peer_group_id": _ids(np.where(no_peer, UNDEFINED_NUMBER, processes)),
            "tag": rows.column("tag"),
            "bytes": self._amount(rows, "bytes"),
            "bytes_received": self._amount(rows, "bytes_received"),
            "operation": rows.operation(),
            "root_rank": _ranks(roots, no_root),
            "request_id": rows.column("request"),
            "probe_id": rows.column("probe"),
        }

    def _threads(self, rows: "_Chosen") -> Rows:
        return self._head(rows, has_call=False) | {
            "kind": _enum(_THREAD_CODES[rows.rows.kind], tables.THREAD_KINDS),
            "communicator_id": _ids(self._defined(rows, "communicator", "Comm")),
            "thread": rows.column("thread"),
            "number": rows.column("number"),
        }

    def _task_fragments(self, rows: "_Chosen") -> Rows:
        raw = rows.rows
        return {
            "location_id": self._location(rows.count),
            "sequence": raw.sequence,
            "scheduling_visit_id": _nullable(raw.visit, raw.visit < 0),
            "call_path_id": raw.node,
            "thread": raw.arguments[:, 0].astype(np.int64),
            "number": raw.arguments[:, 1].astype(np.int64),
            "begin_ns": raw.begin,
            "end_ns": raw.time,
            "is_first": raw.arguments[:, 2] == 1,
        }

    def _locks(self, rows: "_Chosen") -> Rows:
        paradigms, is_omp = rows.take("lock_paradigm")
        paradigms = np.where(is_omp, _LOCK_PARADIGM, np.minimum(paradigms, len(PARADIGMS) - 1))
        is_release = np.isin(rows.rows.kind, (kinds.THREAD_RELEASE_LOCK, kinds.OMP_RELEASE_LOCK))
        return self._head(rows) | {
            "kind": _enum(is_release.astype(np.int8), ("acquire", "release")),
            "paradigm": _enum(paradigms.astype(np.int8), PARADIGMS),
            "lock_id": rows.column("lock"),
            "acquisition_order": rows.column("order"),
        }

    def _rma(self, rows: "_Chosen") -> Rows:
        ranks, no_rank = rows.take("remote")
        refs, no_group = rows.take("group")
        groups = self.identifiers["Group"].lookup(refs.view(np.uint64))
        groups[no_group] = UNDEFINED_NUMBER
        return self._head(rows) | {
            "kind": _enum(_RMA_CODES[rows.rows.kind], tables.RMA_KINDS),
            "begin_ns": _nullable(rows.rows.begin, rows.rows.begin == NONE),
            "rma_window_id": _ids(self._defined(rows, "window", "RmaWin")),
            "remote_rank": _ranks(ranks, no_rank),
            "rma_group_id": _ids(groups),
            "bytes": self._amount(rows, "bytes"),
            "bytes_received": self._amount(rows, "bytes_received"),
            "operation": rows.operation(),
            "matching_id": rows.column("matching"),
            "detail": rows.column("detail"),
        }

    def _io(self, rows: "_Chosen") -> Rows:
        modes, no_mode = rows.take("mode")
        amounts, no_amount = rows.take("bytes")  # negative if the trace states none
        return self._head(rows) | {
            "kind": _enum(_IO_CODES[rows.rows.kind], tables.IO_KINDS),
            "io_handle_id": _ids(self._defined(rows, "handle", "IoHandle")),
            "mode": _enum(
                np.minimum(modes, 2).astype(np.int8), ("read", "write", "flush"), no_mode
            ),
            "bytes": _nullable(amounts, no_amount | (amounts < 0)),
            "matching_id": rows.column("matching"),
            "detail": rows.column("detail"),
        }

    def _only(self, kind: str, numbers: Integers, rows: "_Chosen") -> tuple["_Chosen", Integers]:
        """The rows that refer to a definition, and its number; others are counted."""
        self.impossible[kind] += int((numbers < 0).sum())
        defined = np.flatnonzero(numbers >= 0)
        if len(defined) == len(numbers):
            return rows, numbers
        return _Chosen(rows_at(rows.rows, defined)), numbers[defined]

    def _counters(self, rows: "_Chosen") -> Rows:
        arguments = rows.rows.arguments
        counters = self._members_of(arguments[:, 0], arguments[:, 1])
        rows, counters = self._only("MetricMember", counters, rows)
        arguments = rows.rows.arguments
        is_float = (arguments[:, 2] == _FLOAT) | (arguments[:, 2] == _DOUBLE)
        return self._head(rows, has_call=False) | {
            "counter_id": pa.array(counters.astype(np.int32)),
            "counter_instance_id": _ids(self.identifiers["MetricInstance"].lookup(arguments[:, 0])),
            "value_integer": _nullable(arguments[:, 3].view(np.int64), is_float),
            "value_float": _nullable(arguments[:, 3].view(np.float64), ~is_float),
        }

    def _members_of(self, refs: NDArray[np.uint64], positions: NDArray[np.uint64]) -> Integers:
        """Counters of (metric class or instance, position in it).

        A repeated member of a class counts as undefined.
        """
        definitions, members = self.identifiers.definitions, self.identifiers["MetricMember"]
        found = np.full(len(refs), UNDEFINED_NUMBER, np.int64)
        for ref in np.unique(refs):
            metric = definitions["MetricInstance"].get(int(ref), (int(ref),))[0]
            listed = [
                members[member] for member in definitions["MetricClass"].get(metric, ((),))[0]
            ]
            is_here = refs == ref
            own = (UNDEFINED_NUMBER if n in listed[:at] else n for at, n in enumerate(listed))
            numbers = np.array([*own, UNDEFINED_NUMBER], np.int64)
            found[is_here] = numbers[np.minimum(positions[is_here], len(listed)).astype(np.int64)]
        return found

    def _parameters(self, rows: "_Chosen") -> Rows:
        is_text = rows.rows.kind == kinds.PARAMETER_STRING
        values = rows.rows.arguments[:, 1]
        return self._head(rows, has_call=False) | {
            "parameter_id": _ids(self._defined(rows, "parameter", "Parameter")),
            "value_integer": _nullable(values.view(np.int64), is_text),
            "value_text": self._texts(values, is_text),
        }

    def _attributes(self, rows: "_Chosen") -> Rows:
        numbers = self.identifiers["Attribute"].lookup(rows.rows.arguments[:, 0])
        rows, numbers = self._only("Attribute", numbers, rows)
        kind = rows.rows.arguments[:, 1]
        bits = _significant(rows.rows.arguments[:, 2], kind)
        is_text, is_float, is_single = kind == _STRING, kind == _DOUBLE, kind == _FLOAT
        floats = np.where(is_single, bits.astype(np.uint32).view(np.float32), bits.view(np.float64))
        is_number = is_float | is_single
        return self._head(rows, has_call=False) | {
            "attribute_id": pa.array(numbers.astype(np.int32)),
            "value_integer": _nullable(bits.view(np.int64), is_text | is_number),
            "value_float": _nullable(floats, ~is_number),
            "value_text": self._texts(bits, is_text),
        }

    def _texts(self, refs: NDArray[np.uint64], is_text: NDArray[np.bool_]) -> pa.Array:
        text = self.identifiers.definitions.text
        codes = np.zeros(len(refs), np.int64)
        distinct, codes[is_text] = np.unique(refs[is_text], return_inverse=True)
        words = pa.array([text(int(ref)) for ref in distinct], pa.string())
        return words.take(pa.array(codes, mask=~is_text))

    def _samples(self, rows: "_Chosen") -> Rows:
        refs = rows.rows.arguments[:, 0]
        numbers = self.identifiers["CallingContext"].lookup(refs)
        self.impossible["CallingContext"] += int((numbers < 0).sum())
        return self._head(rows, has_call=False) | {"calling_context_id": _ids(numbers)}


class _Chosen:
    """Records of one table, and their arguments by quantity."""

    def __init__(self, rows: RecordRows, quantities: tuple[str, ...] = ()) -> None:
        self.rows = rows
        self.count = len(rows.kind)
        self._numbers = {name: number for number, name in enumerate(quantities)}
        self._values = np.empty((len(quantities), self.count), np.int64)
        self._is_absent = np.empty((len(quantities), self.count), np.bool_)
        if quantities:
            places = positions_of(quantities)
            take_quantities(
                rows.kind, rows.arguments.view(np.int64), places, self._values, self._is_absent
            )

    def take(self, quantity: str) -> tuple[Integers, NDArray[np.bool_]]:
        """Values of a quantity, and where the record has no such argument; the value is 0 there."""
        number = self._numbers[quantity]
        return self._values[number], self._is_absent[number]

    def column(self, quantity: str) -> pa.Array:
        return _nullable(*self.take(quantity))

    def operation(self) -> pa.Array:
        codes, is_absent = self.take("operation")
        limited = np.minimum(codes, len(COLLECTIVE_OPERATIONS) - 1).astype(np.int8)
        return _enum(limited, COLLECTIVE_OPERATIONS, is_absent)


@dataclass(frozen=True)
class _Part:
    """A table, the kinds of records in it, and the quantities that it needs."""

    table: Table
    first: int
    last: int
    build: Callable[[RecordTables, _Chosen], Rows]
    quantities: tuple[str, ...] = ()


_PARTS = (
    _Part(
        tables.MPI_OPERATIONS, kinds.MPI_FIRST, kinds.MPI_LAST, RecordTables._mpi,
        ("communicator", "peer", "tag", "bytes", "bytes_received", "operation", "root", "request",
         "probe"),
    ),
    _Part(
        tables.THREAD_EVENTS, kinds.FORK, kinds.OMP_TASK_COMPLETE, RecordTables._threads,
        ("communicator", "thread", "number"),
    ),
    _Part(
        tables.TASK_FRAGMENTS, TASK_FRAGMENT, TASK_FRAGMENT, RecordTables._task_fragments
    ),
    _Part(
        tables.LOCK_OPERATIONS, kinds.THREAD_ACQUIRE_LOCK, kinds.OMP_RELEASE_LOCK,
        RecordTables._locks, ("lock_paradigm", "lock", "order"),
    ),
    _Part(
        tables.RMA_OPERATIONS, kinds.RMA_FIRST, kinds.RMA_LAST, RecordTables._rma,
        ("window", "remote", "group", "bytes", "bytes_received", "operation", "matching", "detail"),
    ),
    _Part(
        tables.IO_OPERATIONS, kinds.IO_FIRST, kinds.IO_LAST, RecordTables._io,
        ("handle", "mode", "bytes", "matching", "detail"),
    ),
    _Part(records.COUNTER_VALUES, kinds.METRIC, kinds.METRIC, RecordTables._counters),
    _Part(
        records.PARAMETER_VALUES, kinds.PARAMETER_STRING, kinds.PARAMETER_UNSIGNED,
        RecordTables._parameters, ("parameter",),
    ),
    _Part(records.RECORD_ATTRIBUTES, kinds.ATTRIBUTE, kinds.ATTRIBUTE, RecordTables._attributes),
    _Part(records.SAMPLES, kinds.CONTEXT_SAMPLE, kinds.CONTEXT_SAMPLE, RecordTables._samples),
)  # fmt: skip
