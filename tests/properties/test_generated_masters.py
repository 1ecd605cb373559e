"""Programs with and without a master: findings equal those of the simulation."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.computing import computed
from tests.helpers.otf2_reading import read_tables
from tests.helpers.truth_reading import true_waits
from tracemill.programs.generate import generate
from tracemill.programs.language.process_kinds import parse_spec

SIZE, TASKS, MASTER = 1000, 40, 0
MACHINE = {"overhead_ns": 100, "latency_ns": 1000, "start_ns": 0, "noise": False}
PHASE = {"kind": "master_worker", "tasks": TASKS, "cell_ns": 10, "jitter": 0.5, "bytes": 100}
# Getting a task takes two transfers, that is more than 2000 ns, and serving.
PROGRAMS: dict[str, dict[str, Any]] = {
    "coarse": {"phase": [PHASE | {"cell_ns": 200}]},
    "fine": {"phase": [PHASE | {"cell_ns": 1}]},
    "overloaded": {"phase": [PHASE | {"serve_ns": 5_000}]},
    "overloaded at first": {"phase": [PHASE | {"serve_ns": 5_000, "cell_ns": 100}]},
    "wrong clocks": {"phase": [PHASE | {"serve_ns": 500}], "clocks": {"offset_ns": 10_000}},
    "two workers": {"phase": [PHASE | {"serve_ns": 900}], "processes": 3},
}
WITHOUT_MASTER: dict[str, dict[str, Any]] = {
    "ring of three": {"phase": [{"kind": "stencil", "exchange": "sendrecv"}], "processes": 3},
    "blocking ring": {"phase": [{"kind": "stencil", "exchange": "blocking", "jitter": 0.5}]},
    "non-blocking ring": {"phase": [{"kind": "stencil", "jitter": 0.5}]},
    "grid": {"phase": [{"kind": "stencil", "dimensions": 2, "jitter": 0.5}], "processes": 6},
    "pipeline": {"phase": [{"kind": "pipeline", "jitter": 0.5}]},
    "pipeline of three": {"phase": [{"kind": "pipeline", "synchronous": True}], "processes": 3},
    "gathering": {"phase": [{"kind": "collectives", "operations": ["gather", "bcast"]}]},
    "any to any": {"phase": [{"kind": "messages", "messages": 5, "jitter": 0.5}]},
    "two processes": {"phase": [PHASE], "processes": 2},
}
RELATIONS = ("findings", "master_workers")
VISITS = """
    SELECT location_id, regions.name, enter_ns, leave_ns
    FROM visits INNER JOIN regions USING (region_id)
    ORDER BY location_id, visit_id
"""
FOUND = """
    SELECT property, location_id, start_ns, value, cause_location_id FROM findings
    WHERE property IN ('master_worker_starving', 'master_overloaded', 'tasks_too_fine')
"""
Stretch = tuple[int, int]


class Played:
    """A generated program: its calls, its waits, and what was found."""

    def __init__(self, folder: Path, given: dict[str, Any]) -> None:
        defaults = {"processes": 5, "size": SIZE, "machine": MACHINE}
        anchor = generate(parse_spec(defaults | given), folder / "program").anchor
        self.workers = range(1, given.get("processes", 5))
        with computed(RELATIONS, read_tables(anchor, folder)) as computation:
            self.visits = computation.rows(VISITS, "visits", "regions")
            self.masters = sorted(computation.rows("FROM master_workers", "master_workers"))
            self.found = sorted(computation.rows(FOUND, "findings"))
        self.waits = [
            row
            for row in true_waits(anchor.parent)
            if row["property"].startswith(("mpi_latesender", "mpi_lswo"))
        ]

    def calls(self, location: int, name: str) -> list[Stretch]:
        return [visit[2:] for visit in self.visits if visit[:2] == (location, name)]

    def of(self, name: str) -> list[tuple[int, ...]]:
        return [row[1:] for row in self.found if row[0] == name]


@pytest.mark.parametrize("name", PROGRAMS)
def test_master_and_workers_are_found(name: str, tmp_path: Path) -> None:
    """Each call of MPI_Send of a worker is a request, and all are answered at once."""
    played = Played(tmp_path, PROGRAMS[name])
    requests = {at: len(played.calls(at, "MPI_Send")) for at in played.workers}
    assert sum(requests.values()) == TASKS + len(requests)
    assert played.masters == [(MASTER, at, count, 95) for at, count in requests.items()]


@pytest.mark.parametrize("name", PROGRAMS)
def test_workers_starve_as_long_as_is_true(name: str, tmp_path: Path) -> None:
    played = Played(tmp_path, PROGRAMS[name])
    columns = ("location_id", "start_ns", "wait_ns", "cause_location_id")
    waits = [tuple(row[column] for column in columns) for row in played.waits]
    assert sorted(played.of("master_worker_starving")) == sorted(
        wait for wait in waits if wait[-1] == MASTER and wait[0] != MASTER
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_master_is_overloaded_as_long_as_is_true(name: str, tmp_path: Path) -> None:
    """It works between its calls; others wait that are not answered by the next one."""
    played = Played(tmp_path, PROGRAMS[name])
    expected = [
        (MASTER, begin, crowded)
        for begin, end in works_of(played)
        if (crowded := sum(other_waits(played, begin, end)))
    ]
    assert sorted(row[:3] for row in played.of("master_overloaded")) == expected
    if name.startswith("overloaded"):
        assert sum(row[2] for row in expected) > 3 * 5_000


def works_of(played: Played) -> Iterator[Stretch]:
    """From taking a request to answering it."""
    takes, answers = (played.calls(MASTER, name) for name in ("MPI_Recv", "MPI_Send"))
    for (_, taken), (answered, _) in zip(takes, answers, strict=True):
        yield taken, answered


def other_waits(played: Played, begin: int, end: int) -> Iterator[int]:
    """Parts of a stretch of work, between any two changes, in which somebody else waits."""
    waits = [
        (row["start_ns"], row["start_ns"] + row["wait_ns"])
        for row in played.waits
        if row["location_id"] != MASTER and row["start_ns"] + row["wait_ns"] != end
    ]
    moments = sorted({begin, end, *(at for wait in waits for at in wait if begin < at < end)})
    for first, last in pairwise(moments):
        if any(start <= first and last <= stop for start, stop in waits):
            yield last - first


@pytest.mark.parametrize("name", PROGRAMS)
def test_tasks_are_too_fine_where_getting_takes_longer(name: str, tmp_path: Path) -> None:
    """Workers send a request, receive a task and compute between these calls."""
    played = Played(tmp_path, PROGRAMS[name])
    expected = []
    for at in played.workers:
        requests, answers = (played.calls(at, name) for name in ("MPI_Send", "MPI_Recv"))
        tasks = played.calls(at, "compute_master_worker")
        for (begun, _), (_, received), (begin, end) in zip(requests, answers, tasks, strict=False):
            if end - begin < received - begun:
                expected.append((at, begun, received - begun, MASTER))
    assert sorted(played.of("tasks_too_fine")) == expected
    share = {"coarse": 0, "fine": TASKS, "overloaded at first": 0}
    assert len(expected) == share.get(name, len(expected))


@pytest.mark.parametrize("name", WITHOUT_MASTER)
def test_other_programs_have_no_master(name: str, tmp_path: Path) -> None:
    played = Played(tmp_path, {"iterations": 5} | WITHOUT_MASTER[name])
    assert (played.masters, played.found) == ([], [])
