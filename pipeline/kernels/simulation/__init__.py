"""The compiled part of the generator: the simulated machine, and what consumes its events."""

import tracemill.kernels  # noqa: F401  (numba has to know where to keep what it compiles)
