"""Figures as words: parts of the sentences of all sections."""

import re
from collections.abc import Iterable, Mapping

from tracemill.base.names import drop_arguments, format_path, make_visible, shorten, site_of
from tracemill.base.text import counted
from tracemill.reports.units import Unit, Value, format_share, format_time, format_value

Row = Mapping[str, Value]

LONGEST_REGION = 60
_PLAIN = '[^"]+'
QUOTED = re.compile(f'"({_PLAIN})"')
"""A name as `quote` gives it, unless it has quotes itself."""


def count_of(count: Value, singular: str, plural: str = "") -> str:
    """'1 process', '8 processes'."""
    return counted(int(count or 0), singular, plural)


def name_place(rank: Value, thread: Value, *, has_threads: bool) -> str:
    """Name of a location for readers; a stream has a name in place of a thread number."""
    if isinstance(thread, str):
        return f"{thread} of rank {rank}"
    return f"rank {rank} thread {thread}" if has_threads else f"rank {rank}"


def name_region(name: Value) -> str:
    """A region in quotes, shortened and without argument lists."""
    return quote(shorten(drop_arguments(make_visible(str(name))), LONGEST_REGION))


def name_path(path: Value) -> str:
    """A call path in quotes, shortened and without argument lists."""
    return quote(format_path(str(path)))


def name_site(row: Row) -> str:
    """The row's call path in quotes, with its file and line if available."""
    source = row.get("source")
    place = site_of(str(source)) if source else ""
    return name_path(row["call_path"]) + (f" ({place})" if place else "")


def quote(name: str) -> str:
    """A name in quotes."""
    return f'"{name}"'


def quoted_among(names: Iterable[str]) -> re.Pattern[str]:
    """A name as `quote` gives it; those with quotes, such as `operator""`, are among the names."""
    own = sorted((name for name in names if '"' in name), key=len, reverse=True)
    return re.compile(f'"({"|".join([*map(re.escape, own), _PLAIN])})"')


def start(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def put_after(prefix: str, text: str) -> str:
    """The text after a name with a colon; without one, it begins with a capital letter."""
    return f"{prefix}{text}" if prefix else start(text)


def time_of(value: Value) -> str:
    """'12.3 ms'; null counts as zero."""
    return format_time(number(value))


def share_of(value: Value) -> str:
    """'12.3%'; null counts as zero."""
    return format_share(number(value))


def describe_part_of_overhead(
    subclass: Value, time_ns: float, total_ns: float, charged: Value
) -> str:
    """A part of an overhead (ns); `charged` is the call path that others lost most time for."""
    name = "unidentified computation" if subclass == "user code" else str(subclass)
    is_lost = name in ("unparallelised code", "partially parallelised code")
    most = f", most of it while {name_path(charged)} runs" if is_lost and charged else ""
    return f"{share_of(time_ns / total_ns)} is {name.replace('lised', 'lized')}{most}"


def size_of(value: Value) -> str:
    """A problem size as people write it: '1,048,576', '8,900'."""
    return format_value(float(value), Unit.PROBLEM) if isinstance(value, int | float) else "–"


def number(value: Value) -> float:
    """A number for calculation; null counts as zero."""
    return float(value) if isinstance(value, int | float) else 0.0


def group_by(column: str, rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows by the text in a column, in order of first appearance."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(str(row[column]), []).append(row)
    return groups


def nonempty(*sentences: str) -> tuple[str, ...]:
    """The non-empty sentences."""
    return tuple(sentence for sentence in sentences if sentence)


def unprefixed(overview: Row, sentences: Iterable[str]) -> tuple[str, ...]:
    """The sentences; without the name of the application before them if there is only one."""
    if overview["application_count"] != 1:
        return tuple(sentences)
    prefix = f"{overview['applications']}: "
    return tuple(
        start(each.removeprefix(prefix)) if each.startswith(prefix) else each for each in sentences
    )
