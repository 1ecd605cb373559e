"""Tracemill: traces of parallel programs in, tables and findings out."""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tracemill.api import OpenedStore

# Its idle threads spin; nothing here multiplies matrices.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Columns come and go by the megabyte. In huge pages, or in a pool that gives pages back at once,
# reading spends a tenth of its time on having the same memory cleared again and again.
os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")


def open_store(path: "str | Path") -> "OpenedStore":
    """The store in a folder, for use from Python and notebooks.

    `open_store("store").run().sql("FROM wait_states")` is a polars frame. Raises
    MissingInputError if there is no store.
    """
    from tracemill import api as access  # not before it is needed: it imports much

    return access.open_store(path)
