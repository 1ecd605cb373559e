"""Traces of a campaign, and what became of them, made once for all tests that look at them."""

import os
import shutil
from pathlib import Path

import pytest

from pipeline.run import Analysis
from tests.ring_campaigns import CONFIGURATIONS, campaign, write_stencil


@pytest.fixture(scope="session")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("traces") / "rings"
    for processes, size, repetition in CONFIGURATIONS:
        name = f"ring_p{processes}_n{size}_r{repetition}"
        write_stencil(folder / name, processes, size, repetition)
    return folder


@pytest.fixture(scope="session")
def analysed(traces: Path, tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """The campaign of all traces in a store of its own, made by two processes."""
    return campaign(traces, tmp_path_factory.mktemp("analysed") / "store", threads=2)


@pytest.fixture
def store(analysed: Analysis, tmp_path: Path) -> Path:
    """A copy of the store with all runs, but without campaigns."""
    copy = tmp_path / "store"
    original = analysed.run.path.parents[2]
    shutil.copytree(original / "runs", copy / "runs", copy_function=os.link)
    return copy
