"""What every worker needs, for the process that workers are forked from.

Loading it takes longer than analysing a small trace, and so would loading the kernels that each of
them calls, and reading all queries.
"""

import gc

gc.disable()  # while everything is loaded

import duckdb  # noqa: E402, F401

import pipeline.engine  # noqa: E402
import pipeline.readers.csv.source  # noqa: E402
import pipeline.readers.otf2.source  # noqa: E402
import pipeline.reports.build  # noqa: E402
import pipeline.run  # noqa: E402, F401
from pipeline.garbage import keep_loaded  # noqa: E402
from pipeline.readers.otf2.callbacks import compile_callbacks  # noqa: E402
from pipeline.recipes import standard_recipe  # noqa: E402
from pipeline.warm import load_common_kernels  # noqa: E402

load_common_kernels()
compile_callbacks(frozenset())
standard_recipe()
keep_loaded()
