"""Analyzing again computes what changed, says why, and changes nothing else.

The recipe of tests.helpers.fake_source:

    read ──> stays ──> long_stays (transient) ──> place_totals ──> double  (Python)
         │         └─> stay_counts                      └────────> ranking
         └─> places ───────────────────────────────────────────────┘
"""

import importlib
import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from tests.helpers.fake_source import (
    DOUBLE,
    PLACE_TOTALS,
    PLACES,
    QUERY_TEXTS,
    STAYS,
    TABLES,
    Case,
    FakeSource,
    contents,
    write_recipe,
    write_trace,
)
from tracemill.base.errors import DamagedTraceError, StoreError
from tracemill.engine import graph
from tracemill.engine.analyze import Analysis, Options, analyze, analyze_source
from tracemill.engine.graph import schema_hash
from tracemill.engine.progress import SilentReporter
from tracemill.schemas import Rule
from tracemill.store.runs import Store


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


@pytest.fixture
def analyzed(case: Case) -> Case:
    case.analyze()
    return case


def computed(analysis: Analysis) -> dict[str, str]:
    return {each.table: each.reason for each in analysis.decisions if each.is_computed}


def test_first_run_computes_everything(case: Case) -> None:
    # stays of place 0: 10 20, of place 1: 30 5 40; long means at least 20
    analysis = case.analyze()
    assert set(computed(analysis)) == set(TABLES)
    assert set(computed(analysis).values()) == {"first run"}
    assert analysis.is_new
    assert analysis.run.read("place_totals").to_pylist() == [
        {"location_id": 0, "duration_ns": 20},
        {"location_id": 1, "duration_ns": 70},
    ]
    assert analysis.run.read("doubled")["duration_ns"].to_pylist() == [40, 140]
    assert analysis.run.read("ranking").to_pylist() == [
        {"name": "fake-one place 1", "duration_ns": 70},
        {"name": "fake-one place 0", "duration_ns": 20},
    ]
    assert analysis.run.read("stay_counts")["stay_count"].to_pylist() == [2, 3]
    assert sorted(contents(analysis.run.path)) == [
        "doubled.parquet",
        "place_totals.parquet",
        "places.parquet",
        "ranking.parquet",
        "stay_counts.parquet",
        "stays/part-00000.parquet",
        "stays/part-00001.parquet",
    ]


def test_second_run_does_nothing_and_says_why(analyzed: Case) -> None:
    before = {path: path.stat().st_mtime_ns for path in analyzed.folder.rglob("*")}
    analysis = analyzed.analyze()
    assert not analysis.is_new
    assert computed(analysis) == {}
    since = f"{datetime.fromisoformat(analysis.run.manifest.created_at):%Y-%m-%d %H:%M} UTC"
    assert analysis.summary.startswith(f"nothing changed since {since}: same data")
    assert len(analyzed.source.digests) == 1  # sizes and times sufficed
    assert {path: path.stat().st_mtime_ns for path in analyzed.folder.rglob("*")} == before


def test_touched_files_are_read_once_more_but_nothing_is_computed(analyzed: Case) -> None:
    os.utime(analyzed.source.path, ns=(1, 1))
    for _ in range(2):
        analysis = analyzed.analyze()
        assert not analysis.is_new
    assert len(analyzed.source.digests) == 2
    assert len(analyzed.generations) == 1


def test_a_copy_elsewhere_is_the_same_run(analyzed: Case) -> None:
    shutil.copytree(analyzed.folder / "first", analyzed.folder / "second")
    analyzed.source = FakeSource(analyzed.folder / "second" / "trace.json")
    analysis = analyzed.analyze()
    assert not analysis.is_new
    assert len(analyzed.generations) == 1
    assert analyzed.store.open(analyzed.folder / "second").label == "second"


