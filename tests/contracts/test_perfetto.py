"""Chrome trace events: what the format asks for, and that files are whole or not there."""

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.hand_made import HandMadeRun, with_rows
from tracemill.base.errors import UsageError
from tracemill.reports.windows import Window
from tracemill.shell.exports.perfetto import export_perfetto

MS = 1_000_000
NAMES = ("main", 'a "quoted" </script>\n\u202e', "MPI_Recv")


#           0    10   20   30   40 ms
# rank 0    main [MPI_Recv       ]    the first message is sent at 12 and received at 39
# rank 1    a..............           thread 1 of rank 1, which is location 2, does nothing
def run() -> HandMadeRun:
    visits = [(0, 1, 2, 10, 40), (0, 0, 0, 0, 40), (1, 2, 1, 0, 25)]
    messages = [(0, 1, 0, 12, 39), (1, 1, 0, 30, 35)]
    return with_rows(
        HandMadeRun({}),
        regions=[
            {"region_id": at, "name": name, "paradigm": "mpi" if at == 2 else "user"}
            for at, name in enumerate(NAMES)
        ],
        locations=[
            {"location_id": at, "rank": rank, "thread": thread, "location_group_id": rank}
            | {"name": f"thread {thread}"}
            for at, (rank, thread) in enumerate([(0, 0), (1, 0), (1, 1)])
        ],
        location_groups=[
            {"location_group_id": at, "rank": at, "name": f"rank {at}"} for at in (0, 1)
        ],
        visits=[
            {"location_id": place, "visit_id": number, "region_id": region}
            | {"enter_ns": enter * MS + 1, "leave_ns": leave * MS}
            for place, number, region, enter, leave in visits
        ],
        messages=[
            {"message_id": number, "sender_location_id": sender, "receiver_location_id": receiver}
            | {"send_ns": sent * MS, "receive_ns": received * MS, "bytes": 8, "tag": 7}
            for number, sender, receiver, sent, received in messages
        ],
    )


@cache
def many_calls() -> HandMadeRun:
    """20,000 calls in two locations, many of which begin at the same time, and as many messages."""
    places, count = (0, 2), 10_000
    return with_rows(
        run(),
        visits=[
            {"location_id": place, "visit_id": at, "region_id": at % 3}
            | {"enter_ns": at // 4 * 20_000, "leave_ns": at // 4 * 20_000 + at % 4 * 5_000}
            for place in places
            for at in range(count)
        ],
        messages=[
            {"message_id": at, "sender_location_id": 0, "receiver_location_id": 1}
            | {"send_ns": at // 4 * MS, "receive_ns": at // 4 * MS + 9, "bytes": at, "tag": 0}
            for at in range(count)
        ],
    )


def events(path: Path) -> list[dict[str, Any]]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    found = json.loads(text)
    assert found["displayTimeUnit"] == "ns"
    assert all(event["ph"] in "MXsf" for event in found["traceEvents"])
    return list(found["traceEvents"])


def some(found: list[dict[str, Any]], phase: str, *fields: str) -> list[tuple[Any, ...]]:
    return [tuple(event[name] for name in fields) for event in found if event["ph"] == phase]


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
def test_calls_are_complete_events_in_microseconds(tmp_path: Path, name: str) -> None:
    assert export_perfetto(run(), tmp_path / name) == 12
    found = events(tmp_path / name)
    assert some(found, "X", "name", "cat", "pid", "tid", "ts", "dur") == [
        ("MPI_Recv", "mpi", 0, 0, 10_000.001, 29_999.999),
        ("main", "user", 0, 0, 0.001, 39_999.999),
        (NAMES[1], "user", 1, 0, 0.001, 24_999.999),
    ]


def test_messages_are_flows_from_sender_to_receiver(tmp_path: Path) -> None:
    export_perfetto(run(), tmp_path / "trace.json")
    found = events(tmp_path / "trace.json")
    assert some(found, "s", "id", "pid", "ts") == [(0, 1, 12_000), (1, 1, 30_000)]
    assert some(found, "f", "id", "pid", "ts", "bp") == [(0, 0, 39_000, "e"), (1, 0, 35_000, "e")]
    assert found[-1]["args"] == {"bytes": 8, "tag": 7}


def test_processes_and_threads_have_their_names(tmp_path: Path) -> None:
    export_perfetto(run(), tmp_path / "trace.json")
    named = some(events(tmp_path / "trace.json"), "M", "name", "pid", "tid", "args")
    assert named == [
        ("process_name", 0, 0, {"name": "rank 0"}),
        ("thread_name", 0, 0, {"name": "thread 0"}),
        ("process_name", 1, 0, {"name": "rank 1"}),
        ("thread_name", 1, 0, {"name": "thread 0"}),
        ("thread_name", 1, 1, {"name": "thread 1"}),
    ]


def test_a_window_holds_what_overlaps_it(tmp_path: Path) -> None:
    export_perfetto(run(), tmp_path / "trace.json", window=Window(36 * MS, 38 * MS))
    found = events(tmp_path / "trace.json")
    assert some(found, "X", "name") == [("MPI_Recv",), ("main",)]
    assert some(found, "s", "id") == [(0,)]


def test_a_run_without_events_is_a_valid_file(tmp_path: Path) -> None:
    assert export_perfetto(HandMadeRun({}), tmp_path / "trace.json") == 0
    assert events(tmp_path / "trace.json") == []


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
@pytest.mark.parametrize("window", [None, Window(5 * MS, 38 * MS)])
def test_the_same_events_are_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, window: Window | None
) -> None:
    contents: list[bytes] = []
    for threads in (1, 2, 2, 4):
        monkeypatch.setattr("tracemill.shell.exports.perfetto._THREADS", threads)
        file = tmp_path / f"{len(contents)}" / name
        file.parent.mkdir()
        export_perfetto(many_calls(), file, window=window)
        contents.append(file.read_bytes())
    assert len(events(file)) > 10_000
    assert set(contents) == {contents[0]}


@pytest.mark.parametrize("name", ["trace.csv", "trace", "trace.csv.gz"])
def test_another_suffix_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"\.json or \.json\.gz"):
        export_perfetto(run(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []
