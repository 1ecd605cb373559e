"""Primitive activities, levels of the program, and pairs of processes and nodes."""

from typing import Any

import pytest

from tests.golden.test_overheads import classified, message_trace, thread_trace
from tests.helpers.micro_trace import Row, Tables
from tests.helpers.running import query_rows, run_query
from tracemill.base.console import plain
from tracemill.base.errors import UsageError
from tracemill.reports.levels import find_level, print_level


def activities(tables: Tables) -> dict[int, dict[tuple[str | None, str], int]]:
    """Times by location, and name of the call path with the activity."""
    names = [row["path"].rpartition("/")[2] for row in tables["call_paths"]]
    found: dict[int, dict[tuple[str | None, str], int]] = {}
    for row in query_rows("activity_times", tables):
        path, place = row["call_path_id"], found.setdefault(row["location_id"], {})
        place[None if path is None else names[path], row["activity"]] = row["time_ns"]
    return found


def wait(start: int, length: int, **more: object) -> Row:
    """A wait of the receive of `message_trace`: visit 3, call path 2, on location 1."""
    row = {"property": f"p{start}", "location_id": 1, "visit_id": 3, "call_path_id": 2}
    return row | {"start_ns": start, "wait_ns": length, "cause_location_id": 0} | more


def with_waits(*waits: Row, **tables: list[Row]) -> Tables:
    """The messages of `message_trace` with waits; it numbers call paths by name."""
    made = classified(message_trace()) | tables | {"wait_states": list(waits)}
    (receive,) = [
        row for row in made["visits"] if row["location_id"] == 1 and row["enter_ns"] == 20
    ]
    for row in waits:
        row |= {"visit_id": receive["visit_id"], "call_path_id": receive["call_path_id"]}
    return made


# --- Primitive activities -----------------------------------------------------------------------


#           0    10   20   30   40   50   60
# rank 0    [         [Send]
# rank 1    [         [Recv     ]    [Barr]
def test_the_class_of_a_call_determines_the_activity():
    assert activities(classified(message_trace())) == {
        0: {
            ("main", "computing"): 20,
            ("MPI_Send", "communicating"): 10,
            (None, "unknown"): 60 - 30,
        },
        1: {
            ("main", "computing"): 20 + 10,
            ("MPI_Recv", "communicating"): 20,
            ("MPI_Barrier", "synchronizing"): 10,
        },
    }


def test_waiting_is_taken_off_the_activity_of_its_call():
    """Waits of 22..30, 24..26, 28..34 and 36..38 overlap; completion does not count."""
    tables = with_waits(
        wait(22, 8), wait(24, 2), wait(28, 6), wait(36, 2), wait(38, 2, is_completion=True)
    )
    found = activities(tables)[1]
    assert found["MPI_Recv", "blocked"] == 34 - 22 + 2
    assert found["MPI_Recv", "communicating"] == 20 - (34 - 22 + 2)


#           0    10   20   30   40   50   60
# main part                [              ]
# rank 1    [         [Recv     ]    [Barr]
def test_time_and_waiting_count_with_their_part_in_the_main_part():
    part = [{"begin_ns": 30, "end_ns": 58}]
    assert activities(with_waits(wait(22, 12), main_part=part)) == {
        0: {(None, "unknown"): 58 - 30},
        1: {
            ("MPI_Recv", "blocked"): 34 - 30,
            ("MPI_Recv", "communicating"): 40 - 34,
            ("main", "computing"): 10,
            ("MPI_Barrier", "synchronizing"): 58 - 50,
        },
    }


def test_workers_outside_regions_are_idle_whether_or_not_they_are_there():
    assert activities(classified(thread_trace())) == {
        0: {
            ("main", "computing"): 15,
            ("parallel", "computing"): 40,
            ("parallel", "create/destroy"): 5 + 10,
            (None, "unknown"): 80 - 70,
        },
        1: {
            ("parallel", "computing"): 36,
            ("parallel", "create/destroy"): 7 + 12,
            (None, "idle"): 5 + (80 - 60),
        },
    }


#               8   10   12            48   50   55
# master     [  :   [parallel               ]    :    ]    forked at 5, joined at 60
# worker        :        [parallel      ]        :
def test_a_fork_before_the_main_part_counts_from_its_begin():
    part = [{"begin_ns": 8, "end_ns": 55}]
    assert activities(classified(thread_trace()) | {"main_part": part}) == {
        0: {("parallel", "computing"): 40, ("parallel", "create/destroy"): 10 - 8 + 55 - 50},
        1: {("parallel", "computing"): 36, ("parallel", "create/destroy"): 12 - 8 + 55 - 48},
    }


# --- Pairs --------------------------------------------------------------------------------------


def group(number: int, **more: object) -> Row:
    return {"location_group_id": number, "rank": number, **more}


