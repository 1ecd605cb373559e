"""The critical path: the chain of activities that decided how long the run took."""

import pytest

from tests.helpers.micro_trace import read_trace
from tests.helpers.running import query_tables, run_queries, run_stage
from tracemill.stages.critical_path import CRITICAL_PATH_STAGE

SEGMENT = "location_id begin_ns end_ns kind cause_location_id wait_ns"
PROFILE = "call_path_id location_id path_ns"


BASIS = ("synchronization_points", "location_spans", "critical_path_jumps")


def find_paths(relations, tables, **parameters):
    """Rows of relations of the critical path, with the walk that the stage makes.

    Locations begin and end with their visits.
    """
    tables = tables | {"locations": [spanned(row, tables) for row in tables.get("locations", [])]}
    tables |= query_tables({name: "" for name in BASIS if name not in tables}, tables)
    return run_queries(relations, tables | run_stage(CRITICAL_PATH_STAGE, tables), **parameters)


def spanned(location, tables):
    visits = [v for v in tables["visits"] if v["location_id"] == location["location_id"]]
    begin, end = min(v["enter_ns"] for v in visits), max(v["leave_ns"] for v in visits)
    return {"begin_ns": begin, "end_ns": end} | location


@pytest.fixture
def critical_path():
    """The same for one relation and the wanted columns."""

    def find(relation, tables, columns="", **parameters):
        (found,) = find_paths({relation: columns}, tables, **parameters)
        return found

    return find


@pytest.fixture
def segments(critical_path):
    """Segments of the critical path of a trace, in which all are in MPI_Init from 0 to 10."""

    def find(text):
        places = {line.split()[0] for line in text.splitlines() if line.strip()}
        begin = "".join(f"{place} 0..10 MPI_Init\n" for place in sorted(places))
        return critical_path("critical_path_segments", read_trace(begin + text), SEGMENT)

    return find


# --- The path ------------------------------------------------------------------------------------


#            0    10   20   30   40   50   60
# rank 0     [Init][ main .......[send  ][Fin ]
# rank 1     [Init][receive..........][ main.....[Finalize
def test_the_path_goes_from_a_late_receive_to_its_sender(trace):
    tables = trace("""
        0    0..10   MPI_Init
        0   30..40   MPI_Send       send 1
        0   45..70   MPI_Finalize
        1    1..10   MPI_Init
        1   15..42   MPI_Recv       recv 0
        1   60..70   MPI_Finalize
    """)
    tables |= {"runs": [{"begin_ns": 0, "end_ns": 70}]}
    segments, profile, summary, locations, partners = find_paths(
        {
            "critical_path_segments": SEGMENT,
            "critical_path_profile": "",
            "critical_path_summary": "",
            "critical_path_locations": "",
            "critical_path_partners": "",
        },
        tables,
    )
    assert segments == [
        (0, 0, 30, None, None, 0),  # from MPI_Init to the send
        (1, 15, 60, "late_sender", 0, 15),  # from the receive, which waited 30 - 15, to the end
    ]
    # Call paths: main 0, MPI_Finalize 1, MPI_Init 2, MPI_Recv 3, MPI_Send 4.
    # The main part is from 10 to 45.
    assert profile == [
        (0, 0, 20, 20),  # main on rank 0: 30 - 10
        (0, 1, 18, 3),  # main on rank 1: 60 - 42, of the main part 45 - 42
        (2, 0, 10, 0),  # MPI_Init
        (3, 1, 12, 12),  # the receive without its waiting: 42 - 30
    ]
    # MPI_Init 10 and MPI_Recv 12 are communication; the path is from 0 to 60, the run from 0 to 70.
    assert summary == [(0, 60, 70, 38, 22, 2, 2, True)]
    assert locations == [(0, 1, 20, 10), (1, 1, 18, 12)]
    assert partners == [(0, 1, "late_sender", 1, 15, 12)]


