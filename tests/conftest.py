"""How examples of property tests are drawn.

The same ones in every run, so that a change fails only by what it changes; others are looked for
with `make test ARGS="--hypothesis-profile=search tests/properties"`.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from pipeline.run import Analysis

DATA = Path(__file__).parents[1] / "data"

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, print_blob=True)
settings.load_profile("repeatable")


@pytest.fixture(scope="session", autouse=True)
def _no_power_failures() -> Iterator[None]:
    """No test cuts the power, and waiting for the disk takes a tenth of a small analysis."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session")
def analysis_of(tmp_path_factory: pytest.TempPathFactory) -> "Callable[[str], Analysis]":
    """Analyses a trace of data/ as far as no test of the session did: they share a store.

    Tests may only read it.
    """
    from pipeline.run import Options, analyze
    from pipeline.store import Store

    own = tmp_path_factory.getbasetemp()
    store = Store((own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "data_store")
    return lambda name: analyze(DATA / name, store=store, options=Options(threads=1))
