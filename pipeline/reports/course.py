"""How parts of the time change over the run, for renderers that draw it."""

from dataclasses import dataclass

from tracemill.reports.model import Table
from tracemill.reports.units import format_share, format_time


@dataclass(frozen=True)
class Part:
    """A part of the time with its share of each stretch, 0–1, and of all."""

    name: str
    time: str
    share: str
    ratios: tuple[float, ...]


@dataclass(frozen=True)
class Course:
    """Parts in the order of the table, and when the first stretch begins and the last ends."""

    begin: str
    end: str
    parts: tuple[Part, ...]


def course_of(table: Table, *, most_stretches: int) -> Course:
    """The course that a table in the layout COURSE tells, in no more stretches than asked for."""
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
    """Means of neighbours, so that there are no more than `most` values."""
    size = -(-len(ratios) // most) or 1
    groups = [ratios[at : at + size] for at in range(0, len(ratios), size)]
    return tuple(sum(group) / len(group) for group in groups)