def test_local_calls_are_no_communication_on_the_path(trace):
    """One process: 5 ns in MPI_Barrier communicate, 8 ns in MPI_Comm_rank do not."""
    tables = trace("""
        0    0..8    MPI_Comm_rank
        0   10..15   MPI_Barrier
        0   20..30   solve
    """)
    tables |= {"runs": [{"begin_ns": 0, "end_ns": 30}]}
    (locations,) = find_paths({"critical_path_locations": ""}, tables)
    ((_, _, computation, communication),) = locations
    assert (computation + communication, communication) == (30, 5)


def test_the_path_goes_from_a_late_send_to_its_receiver(segments):
    assert segments("""
        0   12..35   MPI_Ssend      send 1
        0   60..70   MPI_Finalize
        1   30..40   MPI_Recv       recv 0
        1   50..70   MPI_Finalize
    """) == [(1, 0, 30, None, None, 0), (0, 12, 60, "late_receiver", 1, 18)]


def test_a_barrier_leads_to_its_last_member_and_a_tie_to_the_lowest_rank(critical_path, trace):
    tables = trace("""
        0    0..10   MPI_Init
        0   20..45   MPI_Barrier    collective barrier comm 1
        0   60..70   MPI_Finalize
        1    0..10   MPI_Init
        1   40..45   MPI_Barrier    collective barrier comm 1
        1   60..70   MPI_Finalize
        2    0..10   MPI_Init
        2   40..45   MPI_Barrier    collective barrier comm 1
        2   60..70   MPI_Finalize
        """, comm1=[2, 1, 0])  # fmt: skip
    # All enter MPI_Finalize together: the path ends on the lowest rank. Processes 1 and 2 are last
    # in the barrier; process 2 has the lowest rank there.
    assert critical_path("critical_path_segments", tables, SEGMENT) == [
        (2, 0, 40, None, None, 0),
        (0, 20, 60, "barrier", 2, 20),
    ]


@pytest.mark.parametrize(
    ("operation", "on_root", "on_others", "expected"),
    [
        # The root is late for those that receive; it never waits itself.
        ("bcast", "sent 8", "received 8", [(1, 0, 40, None, None, 0),
                                           (0, 20, 60, "one_to_n", 1, 20)]),
        # Only the root of a reduction waits: nothing led from rank 0 elsewhere.
        ("reduce", "received 8", "sent 8", [(0, 0, 60, None, None, 0)]),
        # A scan does not move the path, nor does an extended wait.
        ("scan", "sent 8 received 8", "sent 8 received 8", [(0, 0, 60, None, None, 0)]),
        ("alltoallv", "sent 8 received 8", "sent 8 received 8", [(0, 0, 60, None, None, 0)]),
    ],
)  # fmt: skip
def test_a_collective_leads_to_the_process_it_waited_for(
    segments, operation, on_root, on_others, expected
):
    found = segments(f"""
        0   20..45   MPI_Call       collective {operation} root 1 {on_others}
        0   60..70   MPI_Finalize
        1   40..45   MPI_Call       collective {operation} root 1 {on_root}
        1   50..70   MPI_Finalize
    """)
    assert found == expected


def test_a_reduction_leads_its_root_to_the_last_sender(segments):
    # Rank 2 is later, but sends nothing.
    assert segments("""
        0   20..45   MPI_Reduce     collective reduce root 0 sent 8 received 8
        0   60..70   MPI_Finalize
        1   30..35   MPI_Reduce     collective reduce root 0 sent 8
        1   50..70   MPI_Finalize
        2   40..45   MPI_Reduce     collective reduce root 0 sent 0
        2   50..70   MPI_Finalize
    """) == [(1, 0, 30, None, None, 0), (0, 20, 60, "n_to_one", 1, 10)]


def test_the_path_stays_in_calls_that_did_not_wait(segments):
    assert segments("""
        0   12..15   MPI_Send       send 1
        0   20..70   MPI_Finalize
        1   30..35   MPI_Recv       recv 0
        1   60..70   MPI_Finalize
    """) == [(1, 0, 60, None, None, 0)]


