"""Timeline bins, from the open visits between any two ends of visits."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]

LEVELS = (256, 2048, 16384)
MOST = 1024 * 1024


def timeline_bins(tables: Tables) -> list[Row]:
    """The region with most time in each bin of each location, by level."""
    (run,) = tables["runs"]
    begin, end = run["begin_ns"], run["end_ns"]
    rows = []
    for level, width in enumerate(widths(tables)):
        edges = range(begin, end, width)
        for row in tables["locations"]:
            place = row["location_id"]
            visits = [row for row in tables["visits"] if row["location_id"] == place]
            for bin, (region, time) in sorted(_fill(visits, edges, end).items()):
                where = {"location_id": place, "level": level, "bin": bin}
                begins = {"begin_ns": edges[bin], "end_ns": min(edges[bin] + width, end)}
                rows.append(where | begins | {"region_id": region, "time_ns": time})
    return rows


def widths(tables: Tables) -> list[int]:
    """Widths of the bins, from the coarsest level on."""
    (run,) = tables["runs"]
    places = len(tables["locations"])
    visits = sum(row["visit_count"] for row in tables["locations"])
    counts = [max(1, min(LEVELS[0], MOST // max(places, 1)))]
    counts += [n for n in LEVELS[1:] if places * n <= visits and places * n <= MOST]
    finest = max(-(-(run["end_ns"] - run["begin_ns"]) // counts[-1]), 1)
    return [finest * 8**coarser for coarser in reversed(range(len(counts)))]


def _fill(visits: list[Row], edges: range, end: int) -> dict[int, tuple[int, int]]:
    """Region and time of each bin with an open visit."""
    cuts = {time for row in visits for time in (row["enter_ns"], row["leave_ns"])}
    inside = {time for time in cuts if edges.start <= time <= end}
    times: dict[int, Counter[int]] = defaultdict(Counter)
    for start, stop in pairwise(sorted({*inside, *edges, end})):
        open_now = [row for row in visits if row["enter_ns"] <= start < row["leave_ns"]]
        if open_now:
            last = max(open_now, key=lambda v: (v["enter_ns"], -v["leave_ns"], v["visit_id"]))
            times[(start - edges.start) // edges.step][last["region_id"]] += stop - start
    return {
        bin: max(spent.items(), key=lambda found: (found[1], -found[0]))
        for bin, spent in times.items()
    }
