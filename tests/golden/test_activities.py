"""What CPU threads do at every moment: stretches of one activity."""

from tests.golden.test_overheads import classified, message_trace, thread_trace
from tests.helpers.micro_trace import Tables
from tests.helpers.running import run_query

Stretch = tuple[int, int, str]


def activities_of(tables: Tables) -> dict[int, list[Stretch]]:
    found: dict[int, list[Stretch]] = {}
    for location, *stretch in run_query(
        "activities", tables, "location_id begin_ns end_ns activity"
    ):
        found.setdefault(location, []).append(tuple(stretch))
    return found


#           0    10   20   30   40   50   60
# rank 0    [         [Send]
# rank 1    [         [Recv     ]    [Barr]
def test_the_class_of_overhead_determines_the_activity() -> None:
    tables = classified(message_trace())
    assert activities_of(tables) == {
        0: [(0, 20, "computing"), (20, 30, "communicating"), (30, 60, "unknown")],
        1: [
            (0, 20, "computing"),
            (20, 40, "communicating"),
            (40, 50, "computing"),
            (50, 60, "synchronizing"),
        ],
    }


def wait(start: int, length: int, visit: int, path: int, **more: object) -> dict[str, object]:
    row = {"property": f"p{start}", "location_id": 1, "visit_id": visit, "call_path_id": path}
    return row | {"start_ns": start, "wait_ns": length} | more


def test_waiting_is_taken_off_the_activity_of_the_call() -> None:
    tables = classified(message_trace())
    (receive,) = [
        row for row in tables["visits"] if row["location_id"] == 1 and row["enter_ns"] == 20
    ]
    call = receive["visit_id"], receive["call_path_id"]
    # Waits of 22..30 and 28..34 overlap; completion does not count, nor does a wait of 40..45,
    # when the call is over.
    waits = [wait(22, 8, *call), wait(28, 6, *call), wait(40, 5, *call)]
    waits.append(wait(35, 5, *call, is_completion=True))
    found = activities_of(tables | {"wait_states": waits})
    assert found[1] == [
        (0, 20, "computing"),
        (20, 22, "communicating"),
        (22, 34, "blocked"),
        (34, 40, "communicating"),
        (40, 50, "computing"),
        (50, 60, "synchronizing"),
    ]
    columns = "begin_ns call_activity"
    calls = run_query("activities", tables | {"wait_states": waits}, columns)
    assert (22, "communicating") in calls


def test_workers_outside_regions_are_idle() -> None:
    found = activities_of(classified(thread_trace()))
    times = {
        location: [end - begin for begin, end, activity in stretches if activity == "idle"]
        for location, stretches in found.items()
    }
    assert not times[0]
    # Until the fork at 5, from the join at 60 to the end of the process at 70, and until the end
    # of the run at 80.
    assert times[1] == [5, 20]


def test_activities_lie_end_to_end() -> None:
    for tables in (message_trace(), thread_trace()):
        assert run_query("activities_lie_end_to_end", classified(tables)) == []


def test_overlapping_visits_are_unknown() -> None:
    tables = classified(message_trace())
    for row in tables["visits"]:
        if row["location_id"] == 0 and row["parent_visit_id"] is not None:
            row["leave_ns"] = 35  # beyond its caller, which ends at 30
    assert activities_of(tables)[0][-1] == (30, 60, "unknown")
    assert run_query("activities_lie_end_to_end", tables) == []
