"""Several nights at once over one store analyze each archive once, even if one is killed."""

import os
import signal
import subprocess
import time
from pathlib import Path

from tests.helpers.nights import night, start_night, write_archive
from tracemill.base.temporary import temporaries
from tracemill.store.runs import Store


def write_archives(source: Path, count: int) -> None:
    for number in range(count):
        write_archive(source / f"a{number:02}", 40 + number, f"work{number}")
    time.sleep(0.1)  # until all are older than the start of a night


def wait_for(path: str, folder: Path, night: subprocess.Popen[str]) -> None:
    while not list(folder.glob(path)):
        assert night.poll() is None
        time.sleep(0.01)


def test_nights_at_once_share_the_work_and_survive_the_death_of_one(tmp_path: Path) -> None:
    source, folder = tmp_path / "traces", tmp_path / "store"
    write_archives(source, 6)
    victim, *others = [start_night(source, folder) for _ in range(3)]
    wait_for("runs/run=*/current.json", folder, victim)
    victim.kill()
    victim.communicate()
    for other in others:
        out, err = other.communicate(timeout=300)
        assert other.returncode == 0, out + err
    store = Store(folder)
    runs = store.runs()
    assert len({run.source.path for run in runs}) == len(runs) == 6
    assert all(run.missing_tables() == [] for run in runs)
    assert [len(list(run.path.parent.glob("gen=*"))) for run in runs] == [1] * 6
    time.sleep(1)  # until the child processes of the killed night have ended
    store.sweep()
    assert [path for run in runs for path in temporaries(run.path.parent)] == []
    assert list(store.leases_path.iterdir()) == []


def test_a_night_waits_for_the_work_of_others_and_counts_it(tmp_path: Path) -> None:
    source, store = tmp_path / "traces", tmp_path / "store"
    write_archives(source, 3)
    other = start_night(source, store)
    outcome = night(source, store)
    out, err = other.communicate(timeout=300)
    assert other.returncode == 0, out + err
    assert len(outcome.analyzed) + outcome.unchanged_count == 3
    assert outcome.left == ()
    runs = Store(store).runs_path.glob("run=*")
    assert [len(list(run.glob("gen=*"))) for run in runs] == [1, 1, 1]


def test_a_night_that_gets_sigterm_leaves_nothing_half_written(tmp_path: Path) -> None:
    source, store = tmp_path / "traces", tmp_path / "store"
    write_archives(source, 30)
    ended = start_night(source, store)
    wait_for("runs/*/.writing*", store, ended)
    os.kill(ended.pid, signal.SIGTERM)
    _, err = ended.communicate(timeout=300)
    assert ended.returncode == 130, err
    assert "nothing half-written was published" in err
    assert list((store / "leases").iterdir()) == []
    assert list(store.glob("runs/*/.writing*")) == []
    assert all(run.missing_tables() == [] for run in Store(store).runs())
