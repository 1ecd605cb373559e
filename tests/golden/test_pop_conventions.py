"""The sentence that relates the two ways of splitting an efficiency."""

from tracemill.reports.sections.efficiencies import describe_conventions
from tracemill.reports.wording import Row


def rows_of(run: int, ideal: int, useful: tuple[int, ...], top: str) -> list[Row]:
    """Efficiencies of processes that compute so long in a run, from their definitions."""
    mean, most = sum(useful) / len(useful), max(useful)
    values = {
        top: (mean / run, mean / run),
        "load_balance": (mean / most, 1 - (most - mean) / run),
        "communication_efficiency": (most / run, most / run),
        "serialization_efficiency": (most / ideal, 1 - (ideal - most) / run),
        "transfer_efficiency": (ideal / run, 1 - (run - ideal) / run),
    }
    return [
        {"metric": metric, "multiplicative_ratio": one, "additive_ratio": other}
        for metric, (one, other) in values.items()
    ]


# Two processes compute 20 and 60 of 100 ns; without time in MPI the run would take 80 ns.
# Factors: 40/60, 60/80, 80/100. Lost: (60 - 40)/100, (80 - 60)/100, (100 - 80)/100.
def test_factors_and_lost_shares_give_the_same_efficiency() -> None:
    parts = "66.7% × 75.0% × 80.0% = 40.0%"
    lost = "100% − 20.0% − 20.0% − 20.0% = 40.0%"
    assert list(describe_conventions(rows_of(100, 80, (20, 60), "parallel_efficiency"))) == [
        f"Both columns split the same parallel efficiency: into factors ({parts}), or into shares "
        f"of the time of all processes that are lost ({lost})."
    ]


def test_with_teams_of_threads_it_is_that_of_mpi() -> None:
    (said,) = describe_conventions(rows_of(100, 80, (20, 60), "mpi_efficiency"))
    assert said.startswith("Both columns split the same MPI efficiency: ")


def test_equal_parts_need_no_explanation() -> None:
    assert not list(describe_conventions(rows_of(100, 100, (60, 60), "parallel_efficiency")))


def test_an_impossible_ideal_run_leaves_nothing_to_relate() -> None:
    rows = rows_of(100, 80, (20, 60), "parallel_efficiency")[:3]
    assert not list(describe_conventions(rows))
