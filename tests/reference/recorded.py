"""Recorded traces beside the repository: `../shared/traces`, analyzed once per session."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from tracemill.engine.analyze import Options, analyze
from tracemill.sql.query_files import create_all_views
from tracemill.store.runs import Run, Store

SHARED = Path(__file__).parents[3] / "shared"


@cache
def analyzed(folder: str, **parameters: Any) -> Run:
    """The run of a trace as recorded, without correction of clocks; skips where there is none."""
    path = SHARED / folder
    if not path.exists():
        pytest.skip(f"{path} does not exist")
    options = Options(threads=1, parameters={"clock_correction": "off", **parameters})
    return analyze(path, store=Store(Path(mkdtemp()) / "store"), options=options).run


def rows_of(run: Run, query: str) -> list[tuple[Any, ...]]:
    """Rows of a query over the tables and views of a run."""
    connection = run.connect()
    try:
        create_all_views(connection)
        return connection.execute(query).fetchall()
    finally:
        connection.close()
