"""Times as users write them: a number with a unit."""

import re

from tracemill.base.errors import UsageError

UNITS_NS = {"s": 1e9, "ms": 1e6, "us": 1e3, "µs": 1e3, "ns": 1.0}
"""Nanoseconds per unit."""
NUMBER = r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"
_DURATION = re.compile(rf"\s*({NUMBER})\s*({'|'.join(UNITS_NS)})\s*")


def read_duration_ns(option: str, text: str) -> int:
    """A time of at least a nanosecond, such as 120ns, in whole nanoseconds; raises UsageError."""
    found = _DURATION.fullmatch(text)
    if found is None:
        raise UsageError(f"{option} {text}: write it as a number with a unit, such as 120ns or 1us")
    duration_ns = round(float(found[1]) * UNITS_NS[found[2]])
    if duration_ns < 1:
        raise UsageError(f"{option} {text}: give at least 1ns")
    return duration_ns
