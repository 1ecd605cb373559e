"""Activities of threads over time: classes of overhead in equal bins, and phases of the run.

Both are found from one pass over all visits.
"""

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tracemill.schemas.phases import PHASES
from tracemill.schemas.time_profile import TIME_PROFILE
from tracemill.stages.arrays import Numbers, Relation
from tracemill.stages.class_times import ClassTimes, Inputs, sum_up
from tracemill.stages.counter_profile import Bins
from tracemill.stages.phases import LEVELS, Further, Phasing, bin_edges, find_phases
from tracemill.stages.stage import PythonStage

if TYPE_CHECKING:
    from tracemill.store.walking import StoredRows


def profile_time(
    visits: "StoredRows",
    call_paths: Relation,
    call_tree: Relation,
    region_classes: Relation,
    class_changes: Relation,
    location_bases: Relation,
    locations: Relation,
    task_fragments: Relation,
    runs: Relation,
    main_part: Relation,
    wait_states: Relation,
    critical_path_segments: Relation,
    further_curves: Relation,
    *,
    bin_count: int = 200,
    phase_bins: int = 200,
    phase_smooth: int = 5,
    phase_thresholds: str = ",".join(map(str, LEVELS)),
    phase_curves: str = "",
    phase_weights: str = "",
) -> tuple[pa.Table, pa.Table]:
    """Time of all locations by class in equal bins of the run, and the phases of the main part.

    Bins are whole nanoseconds wide; the last one ends with the run. Lists are separated by commas.
    """
    inputs = Inputs(
        visits, call_paths, call_tree, region_classes, class_changes, location_bases, locations,
        task_fragments,
    )  # fmt: skip
    begin, end = runs.select("begin_ns, end_ns").fetchall()[0]
    bins = Bins.of(begin, end, bin_count).edges
    begin, end = (main_part.select("begin_ns, end_ns").fetchall() or [(0, 0)])[0]
    of_phases = bin_edges(begin, end, phase_bins)
    is_long = end - begin >= phase_bins
    spent = sum_up(np.union1d(bins, of_phases) if is_long else bins, inputs)
    profile = _as_table(spent, bins)
    if not is_long:
        return profile, PHASES.empty()
    phasing = Phasing.read(phase_smooth, phase_thresholds, phase_curves, phase_weights)
    further = Further(
        wait_states, call_paths, region_classes, locations, critical_path_segments, further_curves
    )
    return profile, find_phases(phasing, spent, of_phases, further)


def _as_table(spent: ClassTimes, edges: Numbers) -> pa.Table:
    """Rows by bin and class that took time in it."""
    times = spent.by_class(edges)
    bin, overhead = np.nonzero(times.T)
    return pa.table(
        {
            "bin": bin.astype(np.int32),
            "begin_ns": edges[bin],
            "end_ns": edges[bin + 1],
            "overhead_id": overhead.astype(np.int32),
            "time_ns": times[overhead, bin],
        }
    )


TIME_PROFILE_STAGE = PythonStage(
    name="time_profile",
    outputs=(TIME_PROFILE, PHASES),
    compute=profile_time,
    walked=("visits",),
    is_bounded=True,
)
