"""Sums of visits: at every kept moment, each call path has had the same time as in every visit."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.computing import analyze_tables
from tests.helpers.csv_reading import read_text
from tests.helpers.otf2_reading import ReadTrace, read_tables
from tests.helpers.random_programs import random_spec
from tracemill.kernels import location_walk
from tracemill.kernels.visit_sums import VisitSums
from tracemill.patterns.catalog import known_tables
from tracemill.programs.generate import generate

DATA = Path(__file__).parents[2] / "data"
HEADER = "Timestamp (ns),Event Type,Name,Process,Counter,Value"
FUNCTIONS = ("f", "g", "h", "MPI_Send", "MPI_Bcast")
Moments = dict[int, dict[int, int]]
DIFFERENT = frozenset({"runs", "visits", "visit_sums", "timeline_bins", "parallelism_losses"})
"""`runs` has the level of detail, the timeline fewer levels; losses by call path are estimates."""
OF_ITERATIONS = frozenset(
    {"iterations", "iteration_loop", "iteration_candidates", "iteration_spans", "loop_children"}
)
"""Tables that need every visit."""


@contextmanager
def small_blocks(rows: int) -> Iterator[None]:
    """Visits are passed on in smaller blocks than usual."""
    usual = location_walk._VISIT_ROOM
    location_walk._VISIT_ROOM = rows
    try:
        yield
    finally:
        location_walk._VISIT_ROOM = usual


def random_trace(seed: int, length: int) -> str:
    """Two processes that call functions at random, with counter values between."""
    random, rows = Random(seed), [HEADER]
    for process in range(2):
        time, stack = random.randint(0, 3), ["main"]
        rows.append(f"{time},Enter,main,{process},,")
        for _ in range(length):
            time += random.choice((0, 0, 1, 3, 50))
            deepen = random.random() < 0.5 and len(stack) < 6 and not stack[-1].startswith("MPI")
            if deepen:
                stack.append(random.choices(FUNCTIONS, (6, 6, 3, 1, 1))[0])
                rows.append(f"{time},Enter,{stack[-1]},{process},,")
            elif len(stack) > 1:
                rows.append(f"{time},Leave,{stack.pop()},{process},,")
            if random.random() < 0.03:
                rows.append(f"{time},Counter,,{process},power,{random.randint(0, 9)}")
        while stack and random.random() < 0.95:
            time += 1
            rows.append(f"{time},Leave,{stack.pop()},{process},,")
    return "\n".join(rows)


def spent_until(read: ReadTrace, moments: dict[int, set[int]]) -> dict[int, Moments]:
    """Time of each call path on each location until each moment, from nested visits."""
    spent: dict[int, Moments] = {}
    columns = "location_id call_path_id parent_visit_id visit_id enter_ns leave_ns"
    rows = read.rows("visits", columns)
    path_of = {visit: path for _, path, _, visit, _, _ in rows}
    for location, wanted in moments.items():
        spent[location] = {moment: {} for moment in wanted}
        for place, path, parent, _, enter, leave in rows:
            if place != location:
                continue
            for moment in wanted:
                time = max(min(leave, moment) - enter, 0)
                at = spent[location][moment]
                at[path] = at.get(path, 0) + time
                if parent is not None:
                    at[path_of[parent]] = at.get(path_of[parent], 0) - time
    return spent


def kept_moments(read: ReadTrace) -> dict[int, set[int]]:
    """Enters and leaves of MPI calls, and times of counters."""
    calls = {number for number, name in read.rows("regions", "region_id name") if name[:3] == "MPI"}
    found: dict[int, set[int]] = {0: set(), 1: set()}
    for location, region, enter, leave in read.rows(
        "visits", "location_id region_id enter_ns leave_ns"
    ):
        if region in calls:
            found[location] |= {enter, leave}
    for location, time in read.rows("counter_values", "location_id time_ns"):
        found[location].add(time)
    return found


@given(st.integers(0, 10**9), st.integers(0, 120), st.sampled_from((4, 16, 1 << 17)))
@settings(max_examples=40, deadline=None)
def test_call_paths_have_the_same_time_between_calls(seed: int, length: int, room: int) -> None:
    text = random_trace(seed, length)
    with TemporaryDirectory() as folder, small_blocks(room):
        full = read_text(text, Path(folder))
        calls = read_text(text, Path(folder), detail="calls")
    moments = kept_moments(full)
    assert kept_moments(calls) == moments
    assert spent_until(full, moments) == spent_until(calls, moments)
    check_rows(full, calls)


@pytest.mark.parametrize("room", range(3, 9))
def test_locations_with_few_rows_share_blocks(
    room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls of f become one row, so blocks are full at any place of a location."""
    random = Random(room)
    calls = [random.choice((0, 0, 2, 3)) for _ in range(200)]
    rows = ["Timestamp (ns),Event Type,Name,Process"]
    for process, count in enumerate(calls):
        rows.append(f"0,Enter,main,{process}")
        for call in range(count):
            rows += [f"{10 * call + 1},Enter,f,{process}", f"{10 * call + 2},Leave,f,{process}"]
        rows.append(f"1000000000000,Leave,main,{process}")
    hand_over = VisitSums.hand_over

    def hand_over_and_forget(sums: VisitSums, count: int) -> Any:
        counts = hand_over(sums, count)
        sums._counts[:] = 77
        return counts

    monkeypatch.setattr(VisitSums, "hand_over", hand_over_and_forget)
    with small_blocks(room):
        read = read_text("\n".join(rows), tmp_path, detail="calls")
    counts = dict(read.rows("visit_sums", "visit_id visit_count"))
    summed: dict[int, int] = {}
    for location, visit in read.rows("visits", "location_id visit_id"):
        summed[location] = summed.get(location, 0) + counts.get(visit, 1)
    assert summed == {process: 1 + count for process, count in enumerate(calls)}


