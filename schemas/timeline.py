"""Activity of every location over time, in a resolution for drawing."""

import pyarrow.compute as pc

from tracemill.schemas.columns import ENTER_NS, LEAVE_NS, LOCATION_ID, REGION_ID, renamed
from tracemill.schemas.table import INT8, INT32, INT64, Column, Rule, Table, not_before

MOST_BINS = (256, 2048, 16384)
"""Maximum number of bins per level. Each bin is divided into bins of the next level."""
MOST_CELLS = 1 << 20
"""Maximum number of bins of all locations per level."""

TIMELINE_BINS = Table(
    name="timeline_bins",
    meaning=(
        "Activity of every location in each bin of the run: the region with the most exclusive "
        "time. The current visit of a location is the last one that it entered and has not left."
    ),
    grain="one row per location, level, and bin in which the location was in a visit",
    key=("location_id", "level", "bin"),
    columns=(
        LOCATION_ID,
        Column(
            name="level",
            type=INT8,
            minimum=0,
            maximum=len(MOST_BINS) - 1,
            meaning=(
                "Resolution of the bins: level 0 has at most 256 bins over the run, and each next "
                "level has 8 times as many, if there are enough visits."
            ),
        ),
        Column(name="bin", type=INT32, minimum=0, meaning="Position of the bin in the run."),
        renamed(ENTER_NS, "begin_ns", "Start of the bin, since the zero of the trace."),
        renamed(LEAVE_NS, "end_ns", "End of the bin, since the zero of the trace."),
        renamed(
            REGION_ID, "region_id", "Region with the most time in the bin; if equal, the first one."
        ),
        Column(
            name="time_ns",
            type=INT64,
            unit="ns",
            minimum=1,
            meaning="Exclusive time of the location in that region.",
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
