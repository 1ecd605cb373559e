"""What the golden tests have in common: running a query, and writing a trace as text."""

from collections.abc import Callable

import pytest

from tests.golden import running
from tests.golden.micro_trace import Tables, read_trace


@pytest.fixture
def run_query() -> Callable[..., list[tuple[object, ...]]]:
    """Run a query on given tables; see tests/golden/running.py."""
    return running.run_query


@pytest.fixture
def trace() -> Callable[..., Tables]:
    """Tables of a trace written as text; see tests/golden/micro_trace.py."""
    return read_trace