#            0    10   20   30   40   50   60
# rank 0     [Init]        [ssend]                      is sent at 20
# rank 1     [Init]  [sendrecv....]                     waits from 12 for rank 0, sends at 12
# rank 2     [Init][receive .....   ]                   waits from 11 for the send of rank 1
def test_a_send_is_posted_before_its_own_call_waits(segments):
    # The path enters MPI_Sendrecv where it sends: that did not need the message of rank 0.
    assert segments("""
        0   20..25   MPI_Send       send 1
        0   30..70   MPI_Finalize
        1   12..26   MPI_Sendrecv   send 2; recv 0
        1   30..70   MPI_Finalize
        2   11..27   MPI_Recv       recv 1
        2   60..70   MPI_Finalize
    """) == [(1, 0, 12, None, None, 0), (2, 11, 60, "late_sender", 1, 1)]


def test_calls_without_waits_are_points_too(run_query, trace):
    tables = trace("""
        0    0..10   MPI_Init
        0   20..30   MPI_Send       send 1
        0   35..45   MPI_Bcast      collective bcast root 0 sent 8
        0   50..55   MPI_Barrier    collective barrier
        0   70..80   MPI_Finalize
        1    0..10   MPI_Init
        1   12..31   MPI_Recv       recv 0
        1   32..45   MPI_Bcast      collective bcast root 0 received 8
        1   50..55   MPI_Barrier    collective barrier
        1   60..80   MPI_Finalize
        2    0..10   MPI_Init
        2   36..45   MPI_Bcast      collective bcast root 0 received 8
        2   50..55   MPI_Barrier    collective barrier
        2   60..80   MPI_Finalize
    """)
    found = run_query(
        "synchronization_points", tables, "location_id kind wait_ns cause_location_id"
    )
    inits = [("init", 0, None)]
    assert [(kind, wait, cause) for place, kind, wait, cause in found if place == 0] == [
        *inits, ("late_sender", 0, None), ("one_to_n", 0, None), ("barrier", 0, None),
        ("finalize", 0, None),
    ]  # fmt: skip
    assert [(kind, wait, cause) for place, kind, wait, cause in found if place == 1] == [
        *inits, ("late_sender", 8, 0), ("one_to_n", 3, 0), ("barrier", 0, None),
        ("finalize", 10, 0),
    ]  # fmt: skip
    # The root had begun before rank 2 did: they did not meet there.
    assert [(kind, wait, cause) for place, kind, wait, cause in found if place == 2] == [
        *inits, ("barrier", 0, None), ("finalize", 10, 0),
    ]  # fmt: skip


# --- Special traces ------------------------------------------------------------------------------


def test_without_mpi_the_path_is_the_first_thread(critical_path, trace):
    tables = trace("""
        0     10..40   work
        0.1   10..60   work
    """)
    tables["locations"][0]["end_ns"] = 55  # a record outside of any visit
    assert critical_path("critical_path_segments", tables, SEGMENT) == [(0, 0, 55, None, None, 0)]


def test_without_all_calls_of_finalize_the_path_ends_with_the_trace(critical_path, trace):
    tables = trace("""
        0    0..10   MPI_Init
        0   20..50   MPI_Finalize
        1    5..10   MPI_Init
        1   30..60   work
    """)
    assert critical_path("critical_path_segments", tables, SEGMENT) == [(1, 5, 60, None, None, 0)]


RELATIONS = (
    "critical_path_segments", "critical_path_profile", "critical_path_locations",
    "critical_path_partners", "critical_path_summary", "critical_path_work",
    "critical_path_impacts", "critical_path_imbalances", "critical_path_severities",
)  # fmt: skip


def test_traces_with_suspended_tasks_have_no_critical_path(critical_path, trace):
    tables = trace("0   0..10   MPI_Init\n0   20..30   MPI_Finalize")
    tables |= {"runs": [{"begin_ns": 0, "end_ns": 30}]}
    assert critical_path("critical_path_segments", tables)
    fragment = {"location_id": 0, "call_path_id": 1, "begin_ns": 12, "end_ns": 14, "is_first": True}
    tasks = {"task_fragments": [fragment]}
    found = find_paths(dict.fromkeys(RELATIONS, ""), tables | tasks)
    assert found == [[]] * len(RELATIONS)


