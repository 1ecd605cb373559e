"""Replays of random activity graphs agree with a slow replay, and obey laws."""

from random import Random

import numpy as np
import pytest

from tests.oracle.replay import SlowGraph, ends_of, free_slack, run_end, total_slack
from tracemill.kernels.replay import (
    Graph,
    Lanes,
    Parts,
    find_slack,
    follow_back,
    follow_on,
    last_activity,
    order_graph,
    replay,
    run_without,
)

BEGIN = 100


def random_graph(seed: int) -> tuple[Graph, SlowGraph, np.ndarray]:
    """A few locations, whose activities and meetings wait for earlier ones in a random order."""
    random = Random(seed)
    counts = [random.randint(1, 6) for _ in range(random.randint(1, 4))]
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    locations = [list(range(first[at], first[at + 1])) for at in range(len(counts))]
    meetings = list(range(first[-1], first[-1] + random.randint(0, 3)))
    # All in the order of a run: activities of a location keep theirs.
    left, placed = [list(each) for each in locations], []
    causes: dict[int, list[int]] = {each: [] for each in range(first[-1] + len(meetings))}
    open_meetings = list(meetings)
    while any(left):
        numbers = random.choice([each for each in left if each])
        activity = numbers.pop(0)
        if placed:
            causes[activity] = sorted(set(random.choices(placed, k=random.choice((0, 0, 1, 2)))))
        placed.append(activity)
        if open_meetings and random.random() < 0.3:
            meeting = open_meetings.pop(0)
            causes[meeting] = sorted(set(random.choices(placed, k=3)))
            placed.append(meeting)
    for meeting in open_meetings:
        causes[meeting] = [placed[-1]]
        placed.append(meeting)
    place = np.full(len(causes), -1, np.int32)
    place[: first[-1]] = np.repeat(np.arange(len(counts)), counts)
    first_cause = np.concatenate([[0], np.cumsum([len(causes[each]) for each in causes])])
    cause = np.array([one for each in causes for one in causes[each]], np.int64)
    graph = order_graph(BEGIN, first, place, first_cause.astype(np.int64), cause)
    duration = np.array([random.choice((0, 1, 2, 5, 9)) for _ in causes], np.int64)
    duration[first[-1] :] = 0
    return graph, SlowGraph(BEGIN, locations, meetings, causes), duration


@pytest.mark.parametrize("seed", range(200))
def test_a_replay_is_that_of_the_rules(seed: int) -> None:
    graph, slow, duration = random_graph(seed)
    times = replay(graph, duration)
    expected = ends_of(slow, dict(enumerate(duration.tolist())))
    for activity in range(len(duration)):
        assert times.end[activity] == expected[activity][1]
        if activity < graph.first[-1]:
            assert times.ready[activity] == expected[activity][0]


@pytest.mark.parametrize("seed", range(40))
def test_slack_is_what_can_be_tried_out(seed: int) -> None:
    graph, slow, duration = random_graph(seed)
    total, free = find_slack(graph, replay(graph, duration), duration)
    durations = dict(enumerate(duration.tolist()))
    for activity in range(int(graph.first[-1])):
        assert total[activity] == total_slack(slow, durations, activity)
        assert free[activity] == free_slack(slow, durations, activity)
        assert 0 <= free[activity] <= total[activity]


@pytest.mark.parametrize("seed", range(200))
def test_durations_of_the_critical_path_sum_to_the_run_time(seed: int) -> None:
    graph, _, duration = random_graph(seed)
    times = replay(graph, duration)
    last = last_activity(graph, times)
    path = follow_back(graph, times, last)
    assert duration[path].sum() == times.end[last] - BEGIN
    total, _ = find_slack(graph, times, duration)
    assert not total[path].any()


@pytest.mark.parametrize("seed", range(100))
def test_the_longest_path_through_an_activity_lacks_its_slack(seed: int) -> None:
    graph, _, duration = random_graph(seed)
    times = replay(graph, duration)
    total, _ = find_slack(graph, times, duration)
    run = times.end[last_activity(graph, times)] - BEGIN
    for activity in range(int(graph.first[-1])):
        back = follow_back(graph, times, activity)
        onward = follow_on(graph, times.end + total, duration, activity)
        assert duration[back].sum() + duration[onward].sum() == run - total[activity]


@pytest.mark.parametrize("seed", range(100))
def test_changes_side_by_side_are_those_one_after_the_other(seed: int) -> None:
    graph, slow, duration = random_graph(seed)
    random = Random(seed)
    count, locations = len(duration), len(graph.first) - 1
    path, kind = np.arange(count, dtype=np.int32), np.array(random.choices([False, True], k=count))
    of_path = np.array(random.choices(range(-1, 5), k=2 * count), np.int16).reshape(count, 2, 1)
    of_location = np.full((locations, 2), -1, np.int16)
    of_location[:, 1] = random.choices(range(5, 7), k=locations)
    parts = Parts(np.arange(count + 1), path, kind, duration)
    ends = run_without(graph, duration, parts, Lanes(7, of_path, of_location))
    lane = of_path[path, kind.astype(int), 0]
    lane_of_place = of_location[graph.location, kind.astype(int)]
    for each in range(7):
        changed = np.where((lane == each) | (lane_of_place == each), 0, duration)
        assert ends[each] == run_end(slow, dict(enumerate(changed.tolist())))
