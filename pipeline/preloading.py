"""What every worker needs, for the process that workers are forked from.

Loading it takes longer than analysing a small trace, and making numba ready for the first kernel
that is called takes as long again.
"""

import duckdb  # noqa: F401
import numpy as np

import pipeline.engine
import pipeline.readers.csv.source
import pipeline.readers.otf2.source
import pipeline.reports.build
import pipeline.run
import pipeline.stages.timeline_walk  # noqa: F401
from pipeline.stages.critical_path_walk import NONE, walk_back

walk_back(np.array([NONE]))
