"""Runs of different programs that go by one name are found by the functions they share."""

import pyarrow as pa
import pytest

from tracemill.base.errors import CampaignError
from tracemill.campaign.mixture import Programs, own_regions

SOLVER = {f"solver_{letter}" for letter in "abcdefg"}
SORTER = {f"sorter_{letter}" for letter in "abcdefg"}


def check(*runs: set[str], is_relevant: bool = False) -> None:
    programs = Programs(is_name_given=is_relevant)
    for number, regions in enumerate(runs):
        programs.add("suite", f"run{number}", regions)
    programs.check()


def test_functions_that_only_some_runs_have_do_not_matter() -> None:
    check(SOLVER, SOLVER | {"exchange"}, {"solver_a"}, SOLVER | SORTER)


def test_runs_are_related_through_others() -> None:
    check(SOLVER, SORTER, SOLVER | SORTER)
    check(SOLVER | SORTER, SOLVER, SORTER)


def test_a_run_without_functions_may_be_of_any_program() -> None:
    check(set(), SOLVER, set())


@pytest.mark.parametrize("common", [set(), {"print_results"}])
def test_programs_of_a_suite_share_hardly_anything(common: set[str]) -> None:
    with pytest.raises(CampaignError, match=r"2 programs have this name: run0 and run1 share"):
        check(SOLVER | common, SORTER | common, SOLVER, SORTER)


def test_who_names_the_program_is_believed_unless_nothing_is_shared() -> None:
    check(SOLVER | {"print_results"}, SORTER | {"print_results"}, is_relevant=True)
    with pytest.raises(CampaignError):
        check(SOLVER, SORTER, is_relevant=True)


def test_applications_are_looked_at_one_by_one() -> None:
    programs = Programs(is_name_given=False)
    programs.add("solver", "first", SOLVER)
    programs.add("sorter", "second", SORTER)
    programs.check()


def test_communication_and_the_start_of_a_program_are_no_functions_of_its_own() -> None:
    rows = [
        ("a", "main", 0, None), ("a", "MAIN__", 1, None), ("a", "solve", 2, None),
        ("a", "MPI_Send", 3, "MPI_Send"), ("a", "solve", 3, None),
        ("b", "prog.4", 0, None), ("b", "main", 1, None), ("b", "MPI_Recv", 2, "MPI_Recv"),
    ]  # fmt: skip
    names = ("run_id", "region", "depth", "operation")
    table = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    assert own_regions(table) == {"a": {"solve"}}
