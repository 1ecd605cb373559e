"""Compiles modules and kernels ahead of their use.

`python -m tracemill.kernels.warm_up` does so before tests, each kernel with few or no rows.
"""

import compileall
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill import schemas
from tracemill.base.console import report_work
from tracemill.base.once import once
from tracemill.kernels import call_tree
from tracemill.kernels import otf2_layout as of
from tracemill.kernels.addressed import addresses_of
from tracemill.kernels.clock_replay import Events, replay_clocks
from tracemill.kernels.clock_replay import Meetings as ClockMeetings
from tracemill.kernels.compilers import TITLE, end_compilers
from tracemill.kernels.corrected_times import CorrectedTimes
from tracemill.kernels.critical_path_walk import NONE, walk_back
from tracemill.kernels.delay_costs import Times, charge_waits
from tracemill.kernels.delay_intervals import Meetings, Points, find_intervals
from tracemill.kernels.forecast import layout as forecast
from tracemill.kernels.forecast.machine import run as run_forecast
from tracemill.kernels.forecast.records import hash_again
from tracemill.kernels.interval_times import IntervalTimes
from tracemill.kernels.location_walk import LocationWalk, no_teams
from tracemill.kernels.network.layout import Network
from tracemill.kernels.otf2_decoding import decode_records, read_integers
from tracemill.kernels.parallelism_walk import LocationStretches, charge_losses
from tracemill.kernels.path_names import path_names
from tracemill.kernels.pop_times import Periods, sum_inside
from tracemill.kernels.quantities import take_quantities
from tracemill.kernels.records import ENTER, IGNORED, SIDE_WIDTH, UNKNOWN
from tracemill.kernels.replay import (
    Lanes,
    Parts,
    find_slack,
    follow_back,
    follow_on,
    order_graph,
    replay,
    run_without,
)
from tracemill.kernels.segment_times import SegmentTimes
from tracemill.kernels.simulation import critical_path as simulated_path
from tracemill.kernels.simulation import layout
from tracemill.kernels.simulation.machine import run
from tracemill.kernels.simulation.writing import write_events
from tracemill.kernels.sorted_records import look_at_nested, sort_by_location
from tracemill.kernels.timeline_walk import LocationBins
from tracemill.kernels.unfolding import unfold
from tracemill.kernels.walk_state import STATE_SLOTS, Code, RecordRows
from tracemill.kernels.wrong_order import mark_waits


def _code() -> Code:
    return Code(
        np.zeros(1, np.uint32),
        np.zeros(1, np.int32),
        np.zeros(4, np.int8),
        np.zeros(4, np.bool_),
        np.zeros(0, np.uint32),
        np.zeros(0, np.int32),
        np.array([0, 1_000_000_000], np.int64),
        np.arange(4, dtype=np.int32),
        np.zeros(0, np.uint32),
        np.zeros(0, np.uint32),
        np.zeros(0, np.int32),
        np.zeros(0, np.int64),
    )


def _records() -> tuple[
    NDArray[np.uint64], NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint64]
]:
    return (
        np.array([1, 2, 3], np.uint64),
        np.array([ENTER, UNKNOWN, ENTER], np.uint8),
        np.zeros(3, np.uint32),
        np.zeros((1, SIDE_WIDTH), np.uint64),
    )


def _walk_once() -> None:
    """Write a plain location without visits."""
    code, (times, kinds, refs, side) = _code(), _records()
    taken: list[RecordRows] = []
    walk = LocationWalk(code, call_tree.new_tree())
    walk.begin(0, first_visit=0, teams=no_teams(), is_plain=True)
    walk.feed(times, np.full_like(kinds, IGNORED), refs, side, taken.append)
    walk.finish(taken.append)
    walk.profile()
    values, is_absent = np.zeros((1, 0), np.int64), np.zeros((1, 0), np.bool_)
    places = np.zeros((1, 1), np.int8)
    take_quantities(taken[-1].kind, taken[-1].arguments.view(np.int64), places, values, is_absent)


def _walk_generally_once() -> None:
    """Survey a location with a visit that was not left, and look for its node."""
    survey = LocationWalk(_code())
    survey.begin(0, first_visit=0, teams=no_teams())
    survey.feed(*_records(), lambda _: None)
    survey.finish(lambda _: None)
    place = np.int32(call_tree.NO_NODE), np.int32(0), np.bool_(False)
    call_tree.find_node(survey.tree, *place)
    call_tree.add_node(call_tree.reserve(survey.tree, 1), *place, call_tree.NO_NODE)


def _number_once() -> None:
    """Number no call paths, name them, and walk a path of one point."""
    tree = call_tree.number_depth_first(call_tree.merge(call_tree.new_tree(), call_tree.new_tree()))
    call_tree.describe_tree(tree.parent, tree.region, tree.is_stub, 2, 3)
    path_names(tree.parent, tree.region, ["main"])
    walk_back(np.full(1, NONE, np.int64))


