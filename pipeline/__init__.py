"""Tracemill: traces of parallel programs in, tables and findings out."""

import os

# Its idle threads spin; nothing here multiplies matrices.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Columns come and go by the megabyte. In huge pages, or in a pool that gives pages back at once,
# reading spends a tenth of its time on having the same memory cleared again and again.
os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
