"""What every worker needs, for the process that workers are forked from.

Loading it takes longer than analysing a small trace, and so would loading the kernels that each of
them calls, and reading all queries.
"""

import duckdb  # noqa: F401

import pipeline.engine
import pipeline.readers.csv.source
import pipeline.readers.otf2.source
import pipeline.reports.build
import pipeline.run  # noqa: F401
from pipeline.readers.otf2.callbacks import compile_callbacks
from pipeline.recipes import standard_recipe
from pipeline.warm import load_common_kernels

load_common_kernels()
compile_callbacks(frozenset())
standard_recipe()
