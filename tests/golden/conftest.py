"""Fixtures of golden tests: run a query, write a trace as text, read an OTF2 archive."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import running, surface_cases
from tests.helpers.hand_made_team import make_team
from tests.helpers.micro_trace import Tables, read_trace
from tests.helpers.otf2_reading import Reader


@pytest.fixture
def run_query() -> Callable[..., list[tuple[object, ...]]]:
    """Run a query on given tables; see tests/helpers/running.py."""
    return running.run_query


@pytest.fixture
def trace() -> Callable[..., Tables]:
    """Tables of a trace written as text; see tests/helpers/micro_trace.py."""
    return read_trace


@pytest.fixture
def team() -> Tables:
    """The tables of a team of two threads; see tests/helpers/hand_made_team.py."""
    return make_team()


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    """Write a trace as an OTF2 archive and read it; see tests/helpers/otf2_reading.py."""
    return Reader(tmp_path)


@pytest.fixture(scope="session")
def surfaces() -> surface_cases.Tables:
    """T = n/p + 1 seconds for p = 1, 2, 4 and n = 2, 4, 8; as much to compute as the size."""
    times = surface_cases.campaign(lambda p, n: n / p + 1, (1, 2, 4), (2, 4, 8))
    return surface_cases.computed(times)


@pytest.fixture
def waits() -> Callable[..., list[tuple[Any, ...]]]:
    """Wait states of given tables, or of a trace as text, all or those of one property."""

    def find(
        tables: Tables | str, metric: str = "", columns: str = running.WAIT
    ) -> list[tuple[Any, ...]]:
        found = running.run_query("wait_states", tables, f"property {columns}")
        return [row[1:] if metric else row for row in found if metric in ("", row[0])]

    return find
