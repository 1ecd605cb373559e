"""The walk along the critical path as a stage: from jumps to the steps that are taken."""

import numpy as np
import pyarrow as pa

from tracemill.schemas.critical_path import CRITICAL_PATH_STEPS
from tracemill.stages.arrays import Relation
from tracemill.stages.stage import PythonStage


def walk_critical_path(critical_path_jumps: Relation) -> pa.Table:
    """Number the jumps of the critical path; no jumps, no path.

    The walk starts at the last jump, the program's end, and ends at one without predecessor.
    """
    # Compiled code is loaded only when there is something to walk along.
    from tracemill.kernels.critical_path_walk import NONE, walk_back

    chosen = critical_path_jumps.select(f"point_id, coalesce(predecessor_id, {NONE}) AS earlier_id")
    path = walk_back(chosen.order("point_id").fetchnumpy()["earlier_id"].astype(np.int64))
    return pa.table({"ordinal": np.arange(len(path)), "point_id": path})


CRITICAL_PATH_STAGE = PythonStage(
    name="critical_path_steps",
    outputs=(CRITICAL_PATH_STEPS,),
    compute=walk_critical_path,
    needed_rows=(("critical_path_jumps",),),
)
