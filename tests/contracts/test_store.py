"""Generations appear whole or not at all, and runs are found by any of their names."""

import errno
import json
import os
import re
import shutil
import stat
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.helpers.fake_source import PLACES, STAYS, contents, stays
from tests.helpers.store_cases import SOURCE, labeled, manifest, places, publish, record
from tracemill.base.errors import MissingInputError, StoreError
from tracemill.base.temporary import temporary_name
from tracemill.store import generation
from tracemill.store import manifest as manifests
from tracemill.store.generation import GenerationWriter
from tracemill.store.leases import take
from tracemill.store.manifest import Manifest
from tracemill.store.runs import Store
from tracemill.store.sweep import remove

# --- Generations ---------------------------------------------------------------------------------


def test_a_generation_appears_with_its_final_name_only_when_complete(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    with store.begin("r1") as writer:
        writer.write(PLACES, places("zero"))
        assert [path.name[0] for path in (store.runs_path / "run=r1").iterdir()] == ["."]
        store.publish(writer, manifest("r1"))
    names = sorted(path.name for path in (store.runs_path / "run=r1").iterdir())
    assert names == ["current.json", "gen=g1"]


def test_intermediate_data_is_not_published(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    with store.begin("r1") as writer:
        (writer.spill_path / "sorted.tmp").write_bytes(b"rows")
        run = store.publish(writer, manifest("r1"))
    assert [path.name for path in run.path.iterdir()] == ["manifest.json"]


def test_leaving_without_publishing_leaves_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    with pytest.raises(KeyboardInterrupt), store.begin("r1") as writer:  # noqa: PT012
        writer.part(STAYS, 0).write(stays(0, 0, range(200_000)))
        raise KeyboardInterrupt
    assert list(store.runs_path.iterdir()) == []


def test_a_signal_as_the_folder_is_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(path: Path) -> None:
        path.mkdir(parents=True)
        raise KeyboardInterrupt

    monkeypatch.setattr(generation, "make_folder", interrupted)
    store = Store(tmp_path / "store")
    with pytest.raises(KeyboardInterrupt), store.begin("r1"):
        pass
    assert list(store.runs_path.iterdir()) == []


def test_who_publishes_second_keeps_what_the_first_published(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    with store.begin("r1") as first, store.begin("r1") as second:
        first.write(PLACES, places("first"))
        second.write(PLACES, places("second"))
        store.publish(first, manifest("r1", tables={"places": record()}))
        run = store.publish(second, manifest("r1", tables={"places": record()}))
    assert run.read("places")["name"].to_pylist() == ["first"]
    names = sorted(path.name for path in (store.runs_path / "run=r1").iterdir())
    assert names == ["current.json", "gen=g1"]


def test_reused_tables_are_hard_links_or_copies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with GenerationWriter(tmp_path / "old") as old:
        old.write(PLACES, places("zero"))
        part = old.part(STAYS, 3)
        part.write(stays(0, 0, [1]))
        part.close()
        with GenerationWriter(tmp_path / "linked") as linked:
            for name in ("places", "stays"):
                linked.reuse(name, old.path, row_count=1)
            assert contents(linked.path) == contents(old.path)
            assert os.path.samefile(linked.files("stays")[0], old.files("stays")[0])

        def refuse(*_: object) -> None:
            raise OSError(errno.EMLINK, "Too many links")

        monkeypatch.setattr(os, "link", refuse)
        with GenerationWriter(tmp_path / "copied") as copied:
            copied.reuse("stays", old.path, row_count=1)
            assert copied.files("stays")[0].read_bytes() == old.files("stays")[0].read_bytes()


# --- Orphans -------------------------------------------------------------------------------------


def ended_process() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def orphan(store: Store, name: str, *, age_s: int = 0) -> Path:
    path = store.runs_path / "run=r1" / name
    path.mkdir(parents=True)
    file = path / "places.parquet"
    file.write_bytes(b"half")
    for each in (file, path):
        moment = each.stat().st_mtime - age_s
        os.utime(each, (moment, moment))
    return path


def test_the_temporary_folder_of_an_ended_process_is_swept_at_once(tmp_path: Path) -> None:
    store = Store(tmp_path)
    parts = temporary_name("gen").split("~")
    parts[3] = str(ended_process())
    path = orphan(store, "~".join(parts))
    assert store.sweep() == [path]
    assert not path.exists()


def test_the_number_of_a_process_given_to_another_does_not_protect(tmp_path: Path) -> None:
    parts = temporary_name("gen").split("~")
    parts[4] = "1"  # our number, but started long ago
    path = orphan(Store(tmp_path), "~".join(parts))
    assert Store(tmp_path).sweep() == [path]


def test_the_temporary_folder_of_a_living_process_stays_however_old(tmp_path: Path) -> None:
    orphan(Store(tmp_path), temporary_name("gen"), age_s=10 * 86_400)
    assert Store(tmp_path).sweep() == []


@pytest.mark.parametrize(("age_s", "is_swept"), [(3_600, False), (90_000, True)])
def test_temporary_folders_of_other_hosts_are_swept_after_a_day_without_writing(
    tmp_path: Path, age_s: int, is_swept: bool
) -> None:
    parts = temporary_name("gen").split("~")
    parts[2] = "elsewhere+4026531836"
    path = orphan(Store(tmp_path), "~".join(parts), age_s=age_s)
    assert Store(tmp_path).sweep() == ([path] if is_swept else [])
    assert path.exists() is not is_swept


def test_a_writer_thought_dead_fails_instead_of_publishing_a_part(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.begin("r1") as writer:
        writer.write(PLACES, places("zero"))
        assert remove(writer.path)
        with pytest.raises(StoreError):
            writer.write(STAYS, stays(0, 0, [1]))
        with pytest.raises(StoreError):
            store.publish(writer, manifest("r1"))
    assert store.runs() == []
    assert list(store.runs_path.iterdir()) == []


@pytest.mark.parametrize("place", ["runs", "campaigns/campaign=c", "reports/run=r1", "nightly/new"])
def test_whatever_killed_writers_leave_anywhere_in_a_store_is_swept(
    tmp_path: Path, place: str
) -> None:
    folder = tmp_path / place
    folder.mkdir(parents=True)
    left = folder / temporary_name("page").replace(f"~{os.getpid()}~", "~999999999~")
    left.write_text("half")
    kept = folder / "page.html"
    kept.write_text("whole")
    living = folder / temporary_name("page")
    living.write_text("half")
    assert Store(tmp_path).sweep() == [left]
    assert set(folder.iterdir()) == {kept, living}


def test_leases_of_ended_processes_are_swept_too(tmp_path: Path) -> None:
    store = Store(tmp_path)
    lease = take(store.leases_path, "a")
    assert lease is not None
    told = json.loads(lease.path.read_text()) | {"process": ended_process()}
    lease.path.write_text(json.dumps(told))
    assert store.sweep() == [lease.path]


def test_what_is_written_belongs_to_the_group_of_the_store(tmp_path: Path) -> None:
    tmp_path.chmod(0o2770)
    before = os.umask(0o077)
    try:
        publish(Store(tmp_path), "r1")
        with Store(tmp_path).begin("r2") as writer:
            writer.part(STAYS, 0).write(stays(0, 0, [1]))
            writer.finish(STAYS)
            writer.spill_path.touch()
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    finally:
        os.umask(before)
    folders = {"runs", "run=r1", "gen=g1", "run=r2", writer.path.name, "stays", ".spill"}
    files = {"manifest.json", "current.json", "places.parquet"}
    assert {name: oct(modes[name]) for name in folders} == dict.fromkeys(folders, oct(0o2770))
    assert {name: oct(modes[name]) for name in files} == dict.fromkeys(files, oct(0o660))


# --- Manifests -----------------------------------------------------------------------------------


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    tables = {
        "places": record(row_count=3, inputs={"stays": "k0"}),
        "kept": record(is_stored=False),
    }
    written = manifest("r1", tables=tables, stage_seconds={"read": 1.25}, is_damaged_allowed=True)
    (tmp_path / "manifest.json").write_bytes(written.to_json())
    assert Manifest.load(tmp_path / "manifest.json") == written


def test_a_store_of_a_newer_version_is_refused_and_both_versions_are_named(tmp_path: Path) -> None:
    store = Store(tmp_path)
    folder = publish(store, "r1")
    document = json.loads((folder / "manifest.json").read_text()) | {"store_format_version": 7}
    (folder / "manifest.json").write_text(json.dumps(document))
    with pytest.raises(StoreError, match=r"format 7, this Tracemill reads up to 1.*use a newer"):
        store.current("r1")


def test_what_is_published_is_on_the_disk_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(os.fstat(file).st_ino))
    folder = publish(Store(tmp_path), "r1")
    made = [folder, *folder.rglob("*"), folder.parent / "current.json"]
    assert {path.name for path in made if path.stat().st_ino not in synced} == set()


def test_older_manifests_are_upgraded_step_by_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = json.loads(manifest("r1").to_json())
    written["store_format_version"] = 1
    written["run"] = written.pop("run_id")
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(written))
    monkeypatch.setattr(manifests, "STORE_FORMAT_VERSION", 3)
    monkeypatch.setattr(
        manifests,
        "UPGRADES",
        {
            1: lambda old: {("id" if key == "run" else key): value for key, value in old.items()},
            2: lambda old: {("run_id" if key == "id" else key): v for key, v in old.items()},
        },
    )
    upgraded = Manifest.load(path)
    assert (upgraded.run_id, upgraded.store_format_version) == ("r1", 3)
    monkeypatch.setattr(manifests, "UPGRADES", {2: lambda old: old})
    other = Path(shutil.copy(path, tmp_path / "other.json"))  # the first is not read again
    with pytest.raises(
        StoreError, match=r"format 1, which this Tracemill \(format 3\) cannot read"
    ):
        Manifest.load(other)


def test_a_manifest_that_is_written_anew_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    for name in ("r1", "r2"):  # as long as each other
        path.write_bytes(manifest(name).to_json())
        assert Manifest.load(path).run_id == name


@pytest.mark.parametrize("text", ["", "{", "[]", '{"store_format_version": 1}', "\x00\x00"])
def test_a_damaged_record_is_named(tmp_path: Path, text: str) -> None:
    store = Store(tmp_path)
    folder = publish(store, "r1")
    for path in (folder.parent / "current.json", folder / "manifest.json"):
        kept = path.read_bytes()
        path.write_text(text)
        with pytest.raises(StoreError, match=re.escape(str(path))):
            store.current("r1")
        path.write_bytes(kept)


# --- Finding runs --------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Three runs: ab12 and ab34, both of a folder called wave, and cd56 of lake, the latest."""
    store = Store(tmp_path / "store")
    for day, (run_id, folder) in enumerate(
        [("ab12", "one/wave"), ("ab34", "two/wave"), ("cd56", "lake")], start=1
    ):
        created = f"2024-05-0{day}T12:00:00.000000+00:00"
        publish(store, run_id, created_at=created, source=labeled(folder))
    return store


@pytest.mark.parametrize(
    ("name", "run_id"),
    [
        (None, "cd56"),
        ("ab12", "ab12"),
        ("c", "cd56"),
        ("lake", "cd56"),
        ("/data/two/wave", "ab34"),
        ("/data/two/wave/", "ab34"),
        ("/data/one/wave/traces.otf2", "ab12"),
    ],
)
def test_a_run_is_found_by_id_start_of_it_label_or_trace(
    store: Store, name: str | None, run_id: str
) -> None:
    assert store.open(name).run_id == run_id


@pytest.mark.parametrize(
    ("name", "problem"), [("ab", "several"), ("wave", "several"), ("x", "no run")]
)
def test_a_name_that_does_not_fit_one_run_lists_those_there_are(
    store: Store, name: str, problem: str
) -> None:
    with pytest.raises(MissingInputError, match=problem) as caught:
        store.open(name)
    for listed in ("ab12 (wave)", "ab34 (wave)"):
        assert listed in str(caught.value)
    # Where several fit, only those are listed.
    assert ("cd56 (lake)" in str(caught.value)) == (problem == "no run")


def test_what_was_never_made_current_is_not_called_unreadable(store: Store) -> None:
    (store.runs_path / "run=half" / temporary_name("gen")).mkdir(parents=True)
    (store.runs_path / "run=empty").mkdir()
    (store.runs_path / "run=cd56" / "gen=g1" / "manifest.json").write_text("{")
    with pytest.raises(MissingInputError) as caught:
        store.open("zz")
    assert re.findall(r"(\w+) \(not readable\)", str(caught.value)) == ["cd56"]


def test_sweeping_takes_the_empty_folder_of_a_run_too_but_no_other(store: Store) -> None:
    folders = {path.name for path in store.runs_path.iterdir()}
    dead = temporary_name("gen").replace(f"~{os.getpid()}~", "~999999999~")
    for run_id in ("ab12", "killed"):
        (store.runs_path / f"run={run_id}" / dead).mkdir(parents=True)
    assert len(store.sweep()) == 2
    assert {path.name for path in store.runs_path.iterdir()} == folders
    assert store.open("ab12").read("places").num_rows == 2


def test_an_empty_store_says_that_a_trace_is_needed(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="analyze a trace first"):
        Store(tmp_path / "none").open()


def test_runs_are_listed_latest_first_with_size_and_state(store: Store) -> None:
    (store.runs_path / "run=half" / temporary_name("gen")).mkdir(parents=True)
    (store.runs_path / "run=left" / "gen=g1").mkdir(parents=True)
    (store.runs_path / "run=empty").mkdir()
    (store.runs_path / "run=cd56" / "gen=g1" / "manifest.json").write_text("{")
    listed = {summary.run_id: summary for summary in store.summaries()}
    assert list(listed) == ["ab34", "ab12", "left", "half", "cd56"]
    assert listed["half"].state == "being analyzed"
    assert listed["left"].state == "unfinished"
    assert "manifest.json" in listed["cd56"].state
    assert listed["ab12"].state == "complete"
    assert listed["ab12"].run is not None
    on_disk = sum(
        p.stat().st_size for p in (store.runs_path / "run=ab12").rglob("*") if p.is_file()
    )
    assert listed["ab12"].byte_count == on_disk


def test_shared_files_count_once_in_the_size_of_a_run(store: Store) -> None:
    before = {summary.run_id: summary.byte_count for summary in store.summaries()}["ab12"]
    folder = store.runs_path / "run=ab12"
    (folder / "gen=g2").mkdir()
    os.link(folder / "gen=g1" / "places.parquet", folder / "gen=g2" / "places.parquet")
    assert {summary.run_id: summary.byte_count for summary in store.summaries()}["ab12"] == before


def test_tables_are_views_of_their_own_names(store: Store) -> None:
    found = (
        store.open("ab12").connect(threads=1).sql("SELECT name FROM places ORDER BY location_id")
    )
    assert found.fetchall() == [("zero",), ("one",)]


def test_tables_of_all_runs_are_distinguished_by_run_id(store: Store) -> None:
    counted = store.connect(threads=1).sql(
        "SELECT run_id, count(*), min(name) FROM places GROUP BY run_id ORDER BY run_id"
    )
    assert counted.fetchall() == [("ab12", 2, "one"), ("ab34", 2, "one"), ("cd56", 2, "one")]
    assert store.connect(threads=1).sql("FROM places").columns[:2] == ["run_id", "location_id"]


@pytest.mark.parametrize("folder", ["it's", "a=b/run=x/gen=y", "star*[1]?", "späce d"])
def test_any_folder_name_can_hold_a_store(tmp_path: Path, folder: str) -> None:
    store = Store(tmp_path / folder)
    publish(store, "r1")
    assert store.open().read("places").num_rows == 2
    assert store.open().connect(threads=1).sql("FROM places").columns == [
        "location_id",
        "name",
        "kind",
    ]
    assert store.connect(threads=1).sql("SELECT DISTINCT run_id FROM places").fetchall() == [
        ("r1",)
    ]


def test_a_table_that_is_not_there_lists_those_that_are(store: Store) -> None:
    with pytest.raises(MissingInputError, match=r"no table visits: .*tables present: places"):
        store.open().read("visits")


def test_a_path_that_is_no_text_is_kept(tmp_path: Path) -> None:
    """A file's name may be any bytes; the record of it is JSON in UTF-8 all the same."""
    path = os.fsdecode(b"/data/wave_\xff/traces.otf2")
    store = Store(tmp_path)
    source = replace(SOURCE, path=path)
    publish(store, "ab12", source=source)
    assert store.sources() == {"ab12": source}
    assert [run.source.path for run in store.runs()] == [path]
    for file in (*tmp_path.rglob("manifest.json"), *tmp_path.rglob("current.json")):
        assert "wave_\\udcff/" in file.read_text(encoding="utf-8")


def test_sources_are_those_of_runs_that_can_be_read(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for run_id in ("ab12", "cd34"):
        publish(store, run_id, source=labeled(run_id))
    (store.runs_path / "run=cd34" / "current.json").write_text("{")
    (store.runs_path / "run=ef56").mkdir()
    assert store.sources() == {"ab12": labeled("ab12")}
