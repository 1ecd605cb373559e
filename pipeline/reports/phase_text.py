"""Phases in words: how many, and which kinds recur."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from tracemill.reports.grid import TextGrid
from tracemill.reports.units import format_share, format_time
from tracemill.reports.wording import count_of
from tracemill.schemas.overheads import ACTIVITIES
from tracemill.schemas.phases import ratio_name

PhaseRow = Mapping[str, int | float | str | None]
NAMED = 3
ACTIVITY_TITLES = {ratio_name(name): name[:1].upper() + name[1:] for name in ACTIVITIES}


def describe_phases(phases: Sequence[PhaseRow]) -> str:
    """The number of phases and kinds, and the kinds that recur, those with most time first."""
    kinds: dict[int, list[PhaseRow]] = defaultdict(list)
    for row in phases:
        kinds[int(row["kind"] or 0)].append(row)
    count = count_of(len(phases), "phase")
    first = f"The main part has {count} of {count_of(len(kinds), 'kind')}."
    if len(phases) == 1:
        first = "The main part has a single phase."
    recurring = sorted(
        (rows for rows in kinds.values() if len(rows) > 1),
        key=lambda rows: -sum(map(_length, rows)),
    )
    return " ".join([first, *(_describe_kind(rows) for rows in recurring[:NAMED])])


def _describe_kind(rows: Sequence[PhaseRow]) -> str:
    """How often phases of a kind occur, and at what mean distance."""
    begins = [float(row["begin_ns"] or 0) for row in rows]
    distance = fmean(after - before for before, after in pairwise(begins))
    return f"Phase kind {rows[0]['kind']} recurs {len(rows)} times, every {format_time(distance)}."


def _length(row: PhaseRow) -> float:
    return float(row["end_ns"] or 0) - float(row["begin_ns"] or 0)


def grid_of_phases(phases: Sequence[PhaseRow]) -> TextGrid:
    """The phases as rows of text; activities that never occur are left out."""
    ratios = [name for name in phases[0] if name.endswith("_ratio")]
    shown = [name for name in ratios if any(row[name] for row in phases)]
    titles = [ACTIVITY_TITLES[name] for name in shown]
    return TextGrid(
        titles=("Phase", "Kind", "Begin", "Time", "Strength", *titles),
        is_numeric=(True,) * (5 + len(titles)),
        rows=tuple(
            (
                0,
                (
                    str(row["phase"]),
                    str(row["kind"]),
                    format_time(float(row["begin_ns"] or 0)),
                    format_time(_length(row)),
                    "" if row["strength"] is None else f"{float(row['strength']):.2f}",
                    *(format_share(float(row[name] or 0)) for name in shown),
                ),
            )
            for row in phases
        ),
    )
