"""A process holds its lease while it lives; another process takes over when it is dead."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.leasing import taken
from tracemill.base.errors import StoreError
from tracemill.store import leases
from tracemill.store.leases import DEAD_AFTER_SECONDS, held, sweep_leases, take

ROOT = Path(__file__).parents[2]
HOLDER = """
import sys, time
from pathlib import Path
from tracemill.store.leases import take
lease = take(Path(sys.argv[1]), sys.argv[2])
print(lease is not None, flush=True)
time.sleep(600)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store" / "leases"


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def only(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def changed(path: Path, **told: object) -> bytes:
    """Write into a lease that another holds it, and return what it then says."""
    path.write_text(json.dumps(json.loads(path.read_text()) | told))
    return path.read_bytes()


def age(path: Path, seconds: float) -> None:
    moment = path.stat().st_mtime - seconds
    os.utime(path, (moment, moment))


def eventually(is_so: Callable[[], bool]) -> bool:
    until = time.monotonic() + 30
    while not is_so() and time.monotonic() < until:
        time.sleep(0.01)
    return is_so()


@pytest.fixture
def abandoned(folder: Path) -> Path:
    """A lease of another host, which nobody keeps alive."""
    lease = taken(folder, "a")
    content = changed(lease.path, host="elsewhere+1")
    lease.release()  # it finds that of another, which stays
    assert lease.path.read_bytes() == content
    return lease.path


def test_a_held_lease_cannot_be_taken(folder: Path) -> None:
    with taken(folder, "/traces/a/traces.otf2") as lease:
        assert lease.path.parent == folder
        assert take(folder, "/traces/a/traces.otf2") is None
        assert held(folder) == ["/traces/a/traces.otf2"]
        other = taken(folder, "/traces/b/traces.otf2")
        other.release()
    assert files(folder) == []


def test_a_released_lease_can_be_taken_and_a_second_release_has_no_effect(folder: Path) -> None:
    first = taken(folder, "a")
    first.release()
    second = taken(folder, "a")
    first.release()
    assert held(folder) == ["a"]
    second.release()


@pytest.mark.parametrize("name", ["", "two words", "ü/\n..", "a" * 5000, "\udcff\ud800"])
def test_a_lease_may_have_any_name(folder: Path, name: str) -> None:
    with taken(folder, name) as lease:
        assert re.fullmatch(r"[0-9a-f]{32}\.json", lease.path.name)
        assert held(folder) == [name]
        assert take(folder, name) is None


def test_a_lease_records_its_name_and_process(folder: Path) -> None:
    with taken(folder, "a") as lease:
        told = json.loads(lease.path.read_text())
    assert (told["what"], told["process"]) == ("a", os.getpid())
    assert set(told) == {"what", "host", "process", "started", "taken_at", "token"}


def test_the_lease_of_a_killed_process_is_taken_over_at_once(folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder), "a"], cwd=ROOT, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"True\n"
        assert take(folder, "a") is None
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    assert held(folder) == []
    with taken(folder, "a") as lease:
        assert files(folder) == [lease.path.name]


@pytest.mark.parametrize(("seconds", "is_dead"), [(60, False), (DEAD_AFTER_SECONDS + 60, True)])
def test_a_lease_of_another_host_is_dead_without_heartbeats(
    abandoned: Path, seconds: float, is_dead: bool
) -> None:
    age(abandoned, seconds)
    assert held(abandoned.parent) == ([] if is_dead else ["a"])
    check_taken(abandoned.parent, is_taken=is_dead)


def check_taken(folder: Path, *, is_taken: bool) -> None:
    lease = take(folder, "a")
    assert (lease is not None) is is_taken
    if lease is not None:
        lease.release()


def test_heartbeats_use_the_clock_of_the_file_system(
    abandoned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 0.0)  # this host's clock is decades late
    assert held(abandoned.parent) == ["a"]
    age(abandoned, DEAD_AFTER_SECONDS + 60)
    assert held(abandoned.parent) == []


def test_a_holder_renews_its_heartbeat(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "HEARTBEAT_SECONDS", 0.01)
    with taken(folder, "a") as lease:
        age(lease.path, 10 * DEAD_AFTER_SECONDS)
        assert eventually(lambda: held(folder) == ["a"])


def test_a_holder_that_was_thought_dead_leaves_the_lease_to_the_next(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = taken(folder, "a")
    age(slow.path, DEAD_AFTER_SECONDS + 60)
    monkeypatch.setattr(leases, "HEARTBEAT_SECONDS", 0.01)
    with taken(folder, "a") as lease:
        slow.release()
        assert held(folder) == ["a"]
        assert json.loads(lease.path.read_text())["token"] not in slow._content.decode()
    assert files(folder) == []


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"host": 1}'])
@pytest.mark.parametrize(("seconds", "is_taken"), [(0, False), (DEAD_AFTER_SECONDS + 60, True)])
def test_an_unreadable_lease_is_respected_until_it_is_old(
    abandoned: Path, content: bytes, seconds: float, is_taken: bool
) -> None:
    abandoned.write_bytes(content)
    age(abandoned, seconds)
    assert held(abandoned.parent) == []
    check_taken(abandoned.parent, is_taken=is_taken)


def test_of_two_that_find_a_lease_dead_the_second_leaves_it_to_the_first(
    abandoned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    age(abandoned, DEAD_AFTER_SECONDS + 60)
    original, taken = leases._remove, []

    def remove_late(path: Path, found: object) -> bool:
        monkeypatch.undo()
        taken.append(take(path.parent, "a"))  # the first is done before the second goes on
        return original(path, found)  # type: ignore[arg-type]

    monkeypatch.setattr(leases, "_remove", remove_late)
    assert take(abandoned.parent, "a") is None
    (first,) = taken
    assert first is not None
    assert held(abandoned.parent) == ["a"]
    first.release()
    assert files(abandoned.parent) == []


def test_leases_of_the_dead_are_swept_and_no_others(abandoned: Path) -> None:
    folder = abandoned.parent
    with taken(folder, "b") as living:
        assert sweep_leases(folder) == []
        age(abandoned, DEAD_AFTER_SECONDS + 60)
        assert sweep_leases(folder) == [abandoned]
        assert files(folder) == [living.path.name]
    assert sweep_leases(folder.parent / "none") == []


def test_a_full_disk_is_reported_and_no_partial_file_stays(small_disk: Path) -> None:
    (small_disk / "leases").mkdir()
    ballast = small_disk / "ballast"
    with pytest.raises(OSError, match="No space"), ballast.open("wb") as file:
        file.write(b"x" * 2_000_000)
    with pytest.raises(StoreError, match=r"the store is full: .*free some space"):
        take(small_disk / "leases", "a")
    assert files(small_disk / "leases") == []
    ballast.unlink()
    with taken(small_disk / "leases", "a"):
        assert held(small_disk / "leases") == ["a"]


def test_a_read_only_store_is_reported(read_only_disk: Path) -> None:
    assert sweep_leases(read_only_disk / "leases") == []
    with pytest.raises(StoreError, match=r"the store is read-only: .*--store"):
        take(read_only_disk / "leases", "a")
