"""Perturbation: the cost of a record, and the time that the measurement took by call path."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.helpers.hand_made import late_sender_run, with_rows
from tests.helpers.micro_trace import read_trace
from tests.helpers.otf2_reading import Reader
from tests.helpers.running import Row, query_rows, run_query
from tracemill.base.durations import read_duration_ns
from tracemill.base.errors import UsageError
from tracemill.kernels import records
from tracemill.kernels.record_gaps import RecordGaps
from tracemill.kernels.records import ENTER, LEAVE
from tracemill.reports.grid import grid_of
from tracemill.reports.material import MARK_NOTE, Material
from tracemill.reports.sections.summary import build
from tracemill.reports.sections.wait_states import BY_CALL_PATH as OF_CALL_PATHS

E, L, SEND, METRIC, ATTRIBUTE = ENTER, LEAVE, 16, records.METRIC, records.ATTRIBUTE
NANOSECONDS = np.array([0, 10**9], np.int64)

Gaps = tuple[int, int | None]


def gaps_of(*chunks: list[tuple[int, int]], clock: NDArray[np.int64] = NANOSECONDS) -> Gaps:
    """Number and first percentile of the gaps between records (time, kind), read in chunks."""
    gaps = RecordGaps(sum(map(len, chunks)))
    for chunk in chunks:
        times, kinds = np.array(chunk).reshape(-1, 2).T
        gaps.add(times.astype(np.uint64), kinds.astype(np.uint8), clock)
    return gaps.count, gaps.percentile_ns


def test_gaps_lie_between_neighboring_enter_and_leave_records() -> None:
    # 3 from enter to enter, 9 to the leave; the send record lies between 12 and 20.
    assert gaps_of([(0, E), (3, E), (12, L), (15, SEND), (20, L)]) == (2, 3)


def test_metric_records_and_attributes_do_not_part_records() -> None:
    found = gaps_of([(0, E), (0, ATTRIBUTE), (3, METRIC), (4, METRIC), (7, L), (8, SEND)])
    assert found == (1, 7)


def test_calling_contexts_are_entered_and_left_too() -> None:
    assert gaps_of([(0, records.CONTEXT_ENTER), (5, records.CONTEXT_LEAVE)]) == (1, 5)


def test_a_gap_may_lie_between_two_chunks() -> None:
    assert gaps_of([(0, E)], [(3, METRIC)], [(9, L)]) == (1, 9)


def test_times_that_go_back_make_no_gap() -> None:
    assert gaps_of([(5, E), (3, L), (10, E)]) == (1, 7)


def test_no_gaps_have_no_percentile() -> None:
    assert gaps_of([(0, SEND)]) == (0, None)


# Half nanoseconds round to the nearest one: 3 ticks end at 1.5, which is 2 ns.
def test_gaps_are_differences_of_times_in_whole_nanoseconds() -> None:
    clock = np.array([0, 2 * 10**9], np.int64)
    assert gaps_of([(3, E), (6, L)], clock=clock) == (1, 3 - 2)


# Read as a signed number, the damaged time lies 292 years before the next one.
def test_a_damaged_time_ends_no_gap() -> None:
    assert gaps_of([(2**63 + 10, E), (100, L), (107, E)]) == (1, 7)


@pytest.mark.parametrize(
    ("count", "rank"), [(1, 1), (99, 1), (100, 1), (101, 2), (200, 2), (201, 3), (5000, 50)]
)
def test_the_percentile_is_the_nearest_rank(count: int, rank: int) -> None:
    """Gaps of 1, 2, ... ns in a mixed order."""
    gaps = np.random.default_rng(3).permutation(count) + 1
    times = [0, *np.cumsum(gaps).tolist()]
    assert gaps_of([(time, at % 2) for at, time in enumerate(times)]) == (count, rank)


@pytest.mark.parametrize("step", [1, -1])
def test_falling_and_rising_gaps_have_the_same_percentile(step: int) -> None:
    gaps = np.repeat(np.arange(1, 1001), 2)[::step]
    times = [0, *np.cumsum(gaps).tolist()]
    assert gaps_of([(time, at % 2) for at, time in enumerate(times)]) == (2000, 10)


# One location has a record every 7 ns, the other one every 5 ns.
def test_the_reader_finds_the_gaps_of_every_location(read: Reader) -> None:
    steps = [
        "\n".join(f"{step * at} {'leave' if at % 2 else 'enter'} main" for at in range(120))
        for step in (7, 5)
    ]
    found = read(*steps).rows("locations", "record_gap_count short_record_gap_ns")
    assert found == [(119, 7), (119, 5)]


def location(number: int, gap_count: int, gap_ns: int | None, **more: object) -> Row:
    row = {"location_id": number, "kind": "cpu_thread", "record_count": 100}
    return row | {"record_gap_count": gap_count, "short_record_gap_ns": gap_ns} | more


def costs_of(*locations: Row, **parameters: int) -> Row:
    """The perturbation of a main part of 1000 ns."""
    part = [{"begin_ns": 0, "end_ns": 1000}]
    tables = {"locations": list(locations), "main_part": part, "measurement_gaps": []}
    (row,) = query_rows("run_perturbation", tables, **parameters)
    return row


def test_the_cost_of_a_record_is_the_median_of_the_locations() -> None:
    # 300 records of 4 ns on three threads; streams of accelerators do not count.
    threads = [location(at, 100, gap) for at, gap in enumerate((9, 2, 4))]
    assert costs_of(*threads, location(3, 100, 1, kind="gpu")) == {
        "record_count": 300,
        "event_cost_ns": 4,
        "is_given": False,
        "cost_ns": 1200,
        "flush_ns": 0,
        "perturbed_ratio": pytest.approx(1200 / 3000),
    }


def test_fewer_than_a_hundred_gaps_give_no_cost() -> None:
    row = costs_of(location(0, 99, 4), location(1, 0, None))
    assert (row["event_cost_ns"], row["cost_ns"], row["perturbed_ratio"]) == (None, None, None)
    # A location with enough of them is sufficient.
    assert costs_of(location(0, 99, 4), location(1, 100, 7))["event_cost_ns"] == 7


def test_a_given_cost_replaces_the_measured_one() -> None:
    row = costs_of(location(0, 100, 4), event_cost_ns=120)
    assert (row["event_cost_ns"], row["is_given"], row["cost_ns"]) == (120, True, 100 * 120)


#        0    10   20   30   40   50   60   70
# rank 0 [main                                ]
#          [work]   [Send  .  ]  [work]          the send record lies between enter and leave
RECORDS = """
    0   3..12    work
    0   20..40   MPI_Send   send 0 @25
    0   45..51   work
