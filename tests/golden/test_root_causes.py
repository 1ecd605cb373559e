"""Root causes: what made others wait, directly and through further waiting."""

import pytest

from tests.helpers.hand_made_team import MAIN, PARALLEL
from tests.helpers.micro_trace import read_trace
from tests.helpers.running import run_query

COST = "kind call_path_id location_id victim_location_id direct_ns passed_on_ns"


def costs_of(trace, **parameters):
    tables = read_trace(trace) if isinstance(trace, str) else trace
    visits = sorted(tables["visits"], key=lambda row: (row["location_id"], row["leave_ns"]))
    return run_query("root_causes", tables | {"visits": visits}, COST, **parameters)


def causes_of(trace, **parameters):
    """Costs rounded to nanoseconds."""
    return [(*row[:4], round(row[4]), round(row[5])) for row in costs_of(trace, **parameters)]


# Each process waits for the one before; rank 2 is the last one in the barrier.
#
#            10..100  100                  5100            7150            7250      7300
# rank 0     [Init]   [f .................][send]          [barrier ................]
# rank 1     [Init]   [g ......][recv ............][h .....][send]  [barrier ........]
# rank 2     [Init]   [g ..][recv ...............................]  [barrier ........]
CHAIN = """
    0     10..100   MPI_Init
    0    100..5100  f
    0   5100..5150  MPI_Send       send 1
    0   5200..7300  MPI_Barrier    collective barrier
    0   8000..8050  MPI_Finalize
    1     10..100   MPI_Init
    1    100..2100  g
    1   2100..5150  MPI_Recv       recv 0
    1   5150..7150  h
    1   7150..7190  MPI_Send       send 2
    1   7200..7300  MPI_Barrier    collective barrier
    1   8000..8050  MPI_Finalize
    2     10..100   MPI_Init
    2    100..1100  g
    2   1100..7200  MPI_Recv       recv 1
    2   7250..7300  MPI_Barrier    collective barrier
    2   8000..8050  MPI_Finalize
"""
CHAIN_MAIN, BARRIER, _, _, RECV, _, F, G, H = range(9)


def test_a_wait_is_charged_to_calls_that_took_longer_and_passed_on_along_the_chain():
    # Rank 1 waits 5100 - 2100 = 3000. Since MPI_Init, rank 0 took f 5000, rank 1 only g: all of
    #     the 3000 is charged to f.
    # Rank 2 waits 7150 - 1100 = 6050. Since MPI_Init, rank 1 took g 2000, waited 3000, and took
    #     3050 - 3000 = 50 in the receive and h 2000; rank 2 took g 1000. Delays are g 1000,
    #     receive 50, h 2000, and 3000 is waiting of rank 1 itself: together 6050. So delays are
    #     charged with what they are, and f with 3000 passed on.
    # In the barrier, rank 0 waits 7250 - 5200 = 2050 for rank 2. Since MPI_Init, rank 2 took
    #     g 1000, 50 in the receive, 50 in main, and waited 6050; rank 0 took 50 in main, too.
    #     The factor is 2050 / (1050 + 6050): g 288.7, receive 14.4, and 1746.8 passed on to the
    #     receive of rank 2, whose causes are g 288.7, receive 14.4, h 577.5 on rank 1, and
    #     3000 / 6050 of it, 866.2, is f again.
    # Rank 1 waits 50 for rank 2. They met in the message: since then rank 2 took 7200 - 7190 = 10
    #     after rank 1's call had ended and 50 in main, rank 1 took 7200 - 7190 = 10 in main.
    assert causes_of(CHAIN) == [
        ("latesender", RECV, 1, 2, 50, 0),
        ("latesender", F, 0, 1, 3000, 3000),
        ("latesender", G, 1, 2, 1000, 0),
        ("latesender", H, 1, 2, 2000, 0),
        ("barrier", CHAIN_MAIN, 2, 1, 40, 0),
        ("barrier", RECV, 1, 2, 0, 14),
        ("barrier", RECV, 2, 0, 14, 0),
        ("barrier", RECV, 2, 1, 10, 0),
        ("barrier", F, 0, 1, 0, 866),
        ("barrier", G, 1, 2, 0, 289),
        ("barrier", G, 2, 0, 289, 0),
        ("barrier", H, 1, 2, 0, 577),
    ]


