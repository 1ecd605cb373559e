"""A full or read-only disk ends a night with an error in one line, and nothing is lost."""

from pathlib import Path

import pytest

from tests.helpers.nights import night, write_archive
from tracemill.base.errors import StoreError
from tracemill.nightly.night import report_night
from tracemill.store.failures import UnwritableStoreError
from tracemill.store.runs import Store
from tracemill.store.sweep import orphans


def test_a_full_disk_ends_a_night_and_is_no_fault_of_the_archive(
    small_disk: Path, tmp_path: Path
) -> None:
    source, store = tmp_path / "traces", small_disk / "store"
    write_archive(source / "a")
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(900_000))
    with pytest.raises(StoreError, match="the store is full"):
        night(source, store)
    assert Store(store).runs() == []
    assert list(orphans(store)) == []
    assert list((store / "leases").iterdir()) == []
    assert not (store / "nightly" / "quarantine").exists()
    ballast.unlink()
    assert [run.label for run in night(source, store).analyzed] == ["a"]


def test_a_page_that_does_not_fit_on_the_disk_is_a_failure_of_the_store(
    small_disk: Path, tmp_path: Path
) -> None:
    (tmp_path / "traces").mkdir()
    store = Store(small_disk / "store")
    found = night(tmp_path / "traces", store.path, is_reported=False)
    with pytest.raises(OSError, match="No space"):
        (small_disk / "ballast").write_bytes(bytes(2_000_000))
    with pytest.raises(UnwritableStoreError, match="the store is full"):
        report_night(store, found)
    assert list(orphans(store.path)) == []


def test_a_disk_that_cannot_be_written_ends_a_night(read_only_disk: Path, tmp_path: Path) -> None:
    write_archive(tmp_path / "traces" / "a")
    with pytest.raises(StoreError, match="the store is read-only"):
        night(tmp_path / "traces", read_only_disk)
    assert [run.run_id for run in Store(read_only_disk).runs()] == ["r1"]
