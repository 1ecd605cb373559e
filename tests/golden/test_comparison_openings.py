"""What a comparison says first: its title, its main cause, and large changes beyond the noise."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.helpers.compared_sides import comparison_of, side_of
from tracemill.comparison.comparing import Comparison
from tracemill.comparison.naming import describe_sides, title_of
from tracemill.comparison.opening import describe_verdict, main_changes, opening_of, split_parts
from tracemill.comparison.report import build_comparison_report
from tracemill.comparison.sentences import describe_time

WORK, BCAST, SUM = "main/work", "main/MPI_Bcast", "main/MPI_Allreduce"
INIT, OUTSIDE = "main/MPI_Init", ""


def named(*labels: str) -> Comparison:
    """A comparison of runs with these labels, those of A and B apart by an empty one."""
    at = labels.index("")
    sides = [side_of(name, [100] * len(own)) for name, own in
             (("a", labels[:at]), ("b", labels[at + 1 :]))]  # fmt: skip
    for side, own in zip(sides, (labels[:at], labels[at + 1 :]), strict=True):
        for run, label in zip(side.runs, own, strict=True):
            run.__dict__["label"] = label
    return replace(comparison_of(("visits", "main", 1, 1)), base=sides[0], other=sides[1])


@pytest.mark.parametrize(
    ("labels", "title"),
    [
        (("before", "", "after"), "before → after"),
        (("cg_r1", "cg_r2", "cg_r10", "", "lu"), "cg_r{1,2,10} → lu"),
        (("run1", "run12", "", "lu"), "run{1,12} → lu"),
        (("cg", "lu", "", "mg"), "cg, lu → mg"),
        (("cg", "cg", "", "mg"), "cg → mg"),
        (("cg", "", "cg"), "cg (a0) → cg (b0)"),
    ],
)
def test_a_title_has_each_name_once(labels: Sequence[str], title: str) -> None:
    assert title_of(named(*labels)) == title


def test_the_line_below_has_processes_and_run_ids() -> None:
    assert describe_sides(named("cg_r1", "cg_r2", "", "lu")) == (
        "A: 4 processes, runs a0 and a1. B: 4 processes, run b0."
    )


#                A     B      change
# run time       100   60     -40     noise 5
# work           80    30     -50     on the critical path, too
# MPI_Bcast      0     45     +45     Late Broadcast
# MPI_Allreduce  4     1      -3      within the noise
FASTER = comparison_of(
    ("time", WORK, 80, 30), ("computation", WORK, 80, 30), ("critical_path", WORK, 80, 30),
    ("time", BCAST, 0, 45), ("overhead_data_movement", BCAST, 0, 45),
    ("mpi_latebcast", BCAST, 0, 45),
    ("time", SUM, 4, 1), ("overhead_data_movement", SUM, 4, 1),
    noise=5.0, times=((100, 100), (60, 60)),
)  # fmt: skip


def test_what_became_worse_beyond_the_noise_is_on_a_card_of_a_faster_run() -> None:
    shown = [(each.call_path, each.cost) for each in opening_of(FASTER).causes]
    assert shown == [
        (WORK, "-50.0 ns on the critical path"),
        (BCAST, "+45.0 ns (new) over all processes"),
    ]
    first, others = split_parts(FASTER, 9)
    assert [each.call_path for each in first] == [WORK, BCAST]
    assert [each.call_path for each in others] == [SUM]


#                A     B      change    noise 5
# work          400   401     +1        its sum over processes hardly changes
#  on the path  400   101   -299        but it is split among more of them
def test_a_cause_on_the_critical_path_has_the_noise_of_the_path() -> None:
    split = comparison_of(
        ("time", WORK, 400, 401), ("computation", WORK, 400, 401),
        ("critical_path", WORK, 400, 101),
        noise=5.0, times=((400, 400), (101, 101)),
    )  # fmt: skip
    (first,) = main_changes(split, 9)
    assert (first.call_path, first.is_beyond_noise) == (WORK, True)
    steady = comparison_of(
        ("time", WORK, 400, 500), ("computation", WORK, 400, 500),
        ("critical_path", WORK, 400, 403),
        noise=5.0, times=((400, 400), (410, 410)),
    )  # fmt: skip
    (first,) = steady.causes(limit=1)
    assert (first.is_decisive, first.is_beyond_noise) == (True, False)


def test_page_and_text_say_the_same_verdict() -> None:
    run_time, main = describe_verdict(FASTER)
    assert run_time.startswith(
        "B takes 40.0% less time than A: 100 ns → 60.0 ns (-40.0 ns), beyond"
    )
    assert main == '"main/work" accounts for -50.0 ns on the critical path.'
    summary = build_comparison_report(FASTER).section("summary")
    assert summary.sentences[:2] == (run_time, main)
    assert summary.opening is not None
    assert summary.opening.verdict == f"{run_time} {main}"


# MPI_Init and what is before main last longer, but the run times begin after MPI_Init.
def test_what_the_run_time_excludes_is_not_among_the_first() -> None:
    started = comparison_of(
        ("visits", "main", 1, 1),
        ("time", WORK, 50, 60), ("computation", WORK, 50, 60),
        ("time", INIT, 10, 90), ("overhead_initialise_finalise", INIT, 10, 90),
        ("overhead_outside_visits", OUTSIDE, 40, 99),
        times=((50,), (60,)),
    )  # fmt: skip
    assert [each.call_path for each in opening_of(started).causes] == [
        INIT,
        "outside of regions",
        WORK,
    ]
    sides = {
        name: replace(side, sizes=tuple(replace(e, whole_time_ns=200) for e in side.sizes))
        for name, side in (("base", started.base), ("other", started.other))
    }
    measured = replace(started, **sides)
    assert [each.call_path for each in opening_of(measured).causes] == [WORK]
    assert [each.call_path for each in split_parts(measured, 9)[1]] == [INIT, OUTSIDE]


# Without a function such as main, what is outside of regions is the program's own work.
def test_work_between_the_calls_of_a_trace_of_mpi_alone_counts() -> None:
    alone = comparison_of(
        ("time", "MPI_Init", 10, 20), ("overhead_initialise_finalise", "MPI_Init", 10, 20),
        ("overhead_outside_visits", OUTSIDE, 40, 99),
        times=((50,), (60,)),
    )  # fmt: skip
    sides = {
        name: replace(side, sizes=tuple(replace(e, whole_time_ns=200) for e in side.sizes))
        for name, side in (("base", alone.base), ("other", alone.other))
    }
    (card,) = opening_of(replace(alone, **sides)).causes
    assert (card.call_path, card.cost) == (
        "outside of regions",
        "+59.0 ns (+147.5%) over all processes",
    )
    assert card.advice.startswith("Outside Visits.")


def test_less_time_is_said_without_a_sign() -> None:
    assert describe_time(comparison_of(("time", None, 400, 300))) == (
        "All locations together spend 100 ns less in region visits (-25.0%)."
    )


def test_a_run_compared_with_itself_is_said_to_be_the_same() -> None:
    run = comparison_of(("time", WORK, 5, 5))
    same = replace(run, other=run.base)
    assert describe_verdict(same) == ("A and B are the same: 1.00 µs.",)
