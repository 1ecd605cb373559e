"""Traces of a campaign, and what became of them, made once for all tests that look at them."""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ring_campaigns import CONFIGURATIONS, campaign, write_stencil
from tests.sharing import MakeOnce
from tracemill.engine import analyze as run
from tracemill.engine.analyze import Analysis
from tracemill.engine.recipe import Recipe
from tracemill.nightly import analyze, knowledge


@pytest.fixture(scope="session")
def traces(shared: MakeOnce) -> Path:
    return shared("traces", write_rings) / "rings"


def write_rings(folder: Path) -> None:
    for processes, size, repetition in CONFIGURATIONS:
        name = f"ring_p{processes}_n{size}_r{repetition}"
        write_stencil(folder / "rings" / name, processes, size, repetition)


@pytest.fixture(scope="session")
def analysed(traces: Path, shared: MakeOnce) -> Analysis:
    """The campaign of all traces in a store of its own, made by two processes."""

    def again(store: Path) -> Analysis:
        return campaign(traces, store, threads=2)

    return again(shared("rings", again))


@pytest.fixture
def store(analysed: Analysis, tmp_path: Path) -> Path:
    """A copy of the store with all runs, but without campaigns."""
    copy = tmp_path / "store"
    original = analysed.run.path.parents[2]
    shutil.copytree(original / "runs", copy / "runs", copy_function=os.link)
    return copy


@pytest.fixture
def _nights_in_process() -> Iterator[None]:
    """Nights analyse in this process, for tests of what they do about archives, not how."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analyze, "work_through", _work_here)
        yield


@pytest.fixture
def _nights_that_only_read(_nights_in_process: None) -> Iterator[None]:
    """Nights compute nothing from archives, for tests that do not look at what they compute."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (run, knowledge):
            patch.setattr(module, "recipe_of", lambda *_: Recipe((), ()))
        yield


def _work_here(
    function: Callable[[Any], Any], items: Iterable[Any], **_: object
) -> Iterator[tuple[int, Any]]:
    yield from enumerate(map(function, items))
