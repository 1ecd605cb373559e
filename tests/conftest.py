"""Settings of property tests, analyses of the traces of data/ that tests share, fresh consoles.

Property tests draw the same examples in every run, so that only a change can make them fail. Others
are drawn with `make test ARGS="--hypothesis-profile=search tests/properties"`.
"""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tracemill.base.console import messages, results

if TYPE_CHECKING:
    from tracemill.engine.analyze import Analysis

DATA = Path(__file__).parents[1] / "data"

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, print_blob=True)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _fresh_consoles() -> Iterator[None]:
    """Consoles remember their stream and whether it is a terminal; tests must not inherit that."""
    results.cache_clear()
    messages.cache_clear()
    yield
    results.cache_clear()
    messages.cache_clear()


@pytest.fixture(scope="session")
def analysis_of(tmp_path_factory: pytest.TempPathFactory) -> "Callable[[str], Analysis]":
    """Analyzes a trace of data/ once per worker, in a store of its own, which tests only read."""
    from tracemill.engine.analyze import Options, analyze
    from tracemill.store.runs import Store

    @cache
    def analysis(name: str) -> "Analysis":
        store = Store(tmp_path_factory.mktemp("analysis"))
        return analyze(DATA / name, store=store, options=Options(threads=1))

    return analysis
