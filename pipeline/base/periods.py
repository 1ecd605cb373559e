"""Periods of a trace as people write them: 1.2s..1.3s, 800ms..-."""

import re

from tracemill.base.durations import NUMBER, UNITS_NS
from tracemill.base.errors import UsageError

_UNITS = UNITS_NS | {"": UNITS_NS["s"]}
_MOMENT = re.compile(rf"\s*({NUMBER})\s*({'|'.join(_UNITS)})\s*")
_OPEN = "-"


def read_period(text: str, *, can_be_open: bool = False) -> tuple[int | None, int | None]:
    """Begin and end (ns) of text such as 1.2s..1.3s or 0.5..0.7, in seconds without a unit.

    If it `can_be_open`, - stands for a begin or end that is not given (None). Raises UsageError for
    anything else, and for a period without length.
    """
    begin, _, end = text.partition("..")
    try:
        first, last = (_moment(part, can_be_open=can_be_open) for part in (begin, end))
    except ValueError as error:
        form = "BEGIN..END, such as 1.2s..1.3s or 5ms..9ms"
        raise UsageError(f"--window {text}: write it as {form}") from error
    if first is not None and last is not None and last <= first:
        raise UsageError(f"--window {text}: the end must lie after the begin")
    return first, last


def _moment(text: str, *, can_be_open: bool) -> int | None:
    """A moment (ns); None if it is open. Raises ValueError for other text."""
    if can_be_open and text.strip() == _OPEN:
        return None
    found = _MOMENT.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return round(float(found[1]) * _UNITS[found[2]])