# Process 0 runs on the first socket of node a, process 1 on the node itself, and 2 on b, which is
# a host, the closest unit. Process 3 has no unit. The accelerator belongs to process 1.
PLACES: dict[str, list[Row]] = {
    "system_tree_nodes": [
        {"system_tree_node_id": 0, "name": "machine", "class_name": "machine"},
        {"name": "a", "class_name": "Node", "parent_system_tree_node_id": 0},
        {"name": "s0", "class_name": "socket", "parent_system_tree_node_id": 1},
        {"name": "b", "class_name": "host", "parent_system_tree_node_id": 0},
    ],
    "location_groups": [
        group(0, system_tree_node_id=2), group(1, system_tree_node_id=1),
        group(2, system_tree_node_id=3), group(3),
        group(4, kind="accelerator", creating_location_group_id=1) | {"rank": 1},
    ],
    "locations": [{"location_id": 10 + n, "location_group_id": n, "rank": n} for n in range(4)],
}  # fmt: skip
for number, node in enumerate(PLACES["system_tree_nodes"]):
    node["system_tree_node_id"] = number


def test_the_node_of_a_process_is_the_closest_one_of_class_node():
    assert sorted(run_query("process_nodes", PLACES)) == [
        (0, 0, "a"),
        (1, 1, "a"),
        (2, 2, "b"),
        (3, 3, None),
        (4, 1, "a"),
    ]


def caused(cause: int, waiter: int, length: int, **more: object) -> Row:
    row = wait(0, length, cause_location_id=10 + cause, location_id=10 + waiter) | more
    return row | {"visit_id": length}


EXCHANGE = PLACES | {
    "communication_matrix": [
        {"sender_group_id": 0, "receiver_group_id": 1, "message_count": 3, "bytes": 30},
        {"sender_group_id": 1, "receiver_group_id": 0, "message_count": 2, "bytes": 8},
        {"sender_group_id": 0, "receiver_group_id": 2, "message_count": 1, "bytes": 5},
    ],
    "wait_states": [
        caused(0, 1, 7, property="late"), caused(0, 1, 4, property="late"),
        caused(0, 1, 2, property="early"), caused(2, 0, 9, property="late"),
        caused(0, 2, 6, property="after", is_completion=True),
    ],
    "critical_path_partners": [
        {"from_location_id": 10, "to_location_id": 11, "kind": kind, "jump_count": count,
         "wait_ns": 10 * count, "completion_ns": count}
        for kind, count in (("late_sender", 2), ("barrier", 1))
    ],
}  # fmt: skip
NUMBERS = "message_count bytes wait_ns completion_ns path_jump_count path_wait_ns"


def pairs(relation: str, ends: str) -> dict[tuple[Any, ...], tuple[int, ...]]:
    rows = run_query(relation, EXCHANGE, f"{ends} property {NUMBERS} path_completion_ns")
    return {row[:3]: row[3:] for row in rows}


def test_pairs_of_processes_exchange_messages_waiting_and_the_critical_path():
    assert pairs("process_pairs", "from_rank to_rank") == {
        (0, 1, None): (3, 30, 0, 0, 2 + 1, 20 + 10, 2 + 1),
        (1, 0, None): (2, 8, 0, 0, 0, 0, 0),
        (0, 2, None): (1, 5, 0, 0, 0, 0, 0),
        (0, 1, "late"): (0, 0, 7 + 4, 0, 0, 0, 0),
        (0, 1, "early"): (0, 0, 2, 0, 0, 0, 0),
        (2, 0, "late"): (0, 0, 9, 0, 0, 0, 0),
        (0, 2, "after"): (0, 0, 0, 6, 0, 0, 0),
    }


def test_pairs_of_nodes_are_inside_a_node_or_between_nodes():
    assert pairs("node_pairs", "from_node to_node") == {
        ("a", "a", None): (3 + 2, 30 + 8, 0, 0, 3, 30, 3),
        ("a", "b", None): (1, 5, 0, 0, 0, 0, 0),
        ("a", "a", "late"): (0, 0, 7 + 4, 0, 0, 0, 0),
        ("a", "a", "early"): (0, 0, 2, 0, 0, 0, 0),
        ("b", "a", "late"): (0, 0, 9, 0, 0, 0, 0),
        ("a", "b", "after"): (0, 0, 0, 6, 0, 0, 0),
    }
    found = run_query("node_pairs", EXCHANGE, "from_node to_node is_inside")
    assert {row for row in found if row[2]} == {("a", "a", True)}


# --- Levels -------------------------------------------------------------------------------------

METRICS = [
    {"metric": "time", "kind": "profile", "unit": "ns"},
    {"metric": "late", "kind": "wait state", "unit": "ns"},
    {"metric": "idle_waiting", "kind": "idle", "unit": "ns"},
]


