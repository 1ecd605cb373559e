"""Windows of a run that a timeline shows in detail: how they are written, chosen and filled."""

import pytest

from tests.helpers.running import run_query
from tracemill.base.errors import UsageError
from tracemill.reports.window_details import MOST_WINDOWS
from tracemill.reports.windows import Window, choose_windows, read_window

RUN = Window(0, 1000)


@pytest.mark.parametrize(
    ("text", "begin", "end"),
    [
        ("1.2..1.3", 1_200_000_000, 1_300_000_000),
        ("1.2s..1.3s", 1_200_000_000, 1_300_000_000),
        ("5ms..9.5ms", 5_000_000, 9_500_000),
        ("7us .. 8 µs", 7_000, 8_000),
        (".5..1", 500_000_000, 1_000_000_000),
        ("0..12ns", 0, 12),
    ],
)
def test_windows_are_written_in_seconds_or_with_units(text: str, begin: int, end: int) -> None:
    assert read_window(text) == Window(begin, end)


@pytest.mark.parametrize("text", ["", "1", "1..", "..2", "a..b", "1-2", "2..1", "1..1", "1h..2h"])
def test_anything_else_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match="--window"):
        read_window(text)


def choose(*places: Window, visits: int = 100, most: int = 20, windows: int = 3) -> list[Window]:
    """20 of 100 visits: a window is a fifth of the run."""
    chosen = choose_windows(places, RUN, visit_count=visits, most_visits=most, most_windows=windows)
    return list(chosen)


def test_a_run_of_two_windows_is_shown_as_a_whole() -> None:
    assert choose(Window(5, 6), visits=20) == [RUN]
    assert choose(Window(5, 6), visits=40) == [RUN]
    assert choose(Window(5, 6), visits=41) == [Window(0, 487)]


def test_a_window_is_centered_on_its_place() -> None:
    assert choose(Window(500, 520)) == [Window(410, 610)]


def test_windows_stay_within_the_run() -> None:
    assert choose(Window(0, 10), Window(990, 1000)) == [Window(0, 200), Window(800, 1000)]


# 600 do not fit: what was waited for comes at 800, after three quarters of the window.
def test_the_end_of_a_long_place_is_shown() -> None:
    assert choose(Window(200, 800)) == [Window(650, 850)]


def test_windows_are_few_and_leave_out_places_already_shown() -> None:
    places = (
        Window(500, 520),
        Window(430, 440),
        Window(100, 101),
        Window(900, 901),
        Window(700, 701),
    )
    found = choose(*places)
    assert found == [Window(410, 610), Window(1, 201), Window(800, 1000)]


VISITS = [
    {"location_id": 0, "call_path_id": 0, "visit_id": 0, "enter_ns": 0, "leave_ns": 100},
    {"location_id": 0, "call_path_id": 0, "visit_id": 1, "enter_ns": 10, "leave_ns": 20},
    {"location_id": 0, "call_path_id": 0, "visit_id": 2, "enter_ns": 30, "leave_ns": 35},
    {"location_id": 1, "call_path_id": 0, "visit_id": 3, "enter_ns": 20, "leave_ns": 30},
]


def visits_in(begin: int, end: int, limit: int) -> list[int]:
    window = {"window_begin_ns": begin, "window_end_ns": end, "row_limit": limit}
    found = run_query("window_visits", {"visits": VISITS}, "visit_id", **window)
    return [visit for (visit,) in found]


def test_a_window_holds_the_visits_that_overlap_it() -> None:
    assert visits_in(20, 31, 9) == [0, 2, 3]  # visit 1 ends where the window begins
    assert visits_in(0, 100, 9) == [0, 1, 2, 3]


def test_the_shortest_of_too_many_visits_are_left_out() -> None:
    assert visits_in(0, 100, 2) == [0, 1]  # 100, 10, 5 and 10 long: of equals the first


