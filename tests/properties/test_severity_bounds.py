"""Severities of damaged traces are off by no more than their bounds say.

A whole trace is analysed, then damaged and analysed again: the true severity of each cell lies
between the value less what it may be smaller by, and the value plus what it may be larger by.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pipeline.generator.generate import generate
from tests.altered_traces import Alteration, Tables, altered, shift_clocks, shift_groups
from tests.analysing import Analyst, read_into_memory
from tests.random_programs import random_spec
from tests.reference.cases import DATA

PROGRAM_COUNT, BATCH = 10, 2
RECORDS = ("mpi_operations", "rma_operations", "io_operations", "lock_operations")
Cell = tuple[Any, ...]
RECEIVES = ("recv", "irecv")
SENDS = ("send", "isend")
# Of these findings the confidence alone tells how sure they are.
UNBOUND = ("master_overloaded", "tasks_too_fine")
VALUES = f"""
    SELECT severities.metric, call_path_id, location_id, is_beyond_reference, value,
        metrics.kind = 'finding'
    FROM severities
    INNER JOIN metrics USING (metric)
    WHERE metrics.kind IN ('wait state', 'completion', 'finding') AND metrics.unit = 'ns'
        AND metric NOT IN {UNBOUND}
"""
BOUNDS = """
    SELECT metric, call_path_id, location_id, is_beyond_reference, sum(less_ns), sum(more_ns)
    FROM severity_bounds
    INNER JOIN metrics USING (metric)
    WHERE metrics.kind IN ('wait state', 'completion', 'finding')
    GROUP BY ALL
