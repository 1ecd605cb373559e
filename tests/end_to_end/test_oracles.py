"""Every analysis against a slow and obvious Python version, on whole traces.

The traces are those in data/ and a few small programs whose processes meet in all ways.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pipeline.generator.generate import generate
from pipeline.generator.spec import parse_spec
from pipeline.run import Options, analyze
from pipeline.store import Store
from schemas.overheads import overhead_id
from tests.oracle import imbalance, region_profiles
from tests.oracle.collective_waits import (
    Wait,
    find_collective_waits,
    find_finalize_waits,
    find_init_completions,
    find_nonblocking_waits,
)
from tests.oracle.critical_path import Cells, find_segments, impacts, profile, waiting_of, works
from tests.oracle.critical_path_sums import (
    imbalance_of_path,
    locations_of_path,
    partners_of_path,
    summary_of_path,
)
from tests.oracle.matching import match_messages, number_collectives
from tests.oracle.overheads import sum_call_paths, sum_regions
from tests.oracle.profiles import with_profile
from tests.oracle.severities import sum_waits
from tests.oracle.stored_runs import (
    collective_instances,
    framing_members,
    in_ticks,
    location_spans,
    names_of_call_paths,
    waits_as_points,
    with_fork_and_join,
)
from tests.oracle.teams import find_barrier_waits, find_fork_join_times
from tests.oracle.time_course import location_overheads, time_profile
from tests.oracle.traffic import (
    communication_matrix,
    count_collectives,
    count_messages,
    message_sizes,
)
from tests.oracle.wait_states import find_late_receivers, find_late_senders
from tests.reference.cases import DATA

Row = dict[str, Any]
Tables = dict[str, list[Row]]
Cell = tuple[int, int]
"""Call path and location."""

MACHINE = {"overhead_ns": 10, "latency_ns": 100, "start_ns": 50, "eager_limit": 256}
PROGRAMS: dict[str, dict[str, Any]] = {
    "messages": {
        "processes": 4, "size": 30, "machine": MACHINE, "phase": [
            {"kind": "stencil", "imbalance": 0.8, "jitter": 0.3},
            {"kind": "stencil", "exchange": "blocking", "bytes": 300, "jitter": 0.6},
            {"kind": "master_worker", "tasks": 5, "jitter": 0.5, "bytes": 0},
            {"kind": "messages", "communicator": "halves", "imbalance": 0.4, "jitter": 0.5},
            {"kind": "pipeline", "synchronous": True, "jitter": 0.4, "bytes": 0},
        ],
    },
    "collectives": {
        "processes": 4, "size": 30, "machine": MACHINE, "phase": [
            {"kind": "collectives", "communicator": "rows", "imbalance": 0.7, "jitter": 0.3,
             "operations": ["barrier", "bcast", "reduce", "allreduce", "alltoallv"]},
            {"kind": "collectives", "nonblocking": True, "jitter": 0.5, "imbalance": -0.5,
             "operations": ["allreduce", "gather"]},
            {"kind": "collectives", "root": 2, "silent": 0.5, "jitter": 0.5, "imbalance": -0.8,
             "operations": ["scatter", "scan", "gather", "allgatherv", "barrier"]},
        ],
    },
    "threads": {
        "processes": 2, "threads": 3, "iterations": 2, "size": 30, "machine": MACHINE, "phase": [
            {"kind": "threads", "barriers": 2, "thread_imbalance": 0.6, "jitter": 0.4},
            {"kind": "stencil", "imbalance": 0.9},
        ],
    },
}  # fmt: skip
# Calls of each process, one per nanosecond: "f" enters f, "." leaves. The second starts in g.
RECURSIVE = ("mfgf.f.g...gff...f..", "gfgf...gfg....mf..")
TRACES = (
    *sorted(path.parent.name for path in DATA.glob("*/*.otf2")),
    *sorted(path.name for path in DATA.glob("*.csv")),
    *PROGRAMS,
    "recursion",
)
READ = (
    "runs", "locations", "location_groups", "regions", "call_paths", "communicators",
    "communicator_members", "visits", "mpi_operations", "thread_teams", "thread_team_members",
    "task_fragments", "region_classes", "call_tree", "flat_profile", "region_graph_nodes",
    "region_graph_edges", "messages", "communication_matrix", "message_sizes", "collectives",
    "collective_members", "wait_states", "severities", "computational_imbalance",
    "location_imbalance", "idle_times", "process_idle_times", "fork_join_times",
    "call_path_overheads", "region_overheads", "time_profile", "critical_path_segments",
    "critical_path_profile", "critical_path_work", "critical_path_locations",
    "critical_path_partners", "critical_path_summary", "location_overheads", "overheads",
    "metrics",
)  # fmt: skip
MATCHED = [
    "message_id", "sender_location_id", "receiver_location_id", "bytes", "send_ns", "receive_ns",
    "receive_sequence", "send_post_visit_id", "send_completion_visit_id",
    "send_completion_leave_ns", "receive_post_visit_id", "receive_post_enter_ns",
    "receive_completion_visit_id",
]  # fmt: skip
LATE_SENDERS = ("mpi_latesender", "mpi_lswo_same", "mpi_lswo_different", "mpi_latereceiver")
TEAM_WAITS = ("omp_ebarrier_wait", "omp_ibarrier_wait")
# Units of time times visits: with more, walking unit by unit takes too long.
STEPS = 3_000_000


@dataclass(frozen=True)
class Traces:
    """Analyses each trace once; `folder` takes the store and the generated programs."""

    folder: Path
    known: dict[str, Tables] = field(default_factory=dict)

    def tables(self, name: str) -> Tables:
        """All tables of a trace, as rows."""
        if name not in self.known:
            trace = DATA / name
            if name in PROGRAMS:
                trace = generate(parse_spec(PROGRAMS[name]), self.folder / name).anchor
            elif name == "recursion":
                trace = write_calls(self.folder / "recursion.csv", RECURSIVE)
            store, options = Store(self.folder / "store"), Options(threads=1)
            run = analyze(trace, store=store, options=options).run
            self.known[name] = {table: run.read(table).to_pylist() for table in READ}
        return self.known[name]


def write_calls(path: Path, processes: Sequence[str]) -> Path:
    """A trace in CSV of processes that call and return."""
    lines = ["Timestamp (ns),Event Type,Name,Process"]
    for process, calls in enumerate(processes):
        stack: list[str] = []
        for time, call in enumerate(calls):
            if call != ".":
                stack.append(call)
            name = stack[-1] if call != "." else stack.pop()
            lines.append(f"{time},{'Leave' if call == '.' else 'Enter'},{name},{process}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Traces:
    return Traces(tmp_path_factory.mktemp("oracles"))


@pytest.fixture(params=TRACES)
def tables(request: pytest.FixtureRequest, traces: Traces) -> Tables:
    """The tables of each trace."""
    return traces.tables(request.param)


def groups(tables: Tables) -> dict[int, int]:
    return {row["location_id"]: row["location_group_id"] for row in tables["locations"]}


def columns(rows: list[Row], names: list[str]) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def without_ratios(rows: list[Row]) -> list[Row]:
    return [{name: row[name] for name in row if "_to_" not in name and "ratio" not in name}
            for row in rows]  # fmt: skip


def ratios(rows: list[Row]) -> list[float]:
    return [row[name] for row in rows for name in sorted(row) if "_to_" in name or "ratio" in name]


# --- Profiles -----------------------------------------------------------------------------------


def test_call_tree(tables: Tables) -> None:
    given = {name: tables[name] for name in ("call_paths", "visits", "task_fragments")}
    expected = with_profile(given)
    assert tables["call_paths"] == expected["call_paths"]
    assert tables["call_tree"] == expected["call_tree"]


def test_flat_profile(tables: Tables) -> None:
    assert tables["flat_profile"] == region_profiles.flat_profile(tables)


def test_region_graph(tables: Tables) -> None:
    assert tables["region_graph_nodes"] == region_profiles.region_graph_nodes(tables)
    assert tables["region_graph_edges"] == region_profiles.region_graph_edges(tables)


# --- Messages and collectives -------------------------------------------------------------------


def test_messages(tables: Tables) -> None:
    expected = match_messages(tables["mpi_operations"], groups(tables))
    assert columns(tables["messages"], MATCHED) == columns(expected, MATCHED)
    matrix = communication_matrix(expected, groups(tables))
    assert tables["communication_matrix"] == matrix
    assert tables["message_sizes"] == message_sizes(expected)


def test_collectives(tables: Tables) -> None:
    is_self = {row["communicator_id"]: row["kind"] == "self" for row in tables["communicators"]}
    expected = number_collectives(tables["mpi_operations"], groups(tables), is_self)
    assert columns(tables["collectives"], ["communicator_id", "ordinal", "member_count"]) == [
        (*key, len(expected[key])) for key in sorted(expected)
    ]
    assert columns(
        tables["collective_members"], ["collective_id", "location_id", "begin_ns", "end_ns"]
    ) == [
        (number, *member)
        for number, key in enumerate(sorted(expected))
        for member in sorted(expected[key])
    ]


# --- Waits --------------------------------------------------------------------------------------


def test_late_senders_and_receivers(tables: Tables) -> None:
    messages = match_messages(tables["mpi_operations"], groups(tables))
    name_of = names_of_call_paths(tables).__getitem__
    senders = find_late_senders(messages, name_of, groups(tables).__getitem__)
    receivers = find_late_receivers(messages, name_of, {visit for _, visit, *_ in senders})
    found = [row for row in tables["wait_states"] if row["property"] in LATE_SENDERS]
    names = ["property", "visit_id", "start_ns", "wait_ns", "message_id"]
    assert columns(found, names) == sorted([*senders, *receivers])


def test_waits_in_collectives(tables: Tables) -> None:
    instances = collective_instances(tables)
    expected = [
        *find_collective_waits(instances),
        *find_nonblocking_waits(instances),
        *find_init_completions(framing_members(tables, "MPI_Init", "MPI_Init_thread")),
        *find_finalize_waits(framing_members(tables, "MPI_Finalize")),
    ]
    entered = {visit["visit_id"]: visit["enter_ns"] for visit in tables["visits"]}
    found = [
        Wait(
            row["property"], row["location_id"], entered[row["visit_id"]], row["start_ns"],
            row["wait_ns"], row["cause_location_id"], row["is_beyond_reference"], row["confidence"],
        )
        for row in tables["wait_states"]
        if row["property"] not in (*LATE_SENDERS, *TEAM_WAITS)
    ]  # fmt: skip
    assert sorted(found, key=repr) == sorted(expected, key=repr)


def test_waits_in_barriers_of_teams(tables: Tables) -> None:
    expected = find_barrier_waits(tables)
    found = [row for row in tables["wait_states"] if row["property"] in TEAM_WAITS]
    names = [
        "property", "location_id", "visit_id", "call_path_id", "start_ns", "wait_ns",
        "cause_location_id", "cause_visit_id",
    ]  # fmt: skip
    assert columns(found, names) == columns(expected, names)


def test_severities(tables: Tables) -> None:
    bytes_of = {row["message_id"]: row["bytes"] for row in tables["messages"]}
    expected = Counter(sum_waits(tables["wait_states"], bytes_of))
    operations, messages = tables["mpi_operations"], tables["messages"]
    counted = count_messages(operations, messages) + count_collectives(operations)
    expected |= Counter({(*cell, False): value for cell, value in counted.items()})
    found = {
        (row["metric"], row["call_path_id"], row["location_id"], row["is_beyond_reference"]):
            row["value"]
        for row in tables["severities"]
        if not row["metric"].startswith(("critical_", "inter_", "non_critical_"))
    }  # fmt: skip
    assert found == dict(expected)


# --- Overheads, imbalance and idle time -----------------------------------------------------------


def test_fork_join_times(tables: Tables) -> None:
    found = {
        (row["call_path_id"], row["location_id"]): row["fork_join_ns"]
        for row in tables["fork_join_times"]
        if row["fork_join_ns"]
    }
    assert found == find_fork_join_times(tables)


def test_overheads_by_call_path_and_region(tables: Tables) -> None:
    fork_join = -1
    overhead = {row["region_id"]: row["overhead_id"] for row in tables["region_classes"]}
    overhead[fork_join] = overhead_id("fork/join")
    paths = {row["call_path_id"]: row for row in tables["call_paths"]}
    visits = with_fork_and_join(tables, fork_join)
    for name, key, expected in (
        ("call_path_overheads", "call_path_id", sum_call_paths(visits, paths, overhead)),
        ("region_overheads", "region_id", sum_regions(visits, paths, overhead)),
    ):
        found = {(row[key], row["overhead_id"]): row["inclusive_ns"] for row in tables[name]}
        assert found == dict(expected)


def test_overheads_by_location(tables: Tables) -> None:
    (run,) = tables["runs"]
    expected = location_overheads(tables)
    found = {
        (row["location_id"], row["overhead_id"]): row["time_ns"]
        for row in tables["location_overheads"]
    }
    assert found == expected
    totals: dict[int, list[int]] = defaultdict(list)
    for (_, overhead), time in sorted(expected.items()):
        totals[overhead].append(time)
    length, count = run["end_ns"] - run["begin_ns"], len(tables["locations"])
    assert columns(tables["overheads"], ["overhead_id", "time_ns", "mean_ns", "longest_ns"]) == [
        (overhead, sum(times), (2 * sum(times) + count) // (2 * count), max(times))
        for overhead, times in sorted(totals.items())
    ]
    assert ratios(tables["location_overheads"]) == pytest.approx(
        [time / length for _, time in sorted(expected.items())], rel=1e-12
    )


@pytest.mark.parametrize("name", ["computational_imbalance", "location_imbalance",
                                  "idle_times", "process_idle_times"])  # fmt: skip
def test_imbalance_and_idle_times(tables: Tables, name: str) -> None:
    expected = getattr(imbalance, name)(tables)
    assert without_ratios(tables[name]) == without_ratios(expected)
    assert ratios(tables[name]) == pytest.approx(ratios(expected), rel=1e-12)


def test_time_profile(tables: Tables) -> None:
    names = ["bin", "begin_ns", "end_ns", "overhead_id", "time_ns"]
    expected = time_profile(tables, 200)
    assert columns(tables["time_profile"], names) == columns(expected, names)


# --- Critical path ------------------------------------------------------------------------------


def test_critical_path(tables: Tables) -> None:
    if tables["thread_teams"]:
        pytest.skip("the oracle follows no threads")
    names = (
        "locations", "visits", "wait_states", "critical_path_segments", "critical_path_profile",
        "critical_path_work",
    )  # fmt: skip
    ticks, unit = in_ticks({name: tables[name] for name in names})
    ticks |= {name: tables[name] for name in ("regions", "call_paths", "severities")}
    points, visits = waits_as_points(ticks), ticks["visits"]
    expected = find_segments(points, location_spans(ticks))
    segments = ticks["critical_path_segments"]
    assert columns(segments, ["location_id", "begin_ns", "end_ns"]) == columns(
        expected, ["location_id", "begin", "end"]
    )
    if len(visits) * max(row["leave_ns"] for row in visits) <= STEPS:
        assert [row["wait_ns"] for row in segments] == [waiting_of(e, visits) for e in expected]
        check_times_of_path(ticks, points, profile(expected, visits), unit)


def check_times_of_path(ticks: Tables, points: list[Row], cells: Cells, unit: int) -> None:
    places = [row["location_id"] for row in ticks["locations"]]
    work = works(ticks["visits"], points, places) if cells else {}
    for name, column, wanted in (
        ("critical_path_profile", "path_ns", cells),
        ("critical_path_work", "work_ns", work),
    ):
        rows = ticks[name]
        assert {(r["call_path_id"], r["location_id"]): r[column] for r in rows} == wanted
    for metric, is_partition in (
        ("critical_imbalance_impact", False),
        ("inter_partition_imbalance", True),
    ):
        impact = impacts(cells, work, places, is_partition=is_partition, is_strict=True)
        check_rounded(metric, ticks, shares_of(cells, impact, unit))


def shares_of(cells: Cells, impact: dict[int, Fraction], unit: int) -> dict[Cell, float]:
    """What each location is charged: its share of the path at the call path."""
    lengths: Counter[int] = Counter()
    for (path, _), time in cells.items():
        lengths[path] += time
    return {
        (path, place): float(impact[path] * time * unit / lengths[path])
        for (path, place), time in cells.items()
        if path in impact
    }


def check_rounded(metric: str, tables: Tables, expected: dict[Cell, float]) -> None:
    """The severities of a metric are the expected ones, in whole nanoseconds."""
    found = {
        (row["call_path_id"], row["location_id"]): row["value"]
        for row in tables["severities"]
        if row["metric"] == metric
    }
    assert found.keys() <= expected.keys()
    assert {cell: found.get(cell, 0) for cell in expected} == pytest.approx(
        expected, rel=0, abs=0.501
    )


def test_sums_of_the_critical_path(tables: Tables) -> None:
    if not tables["critical_path_segments"]:
        pytest.skip("no critical path")
    partners = partners_of_path(tables)
    assert tables["critical_path_locations"] == locations_of_path(tables)
    assert sorted(tables["critical_path_partners"], key=repr) == sorted(partners, key=repr)
    (summary,) = tables["critical_path_summary"]
    assert summary == summary_of_path(tables) | {"is_whole": True}
    check_rounded("critical_path_imbalance", tables, imbalance_of_path(tables))


# --- What the traces are good for ---------------------------------------------------------------


def test_the_traces_hold_every_metric_and_scope(traces: Traces) -> None:
    everything = [traces.tables(name) for name in TRACES]

    def found(table: str, column: str) -> set[Any]:
        return {row[column] for tables in everything for row in tables[table]}

    known = found("metrics", "metric")
    waits = {name for name in known if name.startswith(("mpi_", "omp_"))}
    traffic = {name for name in known if name.startswith(("bytes_", "comms_", "syncs_"))}
    assert waits | traffic <= found("severities", "metric")
    assert {"processes", "threads"} <= found("computational_imbalance", "scope")
    assert {True} <= found("call_tree", "is_repeated")
    for table in ("task_fragments", "fork_join_times", "critical_path_partners"):
        assert any(tables[table] for tables in everything), table