def _simulate_once() -> None:
    """Run a machine without processes, write no events, and walk a path without steps."""
    none = np.zeros(0, np.int64)
    tables: dict[str, NDArray[np.int64]] = dict.fromkeys(
        layout.State._fields, np.zeros((0, 0, 0), np.int64)
    )
    tables["counters"] = np.zeros(layout.COUNTER_COUNT, np.int64)
    network = addresses_of(np.zeros((0, 0), np.int64) for _ in Network._fields)
    run(addresses_of(layout.State(**tables)), network)
    rows, place = np.zeros((1, layout.SEGMENT_WIDTH), np.int64), np.zeros(3, np.int64)
    simulated_path.walk_steps(
        np.zeros((0, layout.STEP_WIDTH), np.int64), np.zeros(2, np.int64), place[:1], place, rows
    )
    events, pairs = np.zeros((0, layout.EVENT_WIDTH), np.int64), np.zeros((0, 0), np.int64)
    is_team = np.zeros(0, np.bool_)
    simulated_path.add_path_times(events, none, is_team, rows, pairs, none, none, pairs)
    addresses, slopes = np.zeros(0, np.uint64), np.zeros((0, 1))
    knots = np.zeros((0, 2, 2), np.int64)
    write_events(
        events, addresses, addresses, none, pairs, pairs, pairs, none, np.int64(0), knots, slopes,
        none,
    )  # fmt: skip


def _sort_once() -> None:
    row, kinds = np.zeros(1, np.int64), np.array([ENTER], np.uint8)
    refs, side = np.zeros(1, np.uint32), np.zeros((1, SIDE_WIDTH), np.uint64)
    places = [np.zeros(2, np.int64) for _ in range(3)]
    out = row.copy(), kinds.copy(), refs.copy(), side.copy()
    sort_by_location(np.zeros(1, np.int32), row, kinds, refs, side, *places, *out)
    visits, stack = [np.zeros(1, np.int64) for _ in range(5)], np.zeros((2, 3), np.int64)
    columns = np.zeros(2, np.int32), np.zeros(2, np.int64), np.zeros(2, np.uint8)
    unfold(*visits, np.zeros(2, np.int64), stack, *columns, np.zeros(2, np.uint32))


def _decode_once() -> None:
    """Decode no records and no integers, and look at no records."""
    state = np.zeros(of.SLOTS, np.int64)
    places = of.layout_of(None), of.NO_MAPS, of.NO_CLOCK, of.columns_of(1)
    decode_records(np.zeros(of.PADDING, np.uint8), state, *places)
    read_integers(np.frombuffer(b"", np.uint8), True, np.zeros(0, np.uint64))
    kinds, refs, regions = np.zeros(0, np.uint8), np.zeros(0, np.uint32), np.zeros(1, np.int32)
    look_at_nested(kinds, refs, regions, call_tree.new_tree(), np.zeros(3, np.int64), 0)


def _fill_bins_once() -> None:
    region, moment = np.zeros(1, np.int32), np.zeros(1, np.int64)
    bins = LocationBins(begin=0, end=1, width=1, level_count=1, region_count=1)
    bins.walk(region, moment, moment)
    bins.finish()


def _sum_up_once() -> None:
    """Sum up no stretches."""
    keys, moments = np.zeros(0, np.int32), np.zeros(0, np.int64)
    IntervalTimes(np.arange(2), 1).add(keys, np.zeros((0, 2), np.int32), moments, moments)


def _charge_losses_once() -> None:
    """Charge one computing location with the time of an idle one."""
    state, enter, leave = np.zeros(1, np.int32), np.zeros(1, np.int64), np.ones(1, np.int64)
    walk = LocationStretches(begin=0, end=1)
    walk.begin(-1)
    walk.walk(state, enter, leave)
    walk.finish()
    begins, states = np.zeros(2, np.int64), np.array([0, -1], np.int32)
    charge_losses(begins, states, np.arange(3), end=1, path_count=1, class_count=1)


