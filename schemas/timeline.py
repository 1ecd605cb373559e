"""What every location did when, coarse enough to be drawn."""

import pyarrow.compute as pc

from schemas.columns import ENTER_NS, LEAVE_NS, LOCATION_ID, REGION_ID, renamed
from schemas.table import INT8, INT32, INT64, Column, Rule, Table, not_before

MOST_BINS = (256, 2048, 16384)
"""Bins that each level has at most; every bin is divided by those of the next level."""
MOST_CELLS = 1 << 20
"""Bins of all locations that a level has at most."""

TIMELINE_BINS = Table(
    name="timeline_bins",
    meaning="What every location did in each bin of the run: the region that took most of the time "
    "itself. A location is in the visit that it entered last of those it has not left.",
    grain="one row per location, level and bin in which the location was in some visit",
    key=("location_id", "level", "bin"),
    columns=(
        LOCATION_ID,
        Column(
            name="level",
            type=INT8,
            minimum=0,
            maximum=len(MOST_BINS) - 1,
            meaning="How fine the bins are: 0 has at most 256 over the run, each next level 8 "
            "times as many, where there are visits enough to fill them.",
        ),
        Column(name="bin", type=INT32, minimum=0, meaning="Position of the bin in the run."),
        renamed(ENTER_NS, "begin_ns", "Begin of the bin, since the trace's zero."),
        renamed(LEAVE_NS, "end_ns", "End of the bin, since the trace's zero."),
        renamed(
            REGION_ID, "region_id", "Region with most time in the bin; of equals the first one."
        ),
        Column(
            name="time_ns",
            type=INT64,
            unit="ns",
            minimum=1,
            meaning="Time of the location in that region itself, not in what it calls.",
        ),
    ),
    rules=(
        not_before("end_ns", "begin_ns"),
        Rule(
            "time_fits_into_the_bin",
            lambda rows: pc.less_equal(
                rows["time_ns"], pc.subtract(rows["end_ns"], rows["begin_ns"])
            ),
        ),
    ),
)

TABLES = (TIMELINE_BINS,)