def hierarchy(tables: Tables, metric: str) -> dict[tuple[str, str], tuple[str | None, float]]:
    """Parent and value by level and entity."""
    found = query_rows("hierarchy", tables)
    return {
        (row["level"], row["entity"]): (row["parent_entity"], row["value"])
        for row in found
        if row["metric"] == metric
    }


def levels_trace() -> Tables:
    """`message_trace`, whose ranks run on two nodes; rank 1 waits 22..30 for rank 0."""
    units = [{"system_tree_node_id": n, "name": f"n{n}", "class_name": "node"} for n in (0, 1)]
    late = wait(22, 8, property="late")
    tables = with_waits(late, metrics=METRICS, system_tree_nodes=units)
    for row in tables["location_groups"]:
        row["system_tree_node_id"] = row["location_group_id"]
    cell = {"metric": "late", "call_path_id": late["call_path_id"], "location_id": 1, "value": 8}
    return tables | {"severities": [cell]}


def test_levels_divide_the_time_of_the_main_part():
    assert hierarchy(levels_trace(), "main_ns") == {
        ("program", "program"): (None, 120),
        ("node", "n0"): ("program", 60),
        ("node", "n1"): ("program", 60),
        ("process", "0"): ("n0", 60),
        ("process", "1"): ("n1", 60),
        ("thread", "0:0"): ("0", 60),
        ("thread", "1:0"): ("1", 60),
        ("call path", "main"): ("program", 20 + 30),
        ("call path", "main/MPI_Send"): ("main", 10),
        ("call path", "main/MPI_Recv"): ("main", 20),
        ("call path", "main/MPI_Barrier"): ("main", 10),
        ("call path", "outside"): ("program", 30),
        ("activity", "computing"): ("program", 20 + 30),
        ("activity", "communicating"): ("program", 10 + 20 - 8),
        ("activity", "blocked"): ("program", 8),
        ("activity", "synchronizing"): ("program", 10),
        ("activity", "unknown"): ("program", 30),
    }


def test_an_activity_is_a_metric_of_all_levels():
    found = hierarchy(levels_trace(), "blocked_ns")
    assert {level for level, _ in found} == {
        "program", "node", "process", "thread", "call path", "activity",
    }  # fmt: skip
    assert {value for _, value in found.values()} == {8}


def test_wait_states_are_blocked_and_taken_off_times_that_hold_them():
    tables = levels_trace()
    assert hierarchy(tables, "late")["activity", "blocked"] == ("program", 8)
    times = hierarchy(tables, "time")
    assert times["activity", "blocked"] == ("program", 8)
    assert times["activity", "communicating"] == ("program", 10 + 20 - 8)
    assert times["program", "program"] == (None, 30 + 60)


def test_ratios_of_counters_are_ratios_of_sums():
    """Rank 0 executes 10 instructions in 5 cycles, rank 1 does 20 in 20: 30/25 together."""
    tables = levels_trace()
    figure = {"name": "IPC", "unit": "instructions/cycle", "is_derived": True, "call_path_id": 0}
    tables["counter_figures"] = [
        figure | {"location_id": 0, "numerator": 10.0, "denominator": 5.0},
        figure | {"location_id": 1, "numerator": 20.0, "denominator": 20.0},
    ]
    found = hierarchy(tables, "IPC")
    assert found["program", "program"] == (None, 30 / 25)
    assert found["node", "n0"] == ("program", 2)
    assert found["process", "1"] == ("n1", 1)
    shares = run_query("hierarchy", tables, "metric share")
    assert {share for metric, share in shares if metric == "IPC"} == {None}


def test_names_of_levels_may_have_hyphens():
    assert find_level("Call-Path") == "call path"
    with pytest.raises(UsageError, match="--level rank: no such level: there are program, node,"):
        find_level("rank")


def test_people_read_short_call_paths_units_and_the_first_rows_of_times() -> None:
    columns = ("level", "entity", "metric", "parent_entity", "value", "unit", "share")
    rows = [
        (
            "call path",
            f"main/send(Domain&, int{'*' * n})",
            metric,
            "main",
            1_613_608_867,
            unit,
            0.25,
        )
        for metric, unit in (("main_ns", "ns"), ("bytes_sent", "bytes"))
        for n in range(12)
    ]
    console = plain(width=90)
    assert print_level((columns, tuple(rows)), console, is_chosen=False)
    heading, *lines = console.export_text().splitlines()
    assert heading.split() == ["Call", "path", "Metric", "Value", "Share"]
    assert [line.split() for line in lines] == [
        ["main/send(…)", "main_ns", "1.614", "s", "25.0%"] for _ in range(10)
    ]
    chosen = (columns, tuple(rows[12:]))
    assert not print_level(chosen, console, is_chosen=True)
    assert "1.50 GiB" in console.export_text()


def test_levels_may_be_spelled_without_a_hyphen() -> None:
    assert {find_level(name) for name in ("callpath", "call-path", "Call_Path")} == {"call path"}