def test_waits_for_one_who_waited_are_indirect_and_those_before_propagate():
    # Of the 6050 on rank 2, 3000 are waiting of rank 1; of the 2050 on rank 0, 1746.8.
    columns = "kind call_path_id location_id indirect_ns propagating_ns"
    found = run_query("indirect_waits", CHAIN, columns)
    assert [(*row[:3], round(row[3]), round(row[4])) for row in found] == [
        ("latesender", RECV, 1, 0, 3000),
        ("latesender", RECV, 2, 3000, 0),
        ("barrier", BARRIER, 0, 1747, 0),
    ]


def test_costs_of_all_causes_are_all_the_waiting():
    # 3000 + 6050 + 2050 + 50
    assert sum(row[4] + row[5] for row in costs_of(CHAIN)) == pytest.approx(11_150)


#            0..10  12        30   45 47 50       60
# rank 0     [Init] [ssend .........]             [send]
# rank 1     [Init][work .....][recv]    [recv .......]
LATE_RECEIVER = """
    0    0..10   MPI_Init
    0   12..47   MPI_Ssend      send 1
    0   60..62   MPI_Send       send 1
    0   90..95   MPI_Finalize
    1    0..10   MPI_Init
    1   10..30   work
    1   30..45   MPI_Recv       recv 0
    1   50..63   MPI_Recv       recv 0
    1   90..95   MPI_Finalize
"""
LR_MAIN, SSEND, WORK = 0, 5, 6


def test_a_call_delays_with_the_time_after_the_other_side_has_left():
    # The send waits 30 - 12 = 18 for work, which took 20 longer. The second receive waits 10:
    # since the first message, rank 0 took 47 - 45 = 2 in the send after rank 1 had left the
    # receive, and 60 - 47 = 13 in main, rank 1 took 50 - 45 = 5 in main. Delays are 2 and 8.
    assert causes_of(LATE_RECEIVER) == [
        ("latesender", LR_MAIN, 0, 1, 8, 0),
        ("latesender", SSEND, 0, 1, 2, 0),
        ("latereceiver", WORK, 1, 0, 18, 0),
    ]


def test_like_scalasca_a_late_receivers_send_does_not_delay():
    # It takes the 2 with the opposite sign: the 8 in main explain at most 8 of the 10.
    assert causes_of(LATE_RECEIVER, is_like_scalasca=True) == [
        ("latesender", LR_MAIN, 0, 1, 8, 0),
        ("latereceiver", WORK, 1, 0, 18, 0),
    ]


def test_the_root_of_a_broadcast_is_charged_for_every_waiter():
    # Rank 1 waits 40 - 20, rank 2 waits 40 - 30; both only took time in main meanwhile.
    assert causes_of("""
        0    0..10   MPI_Init
        0   10..40   work
        0   40..50   MPI_Bcast      collective bcast root 0 sent 8
        0   90..95   MPI_Finalize
        1    0..10   MPI_Init
        1   20..52   MPI_Bcast      collective bcast root 0 received 8
        1   90..95   MPI_Finalize
        2    0..10   MPI_Init
        2   30..54   MPI_Bcast      collective bcast root 0 received 8
        2   90..95   MPI_Finalize
    """) == [("12n", 4, 0, 1, 20, 0), ("12n", 4, 0, 2, 10, 0)]


def test_threads_delay_at_barriers_since_the_fork_and_idle_outside_of_teams(team):
    # The master waits 50 - 40 = 10. Since the fork at 8, the worker took 50 - 12 = 38 in the
    # region and began 12 - 10 = 2 after the master, which took 40 - 10 = 30: 10 more.
    # One thread is idle while the master is in main: 8 before the fork, 100 - 62 after the join.
    assert causes_of(team) == [
        ("ompbarrier", PARALLEL, 1, 0, 10, 0),
        ("ompidle", MAIN, 0, 0, 8 + 38, 0),
    ]