"""


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


# The flush of 30 to 32 lies in the send, that of 1 to 4 in no visit; the pause is no flush.
def test_a_flush_counts_for_the_innermost_visit() -> None:
    flush = {"location_id": 0, "kind": "buffer_flush"}
    gaps = [
        flush | {"sequence": 1, "begin_ns": 1, "end_ns": 4},
        flush | {"sequence": 2, "begin_ns": 30, "end_ns": 32, "call_path_id": 1},
        flush | {"sequence": 3, "begin_ns": 33, "end_ns": 39, "call_path_id": 1}
        | {"kind": "measurement_off"},
    ]  # fmt: skip
    part = {"main_part": [{"begin_ns": 0, "end_ns": 51}]}
    tables = read_trace(RECORDS) | {"measurement_gaps": gaps} | part
    assert run_query("perturbation", tables, "call_path_id flush_ns") == [(0, 0), (1, 2), (2, 0)]
    assert run_query("run_perturbation", tables, "flush_ns") == [(3 + 2,)]


def test_the_reader_finds_the_call_path_of_a_flush(read: Reader) -> None:
    found = read("0 enter main\n10 enter work\n20 BufferFlush 30\n40 leave work\n50 leave main")
    (path,) = found.one("measurement_gaps", "call_path_id")
    assert found.records("call_paths")[path]["path"] == "main/work"


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


def test_perturbed_call_paths_are_marked_in_the_summary() -> None:
    for count, is_marked in ((10, False), (11, True)):
        summary = build(marked_material(count))
        details = " ".join(each.detail for each in summary.findings)
        assert ('"main/MPI_Recv" †' in details, '"main/MPI_Recv"' in details) == (is_marked, True)
        assert MARK_NOTE in summary.remarks  # main/MPI_Send is short and always marked


def marked_material(record_count: int) -> Material:
    """The perturbation of MPI_Recv on rank 1 in the hand-made run: records of a hundredth each."""
    run = late_sender_run()
    (path,) = [row for row in run.tables["call_paths"] if row["path"] == "main/MPI_Recv"]
    place = {"call_path_id": path["call_path_id"], "location_id": 1}
    (cell,) = [row for row in run.tables["call_tree"] if place.items() <= row.items()]
    cost = {"event_cost_ns": cell["exclusive_ns"] // 100}
    values = [place | {"sequence": at} for at in range(record_count - 2 * cell["visit_count"])]
    run = with_rows(run, run_perturbation=[cost], counter_values=values)
    return Material(run.connect(), run.manifest)
