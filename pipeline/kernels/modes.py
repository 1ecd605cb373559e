"""Whether this process compiles kernels or runs them."""

import os

COMPILING = "_TRACEMILL_COMPILES_KERNELS"
IS_COMPILING = COMPILING in os.environ
