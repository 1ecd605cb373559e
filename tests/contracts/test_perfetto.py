"""Chrome trace events: what the format asks for, and that files are whole or not there."""

import gzip
import json
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.helpers.hand_made import HandMadeRun, with_rows
from tracemill.base.errors import UsageError
from tracemill.reports.windows import Window
from tracemill.shell.exports.perfetto import export_perfetto

if TYPE_CHECKING:
    from tracemill.engine.analyze import Analysis

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
            {"location_id": place, "visit_id": place * count + at, "region_id": at % 3}
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
    assert all(event["ph"] in "MXsfC" for event in found["traceEvents"])
    return list(found["traceEvents"])


def some(found: list[dict[str, Any]], phase: str, *fields: str) -> list[tuple[Any, ...]]:
    return [tuple(event[name] for name in fields) for event in found if event["ph"] == phase]


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
def test_calls_are_complete_events_in_microseconds(tmp_path: Path, name: str) -> None:
    assert export_perfetto(run(), tmp_path / name) == 17
    found = events(tmp_path / name)
    assert some(found, "X", "name", "cat", "pid", "tid", "ts", "dur") == [
        ("main", "user", 0, 0, 0.001, 39_999.999),
        ("MPI_Recv", "mpi", 0, 0, 10_000.001, 29_999.999),
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
    assert [each for each in named if each[0].endswith("_name")] == [
        ("process_name", 0, 0, {"name": "rank 0"}),
        ("thread_name", 0, 0, {"name": "thread 0"}),
        ("process_name", 1, 0, {"name": "rank 1"}),
        ("thread_name", 1, 0, {"name": "thread 0"}),
        ("thread_name", 1, 1, {"name": "thread 1"}),
    ]


def test_a_window_holds_what_overlaps_it(tmp_path: Path) -> None:
    export_perfetto(run(), tmp_path / "trace.json", window=Window(36 * MS, 38 * MS))
    found = events(tmp_path / "trace.json")
    assert some(found, "X", "name") == [("main",), ("MPI_Recv",)]
    assert some(found, "s", "id") == [(0,)]


def test_a_run_without_events_is_a_valid_file(tmp_path: Path) -> None:
    assert export_perfetto(HandMadeRun({}), tmp_path / "trace.json") == 0
    assert events(tmp_path / "trace.json") == []


# --- As a viewer reads it -------------------------------------------------------------------------


class Viewer:
    """What Perfetto makes of the events: nested slices, and flows between them.

    Events are sorted by time and keep their order at the same time. A slice must end within the one
    around it. A flow begins and ends in the innermost slice of its track at that time.
    """

    def __init__(self, found: list[dict[str, Any]]) -> None:
        self.names = {
            (each["pid"], each["tid"] if each["name"] == "thread_name" else None): each["args"]
            for each in found
            if each["name"] in ("thread_name", "process_name")
        }
        self.slices: defaultdict[str, list[tuple[str, int, int]]] = defaultdict(list)
        self.flows: list[tuple[str, str, str]] = []
        self._open: defaultdict[Any, list[tuple[str, int]]] = defaultdict(list)
        self._begun: dict[Any, str] = {}
        timed = [each for each in found if each["ph"] in "Xsf"]
        for each in sorted(timed, key=lambda each: each["ts"]):
            self._read(each)

    def _read(self, event: dict[str, Any]) -> None:
        track, now = (event["pid"], event["tid"]), ns(event["ts"])
        slices, flow = self._open[track], (event["cat"], event.get("id"))
        if event["ph"] == "X":
            end = now + ns(event["dur"])
            while slices and slices[-1][1] <= now:
                slices.pop()
            assert not slices or end <= slices[-1][1], f"{event} is not nested"
            slices.append((event["name"], end))
            name = "/".join(self.names[each]["name"] for each in ((event["pid"], None), track))
            self.slices[name].append((event["name"], now, end))
        elif event["ph"] == "s":
            self._begun[flow] = slices[-1][0]
        else:
            self.flows.append((event["name"], self._begun[flow], slices[-1][0]))


def ns(microseconds: float) -> int:
    return round(microseconds * 1000)


Analyses = Callable[[str], "Analysis"]


# rank 0  [main      6000 [MPI_Send] 6500   7500 [MPI_Barrier       ] 9000   ] 10000 ns
# rank 1  [main 2000 [MPI_Recv...............] 7000   8500 [MPI_Barrier] 9000 ] 10000 ns
def test_waits_come_with_the_call_that_was_late(tmp_path: Path, analysis_of: Analyses) -> None:
    """The receive waits 6000 - 2000 ns for the send.

    The records in the barrier say that it begins at 7600 and at 8600 ns.
    """
    export_perfetto(analysis_of("late_sender.csv").run, tmp_path / "trace.json")
    viewer = Viewer(events(tmp_path / "trace.json"))
    waits = [each for name, found in viewer.slices.items() if "waiting" in name for each in found]
    assert sorted(waits) == [("Late Sender", 2000, 6000), ("Wait at Barrier", 7600, 8600)]
    assert sorted(viewer.flows) == [
        ("cause", "MPI_Barrier", "Wait at Barrier"),
        ("cause", "MPI_Send", "Late Sender"),
        ("message", "MPI_Send", "MPI_Recv"),
    ]
    found = events(tmp_path / "trace.json")
    (late,) = [each for each in found if each["name"] == "Late Sender"]
    assert late["args"]["seconds"] == 4e-6
    assert late["args"]["waits for rank"] == 0
    assert late["args"]["in call path"] == "main/MPI_Send"


def test_the_critical_path_is_a_track_without_gaps(tmp_path: Path, analysis_of: Analyses) -> None:
    """Rank 0 decides until its send, rank 1 from there to the barrier at 8500 ns."""
    export_perfetto(analysis_of("late_sender.csv").run, tmp_path / "trace.json")
    path = Viewer(events(tmp_path / "trace.json")).slices["whole run/critical path"]
    assert [(begin, end) for _, begin, end in path][:1] == [(0, 6000)]
    assert path[0][0] != path[1][0]
    assert [end for _, _, end in path[:-1]] == [begin for _, begin, _ in path[1:]]
    assert path[-1][2] == 10_000


@pytest.mark.parametrize(
    "trace",
    ["m01_late_sender", "m18_master_worker", "m29_hybrid", "m31_omp_tasks", "e05_wrong_order"],
)
def test_slices_nest_and_sums_are_those_of_the_run(
    trace: str, tmp_path: Path, analysis_of: Analyses
) -> None:
    """Every wait has a flow, and durations sum to the tables, to the nanosecond."""
    run = analysis_of(trace).run
    export_perfetto(run, tmp_path / "trace.json")
    viewer = Viewer(events(tmp_path / "trace.json"))
    lengths: defaultdict[str, int] = defaultdict(int)
    for track, found in viewer.slices.items():
        kind = next((each for each in ("waiting", "critical path") if each in track), "calls")
        lengths[kind if "phases" not in track and "iterations" not in track else "course"] += sum(
            end - begin for _, begin, end in found
        )
    with run.connect() as connection:
        ((visits,), (waits,), (path,), (wait_count,)) = connection.sql("""
            SELECT sum(leave_ns - enter_ns) FROM visits
            UNION ALL SELECT coalesce(sum(wait_ns), 0) FROM wait_states WHERE NOT is_completion
            UNION ALL SELECT sum(end_ns - begin_ns - wait_ns) FROM critical_path_segments
            UNION ALL SELECT count(*) FROM wait_states WHERE NOT is_completion
        """).fetchall()
    assert lengths["calls"] == visits
    assert lengths["waiting"] == waits
    assert lengths["critical path"] == path
    assert sum(name == "cause" for name, *_ in viewer.flows) == wait_count


def test_iterations_phases_and_counters_have_tracks(tmp_path: Path) -> None:
    made = with_rows(
        run(),
        iterations=[{"iteration": 3, "location_group_id": 1, "begin_ns": 5, "end_ns": 25}],
        phases=[
            {"level": 1, "threshold": threshold, "phase": 0, "kind": 2, "begin_ns": 0, "end_ns": 40}
            for threshold in (0.25, 0.5)
        ],
        counters=[
            {"counter_id": 0, "name": "power", "unit": "W", "base": 10, "exponent": -3,
             "accumulation": "absolute"}
        ],
        counter_values=[
            {"location_id": place, "sequence": at, "time_ns": 1500 * at, "counter_id": 0}
            | {"value_integer": 2500 * at}
            for place in (0, 1, 2)
            for at in (1, 2)
        ],
    )  # fmt: skip
    export_perfetto(made, tmp_path / "trace.json")
    found = events(tmp_path / "trace.json")
    viewer = Viewer(found)
    assert viewer.slices["rank 1/iterations"] == [("iteration 3", 5, 25)]
    assert viewer.slices["whole run/phases"] == [("phase 0, kind 2", 0, 40)]
    assert some(found, "C", "pid", "name", "ts", "args")[:4] == [
        (0, "power", 1.5, {"value": 2.5}),
        (0, "power", 3, {"value": 5}),
        (1, "power, thread 0 (0)", 1.5, {"value": 2.5}),
        (1, "power, thread 0 (0)", 3, {"value": 5}),
    ]


# Rank 0 counts 100, 150 and 250 instructions at 0, 500 and 2500 ns, in units of 10:
#     500 in 500 ns are 1e9 per second, 1000 in 2000 ns are 5e8.
# The counter `energy` falls from 9 to 4, so that it is a level.
def test_accumulated_counters_are_exported_as_rates(tmp_path: Path) -> None:
    values = {0: (100, 150, 150, 250), 1: (9, 4)}
    times = {0: (0, 500, 500, 2500), 1: (0, 500)}
    made = with_rows(
        run(),
        counters=[
            {"counter_id": 0, "name": "instructions", "accumulation": "accumulated", "base": 10,
             "exponent": 1},
            {"counter_id": 1, "name": "energy", "accumulation": "accumulated", "base": 10,
             "exponent": 0},
        ],
        counter_recordings=[{"location_id": 0, "counter_id": 1, "negative_steps": 1}],
        counter_values=[
            {"location_id": 0, "sequence": 10 * counter + at, "counter_id": counter}
            | {"time_ns": time, "value_integer": value}
            for counter in (0, 1)
            for at, (time, value) in enumerate(zip(times[counter], values[counter], strict=True))
        ],
    )  # fmt: skip
    export_perfetto(made, tmp_path / "trace.json")
    assert some(events(tmp_path / "trace.json"), "C", "name", "ts", "args") == [
        ("instructions per second", 0, {"value": 1e9}),
        ("instructions per second", 0.5, {"value": 5e8}),
        ("energy", 0, {"value": 9}),
        ("energy", 0.5, {"value": 4}),
    ]


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
