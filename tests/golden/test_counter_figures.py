"""Numerators and denominators of counters and derived counters per call path and location."""

from tests.helpers.micro_trace import Row


def counted(counter: int, location: int, amount: float) -> Row:
    return {
        "call_path_id": 0, "location_id": location, "counter_id": counter, "visit_count": 1,
        "exclusive_value": amount, "inclusive_value": amount, "covered_ns": 2_000_000_000,
        "method": "exact", "negative_steps": 0,
    }  # fmt: skip


def derived(numerator: str, denominator: str) -> Row:
    return {
        "name": "ratio", "numerator": numerator, "denominator": denominator, "factor": 1.0,
        "unit": "1", "is_more_better": True,
    }  # fmt: skip


# Location 0 records counter 0 as INS, location 1 counter 1; location 2 lacks CYC.
def test_counters_of_one_name_are_one_part_of_a_derived_counter(run_query):
    tables = {
        "counters": [
            {"counter_id": 0, "name": "INS", "unit": "#"},
            {"counter_id": 1, "name": "INS", "unit": "#"},
            {"counter_id": 2, "name": "CYC", "unit": "#"},
        ],
        "derived_counters": [derived("INS", "CYC")],
        "call_path_counters": [
            counted(0, 0, 6), counted(2, 0, 3), counted(1, 1, 8), counted(2, 1, 2),
            counted(0, 2, 5),
        ],
    }  # fmt: skip
    rows = run_query("counter_figures", tables, "is_derived location_id numerator denominator")
    assert [row[1:] for row in rows if row[0]] == [(0, 6, 3), (1, 8, 2)]


def test_time_is_that_for_which_the_counter_is_known(run_query):
    tables = {
        "counters": [{"counter_id": 0, "name": "INS", "unit": "#"}],
        "derived_counters": [derived("INS", "time")],
        "call_path_counters": [counted(0, 0, 6)],
    }
    rows = run_query("counter_figures", tables, "is_derived numerator denominator")
    assert [row[1:] for row in rows if row[0]] == [(6, 2)]


# A location records FP; without INS, the sum of both is unknown there.
def test_all_parts_of_a_sum_are_needed(run_query):
    tables = {
        "counters": [
            {"counter_id": 0, "name": "INS", "unit": "#"},
            {"counter_id": 1, "name": "FP", "unit": "#"},
        ],
        "derived_counters": [derived("INS + FP", "time")],
        "call_path_counters": [counted(1, 0, 6), counted(0, 1, 4), counted(1, 1, 3)],
    }
    rows = run_query("counter_figures", tables, "is_derived location_id numerator denominator")
    assert [row[1:] for row in rows if row[0]] == [(1, 7, 2)]
