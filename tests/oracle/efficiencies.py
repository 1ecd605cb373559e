"""Useful time from visits alone, slowly: the class of every moment between two records."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tracemill.schemas.overheads import overhead_id
from tracemill.store.runs import Run

Periods = Mapping[int, Sequence[tuple[int, int]]]


def useful_times(run: Run, periods: Periods) -> dict[int, int]:
    """Computation of locations without teams in their periods (ns).

    Moments in user code are useful, and those outside of all visits between the records of a
    location; moments in an MPI call, or in calls below it, are not.
    """
    computing = _computing_paths(run)
    visits: dict[int, list[dict[str, Any]]] = {}
    for row in run.read("visits").to_pylist():
        visits.setdefault(row["location_id"], []).append(row)
    spans = {row["location_id"]: row for row in run.read("locations").to_pylist()}
    return {
        location: sum(
            _useful(visits.get(location, []), computing, spans[location], period) for period in own
        )
        for location, own in periods.items()
    }


def _useful(
    visits: Iterable[Mapping[str, Any]], computing: set[int], span: Mapping[str, Any],
    period: tuple[int, int],
) -> int:  # fmt: skip
    begin, end = max(period[0], span["begin_ns"]), min(period[1], span["end_ns"])
    own = [each for each in visits if each["enter_ns"] < end and each["leave_ns"] > begin]
    edges = {begin, end}
    edges |= {time for each in own for time in (each["enter_ns"], each["leave_ns"])}
    moments = sorted(time for time in edges if begin <= time <= end)
    found = 0
    for first, last in itertools.pairwise(moments):
        around = [each for each in own if each["enter_ns"] <= first and each["leave_ns"] >= last]
        inner = max(around, key=lambda each: each["visit_id"], default=None)
        if inner is None or inner["call_path_id"] in computing:
            found += last - first
    return found


def _computing_paths(run: Run) -> set[int]:
    """Call paths of user code that are not inside of MPI."""
    classes = {row["region_id"]: row for row in run.read("region_classes").to_pylist()}
    regions = {row["region_id"]: row for row in run.read("regions").to_pylist()}
    paths = {row["call_path_id"]: row for row in run.read("call_paths").to_pylist()}

    def is_mpi(path: int | None) -> bool:
        if path is None:
            return False
        row = paths[path]
        is_own = regions[row["region_id"]]["paradigm"] == "mpi"
        return is_own or is_mpi(row["parent_call_path_id"])

    return {
        path
        for path, row in paths.items()
        if classes[row["region_id"]]["overhead_id"] == overhead_id("user code") and not is_mpi(path)
    }
