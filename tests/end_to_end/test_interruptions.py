"""Killed or interrupted at any moment, nothing half-written gets a final name, and the next run
cleans up and gives the same tables as an undisturbed one."""

import re
import signal
import time
from pathlib import Path

import pytest

from tests.helpers.fake_source import QUERY_TEXTS, FakeSource, contents, write_recipe, write_trace
from tests.helpers.nights import Notes
from tests.helpers.processes import start_module
from tracemill.engine.analyze import Options, analyze, analyze_source
from tracemill.store.runs import Store

ROOT = Path(__file__).parent.parent.parent
REAL_TRACE = ROOT / "data" / "m01_late_sender"
STAGES = ["read", "long_stays", "place_totals", "double", "ranking", "stay_counts", "publish"]
MOMENTS = [("started", stage) for stage in STAGES] + [("advanced", "read"), ("pointing", "publish")]
STAYS = ((10, 20), (30, 5, 40))


def prepare(folder: Path, **changed: str) -> None:
    write_trace(folder / "first", stays=STAYS)
    write_recipe(folder / "queries", **changed)


def interrupt(
    folder: Path, number: signal.Signals, event: str, stage: str, *trace: Path
) -> int | None:
    """How a process ended that analyzed and was sent a signal at some moment."""
    words = [folder, int(number), event, stage, *trace]
    return start_module("tests.helpers.interrupted_run", words, folder / "said").finish(90)[0]


def names(store: Store) -> list[str]:
    """What lies in the folders of all runs."""
    return sorted(path.name for path in store.runs_path.glob("run=*/*"))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("undisturbed")
    prepare(folder)
    source = FakeSource(folder / "first" / "trace.json")
    recipe = write_recipe(folder / "queries")
    store = Store(folder / "store")
    return contents(analyze_source(source, store=store, recipe=recipe).run.path)


@pytest.mark.parametrize(("event", "stage"), MOMENTS)
def test_after_a_kill_the_next_run_sweeps_and_gives_the_same_bytes(
    tmp_path: Path, undisturbed: dict[str, bytes], event: str, stage: str
) -> None:
    prepare(tmp_path)
    assert interrupt(tmp_path, signal.SIGKILL, event, stage) == -signal.SIGKILL
    store = Store(tmp_path / "store")
    left = [".writing", "gen"] if event == "pointing" else [".writing"]
    assert [re.split("[~=]", name)[0] for name in names(store)] == left
    assert store.runs() == []

    reporter = Notes()
    analysis = analyze_source(
        FakeSource(tmp_path / "first" / "trace.json"),
        store=store,
        options=Options(threads=2),
        reporter=reporter,
        recipe=write_recipe(tmp_path / "queries"),
    )
    assert contents(analysis.run.path) == undisturbed
    assert names(store) == ["current.json", analysis.run.path.name]
    assert analysis.is_new is (event != "pointing")
    assert any("interrupted run left behind" in note for note in reporter.notes)


# At the start of reading, in the middle of it, in a query, and when all is there but not its name.
REAL_MOMENTS = [
    ("started", "read"), ("advanced", "read"), ("started", "messages"), ("started", "publish"),
]  # fmt: skip


@pytest.fixture(scope="module")
def undisturbed_real(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    store = Store(tmp_path_factory.mktemp("undisturbed_real"))
    return contents(analyze(REAL_TRACE, store=store, options=Options(threads=1)).run.path)


@pytest.mark.parametrize(("event", "stage"), REAL_MOMENTS)
def test_a_real_trace_survives_a_kill(
    tmp_path: Path, undisturbed_real: dict[str, bytes], event: str, stage: str
) -> None:
    assert interrupt(tmp_path, signal.SIGKILL, event, stage, REAL_TRACE) == -signal.SIGKILL
    store = Store(tmp_path / "store")
    assert [name.split("~")[0] for name in names(store)] == [".writing"]

    run = analyze(REAL_TRACE, store=store, options=Options(threads=2)).run
    assert contents(run.path) == undisturbed_real
    assert names(store) == ["current.json", run.path.name]


@pytest.mark.parametrize("stage", STAGES)
def test_ctrl_c_leaves_nothing(tmp_path: Path, stage: str) -> None:
    prepare(tmp_path)
    assert interrupt(tmp_path, signal.SIGINT, "started", stage) == -signal.SIGINT
    assert list(Store(tmp_path / "store").runs_path.iterdir()) == []


@pytest.mark.parametrize("name", ["stay_counts", "long_stays"])  # streamed, and kept in DuckDB
def test_ctrl_c_stops_a_long_query_at_once(tmp_path: Path, name: str) -> None:
    slow = QUERY_TEXTS[name].replace(
        "FROM stays",
        "FROM stays, range(200000) AS a (i), range(100000) AS b (j)\nWHERE (i * j) % 7 = 3",
    )
    prepare(tmp_path, **{name: slow.replace("\nWHERE duration_ns", " AND duration_ns")})
    start = time.monotonic()
    assert interrupt(tmp_path, signal.SIGINT, "later", name) == -signal.SIGINT
    assert time.monotonic() - start < 20
    assert names(Store(tmp_path / "store")) == []
