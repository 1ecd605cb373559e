"""Checks of a description and its runs, before any run is analyzed."""

from collections.abc import Iterable, Mapping, Sequence

from tracemill.base.errors import CampaignError
from tracemill.campaign import configurations
from tracemill.campaign.description import Description
from tracemill.campaign.discovery import Member
from tracemill.campaign.expressions import check_expression
from tracemill.campaign.mistakes import Mistakes
from tracemill.campaign.names import (
    APPLICATION,
    PROCESSES,
    REPETITION,
    SIZE,
    THREADS,
    standard_name,
)
from tracemill.stages.campaign.surface_scalability import read_bounds, read_growth

_TAKEN = (PROCESSES, THREADS, REPETITION, APPLICATION)


def check_choices(
    description: Description,
    members: Sequence[Member],
    measured: Sequence[configurations.RunRecord],
    mistakes: Mistakes,
) -> tuple[tuple[Member, ...], tuple[configurations.RunRecord, ...]]:
    """The members and measured runs with valid parameters. Raises CampaignError or UsageError."""
    given = [member.parameters for member in members]
    given += [run.measured.parameters for run in measured if run.measured is not None]
    _check_size(description.size, given)
    _check_expressions(description)
    kept = (
        tuple(each for each in members if mistakes.finds_none(_check_member, description, each)),
        tuple(each for each in measured if mistakes.finds_none(_check_run, description, each)),
    )
    mistakes.report()
    return kept


def _check_size(size: str, given: Iterable[Mapping[str, str]]) -> None:
    """Raise CampaignError if no run has the parameter that is the size."""
    names = sorted({name for parameters in given for name in parameters})
    meaning = standard_name(size)
    if not size or size in names or (meaning == SIZE and SIZE in names):
        return
    if meaning in _TAKEN:
        raise CampaignError(f"size {size!r}: this parameter is {meaning}: choose another")
    others = ", ".join(name for name in names if name not in _TAKEN) or "none but processes"
    raise CampaignError(
        f"size {size!r}: no run has this parameter; parameters are {others}: name one of them, or "
        "give the size by --pattern or a column"
    )


def _check_expressions(description: Description) -> None:
    for expression in (description.computation_size, description.size_per_process):
        if expression:
            check_expression(
                expression,
                (*configurations.size_names(description.size), *configurations.PROCESS_NAMES),
            )
    if description.scaled_size is not None:
        read_growth(description.scaled_size)
    if description.efficiency_bounds is not None:
        read_bounds(description.efficiency_bounds)


def _check_member(description: Description, member: Member) -> None:
    numbers, _ = configurations.special_parameters(
        member.parameters, description.size, member.place or member.label
    )
    if PROCESSES in numbers:
        size, processes = numbers.get(SIZE, 1.0), int(numbers[PROCESSES])
        configurations.computation_size(
            description.computation_size, description.size, size=size, processes=processes
        )


def _check_run(description: Description, run: configurations.RunRecord) -> None:
    if run.time_ns is not None and run.time_ns <= 0:
        raise CampaignError(f"{run.label}: its time must be above 0: correct or remove it")
    configurations.computation_size(
        description.computation_size, description.size, size=run.size, processes=run.processes
    )
