"""Results of replays as runs of a store: their tables, and that measured runs come first."""

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.reference.replaying import FAMILIES
from tracemill import cli, open_store
from tracemill.engine.analyze import Analysis, Options, analyze
from tracemill.engine.asking import computed_again
from tracemill.engine.progress import SilentReporter
from tracemill.kernels.replay import replay
from tracemill.replay.opening import GRAPH, opened_graph
from tracemill.replay.what_if import change, keep_changed
from tracemill.schemas.replay import DEPENDENCY_KINDS
from tracemill.stages.scaling import parse_scale, scaled_times
from tracemill.store.runs import Run, Store

Analyses = Callable[[str], Analysis]
# Messages, locks, teams with barriers, tasks, and threads.
TRACES = ("e03_lr_exact", "m28_omp_critical", "m29_hybrid", "m31_omp_tasks", "m32_pthread_mutex")
SCALES = ("computation=0.5", "computation=3")
LONG_F = """\
-- Visits of f that take at least so long.
--
-- Grain:      one row per visit
-- Inputs:     visits, regions
-- Output:     long_f
-- Parameters: $least_ns  least time of a visit (BIGINT, default 1000)
-- Pattern:    finding
-- Metrics:    long_f "Long f": Time in long visits of f.
SELECT visits.call_path_id, visits.location_id, visits.leave_ns - visits.enter_ns AS value
FROM visits INNER JOIN regions USING (region_id)
WHERE regions.name = 'f' AND value >= $least_ns::BIGINT
"""


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
    run = analysis_of("m29_hybrid").run
    with opened_graph(run) as opened:
        found = opened.scaled.found
        duration, _ = scaled_times(opened.scaled, [parse_scale("computation=0.5")])
        graph, times = found.graph, replay(found.graph, duration)
    waits = np.diff(times.ready, prepend=0)
    waits[1:] = times.ready[1:] - times.end[:-1]
    waits[graph.first[:-1]] = times.ready[graph.first[:-1]] - graph.begin
    of_graph: Counter[str] = Counter()
    owner = np.repeat(np.arange(len(graph.location)), np.diff(graph.first_cause))
    is_decisive = (times.decisive[owner] == graph.cause) & (graph.location[owner] >= 0)
    # Several dependencies on the same cause count once.
    _, rows = np.unique(owner[is_decisive], return_index=True)
    for row in np.flatnonzero(is_decisive)[rows]:
        of_graph[DEPENDENCY_KINDS[found.edge_kind[row]]] += int(waits[owner[row]])
    changed, _ = kept(run, "computation=0.5", tmp_path)
    with computed_again(changed, ()) as answer:
        answer.provide("wait_states")
        of_states = dict(
            answer.connection.sql("""
            SELECT property::VARCHAR, sum(wait_ns)::BIGINT FROM wait_states GROUP BY ALL
        """).fetchall()
        )
    sums = {}
    for name in ("late sender", "barrier", "n to n", "finalize", "team barrier"):
        kinds, properties = FAMILIES[name]
        sums[name] = sum(of_graph[kind] for kind in kinds)
        assert sums[name] == sum(of_states.get(each, 0) for each in properties), name
    assert sum(sums.values()) > 0
    assert sums["team barrier"] > 0


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


def test_the_order_of_parts_makes_no_other_run(analysis_of: Analyses, tmp_path: Path) -> None:
    run = analysis_of("e06_critical_path").run
    first, second = (kept(run, each, tmp_path)[0] for each in ("g=2 f=0", "f=0 g=2"))
    assert first.run_id == second.run_id
    assert first.label == second.label == "e06_critical_path what-if f=0 g=2"


def test_close_factors_make_different_runs(analysis_of: Analyses, tmp_path: Path) -> None:
    run = analysis_of("e06_critical_path").run
    first, second = (kept(run, f"f=0.1234567{each}", tmp_path)[0] for each in (8, 9))
    assert first.run_id != second.run_id
    assert first.label == "e06_critical_path what-if f=0.12345678"


def test_patterns_of_the_analyzed_run_are_looked_for_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    place = ["--store", str(tmp_path / "store")]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "long_f.sql").write_text(LONG_F)
    options = Options(threads=1, parameters={"least_ns": 400_000}, patterns=(tmp_path / "mine",))
    trace = Path("data/e06_critical_path")
    analyze(trace, store=Store(tmp_path / "store"), options=options)
    assert cli.main(["what-if", "--scale", "f=0.5", "--output", *place]) == 0
    query = "SELECT value::BIGINT AS value FROM long_f"
    runs = (open_store(tmp_path / "store").run(each) for each in (None, "what-if"))
    before, after = (run.sql(query)["value"].to_list() for run in runs)
    assert before == [5_000_000]
    assert after == [2_500_000]
    shutil.rmtree(tmp_path / "mine")
    capfd.readouterr()
    assert cli.main(["what-if", "--scale", "f=0.25", "--output", *place]) == 11
    assert "no folder of patterns" in capfd.readouterr().err


def test_a_run_and_its_kept_run_have_the_same_options(
    store: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    capfd.readouterr()
    assert cli.main(["compare", "e06", "e06 what-if f=0", "--store", str(store)]) == 0
    out = capfd.readouterr().out
    assert "3.00 ms" in out
    assert "different options" not in out


@pytest.mark.parametrize("threads", [1, 2])
def test_replays_are_equal_for_any_number_of_threads(
    analysis_of: Analyses, tmp_path: Path, threads: int
) -> None:
    run = analysis_of("m29_hybrid").run
    options = Options(threads=threads)
    again = analyze(Path("data/m29_hybrid"), store=Store(tmp_path), options=options).run
    for name in ("gains", "pop_metrics", "pop_locations"):
        assert without_id(again.read(name)).equals(without_id(run.read(name))), name
    graphs = []
    for each in (run, again):
        with computed_again(each, GRAPH) as answer:
            graphs.append([answer.table(name) for name in GRAPH])
    assert all(one.equals(other) for one, other in zip(*graphs, strict=True))


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
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    place = ["--store", str(tmp_path / "store")]
    trace = shutil.copytree("data/e06_critical_path", tmp_path / "e06")
    assert cli.main(["analyze", str(trace), *place, "--no-report"]) == 0
    shutil.rmtree(trace)
    capfd.readouterr()
    assert cli.main(["what-if", "--scale", "h=0", "--output", *place]) == 11
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
