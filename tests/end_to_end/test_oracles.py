"""Relations with a meaning of their own hold what a slow and obvious Python version finds.

The traces are those in data/, a few small programs whose processes meet in all ways, and random
programs, as they are and with what real traces suffer from.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isclose
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.helpers.altered_traces import (
    Alteration,
    altered,
    cancel_requests,
    confuse_requests,
    disagree,
    find_losses,
    flush_buffers,
    forget_teams,
    join_groups,
    lose_accesses,
    lose_calls,
    lose_one_sided,
    lose_records,
    miscount_members,
    probe_receives,
    rename_calls,
    shift_clocks,
    silence_members,
    stack_handles,
)
from tests.helpers.computing import analyze_tables
from tests.helpers.otf2_reading import read_tables
from tests.helpers.random_programs import random_spec
from tests.oracle.relations import ORACLES
from tests.reference.cases import DATA
from tracemill.programs.generate import generate
from tracemill.programs.language.process_kinds import parse_spec

Row = dict[str, Any]
Tables = dict[str, list[Row]]

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
    "masters": {
        "processes": 4, "size": 30, "machine": MACHINE | {"noise": False}, "phase": [
            {"kind": "master_worker", "tasks": 20, "jitter": 0.9, "serve_ns": 300, "bytes": 9},
            {"kind": "master_worker", "tasks": 6, "cell_ns": 100, "bytes": 2**20},
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
    "files": {
        "processes": 4, "iterations": 2, "size": 30, "machine": MACHINE, "phase": [
            {"kind": "files", "imbalance": 0.7, "jitter": 0.3, "writes": 2, "reads": 1},
            {"kind": "files", "name": "rows", "communicator": "rows", "jitter": 0.5,
             "imbalance": -0.5, "own_reads": 2},
        ],
    },
    "one_sided": {
        "processes": 4, "size": 300, "iterations": 2, "machine": MACHINE, "phase": [
            {"kind": "rma", "imbalance": 0.8, "jitter": 0.3, "name": "fences"},
            {"kind": "rma", "synchronization": "epochs", "partners": 2, "imbalance": 0.9,
             "jitter": 0.8, "puts": 1, "name": "blocking"},
            {"kind": "rma", "synchronization": "epochs", "partners": 2, "imbalance": -0.9,
             "jitter": 0.9, "lazy": True, "accumulates": 2, "name": "lazy"},
            {"kind": "rma", "synchronization": "locks", "exclusive": 0.6, "jitter": 0.4,
             "partners": 2, "flush": True, "name": "locks"},
            {"kind": "rma", "synchronization": "locks", "lazy": True, "jitter": 0.6,
             "name": "lazy_locks"},
        ],
    },
    "threads": {
        "processes": 2, "threads": 3, "iterations": 2, "size": 30, "machine": MACHINE, "phase": [
            {"kind": "threads", "barriers": 2, "thread_imbalance": 0.6, "jitter": 0.4,
             "locked": 2, "locked_ns": 50, "lock": "mutex"},
            {"kind": "threads", "name": "few", "team": 2, "locked": 2, "lock": "api"},
            {"kind": "threads", "name": "alone", "team": 1, "locked": 1},
            {"kind": "threads", "name": "critical", "locked": 1, "locked_ns": 50},
            {"kind": "stencil", "imbalance": 0.9},
        ],
    },
}  # fmt: skip
# Calls of each process, one per nanosecond: "f" enters f, "." leaves. The second starts in g.
RECURSIVE = ("mfgf.f.g...gff...f..", "gfgf...gfg....mf..")
# Time, thread, record and its arguments. Tasks go on by a record, as 1 at 34 and 2 at 36, or
# without one, as 1 at 40 and 3 at 29. There are two tasks of number 3; 5 never goes on.
TASKS = """
    0  0 Enter main
    10 0 ThreadFork - 2
    12 0 ThreadTeamBegin
    13 0 Enter !$omp parallel @a.c:3
    15 0 Enter !$omp implicit barrier @a.c:9
    20 0 ThreadTaskSwitch 0 1
    20 0 Enter !$omp task @a.c:5
    22 0 Enter !$omp create task @a.c:6
    22 0 ThreadTaskCreate 0 2
    24 0 Leave !$omp create task @a.c:6
    25 0 Enter !$omp taskwait @a.c:7
    30 0 ThreadTaskSwitch 0 2
    30 0 Enter !$omp task @a.c:6
    33 0 Enter work
    34 0 ThreadTaskSwitch 0 1
    36 0 ThreadTaskSwitch 0 2
    37 0 Leave work
    40 0 Leave !$omp task @a.c:6
    40 0 ThreadTaskComplete 0 2
    44 0 ThreadTaskSwitch 0 1
    48 0 Leave !$omp taskwait @a.c:7
    50 0 Leave !$omp task @a.c:5
    50 0 ThreadTaskComplete 0 1
    60 0 Leave !$omp implicit barrier @a.c:9
    62 0 Leave !$omp parallel @a.c:3
    63 0 ThreadTeamEnd
    65 0 ThreadJoin
    80 0 Leave main
    14 1 ThreadTeamBegin
    15 1 Enter !$omp parallel @a.c:3
    18 1 Enter !$omp implicit barrier @a.c:9
    20 1 ThreadTaskSwitch 0 3
    20 1 Enter !$omp task @a.c:5
    22 1 Enter !$omp taskwait @a.c:7
    26 1 ThreadTaskSwitch 0 4
    26 1 Enter !$omp task @a.c:6
    29 1 Leave !$omp task @a.c:6
    29 1 ThreadTaskComplete 0 4
    33 1 Leave !$omp taskwait @a.c:7
    35 1 Leave !$omp task @a.c:5
    35 1 ThreadTaskComplete 0 3
    38 1 ThreadTaskSwitch 0 3
    38 1 Enter !$omp task @a.c:6
    42 1 Leave !$omp task @a.c:6
    42 1 ThreadTaskComplete 0 3
    44 1 ThreadTaskSwitch 0 5
    44 1 Enter !$omp task @a.c:5
    45 1 Enter work
    47 1 ThreadTaskSwitch 0 6
    47 1 Enter !$omp task @a.c:6
    49 1 ThreadTaskSwitch 0 7
    49 1 Enter !$omp task @a.c:6
    52 1 Leave !$omp task @a.c:6
    52 1 ThreadTaskComplete 0 7
    58 1 Leave !$omp implicit barrier @a.c:9
    61 1 Leave !$omp parallel @a.c:3
    62 1 ThreadTeamEnd
