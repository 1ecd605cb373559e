"""In several lanes, a stage begins as soon as the tables it needs are made."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

from tests.helpers.memory_sink import MemorySink
from tracemill.base.errors import QueryError
from tracemill.base.text import bytes_of
from tracemill.engine import execute, resources
from tracemill.engine.execute import Engine
from tracemill.engine.graph import SqlStage
from tracemill.engine.lanes import Lanes, begin_with_long
from tracemill.engine.progress import SilentReporter
from tracemill.engine.resources import lanes_for, open_database
from tracemill.patterns.catalog import known_tables
from tracemill.reports.build import build_report
from tracemill.reports.html import render_html
from tracemill.reports.material import Material
from tracemill.reports.sections import summary, timeline
from tracemill.sql.query_files import all_queries
from tracemill.stages.stage import PythonStage
from tracemill.store.database import connect, less_memory

SECONDS = 10
LIMIT = "SELECT current_setting('memory_limit')"


class Work:
    """Stages that are held while they run, until the test lets them end."""

    def __init__(self, *names: str, large: Sequence[str] = (), patient: Sequence[str] = ()) -> None:
        """Each name is a stage, which makes the table of that name; `b<a` needs that of a."""
        pairs = [name.partition("<")[::2] for name in names]
        stages: list[Any] = [
            SimpleNamespace(
                name=name, inputs=inputs.split("+"), outputs=(SimpleNamespace(name=name),)
            )
            for name, inputs in pairs
        ]
        self.lanes = Lanes(
            stages,
            is_large=lambda stage: stage.name in large,
            can_wait=lambda stage: stage.name in patient,
        )
        self.begun: list[str] = []
        self.is_interrupted = threading.Event()
        self._ends = {name: threading.Event() for name, _ in pairs}
        self._errors: dict[str, Exception] = {}
        self._changed = threading.Condition()

    def _work(self, stage: Any) -> None:
        with self._changed:
            self.begun.append(stage.name)
            self._changed.notify_all()
        assert self._ends[stage.name].wait(SECONDS)
        if stage.name in self._errors:
            raise self._errors[stage.name]

    def start(self, lanes: int) -> Callable[[], BaseException | None]:
        """Begin; returns what waits for the end and gives the error."""
        raised: list[BaseException] = []

        def run() -> None:
            try:
                self.lanes.run([self._work] * lanes, self.is_interrupted.set)
            except BaseException as error:
                raised.append(error)

        thread = threading.Thread(target=run)
        thread.start()

        def join() -> BaseException | None:
            thread.join(SECONDS)
            assert not thread.is_alive()
            return raised[0] if raised else None

        return join

    def end(self, name: str, error: Exception | None = None) -> None:
        if error:
            self._errors[name] = error
        self._ends[name].set()

    def has_begun(self, *names: str) -> bool:
        """Wait until these have begun, and no others."""
        with self._changed:
            self._changed.wait_for(lambda: len(self.begun) >= len(names), SECONDS)
        return sorted(self.begun) == sorted(names)


def test_a_stage_begins_when_its_inputs_are_made() -> None:
    work = Work("first", "second<first", "third")
    join = work.start(2)
    assert work.has_begun("first", "third")  # second waits for first
    work.end("first")
    assert work.has_begun("first", "third", "second")
    work.end("second")
    work.end("third")
    assert join() is None


def test_one_lane_keeps_the_order() -> None:
    work = Work("c", "a<c", "b")
    for name in "abc":
        work.end(name)
    assert work.start(1)() is None
    assert work.begun == ["c", "a", "b"]


def test_large_stages_run_one_at_a_time() -> None:
    work = Work("large", "larger", "small", large=["large", "larger"])
    join = work.start(2)
    assert work.has_begun("large", "small")
    work.end("small")
    work.end("large")
    assert work.has_begun("large", "small", "larger")
    work.end("larger")
    assert join() is None


def test_stages_that_can_wait_begin_when_no_other_can() -> None:
    work = Work("patient", "first", "second<first", patient=["patient"])
    join = work.start(2)
    assert work.has_begun("first", "patient")
    assert work.begun[0] == "first"
    for name in ("first", "second", "patient"):
        work.end(name)
    assert join() is None


def test_after_an_error_no_stage_begins_and_the_other_is_interrupted() -> None:
    work = Work("failing", "other", "later<other")
    join = work.start(2)
    assert work.has_begun("failing", "other")
    work.end("failing", ValueError("first"))
    assert work.is_interrupted.wait(SECONDS)
    work.end("other", ValueError("interrupted"))
    error = join()
    assert str(error) == "first"
    assert work.begun.count("later") == 0


def test_stopping_ends_with_its_error() -> None:
    work = Work("running", "later<running")
    join = work.start(2)
    assert work.has_begun("running")
    work.lanes.stop(KeyboardInterrupt())
    work.end("running")
    assert isinstance(join(), KeyboardInterrupt)
    assert work.begun == ["running"]


@pytest.mark.parametrize("lanes", [1, 2, 3])
def test_all_stages_run_in_any_number_of_lanes(lanes: int) -> None:
    names = ["a", "b<a", "c<a", "d<b+c", "e", "f<e+d"]
    work = Work(*names)
    for name in "abcdef":
        work.end(name)
    assert work.start(lanes)() is None
    assert sorted(work.begun) == list("abcdef")


# lane 1  [large    ][after]
# lane 2    [bounded         ]
def test_the_database_has_less_memory_only_while_a_large_stage_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execute, "MANY_ROWS", -1)
    has_begun, may_end = threading.Event(), threading.Event()
    names = ("regions", "call_paths", "messages")
    large_made, after_made, bounded_made = (known_tables()[name] for name in names)
    limits: list[int] = []
    connection = connect(memory_limit="1000MiB")

    def note_limit() -> None:
        ((found,),) = connection.cursor().execute(LIMIT).fetchall()
        limits.append(round(bytes_of(found) / 2**20))

    def large() -> Any:
        assert has_begun.wait(SECONDS)
        note_limit()
        return large_made.empty()

    def after(regions: Any) -> Any:
        note_limit()
        may_end.set()
        return after_made.empty()

    def bounded() -> Any:
        has_begun.set()
        assert may_end.wait(SECONDS)
        return bounded_made.empty()

    stages = (
        PythonStage(name="large", outputs=(large_made,), compute=large),
        PythonStage(name="after", outputs=(after_made,), compute=after, is_bounded=True),
        PythonStage(name="bounded", outputs=(bounded_made,), compute=bounded, is_bounded=True),
    )
    sink, reporter = MemorySink(tmp_path), SilentReporter()
    options: dict[str, Any] = {stage.name: {} for stage in stages}
    with Engine(lambda: connection, sink, threads=2, reporter=reporter, lanes=2) as engine:
        engine.run(stages, options, "run")
        note_limit()
    assert limits == [250, 1000, 1000]


# lane 1  [large            ]
# lane 2    [first][bounded ][query over very many rows]
def test_a_query_over_very_many_rows_does_not_run_beside_a_large_stage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execute, "MANY_ROWS", -1)
    monkeypatch.setattr(execute, "VERY_MANY_ROWS", -1)
    tables, may_end = known_tables(), threading.Event()
    begun: list[str] = []

    def large() -> Any:
        assert may_end.wait(SECONDS)
        return tables["call_paths"].empty()

    def first() -> Any:
        return tables["regions"].empty()

    def bounded(regions: Any) -> Any:
        may_end.set()
        return tables["messages"].empty()

    class Begun(SilentReporter):
        def stage_started(self, name: str, total: int | None) -> None:
            begun.append(name)

    (query,) = (query for query in all_queries() if query.relation == "mpi_calls")
    stages = (
        PythonStage(name="large", outputs=(tables["call_paths"],), compute=large),
        PythonStage(name="first", outputs=(tables["regions"],), compute=first, is_bounded=True),
        SqlStage(query, tables["mpi_calls"]),
        PythonStage(
            name="bounded", outputs=(tables["messages"],), compute=bounded, is_bounded=True
        ),
    )
    sink, options = MemorySink(tmp_path), dict[str, Any]({stage.name: {} for stage in stages})
    with Engine(connect, sink, threads=2, reporter=Begun(), lanes=2) as engine:
        engine.run(stages, options, "run")
    assert begun[2:] == ["bounded", "mpi_calls"]


@pytest.mark.parametrize(("limit", "less"), [("1000MiB", 250), ("500MiB", 238), ("100MiB", 100)])
def test_queries_beside_a_large_stage_keep_250_mb(limit: str, less: int) -> None:
    connection = connect(memory_limit=limit)
    with less_memory(connection):
        ((found,),) = connection.execute(LIMIT).fetchall()
        assert round(bytes_of(found) / 2**20) == less
    ((found,),) = connection.execute(LIMIT).fetchall()
    assert bytes_of(found) == bytes_of(limit)


@pytest.mark.parametrize(
    ("record_count", "threads", "memory_limit", "lanes"),
    [
        (199_999, 8, "", 1),
        (200_000, 8, "", 2),
        (200_000, 1, "", 1),
        (100_000_000, 8, "2GB", 2),
        (100_000_000, 8, "1999MB", 1),
        (100_000_000, 8, "80%", 2),
    ],
)
def test_small_traces_and_those_short_of_memory_have_one_lane(
    record_count: int, threads: int, memory_limit: str, lanes: int
) -> None:
    assert lanes_for(record_count, threads=threads, memory_limit=memory_limit) == lanes


@pytest.mark.parametrize(
    ("most_rows", "threads", "found"),
    [(999_999, 8, (1, 1)), (1_000_000, 1, (1, 1)), (1_000_000, 2, (2, 2)), (1_000_000, 8, (8, 2))],
)
def test_lanes_are_among_the_threads_of_queries(
    most_rows: int, threads: int, found: tuple[int, int], tmp_path: Path
) -> None:
    generation: Any = SimpleNamespace(most_rows=most_rows, spill_path=tmp_path)
    with open_database(2_000_000, generation, threads=threads, memory_limit="") as connection:
        settings = "SELECT current_setting('threads'), current_setting('external_threads')"
        assert connection.execute(settings).fetchall() == [found]


def test_what_long_stages_need_is_made_first() -> None:
    tables = known_tables()
    made = {name: (tables[name],) for name in ("findings", "messages", "regions", "visits")}

    def compute(**_: Any) -> None: ...

    def stage(name: str, *inputs: str, is_long: bool = False) -> PythonStage:
        return PythonStage(
            name=name, outputs=made[name], compute=compute, inputs=inputs, is_long=is_long
        )

    short = stage("findings", "regions"), stage("messages", "locations")
    long = stage("regions", "locations"), stage("visits", "regions", is_long=True)
    given = (short[1], long[0], short[0], long[1])
    assert begin_with_long(given) == [*long, short[1], short[0]]
    assert begin_with_long(given[:3]) == list(given[:3])


@pytest.mark.parametrize("trace", ["m29_hybrid", "z01_otf2v3_nbc_rma"])
def test_a_report_in_two_lanes_is_the_same(
    trace: str, analysis_of: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = analysis_of(trace).run
    in_one_lane = build_report(run, threads=2)
    both = threading.Barrier(2, timeout=60)

    def meeting(build: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def built(material: Any) -> Any:
            both.wait()
            return build(material)

        return built

    for section in (summary, timeline):
        monkeypatch.setattr(section, "build", meeting(section.build))
    monkeypatch.setattr(resources, "_LANES_FROM_RECORDS", 0)
    in_two_lanes = build_report(run, threads=2)
    assert in_two_lanes == in_one_lane
    assert render_html(in_two_lanes) == render_html(in_one_lane)


@pytest.mark.parametrize("is_main", [True, False])
def test_an_error_in_either_lane_is_raised(
    is_main: bool, analysis_of: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    both = threading.Barrier(2, timeout=60)

    def fail_in_one(material: Any) -> None:
        both.wait()
        if (threading.current_thread() is threading.main_thread()) == is_main:
            raise QueryError("report query timeline_span: no such table")

    for section in (summary, timeline):
        monkeypatch.setattr(section, "build", fail_in_one)
    monkeypatch.setattr(resources, "_LANES_FROM_RECORDS", 0)
    with pytest.raises(QueryError, match="timeline_span"):
        build_report(analysis_of("m01_late_sender").run, threads=2)


def test_each_lane_knows_the_call_paths_that_it_fetched(analysis_of: Callable[[str], Any]) -> None:
    run = analysis_of("m29_hybrid").run
    with run.connect() as connection:
        material = Material(connection, run.manifest)
        with material.beside(lambda *_: None) as beside:
            material.fetch("worst_waits", 4)
            own = material.fetched_paths()
            beside.fetch("top_regions", 26)
            beside.fetch("call_tree_totals", 26)
            beside.fetch("losses_by_call_path", 26)
            assert material.fetched_paths() == own
            others = beside.fetched_paths()
        assert others - own
        assert material.fetched_paths() == own | others


def test_short_queries_keep_what_large_tables_need() -> None:
    off = {}
    for records in (1_000, 1_000_000):
        with duckdb.connect() as connection:
            resources.prepare_for_reports(connection, records)
            ((found,),) = connection.execute(
                "SELECT current_setting('disabled_optimizers')"
            ).fetchall()
            off[records] = set(found.split(","))
    assert off[1_000] - off[1_000_000] == {"join_filter_pushdown", "statistics_propagation"}
    assert off[1_000_000] < off[1_000]
