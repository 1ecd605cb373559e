"""A table becomes a Parquet file only as its schema declares."""

import re
import threading
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tests.helpers.fake_source import PLACES, STAYS, stays
from tests.helpers.store_cases import places
from tracemill.base.errors import BrokenContractError
from tracemill.schemas import Column, Rule, Table
from tracemill.schemas.table import ENUM, FLOAT64, INT32, INT64, STRING, not_before
from tracemill.store.generation import GenerationWriter
from tracemill.store.parquet import ROW_GROUP_ROWS, PartWriter
from tracemill.store.sink import FEW_ROWS, Written

# --- One writer ----------------------------------------------------------------------------------


def test_enumerations_may_be_numbered_differently_in_every_batch(tmp_path: Path) -> None:
    writer = PartWriter(PLACES, tmp_path / "places.parquet")
    for number, values in enumerate([["cpu", "gpu"], ["gpu"], ["gpu", "cpu"]]):
        kind = pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), pa.array(values))
        row = {"location_id": pa.array([number], INT32), "name": ["x"], "kind": kind}
        writer.write(pa.table(row))
    writer.close()
    kind = pq.read_table(tmp_path / "places.parquet")["kind"]
    assert kind.to_pylist() == ["cpu", "gpu", "gpu"]


def test_a_file_carries_the_declared_types_units_and_meanings(tmp_path: Path) -> None:
    writer = PartWriter(PLACES, tmp_path / "places.parquet")
    writer.write(places("zero", "one"))
    writer.close()
    schema = pq.read_schema(tmp_path / "places.parquet")
    assert schema.field("location_id").type == pa.int32()
    assert not schema.field("location_id").nullable
    assert schema.field("location_id").metadata == {b"meaning": b"Its location."}
    assert schema.field("kind").type == ENUM
    assert schema.metadata[b"grain"] == b"one row per place"


@pytest.mark.parametrize("batch_rows", [1_000, 100_003, 131_072, 200_000])
def test_row_groups_are_full_and_bytes_do_not_depend_on_batches(
    tmp_path: Path, batch_rows: int
) -> None:
    # Too many long names for a dictionary: they go to several pages per row group.
    rows = places(*(f"place {number:>60}" for number in range(300_000)))
    whole, cut = tmp_path / "whole.parquet", tmp_path / "cut.parquet"
    for path, size in ((whole, len(rows)), (cut, batch_rows)):
        writer = PartWriter(PLACES, path)
        for start in range(0, len(rows), size):
            writer.write(rows.slice(start, size))
        writer.close()
    metadata = pq.read_metadata(cut)
    sizes = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    assert sizes == [ROW_GROUP_ROWS, ROW_GROUP_ROWS, 300_000 - 2 * ROW_GROUP_ROWS]
    assert cut.read_bytes() == whole.read_bytes()


def test_enumerations_are_numbered_as_declared_however_they_come(tmp_path: Path) -> None:
    text = places("zero", "one", kind="gpu")
    renumbered = pa.DictionaryArray.from_arrays(
        pa.array([0, 0], pa.int8()), pa.array(["gpu", "cpu"])
    )
    for name, data in (("text", text), ("numbers", text.set_column(2, "kind", renumbered))):
        writer = PartWriter(PLACES, tmp_path / name)
        writer.write(data)
        writer.close()
    assert (tmp_path / "text").read_bytes() == (tmp_path / "numbers").read_bytes()
    kind = pq.read_table(tmp_path / "numbers")["kind"]
    assert kind.to_pylist() == ["gpu", "gpu"]
    assert kind.chunk(0).dictionary.to_pylist() == ["cpu", "gpu"]


def test_several_threads_write_parts_at_the_same_time(tmp_path: Path) -> None:
    with GenerationWriter(tmp_path / "new") as generation:

        def write(number: int) -> None:
            part = generation.part(STAYS, number)
            for start in range(0, 200_000, 50_000):
                part.write(stays(number, number * 200_000 + start, range(50_000)))
            part.close()

        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert generation.finish(STAYS).row_count == 800_000
        assert [path.name for path in generation.files("stays")] == [
            "part-00000.parquet",
            "part-00001.parquet",
            "part-00002.parquet",
            "part-00003.parquet",
        ]
        numbers = pa.concat_tables(pq.read_table(path) for path in generation.files("stays"))
        assert numbers["visit_id"].to_pylist() == list(range(800_000))


