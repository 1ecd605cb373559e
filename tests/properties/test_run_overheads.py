"""Overheads of random runs, compared with the rules applied to each call path."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.run_times import KINDS, hash_of, run_times
from tracemill.comparison.overhead_tables import run_comparison
from tracemill.comparison.overheads import Overheads

NAMES = ("main", "solve", "serial", "tree", "MPI_Bcast", "MPI_Barrier")
TOLERANCE = 0.25


@st.composite
def runs(draw: st.DrawFn, count: int) -> dict[str, dict[int, int]]:
    """Times by call path and thread; a time of 4 or 8 makes borders of the rules likely."""
    times = st.integers(0, 12)
    return {
        name: {
            thread: draw(times) for thread in draw(st.sets(st.integers(0, count - 1), min_size=1))
        }
        for name in draw(st.sets(st.sampled_from(NAMES)))
    }


@st.composite
def pairs(draw: st.DrawFn) -> Overheads:
    few = draw(st.integers(1, 3))
    many = draw(st.integers(few, 8))
    seq = run_times("seq", draw(runs(few)), main_ns=draw(st.integers(50, 99)), count=few)
    par = run_times("par", draw(runs(many)), main_ns=draw(st.integers(50, 99)), count=many)
    return Overheads(seq=[seq], par=[par], tolerance=TOLERANCE)


def expected(overheads: Overheads, name: str) -> tuple[int, int, int]:
    """Replicated, additional and unidentified time of a call path, summed over threads."""
    rows = overheads.par[0].times.filter(call_path=name)["time_ns"].to_list()
    known = overheads.seq[0].times.filter(call_path=name)["time_ns"].to_list()
    before, work = sum(known), sum(rows) - sum(known)
    if name in KINDS:
        return 0, 0, 0
    if not known:
        return 0, work, 0
    is_full = len(rows) > 1 and len(rows) == overheads.par[0].thread_count
    if is_full and all(time >= (1 - TOLERANCE) * before for time in rows):
        replicated = sum(min(time, before) for time in rows) - before
        rest = sum(max(0, time - before) for time in rows)
        is_more = sum(rows) / len(rows) > (1 + TOLERANCE) * before
        return (replicated, rest, 0) if is_more else (replicated, 0, rest)
    if len(rows) == 1 and rows[0] > (1 + TOLERANCE) * before:
        return 0, work, 0
    return 0, 0, work


@settings(deadline=None, max_examples=100)
@given(pairs())
def test_each_call_path_follows_the_rules_and_all_sum_to_the_run(overheads: Overheads) -> None:
    columns = ("call_path_key", "work_ns", "replicated_ns", "additional_ns", "unidentified_ns")
    found = {row[0]: row[1:] for row in overheads.call_paths.select(columns).iter_rows()}
    names = {hash_of(name): name for name in NAMES}
    for key, (work, *parts) in found.items():
        assert tuple(parts) == expected(overheads, names[key])
        assert names[key] in KINDS or sum(parts) == work
    assert sum(overheads.classes.values()) == pytest.approx(overheads.total_ns, abs=1e-6)
    rounded = run_comparison(overheads)["time_ns"].to_pylist()
    assert abs(sum(rounded) - overheads.total_ns) <= len(rounded) / 2 + 1e-6
    regions: Counter[str] = Counter()
    for row in overheads.par[0].regions.iter_rows(named=True):
        regions[row["region"]] += row["time_ns"]
    for row in overheads.regions.iter_rows(named=True):
        assert row["par_mean_ns"] * overheads.par[0].process_count == pytest.approx(
            regions[row["region"]]
        )
        assert row["par_max_ns"] >= row["par_mean_ns"] - 1e-9
