"""In which order tests run, how examples of property tests are drawn, and what all tests share.

Examples are the same ones in every run, so that a change fails only by what it changes; others are
looked for with `make test ARGS="--hypothesis-profile=search tests/properties"`.
"""

import atexit
import fcntl
import gc
import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tracemill.base.garbage_collection import keep_loaded

if TYPE_CHECKING:
    from tests.sharing import MakeOnce
    from tracemill.engine.analyze import Analysis

TESTS = Path(__file__).parent
DATA = TESTS.parent / "data"
LONGEST = ("end_to_end", "properties", "bench", "browser", "contracts")
"""Folders whose files come first: one left to the end would keep a single worker busy."""

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, print_blob=True)
settings.load_profile("repeatable")


def pytest_collection() -> None:
    """What collecting makes stays: to look for garbage in it takes a third of the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """From now on garbage is looked for in what the tests make, as seldom as the command does.

    By Python's own measure it would take a tenth of their time.
    """
    keep_loaded()


def pytest_unconfigure() -> None:
    """Packages complain of what is left when Python ends; pytest need not look at it before."""
    atexit.register(gc.unfreeze)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first, as a file is given to one worker, which makes what its tests share once."""
    places = {folder: place for place, folder in enumerate(LONGEST)}

    def place(item: pytest.Item) -> int:
        return places.get(item.path.relative_to(TESTS).parts[0], len(LONGEST))

    items.sort(key=place)


@pytest.fixture(scope="session", autouse=True)
def _no_power_failures() -> Iterator[None]:
    """No test cuts the power, and waiting for the disk takes a tenth of a small analysis."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> "MakeOnce":
    """A folder of this name that one test of the session fills, in whatever process: others wait.

    Tests may only read it.
    """
    own = tmp_path_factory.getbasetemp()
    base = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def make_once(name: str, fill: Callable[[Path], object]) -> Path:
        folder, made = base / f"shared_{name}", base / f"shared_{name}.made"
        with made.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made.exists():
                shutil.rmtree(folder, ignore_errors=True)  # of one that failed
                folder.mkdir()
                fill(folder)
                made.touch()
        return folder

    return make_once


@pytest.fixture(scope="session")
def analysis_of(shared: "MakeOnce") -> "Callable[[str], Analysis]":
    """Analyses a trace of data/ as far as no test of the session did: each in a store of its own.

    Tests may only read it.
    """
    from tracemill.engine.analyze import Options, analyze
    from tracemill.store import Store

    @cache
    def analysis(name: str) -> "Analysis":
        def again(folder: Path) -> "Analysis":
            return analyze(DATA / name, store=Store(folder), options=Options(threads=1))

        return again(shared(name, again))

    return analysis
