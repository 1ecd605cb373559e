"""How far findings may be off."""

import pytest

from tests.golden.running import run_query

COST, UNEVEN, LARGE = "communication_cost", "uneven_distribution", "large_messages"
STARVING = "master_worker_starving"


def found(name, path, value, visit=None):
    """A finding on location 1."""
    place = {"call_path_id": path, "location_id": 1, "visit_id": visit}
    return place | {"property": name, "value": value}


def gap(path, location, length, kind="buffer_flush"):
    return {"call_path_id": path, "location_id": location, "kind": kind, "gap_ns": length}


def doubt(metric, visit, most):
    place = {"call_path_id": 2, "location_id": 1, "visit_id": visit}
    return place | {"metric": metric, "reason": "unmatched_message", "most_ns": most}


# Of 50 in sends the measurement wrote for 7; of 60 it is switched off for 70 of the time.
@pytest.mark.parametrize(
    ("value", "gaps", "expected"),
    [
        (50, [gap(2, 1, 7)], (COST, 2, 1, "buffer_flush", 7, 0)),
        (
            60,
            [gap(2, 1, 7), gap(2, 1, 70, "measurement_off")],
            (COST, 2, 1, "measurement_off", 60, 0),
        ),
    ],
)
def test_costs_are_less_what_the_measurement_took(value, gaps, expected):
    tables = {"operation_costs": [found(COST, 2, value)], "gap_times": gaps}
    assert run_query("finding_bounds", tables) == [expected]


# Flushes of 4 and 6 make the mean lower by up to 10; without them the path may be even.
def test_an_uneven_load_may_be_even_without_the_measurement():
    gaps = [gap(3, 1, 4), gap(3, 0, 6), gap(9, 0, 50)]
    tables = {"uneven_distribution": [found(UNEVEN, 3, 30)], "gap_times": gaps}
    assert run_query("finding_bounds", tables) == [(UNEVEN, 3, 1, "buffer_flush", 30, 10)]


def test_so_it_may_be_with_what_another_location_did_after_its_end():
    losses = [{"location_group_id": 0, "reason": "missing_records", "thread_count": 1}]
    tables = {"uneven_distribution": [found(UNEVEN, 3, 30)], "disturbed_processes": losses}
    assert run_query("finding_bounds", tables) == [(UNEVEN, 3, 1, "missing_records", 30, 0)]


# Of a call of 40, 15 is found to be waiting: all of it may be, or none.
def test_a_call_of_a_large_message_may_be_all_waiting():
    tables = {
        "large_messages": [found(LARGE, 2, 25, visit=9)],
        "visits": [
            {"visit_id": 9, "location_id": 1, "call_path_id": 2, "enter_ns": 10, "leave_ns": 50}
        ],
        "message_doubts": [doubt("mpi_latereceiver", 9, 40)],
    }
    assert run_query("finding_bounds", tables) == [(LARGE, 2, 1, "unmatched_message", 25, 15)]


# Two calls of 40 and 10, each all for a large message; the measurement wrote for 20 of them, or, as
# far as its records tell, for 70.
@pytest.mark.parametrize(("length", "less"), [(20, 20), (70, 50)])
def test_large_messages_are_less_what_the_measurement_took(length, less):
    tables = {
        "large_messages": [found(LARGE, 2, 40, visit=8), found(LARGE, 2, 10, visit=9)],
        "gap_times": [gap(2, 1, length), gap(2, 0, 3), gap(3, 1, 4)],
    }
    assert run_query("finding_bounds", tables) == [(LARGE, 2, 1, "buffer_flush", less, 0)]


# Of 40 and 10 the first may be all waiting: the second is less what the measurement took.
def test_what_it_took_of_a_doubtful_call_counts_once():
    visit = {"visit_id": 8, "location_id": 1, "call_path_id": 2, "enter_ns": 10, "leave_ns": 50}
    tables = {
        "large_messages": [found(LARGE, 2, 40, visit=8), found(LARGE, 2, 10, visit=9)],
        "gap_times": [gap(2, 1, 20)],
        "visits": [visit],
        "message_doubts": [doubt("mpi_latereceiver", 8, 40)],
    }
    assert run_query("finding_bounds", tables) == [
        (LARGE, 2, 1, "buffer_flush", 10, 0),
        (LARGE, 2, 1, "unmatched_message", 40, 0),
    ]


# A worker waits 20 of 28 for its master, and in another call of 5 perhaps for it, too. Of the wait
# of 10 in visit 6 there is no doubt, but the master wrote its buffer for 3.
def test_workers_starve_as_long_as_senders_may_be_late():
    starving = [found(STARVING, 2, value, visit) for visit, value in ((8, 20), (6, 10))]
    tables = {
        "locations": [{"location_id": number, "location_group_id": number} for number in range(3)],
        "master_workers": [
            {"master_group_id": 0, "worker_group_id": number, "round_count": 9} for number in (1, 2)
        ],
        "master_worker_starving": starving,
        "message_doubts": [doubt("mpi_latesender", 8, 28), doubt("mpi_latesender", 7, 5)],
        "flushed_waits": [{"property": "mpi_latesender", "visit_id": 6, "flush_ns": 3}],
    }
    assert run_query("finding_bounds", tables) == [
        (STARVING, 2, 1, "buffer_flush", 3, 0),
        (STARVING, 2, 1, "unmatched_message", 20, 8 + 5),
    ]