"""
TEAM = '{""id"": 0, ""kind"": ""thread_team"", ""paradigm"": ""openmp"", ""members"": [0, [0, 1]]}'
TRACES = (
    *sorted(path.parent.name for path in DATA.glob("*/*.otf2")),
    "call_graph.csv",
    "late_sender.csv",
    "recursion",
    "tasks",
)
# Seeds of random programs, and whether they have threads.
RANDOM = ((16, False), (17, False), (17, True), (20, False))
ALTERED: dict[str, tuple[tuple[Alteration, ...], ...]] = {
    "masters": ((lose_records,), (lose_calls, shift_clocks), (probe_receives,)),
    "messages": (
        (lose_records,), (lose_calls,), (cancel_requests,), (confuse_requests,),
        (probe_receives,), (probe_receives, confuse_requests, lose_calls), (shift_clocks,),
        (flush_buffers, lose_records, shift_clocks), (find_losses, lose_records),
    ),
    "collectives": (
        (lose_records,), (lose_calls, rename_calls), (rename_calls, silence_members),
        (silence_members, shift_clocks), (join_groups, disagree), (join_groups, silence_members),
        (miscount_members,), (flush_buffers, shift_clocks), (find_losses, lose_records),
    ),
    "files": (
        (lose_accesses,), (stack_handles,), (stack_handles, lose_accesses, shift_clocks),
        (miscount_members,),
    ),
    "one_sided": (
        (lose_one_sided,), (lose_one_sided,), (shift_clocks,), (lose_one_sided, shift_clocks),
    ),
    "threads": ((forget_teams,), (find_losses, shift_clocks), (flush_buffers,)),
}  # fmt: skip


# --- Traces -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Traces:
    """Reads and analyses traces, each once; `folder` takes stores and generated programs."""

    folder: Path
    programs: dict[str, dict[str, pa.Table]] = field(default_factory=dict)
    analyzed: dict[str, Tables] = field(default_factory=dict)

    def tables(self, name: str) -> Tables:
        """All tables of a trace or a generated program as rows, which tests only read."""
        if name not in self.analyzed:
            if name in PROGRAMS:
                self.analyzed[name] = analyze_tables(self.program(name))
            else:
                self.analyzed[name] = self._analyze(name)
        return self.analyzed[name]

    def _analyze(self, name: str) -> Tables:
        trace = DATA / name
        if name == "recursion":
            trace = write_calls(self.folder / "recursion.csv", RECURSIVE)
        if name == "tasks":
            trace = write_tasks(self.folder / "tasks.csv", TASKS)
        return analyze_tables(read_tables(trace, self.folder))

    def program(self, name: str) -> dict[str, pa.Table]:
        """What is read of a generated program."""
        if name not in self.programs:
            anchor = generate(parse_spec(PROGRAMS[name]), self.folder / name).anchor
            self.programs[name] = read_tables(anchor, self.folder)
        return self.programs[name]


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


def write_tasks(path: Path, text: str) -> Path:
    """A trace in CSV of two threads that run tasks."""
    columns = "Process,Thread,Communicator,Task Thread,Number,Definition"
    lines = [
        f"Timestamp (ns),Event Type,Name,{columns}",
        f'0,Define Communicator,team,0,0,,,,"{TEAM}"',
    ]
    for line in text.strip().splitlines():
        time, thread, kind, rest = [*line.split(maxsplit=3), ""][:4]
        if kind in ("Enter", "Leave"):
            lines.append(f"{time},{kind},{rest},0,{thread},,,,")
        else:
            task, number = [*rest.replace("-", "").split(" "), ""][:2]
            team = "" if kind in ("ThreadFork", "ThreadJoin") else 0
            lines.append(f"{time},Instant,{kind},0,{thread},{team},{task},{number},")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Traces:
    return Traces(tmp_path_factory.mktemp("oracles"))


# --- Comparing ----------------------------------------------------------------------------------


def differences(tables: Tables) -> dict[str, str]:
    """The relations that are not what their oracle says, each with a row of both that differ."""
    found = {name: difference(name, tables[name], tables) for name in ORACLES}
    return {name: text for name, text in found.items() if text}


def difference(name: str, stored: list[Row], tables: Tables) -> str:
    """Rows of a relation that its oracle does not find in the tables, or the other way round."""
    return first_difference(stored, ORACLES[name](tables))


def first_difference(found: list[Row], expected: list[Row]) -> str:
    """Rows in any order; empty if they are equal but for rounding."""
    if len(found) == len(expected) and all(map(is_same, found, expected)):
        return ""
    found, expected = sorted(found, key=without_fractions), sorted(expected, key=without_fractions)
    for one, other in zip(found, expected, strict=False):
        if not is_same(one, other):
            return f"found {one}, expected {other}"
    longer = found if len(found) > len(expected) else expected
    missing = longer[min(len(found), len(expected)) :]
    return f"{len(found)} rows, expected {len(expected)}: {missing[0]}" if missing else ""


def without_fractions(row: Row) -> str:
    return repr(sorted((key, value) for key, value in row.items() if not isinstance(value, float)))


def is_same(one: Row, other: Row) -> bool:
    if one == other:
        return True
    return one.keys() == other.keys() and all(is_equal(name, one, other) for name in one)


def is_equal(name: str, one: Row, other: Row) -> bool:
    """Fractions of nanoseconds are sums of such as fit into integers."""
    if not isinstance(one[name], float) or not isinstance(other[name], float):
        return bool(one[name] == other[name])
    return isclose(one[name], other[name], rel_tol=1e-9, abs_tol=1e-6 if "_ns" in name else 0)


# --- Tests --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TRACES)
def test_every_relation_is_that_of_its_oracle(name: str, traces: Traces) -> None:
    assert differences(traces.tables(name)) == {}


@pytest.mark.parametrize("name", PROGRAMS)
def test_so_it_is_whatever_happens_to_a_trace(name: str, traces: Traces) -> None:
    assert differences(traces.tables(name)) == {}
    read = traces.program(name)
    for seed, alterations in enumerate(ALTERED[name]):
        tables = analyze_tables(altered(read, alterations, seed))
        assert differences(tables) == {}, alterations


@pytest.mark.parametrize(("seed", "has_threads"), RANDOM)
def test_so_it_is_for_random_programs(seed: int, has_threads: bool, tmp_path: Path) -> None:
    anchor = generate(random_spec(seed, has_threads=has_threads), tmp_path / "program").anchor
    tables = analyze_tables(read_tables(anchor, tmp_path))
    assert differences(tables) == {}


def test_the_traces_hold_every_metric_and_scope(traces: Traces) -> None:
    everything = list(map(traces.tables, [*PROGRAMS, "e05_wrong_order"]))

    def found(table: str, column: str) -> set[Any]:
        return {row[column] for tables in everything for row in tables[table]}

    known = found("metrics", "metric")
    waits = {name for name in known if name.startswith(("mpi_", "omp_"))}
    assert waits <= found("severities", "metric")
    of_masters = {"master_worker_starving", "master_overloaded", "tasks_too_fine"}
    assert of_masters | {"large_messages"} <= found("findings", "property")
    assert {"processes", "threads"} <= found("computational_imbalance", "scope")
