"""Disks that are full or must not be written: one clear line, and nothing half-written."""

import errno
import itertools
import os
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.helpers.fake_source import PLACES, STAYS, stays
from tests.helpers.store_cases import manifest, places, publish
from tracemill.base.errors import StoreError
from tracemill.store.failures import UnwritableStoreError
from tracemill.store.parquet import ROW_GROUP_ROWS
from tracemill.store.runs import Store


def test_a_disk_that_is_full_is_reported_in_one_line_and_left_clean(small_disk: Path) -> None:
    store = Store(small_disk)
    noise = np.random.default_rng(1).integers(0, 2**62, ROW_GROUP_ROWS)
    batches = [stays(0, number * ROW_GROUP_ROWS, noise) for number in range(8)]
    message = r"the store is full: .*free some space"
    with pytest.raises(StoreError, match=message) as caught, store.begin("r1") as writer:
        writer.stream(STAYS, batches)
    assert "\n" not in str(caught.value)
    assert list((small_disk / "runs").iterdir()) == []


def test_a_disk_that_fills_up_while_publishing_leaves_the_old_generation(small_disk: Path) -> None:
    store = Store(small_disk)
    publish(store, "r1")
    with store.begin("r1") as writer:
        writer.write(PLACES, places("new"))
        with suppress(OSError), (small_disk / "ballast").open("wb") as ballast:
            ballast.write(b"x" * 2_000_000)
        with pytest.raises(StoreError, match="the store is full"):
            store.publish(writer, manifest("r1", "g2", versions={"long": "x" * 100_000}))
    assert store.open().generation == "g1"
    names = sorted(path.name for path in (small_disk / "runs" / "run=r1").iterdir())
    assert names == ["current.json", "gen=g1"]


def test_a_disk_that_cannot_be_written_is_reported_in_one_line_and_can_be_read(
    read_only_disk: Path,
) -> None:
    store = Store(read_only_disk)
    assert store.sweep() == []
    for run_id in ("r1", "r2"):
        message = r"the store is read-only: .*--store"
        with pytest.raises(StoreError, match=message), store.begin(run_id):
            pass
    assert store.open().read("places").num_rows == 2


CALLS = ["mkdir", "write_table", "close", "write_bytes", "rename", "replace"]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("number", "words", "kind"),
    [
        (errno.ENOSPC, "is full", UnwritableStoreError),
        (errno.EDQUOT, "is full", UnwritableStoreError),
        (errno.EROFS, "is read-only", UnwritableStoreError),
        (errno.EACCES, "must not be written by you", StoreError),
        (errno.EIO, "cannot be used", StoreError),
    ],
)
def test_whatever_fails_is_reported_and_nothing_half_written_stays(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: str,
    number: int,
    words: str,
    kind: type[StoreError],
) -> None:
    store = Store(tmp_path / "store")
    publish(store, "r1")
    owner = pq.ParquetWriter if call in ("write_table", "close") else Path
    original = getattr(owner, call)
    failures = itertools.count()

    def fail(*values: object, **named: object) -> None:
        if next(failures) == 0:
            raise OSError(number, os.strerror(number))
        original(*values, **named)

    monkeypatch.setattr(owner, call, fail)
    with pytest.raises(kind, match=words) as caught, store.begin("r1") as writer:  # noqa: PT012
        writer.write(PLACES, places("new"))
        store.publish(writer, manifest("r1", "g2"))
    monkeypatch.undo()
    assert type(caught.value) is kind
    assert store.open().generation == "g1"
    names = {path.name for path in (store.runs_path / "run=r1").iterdir()}
    assert names <= {"current.json", "gen=g1", "gen=g2"}
    assert ("gen=g2" in names) == (call == "replace")  # complete, but not made current


def test_a_file_in_the_place_of_the_store_is_reported(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("")
    store = Store(tmp_path / "store")
    with pytest.raises(StoreError, match="a file is in the way"), store.begin("r1"):
        pass
