"""Times within a focus, on paper."""

import numpy as np

from tracemill.stages.focus_times import FocusTimes

#            0    10   20   30   40   50   60
# location 0      [****]         [*********]         25 of the run are in the focus: 10 and 20
# location 2 [*******************]                   30
FOCUS = FocusTimes.of([2, 0, 0], [0, 40, 10], [30, 60, 20], first=0, last=60)


def test_time_passes_only_within_the_focus() -> None:
    times = np.array([0, 10, 15, 20, 30, 45, 60])
    assert FOCUS.spent(0, times).tolist() == [0, 0, 5, 10, 10, 15, 30]
    assert FOCUS.spent(1, times).tolist() == [0] * 7
    assert FOCUS.spent(2, times).tolist() == [0, 10, 15, 20, 30, 30, 30]


def test_an_interval_holds_its_begin_and_the_end_of_the_run() -> None:
    times = np.array([9, 10, 19, 20, 40, 60])
    assert FOCUS.holds(0, times).tolist() == [False, True, True, False, True, True]
    assert FOCUS.holds(2, np.array([0, 29, 30])).tolist() == [True, True, False]


def test_a_period_is_clipped_to_its_first_and_last_moment() -> None:
    first, last = FOCUS.clip(0, np.array([5, 15, 22]), np.array([50, 18, 45]))
    assert (first.tolist(), last.tolist()) == ([10, 15, 40], [50, 18, 45])


def test_periods_that_overlap_or_touch_are_one() -> None:
    found = FocusTimes.of([1, 1, 1, 3], [5, 0, 20, -9], [8, 6, 30, 99], first=0, last=60)
    assert found.location.tolist() == [1, 1, 3]
    assert found.begin.tolist() == [0, 20, 0]
    assert found.end.tolist() == [8, 30, 60]


def test_two_focuses_intersect() -> None:
    other = FocusTimes.of([0, 1, 2], [15, 0, 20], [50, 60, 25], first=0, last=60)
    both = FOCUS.intersect(other)
    assert both.location.tolist() == [0, 0, 2]
    assert both.begin.tolist() == [15, 40, 20]
    assert both.end.tolist() == [20, 50, 25]
    nothing = FocusTimes.of([1], [0], [60], first=0, last=60)
    assert not len(FOCUS.intersect(nothing).location)
