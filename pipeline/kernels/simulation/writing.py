"""Writing event records with the official library, from compiled code."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tracemill.kernels.compiled import cgutils, intrinsic, ir, kernel, types, unchecked
from tracemill.kernels.simulation import layout as at

_BITS = {"W": 32, "Q": 64}


def _writer_call(letters: str) -> Callable[..., Any]:
    """Intrinsic that calls `int f(writer, attributes, time, …)` at an address.

    Letters are arguments: W is an unsigned 32 bit integer (also for fewer bits), Q one of 64.
    """

    def describe(typing: Any, address: Any, writer: Any, time: Any, *arguments: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            kinds = [ir.IntType(_BITS[letter]) for letter in letters]
            kind = ir.FunctionType(
                ir.IntType(32), [cgutils.voidptr_t, cgutils.voidptr_t, ir.IntType(64), *kinds]
            )
            function = builder.inttoptr(values[0], kind.as_pointer())
            pointer = builder.inttoptr(values[1], cgutils.voidptr_t)
            given = values[3] if letters else ()
            taken = [builder.extract_value(given, place) for place in range(len(letters))]
            narrowed = [
                builder.trunc(value, kind) if kind.width < 64 else value
                for value, kind in zip(taken, kinds, strict=True)
            ]
            nothing = ir.Constant(cgutils.voidptr_t, None)
            return builder.call(function, [pointer, nothing, values[2], *narrowed])

        return types.int32(address, writer, time, types.StarArgTuple(arguments)), generate

    return intrinsic(describe)


_call = _writer_call("")
_call_w = _writer_call("W")
_call_q = _writer_call("Q")
_call_ww = _writer_call("WW")
_call_www = _writer_call("WWW")
_call_wq = _writer_call("WQ")
_call_wqq = _writer_call("WQQ")
_call_wwq = _writer_call("WWQ")
_call_wwqw = _writer_call("WWQW")
_call_wwqq = _writer_call("WWQQ")
_call_wwww = _writer_call("WWWW")
_call_wwwwqq = _writer_call("WWWWQQ")
_call_wwwq = _writer_call("WWWQ")
_call_wwwqq = _writer_call("WWWQQ")
_call_wwwqqq = _writer_call("WWWQQQ")


@unchecked
def local_time(time: Any, begins: Any, offsets: Any, slopes: Any) -> Any:
    """Local time of a location whose corrected time is `time`.

    The library adds the offset of the last correction and the slope times the time since then,
    rounded half to even. Clocks run fast, so corrections fall, and a local time always exists.
    """
    knot = 0
    while knot + 1 < len(slopes) and time >= begins[knot + 1] + offsets[knot + 1]:
        knot += 1
    begin, offset, slope = begins[knot], offsets[knot], slopes[knot]
    local = time - offset
    while True:
        missing = time - local - offset - np.int64(np.rint(slope * np.float64(local - begin)))
        if missing == 0:
            return local
        local += missing


@kernel
def write_events(
    events: Any, functions: Any, writers: Any, regions: Any, local_regions: Any, local_comms: Any,
    local_windows: Any, team_comms: Any, first_group: Any, knots: Any, slopes: Any, counts: Any,
) -> Any:  # fmt: skip
    """Write event rows; returns the library's first error code, or 0.

    `functions` are addresses by kind of record, `writers` by location, `regions` numbers by call
    path, `local_…` identifiers (location, number). Groups count from `first_group`. `knots`
    (location, 2, knot) are local times and offsets of corrections.
    """
    for number in range(len(events)):
        row = events[number]
        place, kind = row[at.EVENT_LOCATION], row[at.EVENT_KIND]
        time = local_time(row[at.EVENT_TIME], knots[place, 0], knots[place, 1], slopes[place])
        arguments = row[at.EVENT_ARGUMENTS :]
        a, b, c = arguments[0], arguments[1], arguments[2]
        d, e, f = arguments[3], arguments[4], arguments[5]
        function, writer = functions[kind], writers[place]
        if kind == at.ON_ENTER or kind == at.ON_LEAVE:
            code = _call_w(function, writer, time, local_regions[place, regions[a]])
        elif kind == at.ON_SEND or kind == at.ON_RECV:
            code = _call_wwwq(function, writer, time, a, local_comms[place, b], c, d)
        elif kind == at.ON_ISEND or kind == at.ON_IRECV:
            code = _call_wwwqq(function, writer, time, a, local_comms[place, b], c, d, e)
        elif kind == at.ON_ISEND_COMPLETE or kind == at.ON_IRECV_REQUEST or kind == at.ON_REQUEST:
            code = _call_q(function, writer, time, a)
        elif kind == at.ON_COLLECTIVE_BEGIN or kind == at.ON_WINDOW_BEGIN:
            code = _call(function, writer, time)
        elif kind == at.ON_COLLECTIVE_END:
            code = _call_wwwqq(function, writer, time, a, local_comms[place, b], c, d, e)
        elif kind == at.ON_COMPLETE:
            code = _call_wwwqqq(function, writer, time, a, local_comms[place, b], c, d, e, f)
        elif kind == at.ON_FORK:
            code = _call_ww(function, writer, time, a, b)
        elif kind == at.ON_JOIN:
            code = _call_w(function, writer, time, a)
        elif kind == at.ON_TEAM_BEGIN or kind == at.ON_TEAM_END:
            code = _call_w(function, writer, time, team_comms[place])
        elif kind == at.ON_ACQUIRE or kind == at.ON_RELEASE:
            code = _call_www(function, writer, time, a, b, c)
        elif kind == at.ON_PUT or kind == at.ON_GET:
            code = _call_wwqq(function, writer, time, local_windows[place, a], b, c, d)
        elif kind == at.ON_LOCAL_COMPLETE or kind == at.ON_REMOTE_COMPLETE:
            code = _call_wq(function, writer, time, local_windows[place, a], b)
        elif kind == at.ON_WINDOW_CREATE or kind == at.ON_WINDOW_DESTROY:
            code = _call_w(function, writer, time, local_windows[place, a])
        elif kind == at.ON_ATOMIC:
            code = _call_wwwqqq(function, writer, time, local_windows[place, a], b, c, d, e, f)
        elif kind == at.ON_GROUP_SYNC:
            code = _call_www(function, writer, time, a, local_windows[place, b], first_group + c)
        elif kind == at.ON_LOCK:
            code = _call_wwqw(function, writer, time, local_windows[place, a], b, c, d)
        elif kind == at.ON_UNLOCK:
            code = _call_wwq(function, writer, time, local_windows[place, a], b, c)
        elif kind == at.ON_WINDOW_END:
            code = _call_wwwwqq(function, writer, time, a, b, local_windows[place, c], d, e, f)
        elif kind == at.ON_FILE_OPEN:
            code = _call_wwww(function, writer, time, a, b, c, d)
        elif kind == at.ON_FILE_CLOSE:
            code = _call_w(function, writer, time, a)
        elif kind == at.ON_ACCESS_BEGIN:
            code = _call_wwwqq(function, writer, time, a, b, c, d, e)
        elif kind == at.ON_ACCESS_END:
            code = _call_wqq(function, writer, time, a, b, c)
        else:
            code = np.int32(-1)
        if code != 0:
            return code
        counts[place] += 1
    return np.int32(0)
