"""Results of replays as runs of a store: their tables, and that measured runs come first."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.reference.replaying import FAMILIES
from tracemill import cli, open_store
from tracemill.engine.analyze import Analysis
from tracemill.engine.asking import computed_again
from tracemill.engine.progress import SilentReporter
from tracemill.kernels.replay import replay
from tracemill.replay.opening import opened_graph
from tracemill.replay.what_if import change, keep_changed
from tracemill.stages.scaling import parse_scale, scaled_times
from tracemill.store.runs import Run, Store

Analyses = Callable[[str], Analysis]
# Messages, locks, teams with barriers, tasks, and threads.
TRACES = ("e03_lr_exact", "m28_omp_critical", "m29_hybrid", "m31_omp_tasks", "m32_pthread_mutex")
SCALES = ("computation=0.5", "computation=3")


def kept(run: Run, scales: str, store: Path) -> tuple[Run, int]:
    """The run with parts scaled, kept in a store, and the run time that a replay finds."""
    parsed = [parse_scale(text) for text in scales.split()]
    with opened_graph(run) as opened:
        changed = change(opened, parsed)
        return keep_changed(opened, parsed, store, SilentReporter()), changed.changed_ns


def without_id(rows: pa.Table) -> pa.Table:
    return rows.drop_columns([name for name in rows.column_names if name == "run_id"])


def run_time(run: Run) -> int:
    (row,) = run.read("runs", ["begin_ns", "end_ns"]).to_pylist()
    return int(row["end_ns"] - row["begin_ns"])


@pytest.mark.parametrize("name", TRACES)
def test_a_factor_of_one_reproduces_all_tables(
    analysis_of: Analyses, tmp_path: Path, name: str
) -> None:
    run = analysis_of(name).run
    again, time = kept(run, "computation=1", tmp_path)
    assert time == run_time(run)
    for table in run.tables:
        assert without_id(again.read(table)).equals(without_id(run.read(table))), table


# A run that is analyzed again has the activities of the replay. (Without time in MPI, calls at the
# same time could be in another order; so the factor is not 0 here.)
@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize("name", TRACES)
def test_a_kept_run_has_the_times_of_the_replay(
    analysis_of: Analyses, tmp_path: Path, name: str, scales: str
) -> None:
    run = analysis_of(name).run
    changed, time = kept(run, scales, tmp_path)
    assert run_time(changed) == time
    with opened_graph(run) as opened:
        found = opened.scaled.found
        scaled, _ = scaled_times(opened.scaled, [parse_scale(each) for each in scales.split()])
        times = replay(found.graph, scaled)
    with computed_again(changed, ("activities",)) as answer:
        rows = answer.table("activities").sort_by("activity_id")
    assert np.array_equal(rows["end_ns"], times.end)
    assert np.array_equal(pa.compute.add(rows["begin_ns"], rows["wait_ns"]), times.ready)


# f on rank 0 ends 5000 µs earlier, its send is entered at 100 instead of 5100. The receive on rank
# 1 is entered at 2100, so it no longer waits, and its send is entered at 2150 + 2000 = 4150. The
# receive on rank 2 waits from 1100 on: 3050. Ranks 0 to 2 enter the barrier at 200, 4200 and 4250,
# so they wait 4050, 50 and 0.
def test_waits_of_the_kept_run_are_those_of_its_times(
    analysis_of: Analyses, tmp_path: Path
) -> None:
    changed, time = kept(analysis_of("e06_critical_path").run, "f=0", tmp_path)
    assert time == run_time(changed) == 5_060_000
    with computed_again(changed, ()) as answer:
        answer.provide("wait_states")
        found = answer.connection.sql("""
            SELECT property::VARCHAR, list(wait_ns ORDER BY wait_ns) FROM wait_states
            WHERE wait_ns > 0 GROUP BY ALL
        """).fetchall()
    waits = dict(found)
    assert waits["mpi_latesender"] == [3_050_000]
    assert waits["mpi_barrier_wait"] == [50_000, 4_050_000]


def test_waits_by_family_are_those_of_the_replay(analysis_of: Analyses, tmp_path: Path) -> None:
    changed, _ = kept(analysis_of("m29_hybrid").run, "computation=0.5", tmp_path)
    with computed_again(changed, ("activities", "activity_dependencies")) as answer:
        for name in ("activities", "activity_dependencies", "wait_states"):
            answer.provide(name)
        of_graph = dict(
            answer.connection.sql("""
            SELECT dependencies.kind::VARCHAR, sum(activities.wait_ns)::BIGINT
            FROM activities
            INNER JOIN activity_dependencies AS dependencies USING (activity_id)
            WHERE dependencies.is_decisive AND activities.location_id IS NOT NULL
            GROUP BY ALL
        """).fetchall()
        )
        of_states = dict(
            answer.connection.sql("""
            SELECT property::VARCHAR, sum(wait_ns)::BIGINT FROM wait_states GROUP BY ALL
        """).fetchall()
        )
    for name in ("late sender", "barrier", "n to n", "finalize", "team barrier"):
        kinds, properties = FAMILIES[name]
        assert sum(of_graph.get(kind, 0) for kind in kinds) == sum(
            of_states.get(each, 0) for each in properties
        ), name


def test_calls_inside_an_activity_are_scaled_one_by_one(
    analysis_of: Analyses, tmp_path: Path
) -> None:
    run = analysis_of("m18_master_worker").run
    changed, _ = kept(run, "own:work=0.5", tmp_path)
    query = """
        SELECT sum(exclusive_ns)::BIGINT, sum(visit_count)::BIGINT
        FROM call_tree
        INNER JOIN call_paths USING (call_path_id)
        INNER JOIN regions USING (region_id)
        WHERE name = 'work'
    """
    ((before, count),), ((after, _),) = (
        each.connect().sql(query).fetchall() for each in (run, changed)
    )
    assert after == pytest.approx(before / 2, abs=count)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a measured run and a changed one."""
    tmp_path = tmp_path_factory.mktemp("changed")
    shutil.copytree(Path("data/e06_critical_path"), tmp_path / "e06")
    path = tmp_path / "store"
    assert cli.main(["analyze", str(tmp_path / "e06"), "--store", str(path), "--no-report"]) == 0
    assert cli.main(["what-if", "--scale", "f=0", "--output", "--store", str(path)]) == 0
    return path