def test_parts_without_rows_have_no_file_but_an_empty_table_has_one(tmp_path: Path) -> None:
    with GenerationWriter(tmp_path / "new") as generation:
        for number in range(3):
            part = generation.part(STAYS, number)
            if number == 2:
                part.write(stays(2, 0, [1]))
            part.close()
        generation.finish(STAYS)
        assert [path.name for path in generation.files("stays")] == ["part-00002.parquet"]
    with GenerationWriter(tmp_path / "other") as generation:
        generation.part(STAYS, 1).close()
        assert generation.finish(STAYS).row_count == 0
        assert generation.finish(PLACES).row_count == 0
        assert [path.name for path in generation.files("stays")] == ["part-00000.parquet"]
        assert pq.read_schema(generation.files("places")[0]).names == [
            "location_id",
            "name",
            "kind",
        ]


def test_tables_held_back_are_read_from_memory_and_become_files_later(tmp_path: Path) -> None:
    many = stays(0, 0, range(FEW_ROWS + 1))
    with GenerationWriter(tmp_path / "new", keeps_rows=True) as generation:
        generation.hold_back()
        generation.write(PLACES, places("zero", "one"))
        generation.write(STAYS, many)
        generation.finish(INTERVALS)
        assert list((tmp_path / "new").iterdir()) == []
        connection = duckdb.connect()
        for name in ("places", "stays"):
            generation.provide(connection, name)
        other = connection.cursor()
        assert other.table("places").select("name").fetchall() == [("zero",), ("one",)]
        assert other.table("stays").order("visit_id").to_arrow_table().equals(many)
        (group,) = generation.walk("stays").backwards("visit_id")
        assert group.to_pydict() == {"visit_id": many["visit_id"].to_pylist()}
        generation.reset(PLACES)
        generation.store()
        generation.write(PLACES, places("two"))
        assert pq.read_table(generation.files("places")[0])["name"].to_pylist() == ["two"]
        assert pq.read_table(generation.files("intervals")[0]).num_rows == 0
        (file,) = generation.files("stays")
        assert generation.finished["stays"] == Written(FEW_ROWS + 1, file.stat().st_size)
        with GenerationWriter(tmp_path / "other") as at_once:
            at_once.write(STAYS, many)
            assert at_once.files("stays")[0].read_bytes() == file.read_bytes()


# --- Broken contracts ----------------------------------------------------------------------------

INTERVALS = Table(
    name="intervals",
    meaning="Stretches of time.",
    grain="one row per stretch",
    key=("number",),
    columns=(
        Column(name="number", type=INT64, meaning="Which."),
        Column(name="enter_ns", type=INT64, unit="ns", meaning="Begin."),
        Column(name="leave_ns", type=INT64, unit="ns", meaning="End."),
        Column(name="share", type=FLOAT64, maximum=1, null_means="unknown", meaning="Of all."),
    ),
    rules=(not_before("leave_ns", "enter_ns"),),
)


def intervals(**changed: object) -> pa.Table:
    columns = {
        "number": pa.array([1, 2, 3], INT64),
        "enter_ns": pa.array([10, 20, 30], INT64),
        "leave_ns": pa.array([15, 25, 35], INT64),
        "share": pa.array([0.5, None, 1.0], FLOAT64),
    }
    return pa.table(columns | changed)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            intervals(leave_ns=pa.array([15, 19, 35], INT64)),
            "intervals: leave_not_before_enter fails for 1 rows, e.g. {'number': 2, "
            "'enter_ns': 20, 'leave_ns': 19, 'share': None}",
        ),
        (
            intervals(enter_ns=pa.array([10, None, None], INT64)),
            "intervals: enter_ns is never null fails for 2 rows",
        ),
        (
            intervals(share=pa.array([0.5, 1.5, 2.5], FLOAT64)),
            "intervals: share is at most 1 fails for 2 rows, e.g. 2.5",
        ),
        (
            intervals(number=pa.array([3, 1, 3], INT64)),
            "intervals: (number) is unique fails for 1 rows, e.g. {'number': 3}",
        ),
        (
            intervals().drop_columns(["enter_ns"]),
            "intervals: no column enter_ns; columns present: number, leave_ns, share",
        ),
        (
            intervals(number=pa.array(["1", "2", "x"], STRING)),
            "intervals: number is no int64: Failed to parse",
        ),
    ],
    ids=["rule", "null", "maximum", "key", "column", "type"],
)
def test_rows_that_break_the_contract_are_refused(
    tmp_path: Path, rows: pa.Table, message: str
) -> None:
    writing = GenerationWriter(tmp_path / "run" / "new")
    with pytest.raises(BrokenContractError, match=re.escape(message)), writing as generation:
        generation.write(INTERVALS, rows)
    assert list(tmp_path.iterdir()) == []


def test_a_value_outside_an_enumeration_is_refused(tmp_path: Path) -> None:
    writer = PartWriter(PLACES, tmp_path / "places.parquet")
    with pytest.raises(BrokenContractError, match=r"places: .*'fpga'"):
        writer.write(places("zero", kind="fpga"))