@pytest.mark.parametrize(
    ("windows", "visits"),
    [
        ([(20, 31)], [0, 2, 3]),
        ([(31, 34), (12, 14)], [0, 1, 2]),  # not between them
        ([(5, 90), (10, 12)], [0, 1, 2, 3]),  # one within another
        ([(36, 40), (101, 120)], [0]),
        ([*[(101, 102)] * (MOST_WINDOWS - 1), (29, 30)], [0, 3]),  # the last one
        ([(100, 120)], []),  # all end before it
    ],
)
def test_visits_of_several_windows_are_read_at_once(
    windows: list[tuple[int, int]], visits: list[int]
) -> None:
    begins, ends = zip(*windows, strict=True)
    bounds = {"begins_ns": list(begins), "ends_ns": list(ends)}
    found = run_query("timeline_visits", {"visits": VISITS}, "visit_id", **bounds)
    assert sorted(visit for (visit,) in found) == visits


# Late senders cost most, 30 + 20; the barrier's single wait of 40 less; then the path's segments,
# of which the second begins after a wait of 270: 400 − 60 − 270 = 70.
def test_places_are_the_worst_wait_of_each_kind_and_the_longest_parts_of_the_path() -> None:
    waits = [("late", 0, 100, 30), ("late", 1, 200, 20), ("barrier", 1, 300, 40)]
    tables = {
        "metrics": [{"metric": name, "title": name.title()} for name in ("late", "barrier")],
        "locations": [{"location_id": at, "rank": at} for at in (0, 1)],
        "wait_states": [
            {"property": name, "visit_id": number, "location_id": place, "cause_location_id": 0}
            | {"start_ns": start, "wait_ns": wait, "call_path_id": number}
            for number, (name, place, start, wait) in enumerate(waits)
        ],
        "call_paths": [{"call_path_id": at, "path": f"main/{at}"} for at in range(3)],
        "critical_path_segments": [
            {"ordinal": 0, "location_id": 1, "begin_ns": 0, "end_ns": 60, "wait_ns": 0},
            {"ordinal": 1, "location_id": 0, "begin_ns": 60, "end_ns": 400, "cause_location_id": 1}
            | {"call_path_id": 1, "wait_ns": 270},
        ],
    }
    columns = "kind title rank begin_ns end_ns cause_location_id call_path"
    assert run_query("timeline_places", tables, columns, row_limit=4) == [
        ("wait", "Late", 0, 100, 130, 0, "main/0"),
        ("path", "Critical path", 0, 330, 400, 1, "main/1"),
        ("wait", "Barrier", 1, 300, 340, 0, "main/2"),
        ("path", "Critical path", 1, 0, 60, None, None),
    ]


# rank 0           |receive:  waits 0 to 60 |== path ==|
# rank 1   |== path until 60 ==|send
def test_the_path_is_on_one_row_at_a_time() -> None:
    segments = [
        {"ordinal": 0, "location_id": 1, "begin_ns": 0, "end_ns": 60, "wait_ns": 0},
        {"ordinal": 1, "location_id": 0, "begin_ns": 10, "end_ns": 90, "wait_ns": 50},
        # Clocks contradict each other: the wait is longer than the segment.
        {"ordinal": 2, "location_id": 1, "begin_ns": 85, "end_ns": 95, "wait_ns": 12},
    ]
    columns = "ordinal location_id begin_ns end_ns"
    tables = {"critical_path_segments": segments}
    assert run_query("timeline_path", tables, columns) == [
        (0, 1, 0, 60),
        (1, 0, 60, 90),
        (2, 1, 97, 97),
    ]


# A fifth of 1000, around 500.
def test_a_run_without_waits_or_a_path_shows_its_middle() -> None:
    assert choose() == [Window(400, 600)]


# Collectives of 30, 20 and 10 ns with three members each.
@pytest.mark.parametrize(("limit", "expected"), [(9, [0, 1, 2]), (8, [0, 1]), (3, [0]), (2, [0])])
def test_the_longest_collective_is_always_shown(limit: int, expected: list[int]) -> None:
    tables = {
        "collectives": [
            {"collective_id": at, "begin_ns": 100 * at, "end_ns": 100 * at + 30 - 10 * at}
            | {"member_count": 3}
            for at in range(3)
        ],
        "collective_members": [
            {
                "collective_id": at,
                "location_id": place,
                "begin_ns": 100 * at,
                "end_ns": 100 * at + 9,
            }
            for at in range(3)
            for place in range(3)
        ],
    }
    window = {"window_begin_ns": 0, "window_end_ns": 1000, "row_limit": limit}
    found = run_query("window_collectives", tables, "collective_id member_count", **window)
    assert found == [(at, 9) for at in expected for _ in range(3)]
