"""Several processes over one store: each archive is analysed once, whoever is killed."""

import os
import signal
from pathlib import Path

from tests.many_nights import run_nights, start_night
from tests.nightly_cases import night, write_archive
from tracemill.store import Store


def test_nights_at_once_share_the_work_and_survive_the_death_of_one(tmp_path: Path) -> None:
    assert run_nights(tmp_path, processes=3, archives=6, kills=1, seed=1) == []


def test_a_night_waits_for_what_others_work_on_and_counts_it(tmp_path: Path) -> None:
    """It tells of all that was due, whichever of them analysed it."""
    source, store = tmp_path / "traces", tmp_path / "store"
    for number in range(3):
        write_archive(source / f"a{number}", 40 + number)
    other = start_night(source, store)
    outcome = night(source, store)
    exit_code, *told = other.finish()
    assert exit_code == 0, told
    assert len(outcome.analysed) + outcome.unchanged_count == 3
    assert outcome.left == ()
    runs = Store(store).runs_path.glob("run=*")
    assert [len(list(run.glob("gen=*"))) for run in runs] == [1, 1, 1]


def test_a_night_that_is_told_to_end_leaves_nothing_half_written(tmp_path: Path) -> None:
    source, store = tmp_path / "traces", tmp_path / "store"
    for number in range(30):
        write_archive(source / f"a{number:02}", 40 + number)
    ended = start_night(source, store)
    while not list(store.glob("runs/*/.writing*")):
        assert ended.is_running()
    os.kill(ended.pid, signal.SIGTERM)
    exit_code, _, told = ended.finish()
    assert exit_code == 130, told
    assert "nothing half-written was published" in told
    assert list((store / "leases").iterdir()) == []
    assert list(store.glob("runs/*/.writing*")) == []
    assert all(run.missing_tables() == [] for run in Store(store).runs())
