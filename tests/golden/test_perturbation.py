"""Perturbation: the cost of a record, and the time that the measurement took by call path."""

from typing import Any

import pytest

from tests.helpers.hand_made import late_sender_run, with_rows
from tests.helpers.micro_trace import Tables, read_trace
from tests.helpers.running import query_rows, run_query
from tracemill.base.durations import read_duration_ns
from tracemill.base.errors import UsageError
from tracemill.reports.grid import grid_of
from tracemill.reports.material import Material
from tracemill.reports.sections.wait_states import BY_CALL_PATH as OF_CALL_PATHS

#        0    10   20   30   40   50   60   70
# rank 0 [main                                ]
#          [work]   [Send  .  ]  [work]          the send record lies between enter and leave
RECORDS = """
    0   3..12    work
    0   20..40   MPI_Send   send 0 @25
    0   45..51   work
"""


def gaps_of(tables: Tables) -> list[tuple[int, int]]:
    return run_query("event_gaps", tables, "gap_count short_gap_ns")


def test_gaps_lie_between_neighboring_enter_and_leave_records() -> None:
    # 0 3 12 20 | 40 45 51 51: gaps 3, 9, 8, 5, 6 and 0, as main ends with its last call.
    assert gaps_of(read_trace(RECORDS)) == [(6, 0)]


def test_records_at_the_time_of_enter_or_leave_lie_in_the_call() -> None:
    # The record makes no gap of 20..40, and leaves the gaps 12..20 and 40..45.
    for time in (20, 40):
        assert gaps_of(read_trace(RECORDS.replace("@25", f"@{time}"))) == [(6, 0)]


def test_metric_records_do_not_part_records() -> None:
    values = [{"location_id": 0, "time_ns": 7, "sequence": 1, "call_path_id": 1}]
    assert gaps_of(read_trace(RECORDS) | {"counter_values": values}) == [(6, 0)]


def test_a_collective_has_two_records() -> None:
    # The begin record lies in the first call, the end record in the second one.
    trace = "0 0..10 MPI_Barrier\n0 20..30 MPI_Barrier collective barrier begin 5"
    # 0 0 | 10 20 | 30 30: main begins with the first call, and ends with the second one.
    assert gaps_of(read_trace(trace)) == [(3, 0)]


def repeated(count: int, step: int, short: int) -> str:
    """Calls of 4 ns every `step` ns; the first `short` of them take 1 ns."""
    return "\n".join(
        f"0 {5 + step * at}..{5 + step * at + (1 if at < short else 4)} work" for at in range(count)
    )


def costs_of(trace: str, **parameters: int) -> dict[str, Any]:
    tables = read_trace(trace)
    end = max(row["leave_ns"] for row in tables["visits"])
    count = 2 * len(tables["visits"])
    tables["locations"][0]["record_count"] = count
    tables |= {"main_part": [{"begin_ns": 0, "end_ns": end}]}
    (row,) = query_rows("run_perturbation", tables, **parameters)
    return row


def test_the_first_percentile_is_a_gap_by_nearest_rank() -> None:
    # 99 calls: 99 gaps inside, 98 between, 1 before, 1 after (0 ns): 199, of which the second.
    tables = read_trace(repeated(99, 10, short=3))
    assert gaps_of(tables) == [(199, 1)]
    assert gaps_of(read_trace(repeated(99, 10, short=0))) == [(199, 4)]


def test_the_cost_of_the_run_is_that_of_all_its_records() -> None:
    # 200 records of 1 ns in 989 ns: the last call begins at 985.
    assert costs_of(repeated(99, 10, short=3)) == {
        "record_count": 200,
        "event_cost_ns": 1,
        "is_given": False,
        "cost_ns": 200,
        "flush_ns": 0,
        "perturbed_ratio": pytest.approx(200 / 989),
    }


def test_fewer_than_a_hundred_gaps_give_no_cost() -> None:
    # 49 calls: 49 + 48 + 2 = 99 gaps; 50 calls have 101.
    row = costs_of(repeated(49, 10, short=0))
    assert (row["event_cost_ns"], row["cost_ns"], row["perturbed_ratio"]) == (None, None, None)
    assert costs_of(repeated(50, 10, short=0))["event_cost_ns"] == 4


