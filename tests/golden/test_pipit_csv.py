"""Traces in CSV as Pipit writes its table: arguments of records are in the column Attributes."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import otf2
import pytest

from tests.helpers.otf2_reading import ReadTrace, read_archive
from tracemill.readers import open_source

DATA = Path(__file__).parents[2] / "data"
HEADER = ("Timestamp (ns)", "Event Type", "Name", "Thread", "Process", "Attributes")
EXAMPLE = """\
Timestamp (ns),Event Type,Name,Thread,Process,Attributes
0.4,Enter,main,0,0,{'region': 'Region 3'}
30083.08,Enter,"int main(int, char**)",0,1,{'region': 'Region 3'}
100.5,Enter,MPI_Send,0,0,{'region': 'Region 7'}
193672584.56,Instant,MpiSend,0,0,"{'receiver': 1, 'communicator': 'Comm 1', 'msg_tag': 10, \
'msg_length': 16384}"
193672590,Leave,MPI_Send,0,0,
193691000.5,Enter,MPI_Recv,0,1,{'region': 'Region 8'}
193691633.37,Instant,MpiRecv,0,1,"{'sender': 0, 'communicator': 'Comm 1', 'msg_tag': 10, \
'msg_length': 16384}"
193691700.99,Leave,MPI_Recv,0,1,
"""


def read_text(folder: Path, text: str) -> ReadTrace:
    path = folder / "pipit.csv"
    path.write_text(text, encoding="utf-8")
    assert open_source(path).format == "csv"
    return read_archive(path, folder)


def test_messages_are_read_from_attributes(tmp_path):
    tables = read_text(tmp_path, EXAMPLE)
    columns = "location_id kind time_ns enter_ns leave_ns peer_group_id tag bytes"
    assert sorted(tables.rows("mpi_operations", columns)) == [
        (0, "send", 193672585, 100, 193672590, 1, 10, 16384),  # times to the nearest ns, .5 even
        (1, "recv", 193691633, 193691000, 193691701, 0, 10, 16384),
    ]
    assert tables.one("communicators", "source_ref name size") == (1, "Comm 1", 2)
    assert tables.rows("visits", "enter_ns", "location_id = 1 AND parent_visit_id IS NULL") == [
        (30083,)
    ]
    assert tables.findings() == {
        ("assumed_communicator", None): 1,
        ("unclosed_visit", 0): 1,
        ("unclosed_visit", 1): 1,
    }


# Ranks count in the communicator: processes 2 and 3 are ranks 0 and 1 of Comm 4. In Comm 0, rank 3
# is named, but only two processes use it, so that all belong to it.
def test_members_of_a_communicator_follow_from_its_use(tmp_path):
    rows = [
        (10, "Instant", "MpiSend", 0, 2, "{'receiver': 1, 'communicator': 'Comm 4'}"),
        (20, "Instant", "MpiRecv", 0, 3, "{'sender': 0, 'communicator': 'Comm 4'}"),
        (30, "Instant", "MpiSend", 0, 0, "{'receiver': 3, 'communicator': 'Comm 0'}"),
        (40, "Instant", "MpiRecv", 0, 3, "{'sender': 0, 'communicator': 'Comm 0'}"),
        (50, "Enter", "main", 0, 1, "{'region': 'Region 0'}"),
    ]
    path = tmp_path / "rows.csv"
    write_rows(path, iter(rows))
    tables = read_archive(path, tmp_path)
    columns = "time_ns peer_group_id"
    assert tables.rows("mpi_operations", columns) == [(30, 3), (10, 3), (20, 2), (40, 0)]
    assert tables.rows("communicators", "source_ref size") == [(0, 4), (4, 2)]


def test_arguments_that_are_no_dictionary_are_counted(tmp_path):
    text = EXAMPLE.replace("{'receiver': 1, ", "{'receiver': one, ")
    tables = read_text(tmp_path, text)
    assert tables.findings()["unknown_record", 0] == 1
    assert tables.one("misread_cells", "column_name first_line") == ("Partner", 5)


def write_rows(path: Path, rows: Iterator[tuple[Any, ...]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *rows])


def pipit_rows(anchor: Path) -> Iterator[tuple[Any, ...]]:
    """Events as in Pipit's table: attributes of all but leaves, definitions by kind and number."""
    with otf2.reader.open(str(anchor)) as reader:
        clock = reader.definitions.clock_properties
        first: dict[int, int] = {}
        for place in reader.definitions.locations:
            first[place.group._ref] = min(first.get(place.group._ref, place._ref), place._ref)
        for place, event in reader.events:
            kind, given = type(event).__name__, vars(event)
            values = {key: shown(value) for key, value in given.items() if value is not None}
            values.pop("time")
            is_visit = kind in ("Enter", "Leave")
            yield (
                (event.time - clock.global_offset) * 1e9 / clock.timer_resolution,
                kind if is_visit else "Instant",
                event.region.name if is_visit else kind,
                place._ref - first[place.group._ref],
                place.group._ref,
                "" if kind == "Leave" else values,
            )


def shown(value: object) -> object:
    if hasattr(value, "_ref"):
        return f"{type(value).__name__} {value._ref}"
    return value if isinstance(value, int | str) else str(value)


@pytest.mark.parametrize(
    "name", ["m01_late_sender", "m03_ls_waitall", "m18_master_worker", "m29_hybrid"]
)
def test_records_are_those_of_the_archive(name, tmp_path):
    anchor = DATA / name / "traces.otf2"
    path = tmp_path / "pipit.csv"
    write_rows(path, pipit_rows(anchor))
    tables, expected = read_archive(path, tmp_path), read_archive(anchor, tmp_path / "archive")
    query = (
        "SELECT rank, thread, mpi_operations.kind, time_ns, peer_group_id, tag, request_id, bytes, "
        "bytes_received, operation FROM mpi_operations JOIN locations USING (location_id) "
        "ORDER BY ALL"
    )
    names = ("mpi_operations", "locations")
    assert tables.sql(query, *names) == expected.sql(query, *names)
    teams = "SELECT fork_ns, join_ns FROM thread_teams ORDER BY ALL"
    assert tables.sql(teams, "thread_teams") == expected.sql(teams, "thread_teams")
    for ends in ("enter_ns", "leave_ns"):
        times = f"SELECT {ends} FROM visits ORDER BY ALL"
        assert tables.sql(times, "visits") == expected.sql(times, "visits")
