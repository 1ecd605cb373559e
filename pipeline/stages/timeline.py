"""Activity of every location over time: bins of the run, filled in one pass over all visits."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tracemill.schemas.timeline import TIMELINE_BINS
from tracemill.stages.arrays import Relation, walk_locations
from tracemill.stages.stage import PythonStage

if TYPE_CHECKING:
    from tracemill.kernels.timeline_walk import BinRows, LocationBins
    from tracemill.store.walking import StoredRows


def fill_timeline_bins(
    visits: "StoredRows", runs: Relation, locations: Relation, regions: Relation
) -> pa.Table:
    """The region with most time in every bin of every location, at one to three levels.

    Bins are whole nanoseconds wide and contain whole bins of the next level; the last one ends with
    the run. Memory is bounded. If visits are summed, fine levels may be left out.
    """
    from tracemill.kernels.timeline_walk import PARTS, LocationBins, choose_grid

    begin, end, detail = runs.select("begin_ns, end_ns, detail::VARCHAR").fetchall()[0]
    counts = locations.aggregate("count(*), coalesce(sum(visit_count), 0)::BIGINT").fetchall()[0]
    level_count, width = choose_grid(begin, end, *counts, is_summed=detail != "full")
    (region_count,) = regions.aggregate("coalesce(max(region_id) + 1, 0)").fetchall()[0]
    bins = LocationBins(
        begin=begin, end=end, width=width, level_count=level_count, region_count=region_count
    )
    found = list(_fill(visits, bins))
    widths = width * PARTS ** np.arange(level_count)[::-1]
    return _as_table(found[::-1], begin, end, widths)


def _fill(visits: "StoredRows", bins: "LocationBins") -> Iterator[tuple[int, "BinRows"]]:
    """The rows of every location that has visits, the last location first."""
    for location, parts in walk_locations(visits, "region_id", "enter_ns", "leave_ns"):
        for columns in parts:
            bins.walk(*columns)
        yield location, bins.finish()


def _as_table(
    found: list[tuple[int, "BinRows"]], run_begin: int, run_end: int, widths: "np.ndarray"
) -> pa.Table:
    """Rows by location, level and bin."""
    if not found:
        return TIMELINE_BINS.empty()
    numbers = np.array([number for number, _ in found], np.int32)
    location = np.repeat(numbers, [len(rows.bin) for _, rows in found])
    level, bin, region, time = (
        np.concatenate([rows[place] for _, rows in found]) for place in range(4)
    )
    width = widths[level]
    begin = run_begin + bin * width
    return pa.table(
        {
            "location_id": location,
            "level": level,
            "bin": bin,
            "begin_ns": begin,
            "end_ns": np.minimum(begin + width, run_end),
            "region_id": region,
            "time_ns": time,
        }
    )


TIMELINE_STAGE = PythonStage(
    name="timeline_bins",
    outputs=(TIMELINE_BINS,),
    compute=fill_timeline_bins,
    walked=("visits",),
    is_bounded=True,
)  # fmt: skip
