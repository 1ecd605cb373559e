"""The activity graph, slack, what-if, ideal network and gains, worked out by hand."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.reference.replaying import gain_of, graph_of, shown_paths
from tracemill.base.errors import UsageError
from tracemill.engine.analyze import Analysis
from tracemill.engine.asking import computed_again
from tracemill.stages.near_paths import find_near_paths
from tracemill.stages.scaling import parse_scale
from tracemill.store.runs import Run

US = 1_000
ENDS = """
    SELECT end_ns // 1000, wait_ns // 1000, duration_ns // 1000
    FROM activities
    WHERE location_id = {location} AND kind = 'call'
    ORDER BY activity_id
"""


@pytest.fixture(scope="module")
def e06(analysis_of: Callable[[str], Analysis]) -> Run:
    """Of data/e06_critical_path, whose events are in its trace.txt."""
    return analysis_of("e06_critical_path").run


@pytest.fixture(scope="module")
def e03(analysis_of: Callable[[str], Analysis]) -> Run:
    return analysis_of("e03_lr_exact").run


def activities(run: Run, query: str) -> list[tuple[int, ...]]:
    with computed_again(run, ["activities", "activity_dependencies"]) as answer:
        return answer.connection.sql(query).fetchall()


def recorded(tables):
    """Give locations the times of their first and last visits, as a reader does."""
    for row in tables["locations"]:
        visits = [each for each in tables["visits"] if each["location_id"] == row["location_id"]]
        row["kind"] = "cpu_thread"
        row["begin_ns"] = min(each["enter_ns"] for each in visits)
        row["end_ns"] = max(each["leave_ns"] for each in visits)


# rank 0, in µs: main 0, MPI_Init 10..100, f ..5100, MPI_Send ..5150, MPI_Barrier 5200..7300,
# MPI_Finalize 8000..8050, main ..8060. The barrier waits for rank 2, which enters it at 7250.
def test_activities_end_at_enters_and_leaves_of_calls_that_synchronize(e06):
    found = activities(
        e06,
        "SELECT kind, begin_ns // 1000, end_ns // 1000, wait_ns // 1000, duration_ns // 1000 "
        "FROM activities WHERE location_id = 0 ORDER BY activity_id",
    )
    assert found == [
        ("start", 0, 0, 0, 0),
        ("work", 0, 10, 0, 10),
        ("call", 10, 100, 0, 90),
        ("work", 100, 5100, 0, 5000),
        ("call", 5100, 5150, 0, 50),
        ("work", 5150, 5200, 0, 50),
        ("call", 5200, 7300, 2050, 50),
        ("work", 7300, 8000, 0, 700),
        ("call", 8000, 8050, 0, 50),
        ("work", 8050, 8060, 0, 10),
    ]


# Receives: 5150 = max(2100, 5100) + 50 and 7200 = max(1100, 7150) + 50.
def test_receives_wait_for_their_sends(e06):
    assert activities(e06, ENDS.format(location=1))[1] == (5150, 3000, 50)
    assert activities(e06, ENDS.format(location=2))[1] == (7200, 6050, 50)


def test_the_last_member_is_the_decisive_cause_of_a_meeting(e06):
    found = activities(
        e06,
        "SELECT causes.location_id, is_decisive FROM activity_dependencies "
        "INNER JOIN activities AS causes ON cause_activity_id = causes.activity_id "
        "WHERE activity_dependencies.kind = 'barrier' AND causes.location_id IS NOT NULL "
        "ORDER BY 1",
    )
    assert found == [(0, False), (1, False), (2, True)]


# e03, in µs: Ssend entered at 1000, receive entered at 3000, left at 3100; Isend at 1000, Wait
# 1500..4100, receive posted at 4000; Waitall of two sends 7000..9100, receives at 8000 and 9000;
# Send left at 4300, its receive posted at 5000.
def test_sends_wait_for_receives_if_they_have_to(e03):
    found = activities(
        e03,
        "SELECT end_ns // 1000, wait_ns // 1000, duration_ns // 1000 FROM activities "
        "WHERE kind = 'call' AND wait_ns > 0 ORDER BY end_ns, activity_id",
    )
    assert {(3100, 2000, 100), (4100, 2500, 100), (9100, 2000, 100)} <= set(found)
    assert sum(wait for _, wait, _ in found) == 6900
    # The send that was complete before its receive was posted depends on nothing.
    assert 4300 not in [end for end, _, _ in found]


# h on rank 1 and f on rank 0 are on the critical path; g on rank 1 could take as long as the wait
# for f, g on rank 2 as long as the wait for h.
def test_slack_is_how_much_longer_an_activity_may_take(e06):
    slack = "SELECT total_slack_ns // 1000, free_slack_ns // 1000 FROM activities WHERE end_ns = "
    assert activities(e06, f"{slack} 5100000 AND location_id = 0") == [(0, 0)]
    assert activities(e06, f"{slack} 7150000 AND location_id = 1") == [(0, 0)]
    assert activities(e06, f"{slack} 2100000 AND location_id = 1") == [(3000, 3000)]
    assert activities(e06, f"{slack} 1100000 AND location_id = 2") == [(6050, 6050)]


# After the barrier all ranks are equal; through g on rank 1 the path is 3000 shorter, through g on
# rank 2 6050.
def test_near_critical_paths_follow_the_critical_one(e06):
    with graph_of(e06) as graph:
        assert [(path.length // US, path.slack // US) for path in shown_paths(graph, 5)] == [
            (8060, 0), (8060, 0), (8060, 0), (5060, 3000), (2010, 6050),
        ]  # fmt: skip


# A call path and one of 3 locations are one number: 3 * 2**30 needs more than 32 bits.
def test_near_critical_paths_name_call_paths_with_large_numbers(e06):
    with graph_of(e06) as graph:
        found, slack = graph.scaled.found, graph.total_slack
        moved = found._replace(row_path=found.row_path + np.int32(1 << 30))
        named, far = (
            [(path.alone, path.location) for path in find_near_paths(each, slack, 5)]
            for each in (found, moved)
        )
    assert named[3][0] >= 0
    assert far[3:] == [(path + (1 << 30), location) for path, location in named[3:]]


@pytest.mark.parametrize(
    ("scales", "gain"),
    [
        ("f=0", 3000),  # rank 1's g becomes critical
        ("h=0", 2000),
        ("rank:1/g=0", 0),
        ("f=0 h=0", 5000),
        ("f=0.5", 2500),
        ("rank:0=0", 3000),
        ("rank:1=0", 2000),
        ("rank:2=0", 50),
        ("mpi=0", 290),
        ("path:main/f=0", 3000),
        ("own:main=0", 770),  # 10 + 50 + 700 + 10
        ("path:main/**=0", 8060),
        ("location:1.0=0", 2000),
        ("messages=0", 100),  # two receives of 50
        ("messages>8=0", 0),  # both have 8 bytes
        ("f=1.5", -2500),
        ("f=0.5 f=0.5", 3000),
    ],
)
def test_gains_of_a_written_trace(e06, scales, gain):
    with graph_of(e06) as graph:
        assert gain_of(graph, scales) == gain * US


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("f", "--scale f: no factor: write SELECTOR=FACTOR, such as solve=0.5"),
        (
            "f=fast",
            "--scale f=fast: fast is not a number: write SELECTOR=FACTOR, such as solve=0.5",
        ),
        ("f=-1", "--scale f=-1: the factor must be 0 or more, and finite"),
        ("f=nan", "--scale f=nan: the factor must be 0 or more, and finite"),
        ("f=inf", "--scale f=inf: the factor must be 0 or more, and finite"),
        ("ff=0", "--scale: no region ff: did you mean f?"),
        ("path:main/ff=0", "--scale: no call path main/ff: did you mean main/f or main/h?"),
        ("rank:3=0", "--scale: no rank 3: present: 0, 1, 2"),
    ],
)
def test_wrong_parts_are_refused_in_one_line(e06, text, error):
    with graph_of(e06) as graph, pytest.raises(UsageError) as refused:
        gain_of(graph, text)
    assert str(refused.value) == error


def test_a_scale_is_split_at_its_last_equals_sign():
    assert parse_scale("a=b=0.5") == ("a=b", 0.5)


# Init left at 100; f until 5100, h until 7100, then 50 of main on rank 2, barrier at 7150, 700 of
# main: 7850 - 100. Useful: 5750, 4710 and 1750, 4070 on average, of 7900.
def test_efficiencies_of_a_written_trace(e06):
    rows = e06.read("pop_metrics").to_pylist()
    found = {
        row["metric"]: row["value"]
        for row in rows
        if row["interval"] == "init to finalize"
        and row["convention"] in ("times", "multiplicative")
    }
    assert found["run_time"] == 7900 * US
    assert found["ideal_run_time"] == 7750 * US
    assert found["mean_useful_time"] == 4070 * US
    assert found["longest_useful_time"] == 5750 * US
    assert found["parallel_efficiency"] == pytest.approx(4070 / 7900)
    assert found["load_balance"] == pytest.approx(4070 / 5750)
    assert found["serialization_efficiency"] == pytest.approx(5750 / 7750)
    assert found["transfer_efficiency"] == pytest.approx(7750 / 7900)
    useful = [
        row["useful_ns"] // US
        for row in e06.read("pop_locations").to_pylist()
        if row["interval"] == "init to finalize"
    ]
    assert useful == [5750, 4710, 1750]


# 1 - (5750 - 4070) / 7900, 1 - (7750 - 5750) / 7900.
def test_the_additive_convention_sums_losses(e06):
    rows = e06.read("pop_metrics").to_pylist()
    found = {
        row["metric"]: row["value"]
        for row in rows
        if (row["interval"], row["convention"]) == ("init to finalize", "additive")
    }
    assert found["load_balance"] == pytest.approx(1 - 1680 / 7900)
    assert found["serialization_efficiency"] == pytest.approx(1 - 2000 / 7900)
    assert found["transfer_efficiency"] == pytest.approx(7750 / 7900)
    communication = found["serialization_efficiency"] + found["transfer_efficiency"] - 1
    assert found["communication_efficiency"] == pytest.approx(communication)
    whole = found["load_balance"] + communication - 1
    assert found["parallel_efficiency"] == pytest.approx(whole)


# f has 5000 on the path, but without it g on rank 1 becomes critical.
def test_the_table_of_gains(e06):
    names = dict(e06.connect().sql("SELECT call_path_id, path FROM call_paths").fetchall())
    found = [
        (names[row["call_path_id"]], row["path_ns"] // US, row["gain_ns"] // US)
        for row in e06.read("gains").to_pylist()
        if row["kind"] == "call path"
    ]
    assert found == [
        ("main/f", 5000, 3000), ("main/h", 2000, 2000), ("main", 770, 770),
        ("main/MPI_Recv", 100, 100), ("main/MPI_Init", 90, 90), ("main/MPI_Barrier", 50, 50),
        ("main/MPI_Finalize", 50, 50),
    ]  # fmt: skip


# Nothing synchronizes: all of a location is one activity after its first record.
#
# rank 0   0 [main ................] 100
# rank 1   0 [main ....................] 120
def test_a_run_without_dependencies(run_query, trace):
    tables = trace("""
        0   0..100   f
        1   20..120  f
    """)
    recorded(tables)
    rows = run_query("activities", tables, "location_id kind begin_ns end_ns total_slack_ns")
    assert rows == [
        (0, "start", 0, 0, 20), (0, "work", 0, 100, 20),
        (1, "start", 0, 0, 0), (1, "work", 0, 120, 0),
    ]  # fmt: skip
    values = run_query("pop_metrics", tables, '"interval" convention metric value')
    assert ("whole", "times", "run_time", 120.0) in values
    assert {interval for interval, *_ in values} == {"whole"}


# A synchronous send is started at 5 and completed by a call entered at 10. Its receive is posted at
# 40: the call waits from 10 to 40 and takes 3 itself.
@pytest.mark.parametrize(
    ("prepared", "kinds"),
    [
        ("MPI_Ssend_init", ["message", "synchronous"]),
        # It waited: the message was long.
        ("MPI_Send_init", ["message", "rendezvous"]),
        ("MPI_Bsend_init", ["message"]),
    ],
)
def test_started_sends_wait_as_they_were_prepared(run_query, trace, prepared, kinds):
    tables = trace(f"""
        0   0..5     {prepared}
        0   5..8     MPI_Start   isend 1 #1
        0   10..43   MPI_Wait    isend_complete #1
        0   43..60   f
        1   0..40    f
        1   40..44   MPI_Recv    recv 0
        1   44..60   f
    """)
    recorded(tables)
    assert [kind for (kind,) in run_query("replay_edges", tables, "kind")] == kinds
    waits = run_query("activities", tables, "location_id kind end_ns wait_ns")
    assert ((0, "call", 43, 30) in waits) == (kinds[-1] != "message")


# A team is forked when a receive ends: the receive waits, not what comes before the fork.
#
#            0        40        60   80
# rank 0     [f     ][Send]
# rank 1     [Recv ......45][g fork at 45 ...]
def test_records_at_the_end_of_a_call_come_after_it(run_query, trace):
    tables = trace("""
        0   0..40   f
        0   40..50  MPI_Send  send 1
        1   0..45   MPI_Recv  recv 0
        1   45..80  g
    """)
    region = next(row["region_id"] for row in tables["regions"] if row["name"] == "g")
    path = next(row["call_path_id"] for row in tables["call_paths"] if row["region_id"] == region)
    visit = next(row["visit_id"] for row in tables["visits"] if row["call_path_id"] == path)
    tables["thread_events"] = [
        {"location_id": 1, "sequence": 9, "time_ns": 45, "kind": "fork", "visit_id": visit,
         "call_path_id": path, "number": 2}
    ]  # fmt: skip
    recorded(tables)
    rows = run_query("activities", tables, "location_id kind end_ns wait_ns duration_ns")
    assert [row[1:] for row in rows if row[0] == 1] == [
        ("start", 0, 0, 0), ("work", 0, 0, 0), ("call", 45, 40, 5), ("thread runtime", 45, 0, 0),
        ("work", 80, 0, 35),
    ]  # fmt: skip
