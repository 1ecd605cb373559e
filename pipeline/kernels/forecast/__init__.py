"""The simulation core of forecasts: processes compute, start operations and wait for them."""

import tracemill.kernels  # noqa: F401  (sets the cache folder of numba)