def test_a_store_that_cannot_be_written_still_answers(
    analyzed: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StoreError("read-only")

    monkeypatch.setattr(Store, "point_to", refuse)
    os.utime(analyzed.source.path, ns=(1, 1))
    assert not analyzed.analyze().is_new


def test_a_changed_trace_makes_a_new_generation_of_its_run(analyzed: Case) -> None:
    write_trace(analyzed.folder / "first", stays=((10, 20), (30, 5, 40, 50)))
    analysis = analyzed.analyze()
    assert computed(analysis)["stays"] == "source changed"
    assert computed(analysis)["stay_counts"] == "upstream changed: stays"
    assert computed(analysis)["ranking"] == "upstream changed: place_totals, places"
    assert len(analyzed.generations) == 2
    assert len(list(analyzed.store.runs_path.iterdir())) == 1
    assert analyzed.store.open().read("stay_counts")["stay_count"].to_pylist() == [2, 4]


def test_a_changed_query_computes_its_table_and_what_follows(analyzed: Case) -> None:
    first = analyzed.store.open()
    changed = QUERY_TEXTS["place_totals"].replace("sum(duration_ns)", "max(duration_ns)")
    analyzed.recipe = write_recipe(analyzed.folder / "queries", place_totals=changed)
    analysis = analyzed.analyze()
    assert computed(analysis) == {
        "long_stays": "needed by place_totals",
        "place_totals": "query text changed",
        "doubled": "upstream changed: place_totals",
        "ranking": "upstream changed: place_totals",
    }
    assert analysis.run.read("ranking")["duration_ns"].to_pylist() == [40, 20]
    for name in ("places", "stays", "stay_counts"):
        for old, new in zip(first.files(name), analysis.run.files(name), strict=True):
            assert os.path.samefile(old, new)
    assert first.read("ranking")["duration_ns"].to_pylist() == [70, 20]  # still readable


def test_a_changed_transient_query_computes_what_follows(analyzed: Case) -> None:
    changed = QUERY_TEXTS["long_stays"].replace(">=", ">")
    analyzed.recipe = write_recipe(analyzed.folder / "queries", long_stays=changed)
    assert analyzed.explain() == {
        "long_stays": "query text changed",
        "place_totals": "upstream changed: long_stays",
        "doubled": "upstream changed: place_totals",
        "ranking": "upstream changed: place_totals",
    }


def test_another_value_of_a_parameter_computes_what_takes_it_and_what_follows(
    analyzed: Case,
) -> None:
    analysis = analyzed.analyze(parameters={"min_stay_ns": 35})
    assert computed(analysis)["long_stays"] == "options changed"
    assert set(computed(analysis)) == {"long_stays", "place_totals", "doubled", "ranking"}
    assert analysis.run.read("place_totals").to_pylist() == [{"location_id": 1, "duration_ns": 40}]
    assert analysis.run.manifest.options["parameters"] == {"min_stay_ns": 35}


def test_a_parameter_of_a_python_stage_counts_too(analyzed: Case) -> None:
    analysis = analyzed.analyze(parameters={"factor": 3})
    assert computed(analysis) == {"doubled": "options changed"}
    assert analysis.run.read("doubled")["duration_ns"].to_pylist() == [60, 210]


def test_going_back_to_earlier_options_computes_nothing(analyzed: Case) -> None:
    analyzed.analyze(parameters={"factor": 3})
    assert analyzed.explain() == {}
    analysis = analyzed.analyze()
    assert not analysis.is_new
    assert analysis.summary.startswith("already analyzed at 20")
    assert re.search(r"at \d{4}-\d\d-\d\d \d\d:\d\d UTC: same data", analysis.summary)
    assert analyzed.store.open().read("doubled")["duration_ns"].to_pylist() == [40, 140]


def test_allowing_damage_changes_nothing_where_there_is_none(analyzed: Case) -> None:
    """Reading did not fail, so that there is no damage that could be allowed."""
    assert analyzed.explain(allow_damaged=True) == {}
    analysis = analyzed.analyze(allow_damaged=True)
    assert not analysis.is_new
    changed = analyzed.analyze(allow_damaged=True, parameters={"factor": 3})
    assert computed(changed) == {"doubled": "options changed"}
    assert not changed.run.manifest.is_damaged_allowed


def test_where_damage_was_allowed_the_trace_is_read_again_without(case: Case) -> None:
    """The tables of this recipe do not show whether there was any."""
    case.analyze(allow_damaged=True)
    assert case.explain(allow_damaged=True) == {}
    analysis = case.analyze()
    assert computed(analysis)["stays"] == "options changed"


def test_a_changed_trace_is_read_as_the_options_say(analyzed: Case) -> None:
    analyzed.source = write_trace(analyzed.folder / "first", stays=[[1, 2]])
    analysis = analyzed.analyze(allow_damaged=True)
    assert computed(analysis)["stays"] == "source changed"
    assert analysis.run.manifest.is_damaged_allowed


@pytest.mark.parametrize("trace", ["m01_late_sender", "late_sender.csv"])
def test_a_complete_trace_is_the_same_whether_damage_is_allowed_or_not(
    trace: str, tmp_path: Path, analysis_of: Callable[[str], Analysis]
) -> None:
    path, store = Path(__file__).parents[2] / "data" / trace, Store(tmp_path)
    first = analyze(path, store=store, options=Options(threads=1, allow_damaged=True))
    again = analyze(path, store=store, options=Options(threads=1))
    assert (first.is_new, again.is_new) == (True, False)
    strict = analysis_of(trace)
    for table in strict.run.tables:
        files = [
            [file.read_bytes() for file in run.files(table)] for run in (strict.run, first.run)
        ]
        assert files[0] == files[1], table


def test_an_incomplete_trace_is_refused_again_once_damage_is_not_allowed(tmp_path: Path) -> None:
    trace, store = tmp_path / "trace.csv", Store(tmp_path / "store")
    trace.write_text("Timestamp (ns),Event Type,Name,Process\n0,Enter,a,0\nx,Leave,a,0\n")
    analyze(trace, store=store, options=Options(threads=1, allow_damaged=True))
    with pytest.raises(DamagedTraceError, match="line 3"):
        analyze(trace, store=store, options=Options(threads=1))


def test_changed_code_of_the_reader_or_a_stage_computes_again(analyzed: Case) -> None:
    analyzed.source = replace(
        analyzed.source, code_modules=("tracemill.base.errors", "tracemill.sql.query_files")
    )
    assert analyzed.explain()["places"] == "code changed"
    analyzed.source = write_trace(analyzed.folder / "first")
    python = replace(DOUBLE, modules=("tracemill.sql.query_files",))
    analyzed.recipe = replace(analyzed.recipe, python_stages=(python,))
    assert analyzed.explain() == {"doubled": "code changed"}


COMPUTED_BY_SQL_OR_PYTHON = {"long_stays", "place_totals", "ranking", "stay_counts", "doubled"}


@pytest.mark.parametrize(
    ("name", "told", "tables"),
    [
        ("duckdb", "version of DuckDB changed", COMPUTED_BY_SQL_OR_PYTHON),
        ("pyarrow", "version of pyarrow changed", set(TABLES)),
    ],
)
def test_another_version_of_what_makes_the_bytes_computes_again(
    analyzed: Case, monkeypatch: pytest.MonkeyPatch, name: str, told: str, tables: set[str]
) -> None:
    installed = graph.installed_version
    monkeypatch.setattr(
        graph, "installed_version", lambda asked: "99" if asked == name else installed(asked)
    )
    assert analyzed.explain() == dict.fromkeys(tables, told)
    assert analyzed.analyze().is_new
    assert len(analyzed.generations) == 2


def test_another_version_of_tracemill_computes_everything_again(
    analyzed: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "VERSION", "99")
    assert analyzed.explain() == dict.fromkeys(TABLES, "version of Tracemill changed")


def test_another_way_of_writing_files_computes_everything_again(
    analyzed: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "_WRITING_MODULES", ("tracemill.store.manifest",))
    assert analyzed.explain() == dict.fromkeys(TABLES, "stage format changed")


def test_a_rule_of_the_same_name_with_another_body_is_another_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    hashes = []
    for number, body in enumerate((">= 0", "> 0")):
        name = f"schema_with_rule_{number}"
        (tmp_path / f"{name}.py").write_text(f"def holds(table):\n    return table {body}\n")
        importlib.invalidate_caches()
        rule = Rule("is_positive", importlib.import_module(name).holds)
        hashes.append(schema_hash(replace(PLACES, rules=(rule,))))
    assert hashes[0] != hashes[1]


def test_a_changed_schema_computes_its_table_and_what_follows(analyzed: Case) -> None:
    meaning = replace(PLACE_TOTALS, meaning="Time of long stays, by place.")
    analyzed.recipe = replace(analyzed.recipe, tables=TABLES | {"place_totals": meaning})
    assert analyzed.explain() == {
        "long_stays": "needed by place_totals",
        "place_totals": "schema changed",
        "doubled": "upstream changed: place_totals",
        "ranking": "upstream changed: place_totals",
    }


def test_one_changed_table_of_the_reader_reads_all_but_keeps_what_follows_from_others(
    analyzed: Case,
) -> None:
    places = replace(PLACES, meaning="Places.")
    analyzed.source = replace(analyzed.source, tables=(places, STAYS))
    assert analyzed.explain() == {
        "places": "schema changed",
        "stays": "made together with places",
        "ranking": "upstream changed: places",
    }


def test_a_query_that_is_gone_takes_its_table_with_it(analyzed: Case) -> None:
    kept = tuple(q for q in analyzed.recipe.queries if q.relation != "stay_counts")
    analyzed.recipe = replace(analyzed.recipe, queries=kept)
    analysis = analyzed.analyze()
    assert analysis.is_new
    assert computed(analysis) == {}
    assert "stay_counts" not in analysis.run.tables


def test_a_new_query_computes_only_its_table(case: Case) -> None:
    full = case.recipe
    kept = tuple(query for query in full.queries if query.relation != "stay_counts")
    case.recipe = replace(full, queries=kept)
    case.analyze()
    case.recipe = full
    assert case.explain() == {"stay_counts": "new table"}


def test_force_computes_everything_into_another_generation_with_equal_bytes(analyzed: Case) -> None:
    first = analyzed.store.open()
    analysis = analyzed.analyze(force=True)
    assert set(computed(analysis).values()) == {"forced"}
    assert analysis.run.generation == f"{first.generation}.2"
    assert contents(analysis.run.path) == contents(first.path)
    assert not analyzed.analyze().is_new
    assert analyzed.analyze(force=True).run.generation == f"{first.generation}.3"


@pytest.mark.parametrize("damage", ["gone", "cut"])
def test_a_file_that_is_missing_or_cut_is_computed_again(analyzed: Case, damage: str) -> None:
    run = analyzed.store.open()
    file = run.path / "ranking.parquet"
    whole = file.read_bytes()
    file.unlink() if damage == "gone" else file.write_bytes(whole[:-10])
    analysis = analyzed.analyze()
    assert computed(analysis) == {"ranking": "file missing or of another size"}
    assert (analysis.run.path / "ranking.parquet").read_bytes() == whole


def test_a_damaged_manifest_is_noted_and_everything_is_computed(analyzed: Case) -> None:
    notes = []

    class Listener(SilentReporter):
        def note(self, text: str) -> None:
            notes.append(text)

    path = analyzed.store.open().path / "manifest.json"
    path.write_text("{")
    analysis = analyze_source(
        analyzed.source, store=analyzed.store, recipe=analyzed.recipe, reporter=Listener()
    )
    assert len(computed(analysis)) == len(TABLES)
    assert str(path) in notes[0]


def test_a_lost_pointer_is_put_back_without_computing(analyzed: Case) -> None:
    (analyzed.store.runs_path / "run=fake-one" / "current.json").unlink()
    analysis = analyzed.analyze()
    assert not analysis.is_new
    assert analyzed.store.open().generation == analysis.run.generation


def test_a_newer_store_is_left_alone(analyzed: Case) -> None:
    path = analyzed.store.runs_path / "run=fake-one" / "current.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"store_format_version": 9}))
    with pytest.raises(StoreError, match="format 9"):
        analyzed.analyze()
    assert json.loads(path.read_text())["store_format_version"] == 9


def test_explaining_writes_nothing(case: Case) -> None:
    assert set(case.explain().values()) == {"first run"}
    assert not case.store.path.exists()


def test_the_manifest_says_how_every_table_came_to_be(analyzed: Case) -> None:
    manifest = analyzed.store.open().manifest
    assert manifest.source.path == str(analyzed.source.path)
    assert manifest.source.format == "fake"
    assert manifest.source.digest == analyzed.source.digests[0]
    assert manifest.source.files[0].size == analyzed.source.path.stat().st_size
    assert {"python", "pyarrow", "duckdb", "numpy"} <= set(manifest.versions)
    assert set(manifest.stage_seconds) == {
        "read", "long_stays", "place_totals", "double", "ranking", "stay_counts",
    }  # fmt: skip
    assert {name: table.row_count for name, table in manifest.tables.items()} == {
        "places": 2, "stays": 5, "long_stays": 0, "place_totals": 2, "doubled": 2,
        "ranking": 2, "stay_counts": 2,
    }  # fmt: skip
    assert set(manifest.tables) - set(manifest.stored) == {"long_stays"}
    assert manifest.tables["ranking"].inputs == {
        name: manifest.tables[name].key for name in ("place_totals", "places")
    }


@pytest.mark.parametrize("threads", [1, 2])
def test_tables_are_the_same_bytes_for_any_number_of_threads(tmp_path: Path, threads: int) -> None:
    # 400 000 stays over many row groups, durations repeated, so that ties are everywhere
    durations = [[(place * 7 + number) % 50 for number in range(100_000)] for place in range(4)]
    results = []
    for count in (1, threads):
        case = Case(tmp_path / f"{count}-{len(results)}")
        case.source = write_trace(case.folder / "first", stays=durations)
        results.append(contents(case.analyze(threads=count, memory_limit="200MB").run.path))
    assert results[0] == results[1]


def test_two_analyses_at_the_same_time_give_one_generation(case: Case) -> None:
    class Overtaken(SilentReporter):
        def stage_started(self, name: str, total: int | None) -> None:
            if name == "publish":
                overtaking.append(case.analyze())

    overtaking: list[Analysis] = []
    analysis = analyze_source(
        case.source, store=case.store, recipe=case.recipe, reporter=Overtaken()
    )
    assert overtaking[0].is_new
    assert analysis.run.path == overtaking[0].run.path
    folder = case.store.runs_path / "run=fake-one"
    assert len(list(folder.iterdir())) == 2  # one generation and the pointer
