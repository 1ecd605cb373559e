"""Figures as words: the pieces that the sentences of all sections are made of."""

from collections.abc import Mapping
from pathlib import PurePath

from tracemill.base.names import drop_arguments, format_path, make_visible, shorten
from tracemill.reports.units import Value, format_count, format_share, format_time

Row = Mapping[str, Value]

LONGEST_REGION = 60


def count_of(count: Value, singular: str, plural: str = "") -> str:
    """'1 process', '8 processes'."""
    number = int(count or 0)
    return f"{format_count(number)} {singular if number == 1 else plural or singular + 's'}"


def name_place(rank: Value, thread: Value, *, has_threads: bool) -> str:
    """A location as people call it."""
    return f"rank {rank} thread {thread}" if has_threads else f"rank {rank}"


def name_region(name: Value) -> str:
    """A region in quotes, without argument lists and not too long."""
    return quote(shorten(drop_arguments(make_visible(str(name))), LONGEST_REGION))


def name_path(path: Value) -> str:
    """A call path in quotes, without argument lists and not too long."""
    return quote(format_path(str(path)))


def name_site(row: Row) -> str:
    """The row's call path in quotes, with its file and line where they are known."""
    source = row.get("source")
    place = make_visible(PurePath(str(source)).name) if source else ""
    return name_path(row["call_path"]) + (f" ({place})" if place else "")


def quote(name: str) -> str:
    """A name set off from the words around it."""
    return f'"{name}"'


def start(text: str) -> str:
    """The text with a capital letter in front."""
    return text[:1].upper() + text[1:]


def time_of(value: Value) -> str:
    """'12.3 ms'; nothing known is no time."""
    return format_time(number(value))


def share_of(value: Value) -> str:
    """'12.3%'; nothing known is no share."""
    return format_share(number(value))


def number(value: Value) -> float:
    """The number to count with; nothing known counts as nothing."""
    return float(value) if isinstance(value, int | float) else 0.0


def said(*sentences: str) -> tuple[str, ...]:
    """Those sentences that say something."""
    return tuple(sentence for sentence in sentences if sentence)
