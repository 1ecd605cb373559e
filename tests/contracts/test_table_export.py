"""All tables in a folder: the same rows and meanings as in the store, whole or not at all."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.helpers.fake_source import Case
from tracemill import open_store
from tracemill.base.errors import PipelineError
from tracemill.engine.analyze import Options, analyze
from tracemill.patterns.catalog import known_tables
from tracemill.shell.exports.tables import export_tables
from tracemill.store.runs import Run, Store

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    store = Store(tmp_path_factory.mktemp("exported"))
    return analyze(DATA / "m29_hybrid", store=store, options=Options(threads=1)).run


def test_every_table_is_there_with_its_rows_and_meanings(run: Run, tmp_path: Path) -> None:
    output = tmp_path / "tables"
    assert export_tables(run, output) == len(run.tables)
    assert sorted(path.name for path in output.iterdir()) == sorted(
        f"{name}.parquet" for name in run.tables
    )
    for name in run.tables:
        exported = pq.read_table(output / f"{name}.parquet")
        assert exported.equals(run.read(name)), name
        for column in known_tables()[name].columns:
            metadata = exported.schema.field(column.name).metadata or {}
            assert metadata.get(b"meaning", b"").decode() == column.meaning


def test_the_parts_of_a_table_become_one_file(tmp_path: Path) -> None:
    run = Case(tmp_path / "case").analyze().run
    assert len(run.files("stays")) > 1
    export_tables(run, tmp_path / "tables")
    assert pq.read_table(tmp_path / "tables" / "stays.parquet").equals(run.read("stays"))


@pytest.mark.parametrize("reader", ["duckdb", "polars", "pandas"])
def test_plain_readers_see_the_same_rows(run: Run, tmp_path: Path, reader: str) -> None:
    """The exported file, and the files of the store as docs/guide/python.md says."""
    package = pytest.importorskip(reader)
    export_tables(run, tmp_path / "tables")
    exported, stored = tmp_path / "tables" / "visits.parquet", run.path / "visits"
    with open_store(run.path.parents[2]).run() as tables:
        expected = tables.sql("FROM visits ORDER BY ALL").rows()
    for path in (exported, stored):
        files = f"{path}/*.parquet" if path.is_dir() else str(path)
        if reader == "duckdb":
            rows = package.sql(
                f"FROM read_parquet('{files}', hive_partitioning = false)"
            ).fetchall()
        elif reader == "polars":
            rows = package.scan_parquet(files, hive_partitioning=False).collect().rows()
        else:
            frame = package.read_parquet(path, partitioning=None).astype(object)
            frame = frame.where(frame.notna(), None)
            rows = list(frame.itertuples(index=False, name=None))
        assert sorted(rows, key=str) == sorted(expected, key=str)


def test_a_folder_with_something_in_it_stays(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    export_tables(run, tmp_path / "empty")
    with pytest.raises(PipelineError, match="it is there already"):
        export_tables(run, tmp_path / "empty")
    with pytest.raises(PipelineError, match="no folder"):
        export_tables(run, tmp_path / "nosuch" / "tables")


def test_a_failed_export_leaves_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tracemill.shell.exports.tables.shutil.copyfile", fail)
    with pytest.raises(PipelineError, match="No space left"):
        export_tables(run, tmp_path / "tables")
    assert list(tmp_path.iterdir()) == []
