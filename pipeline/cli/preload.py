"""Modules, kernels and queries that workers need, loaded once before they are forked."""

import atexit
import gc
import os

gc.disable()  # while everything is loaded

import duckdb  # noqa: E402, F401

from tracemill.base.garbage_collection import keep_loaded  # noqa: E402
from tracemill.engine.recipe import standard_recipe  # noqa: E402
from tracemill.kernels.warm_up import load_common_kernels  # noqa: E402

load_common_kernels()
standard_recipe()
keep_loaded()
# The server has nothing to clean up, and DuckDB would report what is still loaded as leaked.
atexit.register(os._exit, 0)
