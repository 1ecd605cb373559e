"""Decodes the records of OTF2 event files (otf2_layout.py)."""

from typing import Any

import numpy as np

from tracemill.kernels import otf2_layout as of
from tracemill.kernels import records as rec
from tracemill.kernels.compiled import intrinsic, ir, kernel, part, step, types

_BAD, _NO_ROOM, _IS_CUT = -1, -2, -3
"""Fields that do not fit their record, columns that have no room for them, a record that is cut."""


@intrinsic
def _word_at(typing: Any, data: Any, place: Any) -> Any:
    """The 8 bytes at a place as a number, little-endian."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, values[0])
        word = ir.IntType(64)
        address = builder.add(builder.ptrtoint(array.data, word), values[1])
        loaded = builder.load(builder.inttoptr(address, word.as_pointer()))
        loaded.align = 1
        return loaded

    return types.uint64(data, types.int64), generate


@intrinsic
def _swapped(typing: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.bswap(values[0])

    return types.uint64(types.uint64), generate


@step
def _number(data: Any, place: Any, size: Any, is_little: Any) -> Any:
    """The unsigned integer of up to 8 bytes at a place."""
    if size == 0:
        return np.uint64(0)
    unused = np.uint64(64 - 8 * size)
    word = _word_at(data, place)
    if is_little:
        return (word << unused) >> unused
    return _swapped(word) >> unused


@step
def _compressed(data: Any, place: Any, end: Any, most: Any, is_little: Any) -> Any:
    """The compressed integer of up to `most` bytes at a place, and the place behind; -1 if bad."""
    size = np.int64(data[place])
    place += 1
    if size == of.LONG and place <= end:
        return np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(64 - 8 * most), place
    if size > most or place + size > end:
        return np.uint64(0), np.int64(-1)
    return _number(data, place, size, is_little), place + size


@step
def _mapped(maps: Any, mapping: Any, local: Any) -> Any:
    """The identifier of the trace; the same one if the mapping does not have it."""
    places, items = maps
    begin, count = places[mapping, 0], places[mapping, 1]
    if local < np.uint64(count):
        return items[begin + np.int64(local)]
    first, last = np.int64(0), places[mapping, 3]
    begin = places[mapping, 2]
    while first < last:
        middle = (first + last) // 2
        if items[begin + 2 * middle] < local:
            first = middle + 1
        else:
            last = middle
    if first < places[mapping, 3] and items[begin + 2 * first] == local:
        return items[begin + 2 * first + 1]
    return local


@step
def _interval_of(clock: Any, interval: Any, time: Any) -> Any:
    """The interval of a time, searched from the last one on: time does not go backwards."""
    while interval + 1 < len(clock.begin) and time > clock.end[interval]:
        interval += 1
    return interval


@step
def _corrected(clock: Any, interval: Any, time: Any) -> Any:
    """A time corrected by the line of an interval."""
    if len(clock.begin) == 0:
        return time
    begin = clock.begin[interval]
    since = np.float64(time - begin) if time >= begin else -np.float64(begin - time)
    return time + np.uint64(
        clock.offset[interval] + np.int64(np.rint(clock.slope[interval] * since))
    )


@part
def _field(data: Any, place: Any, end: Any, how: Any, maps: Any, is_little: Any) -> Any:
    """The value of a field, and the place behind it; -1 if it does not fit."""
    if how <= 4 or how == 8 or how == of.A_TIME:
        size = np.int64(8 if how == of.A_TIME else how)
        if how == 0 or place + size > end:
            return np.uint64(0), np.int64(-1)
        return _number(data, place, size, is_little), place + size
    is_long = how == of.LONG_WORD or how >= of.LONG_REFERENCE
    value, place = _compressed(data, place, end, np.int64(8 if is_long else 4), is_little)
    if how >= of.REFERENCE:
        value = _mapped(maps, np.int64(how) % of.MAPPINGS, value)
        if not is_long:
            value &= np.uint64(0xFFFFFFFF)
    return value, place


@step
def _read_attributes(
    data: Any, place: Any, end: Any, values: Any, maps: Any, side: Any, first: Any, is_little: Any
) -> Any:
    """Store attributes from a row on.

    Returns the row behind them; _BAD if they do not fit the record, _NO_ROOM if there is no room.
    """
    count, place = _compressed(data, place, end, np.int64(4), is_little)
    if place < 0:
        return np.int64(_BAD)
    row = first
    for _ in range(np.int64(count)):
        name, place = _field(
            data, place, end, np.int64(of.REFERENCE + of.ATTRIBUTE_MAPPING), maps, is_little
        )
        if place < 0 or place >= end:
            return np.int64(_BAD)
        if row >= len(side):
            return np.int64(_NO_ROOM)
        kind = data[place]
        value, place = _field(data, place + 1, end, np.int64(values[kind]), maps, is_little)
        if place < 0:
            return np.int64(_BAD)
        side[row, 0], side[row, 1], side[row, 2] = name, kind, value
        side[row, 3:] = 0
        row += 1
    return row


@step
def _read_metric(
    data: Any, place: Any, end: Any, maps: Any, side: Any, first: Any, is_little: Any
) -> Any:
    """Store the values of a metric from a row on, like `_read_attributes`."""
    how = np.int64(of.REFERENCE + of.METRIC_MAPPING)
    metric, place = _field(data, place, end, how, maps, is_little)
    if place < 0 or place >= end:
        return np.int64(_BAD)
    count = np.int64(data[place])
    place += 1
    if first + count > len(side):
        return np.int64(_NO_ROOM)
    for index in range(count):
        kind = data[place]
        value, place = _compressed(data, place + 1, end, np.int64(8), is_little)
        if place < 0:
            return np.int64(_BAD)
        row = first + index
        side[row, 0], side[row, 1], side[row, 2] = metric, np.uint64(index), kind
        side[row, 3], side[row, 4], side[row, 5] = value, np.uint64(count), 0
    return first + count


@step
def _extent(data: Any, place: Any, end: Any, is_little: Any) -> Any:
    """Where the fields of a record begin and end, from its length on; -1 if it is cut."""
    length = np.int64(data[place])
    place += 1
    if length == of.LONG:
        if place + 8 > end:
            return place, np.int64(-1)
        length = np.int64(_number(data, place, np.int64(8), is_little))
        place += 8
    if length < 0 or length > end - place:
        return place, np.int64(-1)
    return place, place + length


@part
def _read_fields(
    data: Any, place: Any, end: Any, fields: Any, maps: Any, clock: Any, interval: Any, out: Any,
    is_little: Any,
) -> Any:  # fmt: skip
    """Store the fields of a record; returns the interval of the clock then, -1 if one is bad."""
    for index in range(of.MOST_FIELDS):
        how, value = np.int64(fields[index]), np.uint64(0)
        if how != 0:
            value, place = _field(data, place, end, how, maps, is_little)
            if place < 0:
                return np.int64(-1)
            if how == of.A_TIME:
                interval = _interval_of(clock, interval, value)
                value = _corrected(clock, interval, value)
        out[index] = value
    return interval


@part
def _read_arguments(
    data: Any, place: Any, end: Any, kind: Any, fields: Any, values: Any, maps: Any, clock: Any,
    interval: Any, side: Any, first: Any, is_little: Any,
) -> Any:  # fmt: skip
    """Store the arguments of a record in side rows from `first` on.

    Returns the row behind them, _BAD or _NO_ROOM, and the interval of the clock.
    """
    if kind == rec.ATTRIBUTE:
        return _read_attributes(data, place, end, values, maps, side, first, is_little), interval
    if kind == rec.METRIC:
        return _read_metric(data, place, end, maps, side, first, is_little), interval
    if fields[0] == 0:
        return first, interval
    if first >= len(side):
        return np.int64(_NO_ROOM), interval
    later = _read_fields(data, place, end, fields, maps, clock, interval, side[first], is_little)
    if later < 0:
        return np.int64(_BAD), interval
    return first + 1, later


@step
def _only_field(data: Any, at: Any, end: Any, first: Any, is_little: Any) -> Any:
    """The value of a record's only field, which is compressed, and the place behind it.

    A negative place says why there is none.
    """
    size = np.int64(data[at])
    if size == 1 and at + 2 <= end:
        return np.uint64(data[at + 1]), at + 2
    most = np.int64(4 if first != of.LONG_WORD else 8)
    value, stop = _compressed(data, at, end, most, is_little)
    if stop < 0 and size <= 8 and at + 1 + size > end:
        return value, np.int64(_IS_CUT)
    return value, stop


@step
def _store(
    times: Any, kinds: Any, refs: Any, row: Any, now: Any, kind: Any, ref: Any, first: Any,
    count: Any,
) -> Any:  # fmt: skip
    """Add a row for a record, and rows for its attributes in side rows from `first` on.

    Returns the next row.
    """
    times[row], kinds[row], refs[row] = now, kind, ref
    row += 1
    for index in range(count):
        times[row], kinds[row] = now, np.uint8(rec.ATTRIBUTE)
        refs[row] = np.uint32(first + index)
        row += 1
    return row


@step
def _decode_visits(
    data: Any, place: Any, end: Any, time: Any, now: Any, interval: Any, maps: Any, clock: Any,
    columns: Any, row: Any, most: Any, is_stored: Any,
) -> Any:  # fmt: skip
    """Decode up to `most` enters and leaves, each with a time of its own and a small region.

    Most records are like that. Returns the place, time, interval and row behind them, and how many
    there are.
    """
    regions = maps.places[of.REGION_MAPPING, 0]
    region_count = np.uint64(maps.places[of.REGION_MAPPING, 1])
    has_pairs = maps.places[of.REGION_MAPPING, 3] > 0
    has_clock = len(clock.begin) > 0
    last, count = end - of.SHORT_VISIT_BYTES, np.int64(0)
    while count < most and place <= last and data[place] == of.TIME_CODE:
        word = _word_at(data, place + of.TIME_BYTES)
        head = word & np.uint64(0xFFFE)
        if head == np.uint64(of.ENTER_CODE + 0x100):
            region, size = (word >> np.uint64(16)) & np.uint64(0xFF), of.SHORT_VISIT_BYTES - 1
        elif head == np.uint64(of.ENTER_CODE + 0x200):
            region, size = (word >> np.uint64(16)) & np.uint64(0xFFFF), of.SHORT_VISIT_BYTES
        else:
            break
        if is_stored:
            if region < region_count:
                region = maps.items[regions + np.int64(region)]
            elif has_pairs:
                break
            columns.kinds[row], columns.refs[row] = word & np.uint64(1), region
        time = now = _word_at(data, place + 1)
        if has_clock:
            interval = _interval_of(clock, interval, time)
            now = _corrected(clock, interval, time)
        if is_stored:
            columns.times[row] = now
            row += 1
        place += size
        count += 1
    return place, time, now, interval, row, count


@kernel
def decode_records(data: Any, state: Any, layout: Any, maps: Any, clock: Any, columns: Any) -> Any:
    """Decode records from the place of the state on into the columns behind their used rows.

    Returns why it stopped. The place of the state is then that of the first record not decoded.
    """
    times, kinds, refs, side = columns
    end, is_little = state[of.END], state[of.IS_LITTLE] != 0
    place, time, now = state[of.PLACE], np.uint64(state[of.TIME]), np.uint64(state[of.NOW])
    interval, row, sides = state[of.INTERVAL], state[of.ROWS], state[of.SIDE_ROWS]
    records, limit = state[of.RECORDS], state[of.LIMIT]
    is_visit_stored = layout.kinds[of.ENTER_CODE] != of.PASSED_OVER
    room, attributes, begin, found = len(times), np.int64(0), place, of.CUT
    while True:
        if attributes == 0:
            begin = place
        if place >= end:
            break
        if attributes == 0 and is_little:
            most = min(limit - records, room - row if is_visit_stored else end)
            place, time, now, interval, row, count = _decode_visits(
                data, place, end, time, now, interval, maps, clock, columns, row, most,
                is_visit_stored,
            )  # fmt: skip
            records += count
            begin = place
            if place >= end:
                break
        kind = data[place]
        if kind == of.TIME_CODE:
            if place + of.TIME_BYTES >= end:
                break
            time = _number(data, place + 1, np.int64(8), is_little)
            interval = _interval_of(clock, interval, time)
            now = _corrected(clock, interval, time)
            place += of.TIME_BYTES
            kind = data[place]
        if kind == of.END_OF_CHUNK or kind == of.END_OF_FILE:
            found = of.CHUNK_ENDED if kind == of.END_OF_CHUNK else of.FILE_ENDED
            begin = place
            if attributes > 0:
                found = of.NO_RECORD
            break
        if records >= limit:
            found = of.MORE
            break
        if layout.is_single[kind]:
            at = place + 1
            value, stop = _only_field(data, at, end, layout.fields[kind, 0], is_little)
            if stop < 0:
                found = of.CUT if stop == _IS_CUT else of.BAD_FIELD
                break
            if kind == of.ENTER_CODE or kind == of.LEAVE_CODE:
                if is_visit_stored:
                    if row + attributes >= room:
                        found = of.FULL
                        break
                    value = _mapped(maps, np.int64(of.REGION_MAPPING), value)
                    row = _store(
                        times, kinds, refs, row, now, kind - np.uint8(of.ENTER_CODE), value,
                        sides - attributes, attributes,
                    )  # fmt: skip
                attributes = np.int64(0)
                records += 1
                place = stop
                continue
        else:
            at, stop = _extent(data, place + 1, end, is_little)
            if stop < 0:
                break
        stored, first = layout.kinds[kind], sides
        if stored == of.PASSED_OVER:
            if kind != of.ATTRIBUTES:
                records += 1
                sides -= attributes
                attributes = np.int64(0)
            place = stop
            continue
        if row + attributes >= room:
            found = of.FULL
            break
        sides, later = _read_arguments(
            data, at, stop, stored, layout.fields[kind], layout.values, maps, clock, interval, side,
            first, is_little,
        )  # fmt: skip
        if sides < 0:
            found, sides = of.BAD_FIELD if sides == _BAD else of.FULL, first
            break
        if kind == of.ATTRIBUTES:
            attributes += sides - first
            place = stop
            continue
        ref = np.uint32(first if sides > first else 0)
        if stored == rec.METRIC and sides == first:
            stored = np.uint8(rec.IGNORED)
        row = _store(times, kinds, refs, row, now, stored, ref, first - attributes, attributes)
        if later != interval:  # a time in the record was later than its own
            interval = later
            now = _corrected(clock, interval, time)
        attributes = np.int64(0)
        records += 1
        place = stop
    state[of.PLACE], state[of.TIME], state[of.NOW] = begin, np.int64(time), np.int64(now)
    state[of.INTERVAL], state[of.ROWS], state[of.RECORDS] = interval, row, records
    state[of.SIDE_ROWS] = sides - attributes
    return found


@kernel
def read_integers(data: Any, is_little: Any, out: Any) -> Any:
    """Decode compressed integers of 64 bits; whether all are there."""
    place = np.int64(0)
    for row in range(len(out)):
        if place >= len(data):
            return False
        size = np.int64(data[place])
        place += 1
        value = np.uint64(0xFFFFFFFFFFFFFFFF)
        if size != of.LONG:
            if size > 8 or place + size > len(data):
                return False
            value = np.uint64(0)
            for index in range(size):
                byte = data[place + (size - 1 - index if is_little else index)]
                value = (value << np.uint64(8)) | np.uint64(byte)
            place += size
        out[row] = value
    return True