def _charge_once() -> None:
    """Charge the wait of a location to another one, and sum up the time of a visit."""
    none, zeros, flags = np.zeros(0, np.int64), np.zeros(2, np.int64), np.zeros(2, np.bool_)
    ids = zeros.astype(np.int32)
    points = Points(
        location=np.arange(2, dtype=np.int32), path=ids, kind=np.zeros(2, np.int8),
        wait=np.array([0, 1]), cause=np.array([-1, 0], np.int32), correction=zeros, since=ids - 1,
        threads=ids, is_team=flags, is_message=flags,
    )  # fmt: skip
    times = Times(
        first_point=np.arange(3), first_row=np.zeros(5, np.int64), row_path=ids[:0], row_time=none,
        first_path=np.zeros(3, np.int64), path_ids=ids[:0], path_first=zeros[:1],
        path_segment=ids[:0], path_sum=none, wait_sum=np.array([0, 0, 1]),
    )  # fmt: skip
    meetings = Meetings(none, np.zeros(3, np.int64), none, none, 2, 2)
    items = np.array([1])
    intervals = find_intervals(items, points, meetings, is_like_scalasca=False)
    charge_waits(items, points, intervals, times, 1)
    segments = SegmentTimes(zeros[:1], 1, 1)
    segments.walk(np.zeros(1, np.int32), zeros[:1], zeros[:1] + 1)
    segments.finish()
    mark_waits(zeros, zeros, zeros - 1, 0)


def _replay_once() -> None:
    """Replay the message of a location to itself, and correct the time of a record."""
    events = Events(
        first=np.array([0, 2]), time=np.zeros(2, np.int64), sequence=np.arange(2),
        meeting=np.zeros(2, np.int64), is_sender=np.array([True, False]),
    )  # fmt: skip
    replayed = replay_clocks(events, ClockMeetings(np.ones(1, np.int64), np.full(1, -1)))
    code = _code()
    CorrectedTimes(replayed.knots[0], code).correct(np.zeros(STATE_SLOTS, np.int64), *_records())


def _run_graph_once() -> None:
    """Run a graph of one activity, alone and with a change."""
    duration, rows = np.ones(1, np.int64), np.arange(2)
    graph = order_graph(0, rows, np.zeros(1, np.int32), np.zeros(2, np.int64), rows[:0])
    times = replay(graph, duration)
    find_slack(graph, times, duration)
    follow_back(graph, times, 0)
    follow_on(graph, times.end, duration, 0)
    parts = Parts(rows, np.zeros(1, np.int32), np.zeros(1, np.bool_), duration)
    no, location = np.zeros(1, np.bool_), np.zeros(1, np.int32)
    periods = Periods(rows, duration, duration, duration)
    sum_inside(
        rows, duration, duration, duration, location, no, parts, no, periods, np.zeros((3, 1), int)
    )
    run_without(
        graph, duration, parts, Lanes(1, np.zeros((1, 2, 3), np.int16), np.zeros((1, 2), np.int16))
    )


def _forecast_once() -> None:
    """Simulate no processes on no channels."""
    tables: dict[str, NDArray[Any]] = dict.fromkeys(
        forecast.Tables._fields, np.zeros((0, 0, 0), np.int64)
    )
    tables["counters"] = np.zeros(forecast.COUNTER_COUNT, np.int64)
    state = addresses_of(forecast.Tables(**tables))
    run_forecast(state, addresses_of(np.zeros((0, 0), np.int64) for _ in Network._fields))
    hash_again(state, np.zeros(0, np.int64))


_READING = (_decode_once,)
_ANALYSIS = (
    _charge_once, _walk_once, _number_once, _fill_bins_once, _run_graph_once,
    _charge_losses_once, _sum_up_once,
)  # fmt: skip
_RARELY_NEEDED = (_simulate_once, _walk_generally_once, _forecast_once, _replay_once, _sort_once)


def _run(calls: Iterable[Callable[[], None]]) -> list[Thread]:
    """Make each call in a thread of its own, so that their kernels compile in parallel."""

    def make(call: Callable[[], None]) -> None:
        with report_work(TITLE), suppress(KeyboardInterrupt):
            call()

    threads = [Thread(target=make, args=(call,), daemon=True) for call in calls]
    for thread in threads:
        thread.start()
    return threads


@once
def begin_analysis(process: int) -> list[Thread]:
    """Begin to compile what nearly every analysis needs; once per process."""
    return _run(_ANALYSIS)


@once
def begin_reading(process: int) -> list[Thread]:
    """Begin to compile what reads archives."""
    return _run(_READING)


def _begin_common() -> list[Thread]:
    return begin_reading(os.getpid()) + begin_analysis(os.getpid())


def load_common_kernels() -> None:
    """Load, or compile, the kernels that nearly every trace needs.

    No thread and no process is left running.
    """
    for thread in _begin_common():
        thread.join()
    end_compilers()


def _compile_modules() -> None:
    """Write bytecode, which saves 0.3 s per command if Python may not write it itself."""
    for folder in (Path(__file__).parents[1], Path(schemas.__file__).parent):
        compileall.compile_dir(folder, quiet=1)


def compile_all() -> None:
    """Fill the caches."""
    threads = _run(_RARELY_NEEDED) + _begin_common()
    _compile_modules()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    compile_all()
