"""A campaign that is made again, in another order, or after an interruption."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.fake_source import contents
from tests.helpers.processes import start_command, start_module
from tests.helpers.ring_campaigns import CONFIGURATIONS, campaign, rows, write_trace
from tracemill.campaign import analyzing
from tracemill.engine.analyze import Analysis
from tracemill.store.runs import Store


def no_work(*_: object, **__: object) -> Iterator[Any]:
    raise AssertionError("something was analyzed")


def test_again_there_is_nothing_to_do(
    analyzed: Analysis, traces: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = campaign(traces, store)
    monkeypatch.setattr(analyzing, "analyze_source", no_work)
    monkeypatch.setattr(analyzing, "work_through", no_work)
    again = campaign(traces, store, threads=2)
    assert (first.is_new, again.is_new) == (True, False)
    assert again.summary.startswith("nothing changed since")
    assert again.run.path == first.run.path
    assert contents(first.run.path) == contents(analyzed.run.path)


def test_another_run_is_added_without_touching_the_others(traces: Path, store: Path) -> None:
    before = {path: path.read_text() for path in store.glob("runs/*/*/manifest.json")}
    listed = store.parent / "runs.csv"
    new = write_trace(store.parent / "new.csv", 3, 100, function="step")
    lines = ["trace,p,n", f"{new},3,100"]
    lines += [f"{traces}/ring_p{p}_n{n}_r{r},{p},{n}" for p, n, r in CONFIGURATIONS]
    listed.write_text("\n".join(lines) + "\n")
    made = campaign(listed, store, application="ring")
    assert [row[0] for row in rows(made, "campaign_runs", "processes")] == [2, 2, 2, 3, 4, 4]
    assert all(path.read_text() == text for path, text in before.items())
    assert len(list(store.glob("runs/*/*/manifest.json"))) == len(before) + 1


def test_neither_order_nor_number_of_processes_matters(
    analyzed: Analysis, traces: Path, tmp_path: Path
) -> None:
    """All is analyzed anew, by this process alone, from the last trace to the first."""
    listed = tmp_path / "rings.csv"
    lines = [f"{traces}/ring_p{p}_n{n}_r{r},{p},{n},{r},ring" for p, n, r in CONFIGURATIONS]
    listed.write_text("\n".join(["trace,p,n,r,application", *reversed(lines)]) + "\n")
    made = campaign(listed, tmp_path / "store")
    assert contents(made.run.path) == contents(analyzed.run.path)
    runs = {run.run_id: run for run in Store(tmp_path / "store").runs()}
    for other in Store(analyzed.run.path.parents[2]).runs():
        assert contents(runs[other.run_id].path) == contents(other.path)


def session_of(process: int) -> set[int]:
    """Living processes of the session that a process leads."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, session = path.read_bytes().rpartition(b")")[2].split()[:4]
        except OSError:
            continue  # it has just ended
        if int(session) == process and state != b"Z":
            found.add(int(path.parent.name))
    return found


def wait_until(holds: Callable[[], object], what: str) -> None:
    end = time.monotonic() + 90
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def finished(folder: Path) -> dict[str, str]:
    """Manifests of the runs that are analyzed."""
    found = [path.parent for path in folder.glob("runs/*/current.json")]
    return {path.name: next(path.glob("gen=*/manifest.json")).read_text() for path in found}


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob(".writing*")]


def test_after_a_kill_only_the_rest_is_analyzed(
    analyzed: Analysis, traces: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "store"
    words = [traces, folder, 2]
    command = start_module("tests.helpers.interrupted_campaign", words, tmp_path / "said")
    assert command.finish(90)[0] == -signal.SIGKILL
    wait_until(lambda: not session_of(command.pid), "processes are left")
    before = finished(folder)
    assert 2 <= len(before) < len(CONFIGURATIONS)

    made = campaign(traces, folder)
    after = finished(folder)
    assert {name: after[name] for name in before} == before
    assert contents(made.run.path) == contents(analyzed.run.path)
    assert leftovers(folder) == []


def campaign_words(traces: Path, folder: Path) -> list[str]:
    return ["campaign", str(traces), "--store", str(folder), "--threads", "2"]


@pytest.mark.parametrize("send", [os.killpg, os.kill])
def test_an_interrupt_ends_all_processes_that_were_started(
    traces: Path, tmp_path: Path, send: Callable[[int, int], None]
) -> None:
    """Ctrl-C in a terminal interrupts all processes of the group, Python's own among them."""
    folder = tmp_path / "store"
    command = start_command(campaign_words(traces, folder), tmp_path / "said")
    wait_until(lambda: finished(folder) or not command.is_running(), "no run was analyzed")
    send(command.pid, signal.SIGINT)
    exit_code, _, messages = command.finish(90)
    check_interrupted(folder, command.pid, exit_code, messages)


def check_interrupted(folder: Path, process: int, exit_code: int | None, messages: str) -> None:
    assert exit_code == 130, messages
    assert messages.splitlines() == ["tracemill: interrupted: nothing half-written was published"]
    # Python's tracker of resources ends when it sees that its process has.
    wait_until(lambda: not session_of(process), "processes are left")
    assert leftovers(folder) == []
    assert not (folder / "campaigns").exists()
    assert len(finished(folder)) < len(CONFIGURATIONS)