@pytest.mark.parametrize("distance", [1, ROW_GROUP_ROWS + 7, 2 * ROW_GROUP_ROWS])
def test_a_key_repeated_anywhere_in_a_whole_table_is_found(tmp_path: Path, distance: int) -> None:
    numbers = np.arange(3 * ROW_GROUP_ROWS)[::-1].copy()  # descending: no easy answer
    numbers[distance + 5] = numbers[5]
    count = len(numbers)
    rows = pa.table(
        {
            "number": numbers,
            "enter_ns": np.zeros(count, np.int64),
            "leave_ns": np.zeros(count, np.int64),
            "share": np.zeros(count),
        }
    )
    batches = [rows.slice(start, 100_000) for start in range(0, count, 100_000)]
    for keeps_rows in (False, True):
        with GenerationWriter(tmp_path / "new", keeps_rows=keeps_rows) as generation:
            generation.hold_back()
            with pytest.raises(BrokenContractError, match=r"\(number\) is unique fails for 1 rows"):
                generation.stream(INTERVALS, batches)


@pytest.mark.parametrize(
    ("visit_ids", "is_refused"),
    [
        ([0, 1, 2, 3], False),
        ([2, 3, 1, 0], False),  # in the order of leaving
        ([2, 3, 2, 0], True),
        ([0, 10**15, 5, 10**15], True),  # too far apart for a bitmap
        ([0, 10**15, 5, 10**14], False),
    ],
)
def test_keys_of_a_part_are_checked_within_each_row_group(
    tmp_path: Path, visit_ids: list[int], is_refused: bool
) -> None:
    rows = stays(0, 0, [1] * len(visit_ids)).set_column(1, "visit_id", pa.array(visit_ids, INT64))
    writer = PartWriter(STAYS, tmp_path / "part")
    writer.write(rows)
    if is_refused:
        with pytest.raises(BrokenContractError, match="visit_id"):
            writer.close()
    else:
        writer.close()


# Ordered by place, then by kind; the last row repeats the first, two row groups earlier. The first
# row group may have a single place.
@pytest.mark.parametrize("width", [7, ROW_GROUP_ROWS + 1])
@pytest.mark.parametrize("is_repeated", [False, True])
def test_a_key_may_ascend_in_another_order_of_its_columns(
    tmp_path: Path, is_repeated: bool, width: int
) -> None:
    cells = Table(
        name="cells",
        meaning="Cells.",
        grain="one row per kind and place",
        key=("kind", "place"),
        columns=(
            Column(name="kind", type=INT64, meaning="What."),
            Column(name="place", type=INT64, meaning="Where."),
        ),
    )
    number = np.arange(2 * ROW_GROUP_ROWS + 3)
    kind, place = number % width, number // width
    kind[-1], place[-1] = (kind[0], place[0]) if is_repeated else (kind[-1], place[-1])
    writing = GenerationWriter(tmp_path / "new")
    refused = pytest.raises(
        BrokenContractError, match=r"\(kind, place\) is unique fails for 1 rows"
    )
    with refused if is_repeated else nullcontext(), writing as generation:
        generation.write(cells, pa.table({"kind": kind, "place": place}))


def test_keys_of_several_columns_with_nulls_and_text_are_checked(tmp_path: Path) -> None:
    findings = Table(
        name="findings",
        meaning="What was found.",
        grain="one row per kind and place",
        key=("kind", "location_id"),
        columns=(
            Column(name="kind", type=STRING, meaning="What."),
            Column(name="location_id", type=INT32, null_means="nowhere", meaning="Where."),
        ),
    )
    distinct = {"kind": ["a", "a", "b", "b"], "location_id": pa.array([None, 1, None, 1], INT32)}
    repeated = {"kind": ["a", "a", "b", "a"], "location_id": pa.array([None, 1, None, None], INT32)}
    with GenerationWriter(tmp_path / "new") as generation:
        generation.write(findings, pa.table(distinct))
    writing = GenerationWriter(tmp_path / "new")
    message = r"\(kind, location_id\) is unique"
    with pytest.raises(BrokenContractError, match=message), writing as generation:
        generation.write(findings, pa.table(repeated))


def test_a_rule_that_does_not_hold_is_quoted_by_its_name(tmp_path: Path) -> None:
    rule = Rule("names_are_short", lambda rows: pc.less(pc.utf8_length(rows["name"]), 5))
    strict = replace(PLACES, rules=(rule,))
    writer = PartWriter(strict, tmp_path / "places.parquet")
    writer.write(places("zero", "thousand"))
    with pytest.raises(BrokenContractError, match="names_are_short fails for 1 rows"):
        writer.close()
