"""Fixtures of golden tests: run a query, write a trace as text."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers import running
from tests.helpers.micro_trace import Tables, read_trace


@pytest.fixture
def run_query() -> Callable[..., list[tuple[object, ...]]]:
    """Run a query on given tables; see tests/helpers/running.py."""
    return running.run_query


@pytest.fixture
def trace() -> Callable[..., Tables]:
    """Tables of a trace written as text; see tests/helpers/micro_trace.py."""
    return read_trace


@pytest.fixture
def waits() -> Callable[..., list[tuple[Any, ...]]]:
    """Wait states of given tables, all or those of one property."""

    def find(
        tables: Tables, metric: str = "", columns: str = running.WAIT
    ) -> list[tuple[Any, ...]]:
        found = running.run_query("wait_states", tables, f"property {columns}")
        return [row[1:] if metric else row for row in found if metric in ("", row[0])]

    return find