def test_a_measured_run_is_meant_unless_another_is_named(store: Path) -> None:
    opened = open_store(store)
    kinds = opened.runs().select("label", "kind").rows()
    assert kinds == [("e06 what-if f=0", "what-if"), ("e06", "measured")]
    time = "SELECT end_ns - begin_ns AS time_ns FROM runs"
    for name in (None, "e06", str(store.parent / "e06"), "e0"):
        assert opened.run(name).sql(time).item() == 8_060_000
    for name in ("e06 what-if f=0", "what-if", "e06 what-if"):
        assert opened.run(name).sql(time).item() == 5_060_000
    with opened.all_runs() as tables:
        assert tables.sql("SELECT count(*) AS n FROM runs").item() == 1


def test_a_campaign_has_measured_runs_only(store: Path) -> None:
    made = ["campaign", "--name", "all", "--store", str(store), "--no-report"]
    assert cli.main(made) == 0
    campaign = open_store(store).campaign("all")
    assert campaign.sql("SELECT count(*) AS n FROM campaign_runs").item() == 1


# Nights look for the runs of archives among the pointers, and take their history from them.
def test_nights_see_measured_runs_only(store: Path) -> None:
    (measured,) = Store(store).runs()
    assert list(Store(store).pointers()) == [measured.run_id]


def test_an_equal_change_is_kept_once(store: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = {run.generation for run in Store(store).runs(is_measured=False)}
    assert cli.main(["what-if", "--scale", "f=0", "--output", "--store", str(store)]) == 0
    assert {run.generation for run in Store(store).runs(is_measured=False)} == before
    assert "e06 what-if f=0" in capfd.readouterr().err


@pytest.mark.parametrize("command", ["report", "pop", "quality"])
def test_commands_work_on_the_changed_run(store: Path, command: str) -> None:
    assert cli.main([command, "e06 what-if f=0", "--store", str(store)]) == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--paths", "2", "--output"], 2, "--output keeps a changed run: add --scale solve=0.5"),
        (["what-if", "--scale", "h=0", "--output"], 2, "is itself the result of a replay: name"),
    ],
)
def test_wrong_uses_are_said_in_one_line(
    store: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], code: int, words: str
) -> None:
    capfd.readouterr()
    assert cli.main(["what-if", *arguments, "--store", str(store)]) == code
    assert words in capfd.readouterr().err


def test_a_trace_that_is_gone_cannot_be_kept_changed(
    store: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(store.parent / "e06")
    capfd.readouterr()
    assert cli.main(["what-if", "--scale", "h=0", "--output", "--store", str(store)]) == 11
    assert "no such file or directory" in capfd.readouterr().err


# Nobody waits for a worker that leaves the last barrier of its team late; yet it cannot be in two
# teams at once.
@pytest.mark.parametrize("name", ["m28_omp_critical", "m29_hybrid", "m31_omp_tasks"])
def test_workers_have_left_a_team_when_the_next_one_forks(
    analysis_of: Analyses, tmp_path: Path, name: str
) -> None:
    changed, time = kept(analysis_of(name).run, "computation=0", tmp_path)
    assert run_time(changed) == time
    with computed_again(changed, ("parallel_visits",)) as answer:
        answer.provide("parallel_visits")
        overlapping = answer.connection.sql("""
            SELECT location_id FROM parallel_visits
            QUALIFY fork_ns < lag(leave_ns) OVER (PARTITION BY location_id ORDER BY enter_ns)
        """).fetchall()
    assert overlapping == []