"""


@pytest.fixture(scope="module")
def analyst() -> Analyst:
    return Analyst("severities", "metrics", "severity_bounds", "clock_offsets")


def lose_receives(tables: Tables, random: Random) -> None:
    """Receives are not recorded, or not when they were posted."""
    _lose(tables, random, (*RECEIVES, "irecv_request"))


def lose_sends(tables: Tables, random: Random) -> None:
    """Sends are not recorded, or not when they were complete."""
    _lose(tables, random, (*SENDS, "isend_complete"))


def lose_collectives(tables: Tables, random: Random) -> None:
    """Some calls of a location are not recorded as collectives."""
    location = random.choice(tables["locations"])["location_id"]
    tables["mpi_operations"] = [
        row
        for row in tables["mpi_operations"]
        if row["kind"] != "collective" or row["location_id"] != location or random.random() < 0.6
    ]


def lose_peers(tables: Tables, random: Random) -> None:
    """Receives, or sends, name nobody that is known."""
    kinds = random.choice((RECEIVES, SENDS))
    for row in tables["mpi_operations"]:
        if row["kind"] in kinds and random.random() < 0.1:
            row["peer_group_id"] = None


def lose_accesses(tables: Tables, random: Random) -> None:
    """Some accesses to memory of others are not recorded."""
    _lose(tables, random, ("put", "get", "atomic"), name="rma_operations")


def lose_synchronisation(tables: Tables, random: Random) -> None:
    """Some records of epochs, locks or fences are missing."""
    kind = random.choice(("group_sync", "request_lock", "release_lock", "collective"))
    _lose(tables, random, (kind,), name="rma_operations")


def lose_files(tables: Tables, random: Random) -> None:
    """Some records of files are missing: begins, ends, or what opens and closes."""
    kinds = {row["kind"] for row in tables["io_operations"]}
    if kinds:
        _lose(tables, random, (random.choice(sorted(kinds)),), name="io_operations")


def lose_locks(tables: Tables, random: Random) -> None:
    """Some locks are taken, or given back, without a record."""
    _lose(tables, random, (random.choice(("acquire", "release")),), name="lock_operations")


def _lose(
    tables: Tables, random: Random, kinds: tuple[str, ...], name: str = "mpi_operations"
) -> None:
    """Of operations that are known to some programs alone, not all records are lost."""
    share = random.choice((0.02, 0.2, 1.0 if name == "mpi_operations" else 0.6))
    tables[name] = [
        row for row in tables[name] if row["kind"] not in kinds or random.random() >= share
    ]


def cut_location(tables: Tables, random: Random) -> None:
    """The records of a location end early; its open calls are taken to end there."""
    location = random.choice(tables["locations"])
    cut_ns = random.randint(location["begin_ns"], location["end_ns"])
    number = location["location_id"]
    kept = []
    for row in tables["visits"]:
        if row["location_id"] == number:
            if row["enter_ns"] > cut_ns:
                continue
            if row["leave_ns"] > cut_ns:
                row |= {"leave_ns": cut_ns, "is_closed": False, "exclusive_ns": 0}
        kept.append(row)
    tables["visits"] = kept
    # A record in an open call came before the end; what is known of its call ends there.
    for name in RECORDS:
        tables[name] = [
            row for row in tables[name] if row["location_id"] != number or row["time_ns"] <= cut_ns
        ]
        for row in tables[name]:
            if row["location_id"] == number and row["leave_ns"] is not None:
                row["leave_ns"] = min(row["leave_ns"], cut_ns)
    location |= {"is_complete": False, "end_ns": cut_ns}
    tables["ended"] = [location]


def lose_location(tables: Tables, random: Random) -> None:
    """Nothing of a location could be read."""
    location = random.choice(tables["locations"])
    number = location["location_id"]
    for name in ("visits", *RECORDS):
        tables[name] = [row for row in tables[name] if row["location_id"] != number]
    location |= {"is_complete": False, "record_count": 0, "visit_count": 0}
    tables["ended"] = [location]


def switch_off(tables: Tables, random: Random) -> None:
    """Of a location nothing is recorded for a while that begins and ends between calls."""
    location = random.choice(tables["locations"])
    number, first, last = (location[name] for name in ("location_id", "begin_ns", "end_ns"))
    visits = [row for row in tables["visits"] if row["location_id"] == number]
    parents = {row["parent_visit_id"] for row in visits}
    calls = [row for row in visits if row["visit_id"] not in parents]
    begin = random.randint(first, last)
    end = min(last, begin + (last - first) // random.choice((3, 10, 30)))
    begin = max([begin, *(row["leave_ns"] for row in calls if _is_inside(row, begin))])
    end = min([end, *(row["enter_ns"] for row in calls if _is_inside(row, end))])
    if begin >= end:
        return
    gone = {
        row["visit_id"] for row in visits if begin <= row["enter_ns"] and row["leave_ns"] <= end
    }
    tables["visits"] = [row for row in tables["visits"] if row["visit_id"] not in gone]
    for name in RECORDS:
        tables[name] = [
            row
            for row in tables[name]
            if row["location_id"] != number or not begin <= row["time_ns"] <= end
        ]
    gap = {"location_id": number, "kind": "measurement_off"}
    finding = gap | {"count": 1, "time_ns": end - begin}
    tables["measurement_gaps"].append(gap | {"sequence": 0, "begin_ns": begin, "end_ns": end})
    tables["reading_findings"].append(finding)
    tables["ended"] = [location]


def _is_inside(visit: dict[str, Any], time: int) -> bool:
    return bool(visit["enter_ns"] < time < visit["leave_ns"])


def shift_clock(tables: Tables, random: Random) -> None:
    """The clock of a process is off by up to the length of the run."""
    (run,) = tables["runs"]
    group = random.choice(tables["locations"])["location_group_id"]
    spread = (run["end_ns"] - run["begin_ns"]) // random.choice((1, 10, 100))
    shift_groups(tables, {group: random.choice((-1, 1)) * random.randint(0, spread)})


DAMAGES: tuple[Alteration, ...] = (
    lose_receives, lose_sends, lose_collectives, lose_peers, lose_accesses, lose_synchronisation,
    lose_files, lose_locks, cut_location, lose_location, shift_clock, shift_clocks, switch_off,
)  # fmt: skip


@pytest.mark.parametrize("first", range(0, PROGRAM_COUNT, BATCH))
def test_bounds_hold_what_is_true(first: int, analyst: Analyst, tmp_path: Path) -> None:
    for number in range(first, first + BATCH):
        spec = random_spec(number, has_threads=number % 3 == 0)
        read = read_into_memory(generate(spec, tmp_path / f"program{number}").anchor)
        check_damages(analyst, read, (number,), f"program {number}: {spec}")


# Fences and non-blocking collectives, processes with teams, criticals and locks, mutexes, workers.
@pytest.mark.parametrize(
    "name",
    ["z01_otf2v3_nbc_rma", "m29_hybrid", "r_y_locks", "m32_pthread_mutex", "m18_master_worker"],
)
def test_so_it_is_for_measured_programs(name: str, analyst: Analyst, tmp_path: Path) -> None:
    read = read_into_memory(DATA / name, tmp_path)
    check_damages(analyst, read, range(2), name)


def check_damages(
    analyst: Analyst, read: Mapping[str, Any], seeds: Iterable[int], what: str
) -> None:
    """Whole, the trace has no bounds; however it is damaged, they hold what it showed then.

    By each seed it is damaged in every other way: those left out are for the seed after this. What
    has nothing to damage need not be analysed again.
    """
    whole = altered(read, (), seed=0)
    analyst.compute(read)
    truth = values(analyst)
    assert analyst.rows("FROM severity_bounds") == [], what
    damages = [(seed, damage) for seed in seeds for damage in DAMAGES[seed % 2 :: 2]]
    for seed, damage in damages:
        ended: set[int] = set()
        damaged = altered(read, [partial(_damaged, damage, ended)], seed)
        if damaged == whole:
            continue
        analyst.compute(damaged)
        if damage not in (shift_clock, shift_clocks) or are_shifts_seen(analyst, damage):
            check(analyst, truth, ended, f"{damage.__name__} in {what}, seed {seed}")


def _damaged(damage: Alteration, ended: set[int], tables: Tables, random: Random) -> None:
    damage(tables, random)
    ended.update(row["location_id"] for row in tables.pop("ended", ()))


def are_shifts_seen(analyst: Analyst, damage: Alteration) -> bool:
    """Whether the locations that contradict nobody have clocks that agree, as bounds assume."""
    rows = analyst.rows("SELECT is_doubtful FROM clock_offsets")
    return bool(rows) and (damage is shift_clock or sum(not row[0] for row in rows) <= 1)


def values(analyst: Analyst) -> dict[Cell, tuple[int, bool]]:
    """The value of each cell, and whether it is that of a finding."""
    return {row[:4]: row[4:] for row in analyst.rows(VALUES)}


def check(
    analyst: Analyst, truth: Mapping[Cell, tuple[int, bool]], ended: set[int], what: str
) -> None:
    """What a location did after its end, or switched off, is in no bound, nor is a lost finding."""
    found = values(analyst)
    bounds = {row[:4]: row[4:] for row in analyst.rows(BOUNDS)}
    for cell in {*found, *truth, *bounds}:
        value, is_finding = found.get(cell, (0, False))
        true, was_finding = truth.get(cell, (0, False))
        less, more = bounds.get(cell, (0, 0))
        assert 0 <= less <= value, (cell, value, less, what)
        is_lost = (is_finding or was_finding) and not (cell in found and cell in truth)
        if cell[2] not in ended and not is_lost:
            assert value - less <= true <= value + more, (cell, value, true, less, more, what)