def test_a_trace_without_records_has_no_critical_path():
    assert find_paths(dict.fromkeys(RELATIONS, ""), {}) == [[]] * len(RELATIONS)


#            10         30
# rank 0     [receive...]     waits for the send of rank 1 in a call that itself
# rank 1     [receive...]     waits for the send of rank 0
def test_a_circle_ends_where_it_closes(critical_path):
    calls = [(0, 50), (10, 30), (30, 31)]
    visits = [visit_of(number, *call, 0, 0) for number, call in enumerate(calls * 2)]
    tables = {
        "locations": [{"location_id": n, "begin_ns": 0, "end_ns": 50 - n} for n in (0, 1)],
        "call_paths": [path_of(0, 0)],
        "visits": visits[:3] + [visit | {"location_id": 1} for visit in visits[3:]],
        "synchronization_points": [
            point_of(0, visit_id=1, cause_location_id=1, cause_visit_id=5),
            point_of(1, visit_id=4, cause_location_id=0, cause_visit_id=2),
        ],
        "runs": [{"begin_ns": 0, "end_ns": 50}],
    }
    assert critical_path("critical_path_segments", tables, SEGMENT) == [
        (0, 10, 30, "late_sender", 1, 20),  # begins in the call that was passed first
        (1, 10, 30, "late_sender", 0, 20),
        (0, 10, 50, "late_sender", 1, 20),
    ]
    assert critical_path("critical_path_summary", tables, "is_whole") == [(False,)]


def point_of(place, **others):
    point = {"kind": "late_sender", "location_id": place, "enter_ns": 10, "leave_ns": 30}
    return point | {"wait_ns": 20, "cause_enter_ns": 30, "message_id": place} | others


#            0    10   20   30   40
# rank 0     [ main ..................]
#                 [ wait ......]
#                   [ progress ]
def test_no_more_waiting_is_subtracted_than_the_call_has_time(critical_path):
    tables = {
        "locations": [{"location_id": 0, "begin_ns": 0, "end_ns": 40},
                      {"location_id": 1, "begin_ns": 0, "end_ns": 30}],
        "call_paths": [
            path_of(0, 2), path_of(1, 2) | {"parent_call_path_id": 0},
            path_of(2, 2) | {"parent_call_path_id": 1},
        ],
        "visits": [
            visit_of(0, 0, 40, 0, 20),
            visit_of(1, 10, 30, 1, 5) | {"parent_visit_id": 0},
            visit_of(2, 12, 27, 2, 15) | {"parent_visit_id": 1},
            visit_of(3, 0, 30, 0, 25) | {"location_id": 1},
            visit_of(4, 25, 30, 2, 5) | {"location_id": 1, "parent_visit_id": 3},
        ],
        "synchronization_points": [
            point_of(0, visit_id=1, call_path_id=1, wait_ns=15, cause_location_id=1,
                     cause_visit_id=4, cause_enter_ns=25),
        ],
    }  # fmt: skip
    # The call waited for 15, but 15 of its 20 are in what it called: 5 are left.
    assert critical_path("critical_path_segments", tables, SEGMENT) == [
        (1, 0, 25, None, None, 0),
        (0, 10, 40, "late_sender", 1, 5),
    ]
    assert critical_path("critical_path_profile", tables, PROFILE) == [
        (0, 0, 10),
        (0, 1, 25),
        (2, 0, 15),
    ]


def path_of(number, last):
    return {"call_path_id": number, "region_id": number, "last_call_path_id": last}


def visit_of(number, enter, leave, path, exclusive):
    visit = {"location_id": 0, "visit_id": number, "call_path_id": path, "region_id": path}
    return visit | {"enter_ns": enter, "leave_ns": leave, "exclusive_ns": exclusive}


# --- Impacts and imbalance -----------------------------------------------------------------------


