"""The compiled part of the generator: the simulated machine and users of its events."""

import tracemill.kernels  # noqa: F401  (sets the cache folder of numba)
