"""Which changes explain the others."""

from dataclasses import replace

import polars as pl

from tests.helpers.compared_sides import comparison_of, side_of
from tracemill.comparison.changes import Cause
from tracemill.comparison.differences import describe
from tracemill.comparison.opening import main_changes
from tracemill.comparison.report import build_comparison_report
from tracemill.comparison.sentences import describe_cause

COMPUTE, RECEIVE, SEND = "main/solve", "main/MPI_Recv", "main/MPI_Send"


def described(causes: tuple[Cause, ...]) -> list[tuple[str, str, float]]:
    return [(each.metric, each.call_path, each.change_value) for each in causes]


#            rank 0                    rank 1
# base       solve 100 receive 10      solve 100 receive 10
# other      solve 100 receive 60      solve 150 receive 10     both take 50 longer
SLOW_RANK = comparison_of(
    ("time", None, 220, 320),
    ("time", COMPUTE, 200, 250),
    ("computation", COMPUTE, 200, 250),
    ("time", RECEIVE, 20, 70),
    ("overhead_data_movement", None, 20, 70),
    ("overhead_data_movement", RECEIVE, 20, 70),
    ("mpi_latesender", None, 4, 54),
    ("overhead_point_to_point", RECEIVE, 20, 70),
    ("mpi_latesender", RECEIVE, 4, 54),
    ("critical_path", None, 110, 160),
    ("critical_path", COMPUTE, 100, 150),
    ("critical_path", RECEIVE, 10, 10),
    ranked=(
        ("computation", COMPUTE, 1, 100, 150),
        ("computation", COMPUTE, 0, 100, 100),
        ("mpi_latesender", RECEIVE, 0, 2, 52),
        ("mpi_latesender", RECEIVE, 1, 2, 2),
    ),
    times=((110,), (160,)),
)  # fmt: skip


#            all processes
# base       MPI_Init 100 solve 100
# other      MPI_Init 300 solve 150       run times without MPI_Init: 100 → 150
INIT = "main/MPI_Init"
SLOW_START = comparison_of(
    *(
        (metric, path, one, two)
        for path, name, one, two in (
            (INIT, "overhead_initialise_finalise", 100, 300),
            (COMPUTE, "computation", 100, 150),
        )
        for metric in ("time", name, "critical_path")
    ),
    times=((100,), (150,)),
)


def test_setup_is_no_cause_of_a_run_time_without_it() -> None:
    def with_whole(times: dict[str, int]) -> list[str]:
        sides = {
            name: replace(side, sizes=tuple(replace(e, whole_time_ns=time) for e in side.sizes))
            for name, side, time in (
                ("base", SLOW_START.base, times["base"]),
                ("other", SLOW_START.other, times["other"]),
            )
        }
        return [each.call_path for each in replace(SLOW_START, **sides).causes()]

    assert with_whole({"base": 200, "other": 450}) == [COMPUTE]
    assert with_whole({"base": 100, "other": 150})[:2] == [INIT, COMPUTE]


#            two threads per process
# other      thread 1 is idle during MPI_Init (300) and 20 more
def test_threads_idle_during_setup_are_no_cause_of_a_run_time_without_it() -> None:
    changed = comparison_of(
        ("time", INIT, 100, 300),
        ("overhead_initialise_finalise", INIT, 100, 300),
        ("time", COMPUTE, 100, 150),
        ("computation", COMPUTE, 100, 150),
        ("overhead_idle_threads", "", 0, 320),
        times=((100,), (150,)),
    )
    assert described(changed.causes())[0] == ("overhead_idle_threads", "", 320)
    sides = {
        name: replace(side, sizes=tuple(replace(e, whole_time_ns=time) for e in side.sizes))
        for name, side, time in (("base", changed.base, 200), ("other", changed.other, 450))
    }
    assert described(replace(changed, **sides).causes()) == [("computation", COMPUTE, 50)]


