"""Counters of call paths, nanosecond by nanosecond."""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

Visit = tuple[str, int, int]
Value = tuple[int, int]
Found = dict[str, tuple[Fraction, Fraction, int]]
"""Value without callees, with callees, and known time without callees, by path."""


def innermost(visits: Sequence[Visit], moment: int) -> str | None:
    """Path of the last entered visit that contains the nanosecond from a moment on."""
    around = [path for path, enter, leave in visits if enter <= moment < leave]
    return around[-1] if around else None


def rate_at(
    values: Sequence[Value], gaps: Sequence[tuple[int, int]], mode: str, moment: int
) -> Fraction | None:
    """Amount in the nanosecond from a moment on, or level of an absolute counter."""
    for (begin, first), (end, second) in pairwise(values):
        if not begin <= moment < end:
            continue
        if any(begin < gap_end and gap_begin < end for gap_begin, gap_end in gaps):
            return None
        accumulation, occurrence = mode.split()
        if accumulation == "absolute":
            return Fraction(second if occurrence == "last" else first)
        if accumulation == "relative":
            return Fraction(first if occurrence == "next" else second, end - begin)
        return Fraction(second - first, end - begin) if second >= first else None
    return None


def spread_counters(
    visits: Sequence[Visit],
    values: Sequence[Value],
    gaps: Sequence[tuple[int, int]],
    mode: str,
    main_part: tuple[int, int],
) -> Found:
    """All call paths with known time below them."""
    own: dict[str, Fraction] = defaultdict(Fraction)
    below: dict[str, Fraction] = defaultdict(Fraction)
    own_time: dict[str, int] = defaultdict(int)
    time_below: dict[str, int] = defaultdict(int)
    for moment in range(*main_part):
        path, rate = innermost(visits, moment), rate_at(values, gaps, mode, moment)
        if path is None or rate is None:
            continue
        own[path] += rate
        own_time[path] += 1
        names = path.split("/")
        for depth in range(1, len(names) + 1):
            below["/".join(names[:depth])] += rate
            time_below["/".join(names[:depth])] += 1
    if mode.startswith("absolute"):
        own |= {path: value / own_time[path] for path, value in own.items()}
        below |= {path: value / time_below[path] for path, value in below.items()}
    return {path: (own[path], below[path], own_time[path]) for path in below}
