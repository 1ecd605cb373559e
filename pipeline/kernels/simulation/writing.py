"""Writing event records with the official library, from compiled code."""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from tracemill.kernels.compiled import kernel
from tracemill.kernels.simulation.compiled import part
from tracemill.kernels.simulation.layout import (
    EVENT_ARGUMENTS,
    EVENT_KIND,
    EVENT_LOCATION,
    EVENT_TIME,
    ON_ACCESS_BEGIN,
    ON_ACCESS_END,
    ON_ACQUIRE,
    ON_ATOMIC,
    ON_COLLECTIVE_BEGIN,
    ON_COLLECTIVE_END,
    ON_COMPLETE,
    ON_ENTER,
    ON_FILE_CLOSE,
    ON_FILE_OPEN,
    ON_FORK,
    ON_GET,
    ON_GROUP_SYNC,
    ON_IRECV,
    ON_IRECV_REQUEST,
    ON_ISEND,
    ON_ISEND_COMPLETE,
    ON_JOIN,
    ON_LEAVE,
    ON_LOCAL_COMPLETE,
    ON_LOCK,
    ON_PUT,
    ON_RECV,
    ON_RELEASE,
    ON_REMOTE_COMPLETE,
    ON_REQUEST,
    ON_SEND,
    ON_TEAM_BEGIN,
    ON_TEAM_END,
    ON_UNLOCK,
    ON_WINDOW_BEGIN,
    ON_WINDOW_CREATE,
    ON_WINDOW_DESTROY,
    ON_WINDOW_END,
)

_BITS = {"W": 32, "Q": 64}


def _writer_call(letters: str) -> Callable[..., Any]:
    """Calls `int f(writer, attributes, time, …)` at an address, with arguments by letter.

    W is an unsigned 32 bit integer, also where the library takes fewer bits, Q one of 64.
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


@part
def local_time(time: Any, begins: Any, offsets: Any, slopes: Any) -> Any:
    """What a location's clock shows at a time, so that correcting it gives that time back.

    The library adds to a local time the offset of the last correction before it, and the slope
    times what has passed since, rounded to the nearest integer, even if halfway. As clocks run
    fast, corrections fall, and every time can be had.
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

    `functions` are addresses by kind of record, `writers` by location; `regions` belong to call
    paths, `local_…` (location, number) are identifiers, groups count from `first_group`; `knots`
    (location, 2, knot) are local times of corrections and what they add.
    """
    for number in range(len(events)):
        row = events[number]
        place, kind = row[EVENT_LOCATION], row[EVENT_KIND]
        time = local_time(row[EVENT_TIME], knots[place, 0], knots[place, 1], slopes[place])
        a, b, c = row[EVENT_ARGUMENTS], row[EVENT_ARGUMENTS + 1], row[EVENT_ARGUMENTS + 2]
        d, e, f = row[EVENT_ARGUMENTS + 3], row[EVENT_ARGUMENTS + 4], row[EVENT_ARGUMENTS + 5]
        function, writer = functions[kind], writers[place]
        if kind == ON_ENTER or kind == ON_LEAVE:
            code = _call_w(function, writer, time, local_regions[place, regions[a]])
        elif kind == ON_SEND or kind == ON_RECV:
            code = _call_wwwq(function, writer, time, a, local_comms[place, b], c, d)
        elif kind == ON_ISEND or kind == ON_IRECV:
            code = _call_wwwqq(function, writer, time, a, local_comms[place, b], c, d, e)
        elif kind == ON_ISEND_COMPLETE or kind == ON_IRECV_REQUEST or kind == ON_REQUEST:
            code = _call_q(function, writer, time, a)
        elif kind == ON_COLLECTIVE_BEGIN or kind == ON_WINDOW_BEGIN:
            code = _call(function, writer, time)
        elif kind == ON_COLLECTIVE_END:
            code = _call_wwwqq(function, writer, time, a, local_comms[place, b], c, d, e)
        elif kind == ON_COMPLETE:
            code = _call_wwwqqq(function, writer, time, a, local_comms[place, b], c, d, e, f)
        elif kind == ON_FORK:
            code = _call_ww(function, writer, time, a, b)
        elif kind == ON_JOIN:
            code = _call_w(function, writer, time, a)
        elif kind == ON_TEAM_BEGIN or kind == ON_TEAM_END:
            code = _call_w(function, writer, time, team_comms[place])
        elif kind == ON_ACQUIRE or kind == ON_RELEASE:
            code = _call_www(function, writer, time, a, b, c)
        elif kind == ON_PUT or kind == ON_GET:
            code = _call_wwqq(function, writer, time, local_windows[place, a], b, c, d)
        elif kind == ON_LOCAL_COMPLETE or kind == ON_REMOTE_COMPLETE:
            code = _call_wq(function, writer, time, local_windows[place, a], b)
        elif kind == ON_WINDOW_CREATE or kind == ON_WINDOW_DESTROY:
            code = _call_w(function, writer, time, local_windows[place, a])
        elif kind == ON_ATOMIC:
            code = _call_wwwqqq(function, writer, time, local_windows[place, a], b, c, d, e, f)
        elif kind == ON_GROUP_SYNC:
            code = _call_www(function, writer, time, a, local_windows[place, b], first_group + c)
        elif kind == ON_LOCK:
            code = _call_wwqw(function, writer, time, local_windows[place, a], b, c, d)
        elif kind == ON_UNLOCK:
            code = _call_wwq(function, writer, time, local_windows[place, a], b, c)
        elif kind == ON_WINDOW_END:
            code = _call_wwwwqq(function, writer, time, a, b, local_windows[place, c], d, e, f)
        elif kind == ON_FILE_OPEN:
            code = _call_wwww(function, writer, time, a, b, c, d)
        elif kind == ON_FILE_CLOSE:
            code = _call_w(function, writer, time, a)
        elif kind == ON_ACCESS_BEGIN:
            code = _call_wwwqq(function, writer, time, a, b, c, d, e)
        elif kind == ON_ACCESS_END:
            code = _call_wqq(function, writer, time, a, b, c)
        else:
            code = np.int32(-1)
        if code != 0:
            return code
        counts[place] += 1
    return np.int32(0)
