"""Parts of the time over the course of the run, for renderers that draw them."""

from dataclasses import dataclass

from tracemill.reports.model import Table
from tracemill.reports.units import format_share, format_time


@dataclass(frozen=True)
class Part:
    """A part of the time with its share of each interval (0–1) and its total."""

    name: str
    time: str
    share: str
    ratios: tuple[float, ...]


@dataclass(frozen=True)
class Course:
    """Parts in table order, with the start of the first and the end of the last interval."""

    begin: str
    end: str
    parts: tuple[Part, ...]


def course_of(table: Table, *, most_stretches: int) -> Course:
    """The course of a table in the layout COURSE, in at most the given number of intervals."""
    rows = table.as_dicts()
    times: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        amounts = (float(row["time_ns"] or 0), float(row["time_ratio"] or 0))
        times.setdefault(str(row["part"]), []).append(amounts)
    total = sum(time for part in times.values() for time, _ in part) or 1
    return Course(
        begin=format_time(min((float(row["begin_ns"] or 0) for row in rows), default=0)),
        end=format_time(max((float(row["end_ns"] or 0) for row in rows), default=0)),
        parts=tuple(
            Part(
                name=name,
                time=format_time(sum(time for time, _ in amounts)),
                share=format_share(sum(time for time, _ in amounts) / total),
                ratios=_merge([ratio for _, ratio in amounts], most_stretches),
            )
            for name, amounts in times.items()
        ),
    )


def _merge(ratios: list[float], most: int) -> tuple[float, ...]:
    """Means of adjacent values, so that there are at most `most` values."""
    size = -(-len(ratios) // most) or 1
    groups = [ratios[at : at + size] for at in range(0, len(ratios), size)]
    return tuple(sum(group) / len(group) for group in groups)
