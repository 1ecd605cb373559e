"""Activity of every location over time: bins of the run, filled in one pass over all visits."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tracemill.schemas.timeline import MOST_BINS, MOST_CELLS, TIMELINE_BINS
from tracemill.stages.arrays import Relation, walk_back
from tracemill.stages.stage import PythonStage

if TYPE_CHECKING:
    from tracemill.kernels.timeline_walk import BinRows, LocationBins
    from tracemill.store.walking import StoredRows


def fill_timeline_bins(
    visits: "StoredRows", runs: Relation, locations: Relation, regions: Relation
) -> pa.Table:
    """The region with most time in every bin of every location, at one to three levels.

    Bins are whole nanoseconds wide and contain whole bins of the next level; the last one ends with
    the run. Memory is bounded.
    """
    from tracemill.kernels.timeline_walk import PARTS, LocationBins

    begin, end = runs.select("begin_ns, end_ns").fetchall()[0]
    level_count, finest = choose_bins(
        *locations.aggregate("count(*), coalesce(sum(visit_count), 0)::BIGINT").fetchall()[0]
    )
    width = max(-(-(end - begin) // finest), 1)
    (region_count,) = regions.aggregate("coalesce(max(region_id) + 1, 0)").fetchall()[0]
    bins = LocationBins(
        begin=begin, end=end, width=width, level_count=level_count, region_count=region_count
    )
    found = list(_fill(visits, bins))
    widths = width * PARTS ** np.arange(level_count)[::-1]
    return _as_table(found[::-1], begin, end, widths)


def choose_bins(location_count: int, visit_count: int) -> tuple[int, int]:
    """The number of levels, and the largest number of bins of the finest.

    A finer level needs as many visits as bins, and not too many bins.
    """
    most = [
        count for count in MOST_BINS[1:] if location_count * count <= min(MOST_CELLS, visit_count)
    ]
    coarsest = max(min(MOST_BINS[0], MOST_CELLS // max(location_count, 1)), 1)
    return len(most) + 1, max([coarsest, *most])


def _fill(visits: "StoredRows", bins: "LocationBins") -> Iterator[tuple[int, "BinRows"]]:
    """The rows of every location that has visits, the last location first."""
    last = None
    for location, columns in walk_back(visits, "region_id", "enter_ns", "leave_ns"):
        if last is not None and last != location:
            yield last, bins.finish()
        last = location
        bins.walk(*columns)
    if last is not None:
        yield last, bins.finish()


def _as_table(
    found: list[tuple[int, "BinRows"]], run_begin: int, run_end: int, widths: "np.ndarray"
) -> pa.Table:
    """Rows by location, level and bin."""
    if not found:
        return TIMELINE_BINS.empty()
    location = np.repeat([number for number, _ in found], [len(rows.bin) for _, rows in found])
    level, bin, region, time = (
        np.concatenate([rows[place] for _, rows in found]) for place in range(4)
    )
    begin = run_begin + bin * widths[level]
    return pa.table(
        {
            "location_id": location.astype(np.int32),
            "level": level,
            "bin": bin,
            "begin_ns": begin,
            "end_ns": np.minimum(begin + widths[level], run_end),
            "region_id": region,
            "time_ns": time,
        }
    )


TIMELINE_STAGE = PythonStage(
    name="timeline_bins",
    outputs=(TIMELINE_BINS,),
    compute=fill_timeline_bins,
    walked=("visits",),
)  # fmt: skip
