"""A night updates a campaign if its traces, runs or description changed, and only then."""

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.nights import Notes, cut, night, write_archive
from tests.helpers.ring_campaigns import write_stencil
from tracemill.base.errors import CampaignError, StoreError, UsageError
from tracemill.campaign import analyzing
from tracemill.engine.analyze import Options, analyze
from tracemill.nightly import campaigns
from tracemill.nightly.config import Config, read_config
from tracemill.nightly.outcome import CampaignOutcome
from tracemill.readers import open_source
from tracemill.store.failures import UnwritableStoreError, store_errors
from tracemill.store.runs import Store

SCALING: dict[str, Any] = {"campaigns": [{"runs": "traces", "name": "scaling"}]}


@pytest.fixture
def source(rings: Path, tmp_path: Path) -> Path:
    return shutil.copytree(rings / "traces", tmp_path / "traces", copy_function=os.link)


@pytest.fixture
def known(rings: Path, tmp_path: Path) -> Path:
    """A store in which the traces are analyzed, for tests of what is made of them."""
    return shutil.copytree(rings / "store", tmp_path / "store", copy_function=os.link)


@pytest.fixture(scope="module")
def rings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rings")
    for processes in (2, 4):
        trace = folder / "traces" / f"p{processes}_r1"
        write_stencil(trace, processes, 100, 1)
        analyze(trace, store=Store(folder / "store"), options=Options(threads=1))
    return folder


def only(outcomes: tuple[CampaignOutcome, ...]) -> CampaignOutcome:
    (outcome,) = outcomes
    return outcome


def test_a_campaign_is_updated_when_its_runs_or_its_description_change(
    source: Path, known: Path
) -> None:
    first = only(night(source, known, config=SCALING, has_report=True).campaigns)
    assert (first.name, first.is_new, first.reason) == ("scaling", True, "")
    assert first.run is not None
    assert first.run.read("campaign_runs").num_rows == 2
    assert (known / "reports" / "campaign=scaling" / "index.html").exists()

    second = only(night(source, known, config=SCALING, has_report=True).campaigns)
    assert (second.is_new, second.exit_code) == (False, 0)
    assert second.run is not None
    assert second.run.generation == first.run.generation

    write_stencil(source / "p2_r2", 2, 100, 2)
    third = only(night(source, known, config=SCALING).campaigns)
    assert third.is_new
    assert third.run is not None
    assert third.run.read("campaign_runs").num_rows == 3

    described = {"campaigns": [{**SCALING["campaigns"][0], "computation_size": "n**2"}]}
    assert only(night(source, known, config=described).campaigns).is_new