# Rank 1 works longest, and 20 of that in a call that the others never make.
UNEVEN = """
    0    0..10   MPI_Init
    0   10..30   work
    0   30..62   MPI_Barrier    collective barrier
    0   65..70   MPI_Finalize
    1    0..10   MPI_Init
    1   10..40   work
    1   40..60   extra
    1   60..62   MPI_Barrier    collective barrier
    1   65..70   MPI_Finalize
"""


def test_work_is_counted_on_and_off_the_path(critical_path, trace):
    # The path: MPI_Init, work and extra on rank 1; from 60 on MPI_Barrier and main on rank 0.
    # Call paths: main 0, MPI_Barrier 1, MPI_Finalize 2, MPI_Init 3, extra 4, work 5.
    tables = trace(UNEVEN)
    assert critical_path("critical_path_profile", tables, PROFILE) == [
        (0, 0, 3), (1, 0, 2), (3, 1, 10), (4, 1, 20), (5, 1, 30),
    ]  # fmt: skip
    # Rank 0 waits from 30 to 60. Work, and the path at that call path:
    assert critical_path("critical_path_work", tables) == [
        (0, 0, 3, 3), (0, 1, 3, 3),
        (1, 0, 2, 2), (1, 1, 2, 2),
        (2, 0, 5, 0), (2, 1, 5, 0),
        (3, 0, 10, 10), (3, 1, 10, 10),
        (4, 1, 20, 20),
        (5, 0, 20, 30), (5, 1, 30, 30),
    ]  # fmt: skip


def test_the_loss_of_a_process_is_charged_to_the_call_paths_it_lacks(critical_path, trace):
    tables = trace(UNEVEN)
    # The path is 65 long; rank 0 works 40, so it loses 25. It lacks 20 of extra and 10 of work:
    # 25 * 20 / 30 and 25 * 10 / 30. Rank 1 lacks nothing.
    # Between partitions: rank 0 lacks only extra; 65 - (3 + 2 + 5 + 10 + 30) = 15 is lost by that.
    found = critical_path("critical_path_impacts", tables, is_impact_strict=False)
    charged = {path: (impact, partition) for path, _, impact, partition in found}
    assert charged == {
        0: (0, 0), 1: (0, 0), 3: (0, 0),
        4: (pytest.approx(25 * 20 / 30), 15),
        5: (pytest.approx(25 * 10 / 30), 0),
    }  # fmt: skip


def test_scalasca_charges_nothing_if_some_process_lacks_nothing(critical_path, trace):
    found = critical_path("critical_path_impacts", trace(UNEVEN))
    assert {(impact, partition) for _, _, impact, partition in found} == {(0, 0)}


def test_evenly_spread_work_would_make_the_path_shorter(critical_path, trace):
    # extra: the path has 20, both together 20, so each would have 10: half of it is imbalance.
    # work: 30 on the path, 50 together, 25 each: a sixth. main and below: 65 on the path, 70 + 70
    # together, less 30 of waiting, is 55 each. MPI_Barrier: 2 on the path, 34 - 30 together.
    found = critical_path("critical_path_imbalances", trace(UNEVEN))
    assert found == [
        (0, pytest.approx(10 / 65)), (4, pytest.approx(1 / 2)), (5, pytest.approx(1 / 6)),
    ]  # fmt: skip


def test_severities_are_the_shares_of_the_locations_on_the_path(critical_path, trace):
    found = critical_path("critical_path_severities", trace(UNEVEN), is_impact_strict=False)
    assert found == [
        ("critical_imbalance_impact", 4, 1, 17),  # 25 * 20 / 30
        ("critical_imbalance_impact", 5, 1, 8),  # 25 * 10 / 30
        ("critical_path", 0, 0, 3),
        ("critical_path", 1, 0, 2),
        ("critical_path", 3, 1, 10),
        ("critical_path", 4, 1, 20),
        ("critical_path", 5, 1, 30),
        ("critical_path_imbalance", 4, 1, 10),  # half of 20
        ("critical_path_imbalance", 5, 1, 5),  # a sixth of 30
        ("inter_partition_imbalance", 4, 1, 15),
    ]