def test_causes_on_the_critical_path_come_before_waits() -> None:
    first, second = SLOW_RANK.causes()
    assert described((first, second)) == [
        ("computation", COMPUTE, 50),
        ("mpi_latesender", RECEIVE, 50),
    ]
    assert (first.rank, first.rank_change_value, first.critical_path_ns) == (1, 50, 50)
    assert (second.rank, second.rank_change_value, second.critical_path_ns) == (0, 50, 0)
    assert (first.is_decisive, first.is_waiting) == (True, False)
    assert (second.is_decisive, second.is_waiting) == (False, True)


def test_a_change_of_a_metric_is_explained_by_its_deepest_part() -> None:
    assert described(SLOW_RANK.causes("overhead_data_movement")) == [
        ("mpi_latesender", RECEIVE, 50)
    ]
    assert described(SLOW_RANK.causes("mpi_latesender")) == [("mpi_latesender", RECEIVE, 50)]
    assert described(SLOW_RANK.causes("time", limit=1)) == [("computation", COMPUTE, 50)]


def test_a_part_with_less_than_half_of_a_change_does_not_explain_it() -> None:
    slower_network = comparison_of(
        ("time", None, 20, 80),
        ("time", RECEIVE, 20, 80),
        ("overhead_data_movement", RECEIVE, 20, 80),
        ("overhead_point_to_point", RECEIVE, 20, 80),
        ("mpi_latesender", RECEIVE, 4, 30),
    )
    assert described(slower_network.causes("time")) == [("overhead_point_to_point", RECEIVE, 60)]


def test_work_that_only_moved_to_one_process_is_found_by_the_critical_path() -> None:
    """Together they compute as long as before."""
    moved = comparison_of(
        ("time", None, 200, 230),
        ("time", COMPUTE, 200, 200),
        ("computation", COMPUTE, 200, 200),
        ("time", SEND, 0, 30),
        ("overhead_point_to_point", SEND, 0, 30),
        ("critical_path", None, 100, 130),
        ("critical_path", COMPUTE, 100, 130),
        ranked=(("computation", COMPUTE, 1, 100, 130), ("computation", COMPUTE, 0, 100, 70)),
        times=((100,), (130,)),
    )
    first, *_ = moved.causes()
    assert described((first,)) == [("computation", COMPUTE, 0)]
    assert (first.rank, first.rank_change_value, first.critical_path_ns) == (1, 30, 30)


def test_a_faster_run_is_explained_by_metrics_that_fell() -> None:
    faster = comparison_of(
        ("time", None, 300, 180),
        ("time", COMPUTE, 200, 100),
        ("computation", COMPUTE, 200, 100),
        ("time", RECEIVE, 100, 80),
        ("overhead_data_movement", RECEIVE, 100, 80),
        ("overhead_point_to_point", RECEIVE, 100, 80),
        ("time", SEND, 0, 9),
        ("overhead_data_movement", SEND, 0, 9),
        ("overhead_point_to_point", SEND, 0, 9),
        times=((150,), (90,)),
    )
    assert described(faster.causes()) == [
        ("computation", COMPUTE, -100),
        ("overhead_point_to_point", RECEIVE, -20),
    ]
    assert described(faster.parts_of_time(9))[-1] == ("overhead_point_to_point", SEND, 9)


def test_an_unchanged_metric_has_no_cause() -> None:
    same = comparison_of(("time", None, 100, 100), ("time", COMPUTE, 100, 100))
    assert same.causes() == same.causes("time") == ()
    assert same.causes("mpi_latesender") == ()


def test_time_outside_of_call_paths_can_be_a_cause() -> None:
    idle = comparison_of(
        ("time", None, 100, 100),
        ("time", COMPUTE, 100, 100),
        ("overhead_outside_visits", None, 1, 41),
        ("overhead_outside_visits", "", 1, 41),
        times=((100,), (140,)),
    )
    assert described(idle.causes()) == [("overhead_outside_visits", "", 40)]