def test_a_quiet_night_opens_no_trace(
    source: Path, known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    night(source, known, config=SCALING)
    opened: list[Path] = []
    monkeypatch.setattr(analyzing, "open_source", opened.append)
    assert not only(night(source, known, config=SCALING).campaigns).is_new
    assert opened == []


def test_an_archive_in_quarantine_is_a_failed_run_and_not_analyzed_again(
    source: Path, known: Path
) -> None:
    write_stencil(source / "p8_r1", 8, 100, 1)
    cut(source / "p8_r1" / "traces.otf2")
    night(source, known, config=SCALING)
    (note,) = (known / "nightly" / "quarantine").iterdir()
    note.write_text(json.dumps(json.loads(note.read_text()) | {"reason": "it was killed"}))
    outcome = night(source, known, config=SCALING)
    assert [each.reason for each in outcome.quarantined] == ["it was killed"]
    run = only(outcome.campaigns).run
    assert run is not None
    reasons = run.read("campaign_runs").column("reason").to_pylist()
    assert sorted(filter(None, reasons)) == ["it was killed"]


def test_a_campaign_that_fails_stops_neither_the_night_nor_the_next(
    source: Path, known: Path
) -> None:
    config = {"campaigns": [{"runs": "traces", "pattern": "np{p}"}, *SCALING["campaigns"]]}
    notes = Notes()
    outcome = night(source, known, config=config, notes=notes)
    failed, made = outcome.campaigns
    assert (failed.run, failed.exit_code) == (None, CampaignError.exit_code)
    assert "no trace fits the pattern" in failed.reason
    assert any("no trace fits the pattern" in note for note in notes.notes)
    assert made.is_new


def test_a_store_that_fails_for_one_campaign_stops_no_other(source: Path, known: Path) -> None:
    """A file is in the way of the folder of the first campaign."""
    in_the_way = Store(known).campaigns.runs_path / "campaign=blocked"
    in_the_way.parent.mkdir(parents=True)
    in_the_way.write_text("")
    config = {"campaigns": [{"runs": "traces", "name": "blocked"}, *SCALING["campaigns"]]}
    failed, made = night(source, known, config=config).campaigns
    assert (failed.name, failed.run, failed.exit_code) == ("blocked", None, StoreError.exit_code)
    assert failed.reason.startswith("a file is in the way")
    assert made.is_new


def test_a_store_that_fails_for_a_run_of_a_campaign_fails_the_campaign(
    source: Path, tmp_path: Path
) -> None:
    """The trace is intact: the campaign must not count it as a failed run."""
    blocked = open_source(source / "p4_r1" / "traces.otf2").identity().run_id
    in_the_way = Store(tmp_path / "store").runs_path / f"run={blocked}"
    in_the_way.parent.mkdir(parents=True)
    in_the_way.write_text("")
    found = night(source, tmp_path / "store", config=SCALING)
    assert (len(found.analyzed), len(found.failed)) == (1, 1)
    assert only(found.campaigns).exit_code == StoreError.exit_code


def test_a_full_disk_ends_the_campaigns_of_a_night(
    source: Path, known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(campaigns, "plan_campaign", store_errors(known)(fail))
    with pytest.raises(UnwritableStoreError, match="the store is full"):
        night(source, known, config=SCALING)


def test_archives_still_being_written_are_no_part_of_a_campaign(source: Path, known: Path) -> None:
    write_archive(source / "p8_r1" / "begun").unlink()
    write_archive(source / "p8_r1")
    found = night(source, known, config=SCALING, settle_seconds=3_600)
    assert len(found.waiting) == 4
    assert only(found.campaigns).exit_code == CampaignError.exit_code
    assert list(Store(known).campaigns.runs_path.glob("*")) == []


def test_when_time_is_over_no_campaign_is_begun(source: Path, tmp_path: Path) -> None:
    outcome = night(source, tmp_path / "store", config=SCALING, max_seconds=0)
    assert (len(outcome.left), outcome.campaigns) == (2, ())


def test_a_file_configures_campaigns_and_applications(tmp_path: Path) -> None:
    file = tmp_path / "nightly.toml"
    file.write_text(
        """
        [[campaigns]]
        runs = "campaigns/scaling.toml"
        [[campaigns]]
        name = "everything"
        with_setup = true
        [[applications]]
        name = "lulesh"
        pattern = "lulesh/*"
        fail_if = ["run_time > +5%"]
        """
    )
    config = read_config(file)
    assert [(each.runs, each.fields) for each in config.campaigns] == [
        ("campaigns/scaling.toml", {}),
        ("", {"name": "everything", "with_setup": True}),
    ]
    (application,) = config.applications
    assert (application.name, application.pattern) == ("lulesh", "lulesh/*")
    assert (application.baseline, application.history) == ("", 10)
    assert application.fail_if == ("run_time > +5%",)
    assert Config().campaigns == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("campaigns = 3", "campaigns: input should be a valid tuple, not 3"),
        ("[[campaign]]", "unknown field campaign: fields are campaigns, applications"),
        ("[[campaigns]]\nscalin = 1", "campaigns: all runs: unknown field scalin: fields are name"),
        ("[[campaigns]]\nfailed = []", "failed: write this into a campaign file and name it"),
        ("[[applications]]\nname = 'a'", "applications.0.pattern is missing"),
        ("[[applications]]\nname='a'\npattern='*'\nx=1", "unknown field applications.0.x: fields"),
        ("[[applications]]\nname='a'\npattern='*'\nhistory=0", "greater than or equal to 1"),
        ("[[applications]]\nname='a'\npattern='*'\nfail_if=['x > 1']", "a: fail_if: "),
        ("[[applications]]\nname='a'\npattern='*'\nfail_if=['time']", "write METRIC [in CALL"),
        ("[", "not a TOML file"),
    ],
)
def test_mistakes_in_the_file_are_named(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "nightly.toml"
    file.write_text(text)
    with pytest.raises(UsageError) as caught:
        read_config(file)
    assert str(file) in str(caught.value)
    assert message in str(caught.value)
