"""Counters of the call paths of runs, for campaigns."""

import pytest

from tests.helpers.gathering import query_runs
from tests.helpers.micro_trace import Row


# Call paths 0 and 1 have one key; each has its values on two locations.
def test_counters_are_summed_by_key_and_counter() -> None:
    def figure(path: int, place: int, name: str, amount: float, over: float | None) -> Row:
        own = {"call_path_id": path, "location_id": place, "name": name, "unit": "u"}
        return own | {
            "is_derived": name == "IPC", "is_more_better": None, "numerator": amount,
            "denominator": over, "covered_ns": 100,
        }  # fmt: skip

    tables = {
        "call_path_keys": [
            {"call_path_id": path, "call_path_key": key} for path, key in ((0, 5), (1, 5), (2, 6))
        ],
        "counter_figures": [
            figure(0, 0, "INS", 10, None), figure(0, 1, "INS", 20, None),
            figure(1, 0, "INS", 30, None), figure(2, 0, "INS", 7, None),
            figure(0, 0, "IPC", 10, 20), figure(0, 1, "IPC", 20, 20), figure(2, 0, "IPC", 7, 0),
        ],
    }  # fmt: skip
    names = ["call_path_key", "counter", "is_derived", "value", "per_second", "covered_ns"]
    rows = query_runs("gathered_counters", {"x": tables})
    found = [tuple(row[name] for name in names) for row in rows]
    assert found == [
        (5, "INS", False, 60, pytest.approx(60 / 300e-9), 300),
        (5, "IPC", True, 30 / 40, None, 200),
        (6, "INS", False, 7, pytest.approx(7 / 100e-9), 100),
        (6, "IPC", True, None, None, 100),
    ]