#   main            critical path   0
#     solve                        10 →  20
#       inner                      50 →  90
#       other                      40 →  70
#     MPI_Send                     10 →  12    of 82 more, 80 lie in solve and below
def test_a_change_spread_over_callees_is_reported_at_their_caller() -> None:
    found = comparison_of(
        ("visits", "main", 1, 1),
        ("critical_path", "main/solve", 10, 20),
        ("critical_path", "main/solve/inner", 50, 90),
        ("critical_path", "main/solve/other", 40, 70),
        ("critical_path", SEND, 10, 12),
    ).holding_subtree
    assert found is not None
    assert (found.call_path, found.exclusive_value, found.inclusive_value) == ("main/solve", 10, 80)


def test_a_change_in_all_call_paths_has_no_single_place() -> None:
    spread = comparison_of(
        ("visits", "main", 1, 1),
        ("critical_path", COMPUTE, 10, 20),
        ("critical_path", SEND, 10, 19),
    )
    assert spread.holding_subtree is None
    assert comparison_of(("critical_path", COMPUTE, 10, 10)).holding_subtree is None


def test_ranks_of_different_numbers_of_processes_are_not_compared() -> None:
    """Rank 0 of 1 process does all work, rank 0 of 4 a part of it."""
    fewer = replace(SLOW_RANK, base=side_of("base", (1000,), processes=1))
    for cause in fewer.causes():
        assert "ank " not in describe_cause(cause, fewer).detail
    assert "A has 1 process, B 4: times are sums over all processes" in " ".join(describe(fewer))


#             1 process        4 processes, each
# parallel    400              100     the same work, split
# serial      100              100     on rank 0 only; the others wait 100 in MPI_Bcast
# run time    500              200
SERIAL = "main/serial_part"
BCAST = "main/MPI_Bcast"
SPLIT = comparison_of(
    ("time", COMPUTE, 400, 400), ("computation", COMPUTE, 400, 400),
    ("critical_path", COMPUTE, 400, 100),
    ("time", SERIAL, 100, 100), ("computation", SERIAL, 100, 100),
    ("critical_path", SERIAL, 100, 100),
    ("time", BCAST, 0, 300), ("overhead_data_movement", BCAST, 0, 300),
    ("overhead_collective", BCAST, 0, 300), ("mpi_latebroadcast", BCAST, 0, 300),
    times=((500,), (200,)),
)  # fmt: skip
SPLIT = replace(SPLIT, base=side_of("base", (500,), processes=1))


def test_a_serial_part_is_no_change_on_more_processes() -> None:
    first, second = main_changes(SPLIT, 9)
    assert (first.call_path, first.critical_path_ns) == (COMPUTE, -300)
    assert described((second,)) == [("mpi_latebroadcast", BCAST, 300)]


def test_a_change_says_what_it_is_a_sum_over() -> None:
    said = [describe_cause(each, SPLIT) for each in main_changes(SPLIT, 9)]
    assert [each.headline for each in said] == [
        'Computation in "main/solve": -300 ns on the critical path.',
        'Late Broadcast in "main/MPI_Bcast": +300 ns (new) over all processes.',
    ]


def test_page_and_terminal_list_the_same_changes() -> None:
    summary = build_comparison_report(SPLIT).section("summary")
    assert summary.opening is not None
    cards = [f'in "{card.call_path}": {card.cost}.' for card in summary.opening.causes]
    assert len(cards) == 2
    for card, finding in zip(cards, summary.findings, strict=True):
        assert finding.headline.endswith(card)


def test_without_a_critical_path_work_of_other_numbers_of_processes_is_compared_by_sums() -> None:
    without = replace(SPLIT, rows=SPLIT.rows.filter(pl.col("metric") != "critical_path"))
    assert described(main_changes(without, 9)) == [("mpi_latebroadcast", BCAST, 300)]


def test_one_thread_is_no_plural() -> None:
    sizes = tuple(replace(each, threads=4) for each in SPLIT.other.sizes)
    threaded = replace(SPLIT, other=replace(SPLIT.other, sizes=sizes))
    assert "A has 1 thread per process, B 4." in " ".join(describe(threaded))
