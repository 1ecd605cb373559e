"""Tracemill: traces of parallel programs in, tables and findings out."""

import os

# Its idle threads spin; nothing here multiplies matrices.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