def test_a_given_cost_replaces_the_measured_one() -> None:
    row = costs_of(repeated(99, 10, short=3), event_cost_ns=120)
    assert (row["event_cost_ns"], row["is_given"], row["cost_ns"]) == (120, True, 200 * 120)


def test_records_count_for_the_innermost_call_path() -> None:
    tables = read_trace(RECORDS) | {"main_part": [{"begin_ns": 0, "end_ns": 51}]}
    tables["counter_values"] = [
        # Two counters of one record, and one of another, while work is innermost.
        {"location_id": 0, "sequence": sequence, "counter_id": counter, "call_path_id": 2}
        for sequence, counter in ((7, 0), (7, 1), (9, 0))
    ]
    columns = "call_path_id record_count cost_ns perturbed_ratio"
    assert run_query("perturbation", tables, columns, event_cost_ns=2) == [
        (0, 2, 4, 4 / (51 - 9 - 20 - 6)),  # main
        (1, 3, 6, 6 / 20),  # MPI_Send: enter, send, leave
        (2, 6, 12, 12 / (9 + 6)),  # work: two visits, two metric records
    ]


@pytest.mark.parametrize(
    ("begin", "call_path"),
    [
        (2, 0),  # before the first call: main
        (3, 2),  # at its begin: work
        (5, 2),
        (12, 0),  # at its end: main again
        (15, 0),
        (30, 1),
        (48, 2),
    ],
)
def test_a_flush_counts_for_the_innermost_visit(begin: int, call_path: int) -> None:
    gap = {"location_id": 0, "kind": "buffer_flush", "begin_ns": begin, "end_ns": begin + 2}
    off = gap | {"kind": "measurement_off", "sequence": 1}
    part = {"main_part": [{"begin_ns": 0, "end_ns": 51}]}
    tables = read_trace(RECORDS) | {"measurement_gaps": [gap, off]} | part
    found = run_query("perturbation", tables, "call_path_id flush_ns")
    assert [row for row in found if row[1]] == [(call_path, 2)]


def test_a_flush_before_all_visits_counts_for_none() -> None:
    tables = read_trace(RECORDS)
    for row in tables["visits"]:
        row["enter_ns"] += 10
        row["leave_ns"] += 10
    gap = {"location_id": 0, "kind": "buffer_flush", "begin_ns": 1, "end_ns": 4}
    tables |= {"measurement_gaps": [gap], "main_part": [{"begin_ns": 0, "end_ns": 61}]}
    assert not any(row for (row,) in run_query("perturbation", tables, "flush_ns"))
    assert run_query("run_perturbation", tables, "flush_ns") == [(3,)]


def test_times_have_a_unit() -> None:
    assert [read_duration_ns("--event-cost", text) for text in ("120ns", "1.5 us", "2ms")] == [
        120, 1_500, 2_000_000,
    ]  # fmt: skip
    for text in ("120", "-1ns", "0ns", "fast", "1e3ns"):
        with pytest.raises(UsageError, match="--event-cost"):
            read_duration_ns("--event-cost", text)


def test_perturbed_call_paths_are_named_and_marked() -> None:
    # 10 records of 1 ms in 100 ms: not more than 10 %. With 11 of them, more.
    for count, marked in ((10, []), (11, ["main/MPI_Recv"])):
        material = marked_material(count)
        table = material.table(OF_CALL_PATHS)
        (column,) = [each for each in table.columns if each.is_path]
        assert sorted(column.marked) == marked
        assert ("†" in table.note) is bool(marked)
        texts = [cells[0] for _, cells in grid_of(table).rows]
        assert ("main/MPI_Recv †" in texts) is bool(marked)
        assert "main/MPI_Recv" in table.values("call_path")  # the rows of the query


def marked_material(record_count: int) -> Material:
    """The perturbation of MPI_Recv on rank 1 in the hand-made run."""
    run = late_sender_run()
    (path,) = [row for row in run.tables["call_paths"] if row["path"] == "main/MPI_Recv"]
    place = {"call_path_id": path["call_path_id"], "location_id": 1}
    (cell,) = [row for row in run.tables["call_tree"] if place.items() <= row.items()]
    cost = record_count * cell["exclusive_ns"] // 100
    run = with_rows(run, perturbation=[place | {"record_count": record_count, "cost_ns": cost}])
    return Material(run.connect(), run.manifest)
