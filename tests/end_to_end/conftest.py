"""Runs that tests share: those of two campaigns, and those of a site that checks them nightly."""

import os
import shutil
from pathlib import Path

import pytest

from tests.helpers.nights import Site, make_site
from tests.helpers.ring_campaigns import CONFIGURATIONS, campaign, write_stencil
from tracemill.engine.analyze import Analysis

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="session")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("traces")
    for processes, size, repetition in CONFIGURATIONS:
        name = f"ring_p{processes}_n{size}_r{repetition}"
        write_stencil(folder / "rings" / name, processes, size, repetition)
    return folder / "rings"


@pytest.fixture(scope="session")
def analyzed(traces: Path, tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """The campaign of all traces in a store of its own, made by two processes."""
    return campaign(traces, tmp_path_factory.mktemp("rings"), threads=2)


@pytest.fixture
def store(analyzed: Analysis, tmp_path: Path) -> Path:
    """A copy of the store with all runs, but without campaigns."""
    copy = tmp_path / "store"
    original = analyzed.run.path.parents[2]
    shutil.copytree(original / "runs", copy / "runs", copy_function=os.link)
    return copy


@pytest.fixture(scope="session")
def recorded_campaign(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """The campaign of data/campaigns/causes, which tests only read."""
    return campaign(DATA / "campaigns" / "causes", tmp_path_factory.mktemp("recorded"), threads=2)


@pytest.fixture(scope="session")
def site_with_nights(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(tmp_path_factory.mktemp("site"))


@pytest.fixture
def site(site_with_nights: Site) -> Site:
    """A site without earlier nights."""
    site_with_nights.forget_nights()
    return site_with_nights
