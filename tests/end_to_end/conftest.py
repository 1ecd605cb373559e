"""Traces of a campaign, and what became of them, made once for all tests that look at them."""

import os
import shutil
from pathlib import Path

import pytest

from tests.ring_campaigns import CONFIGURATIONS, campaign, write_stencil
from tests.sharing import MakeOnce
from tracemill.engine.analyze import Analysis


@pytest.fixture(scope="session")
def traces(shared: MakeOnce) -> Path:
    return shared("traces", write_rings) / "rings"


def write_rings(folder: Path) -> None:
    for processes, size, repetition in CONFIGURATIONS:
        name = f"ring_p{processes}_n{size}_r{repetition}"
        write_stencil(folder / "rings" / name, processes, size, repetition)


@pytest.fixture(scope="session")
def analyzed(traces: Path, shared: MakeOnce) -> Analysis:
    """The campaign of all traces in a store of its own, made by two processes."""

    def again(store: Path) -> Analysis:
        return campaign(traces, store, threads=2)

    return again(shared("rings", again))


@pytest.fixture
def store(analyzed: Analysis, tmp_path: Path) -> Path:
    """A copy of the store with all runs, but without campaigns."""
    copy = tmp_path / "store"
    original = analyzed.run.path.parents[2]
    shutil.copytree(original / "runs", copy / "runs", copy_function=os.link)
    return copy