def check_rows(full: ReadTrace, calls: ReadTrace) -> None:
    """Rows are numbered in the order of entering, follow each other, and lose no visit."""
    columns = "visit_id parent_visit_id location_id enter_ns leave_ns call_path_id"
    rows = {row[0]: row for row in calls.rows("visits", columns)}
    for visit, parent, location, enter, leave, _ in rows.values():
        assert enter <= leave
        if parent is not None:
            assert parent < visit
            assert rows[parent][2] == location
            assert rows[parent][3] <= enter <= leave <= rows[parent][4]
    for location in (0, 1):
        own = sorted(row for row in rows.values() if row[2] == location)
        assert [row[3] for row in own] == sorted(row[3] for row in own)
    sums = dict(calls.rows("visit_sums", "visit_id visit_count"))
    count = sum(sums.get(visit, 1) for visit in rows)
    assert count == len(full.rows("visits", "visit_id"))
    for table in ("call_tree", "counter_values", "locations", "record_counts"):
        assert full.tables[table].equals(calls.tables[table])


def differing(trace: Path, folder: Path, **options: Any) -> set[str]:
    """The tables that differ between both levels of detail."""
    full, calls = (
        analyze_tables(read_tables(trace, folder, detail=detail, **options))
        for detail in ("full", "calls")
    )
    assert sum(row["alone_ns"] for row in full["parallelism_losses"]) == sum(
        row["alone_ns"] for row in calls["parallelism_losses"]
    )
    levels = {row["level"] for row in calls["timeline_bins"]}
    assert calls["timeline_bins"] == [
        row for row in full["timeline_bins"] if row["level"] in levels
    ]
    for name in full:
        if known_tables()[name].is_transient:  # in any order
            full[name].sort(key=str)
            calls[name].sort(key=str)
    return {name for name in full if full[name] != calls[name]} - DIFFERENT - OF_ITERATIONS


@pytest.mark.parametrize("first", range(0, 30, 10))
def test_programs_have_the_same_tables(first: int, tmp_path: Path) -> None:
    for number in range(first, first + 10):
        spec = random_spec(number, has_threads=number % 5 == 0)
        generated = generate(spec, tmp_path / f"program{number}")
        with small_blocks(64):
            assert differing(generated.anchor, tmp_path) == set(), str(spec)


@pytest.mark.parametrize(
    "name", ["m03_ls_waitall", "m18_master_worker", "m28_omp_critical", "m29_hybrid",
             "m31_omp_tasks", "m32_pthread_mutex", "r_y_locks", "z01_otf2v3_nbc_rma",
             "counters/f1_counters", "counters/f5_sparse"],
)  # fmt: skip
def test_recorded_traces_have_the_same_tables(name: str, tmp_path: Path) -> None:
    assert differing(DATA / name, tmp_path) == set()
