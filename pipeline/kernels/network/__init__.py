"""The channels of a cluster: when a transfer gets one, and when it ends."""

import tracemill.kernels  # noqa: F401  (sets the cache folder of numba)
