"""What the page of a comparison says first: the run time, and what is beyond the noise."""

from collections.abc import Iterator, Sequence

from tracemill.comparison.causes import SETUP
from tracemill.comparison.changes import Cause
from tracemill.comparison.comparing import Comparison
from tracemill.comparison.conditions import CheckedCondition
from tracemill.comparison.efficiencies import PARALLEL
from tracemill.comparison.sentences import describe_cause, describe_run_time
from tracemill.reports import model
from tracemill.reports.sections.efficiencies import IN_SUMMARY
from tracemill.reports.units import format_time, with_sign
from tracemill.reports.wording import name_path, nonempty

MOST_CAUSES = 3


def opening_of(comparison: Comparison, verdicts: Sequence[CheckedCondition] = ()) -> model.Opening:
    """Conditions that fail, the change of the run time and its main cause; then the next ones."""
    causes = [each for each in comparison.causes(limit=2 * MOST_CAUSES) if not _is_noise(each)]
    change = comparison.run_time
    is_explained = causes and change.change_value and change.is_beyond_noise is not False
    return model.Opening(
        verdict=" ".join(
            nonempty(
                *(f"Fails: {each.expression}. {each.reason}." for each in verdicts if each.holds),
                describe_run_time(comparison),
                _describe_main(causes[0], comparison) if is_explained else "",
            )
        ),
        bars=tuple(_bars(comparison)),
        causes=tuple(_as_shown(each, comparison) for each in causes[:MOST_CAUSES]),
    )


def split_parts(comparison: Comparison, limit: int) -> tuple[list[Cause], list[Cause]]:
    """The largest changes of time: those beyond noise, or all without noise; and the others.

    MPI setup is among the others if the run time excludes it.
    """
    first: list[Cause] = []
    others: list[Cause] = []
    is_excluded = comparison.base.is_setup_excluded and comparison.other.is_setup_excluded
    for each in comparison.parts_of_time(limit):
        is_setup = is_excluded and each.metric == SETUP
        (others if is_setup or _is_noise(each) else first).append(each)
    return first, others


def _is_noise(cause: Cause) -> bool:
    return cause.is_beyond_noise is False


def _describe_main(cause: Cause, comparison: Comparison) -> str:
    """The share of the first cause in the change of the run time."""
    if not cause.is_decisive:
        return describe_cause(cause, comparison).headline
    place = name_path(cause.call_path) if cause.call_path else "Time outside of call paths"
    amount = with_sign(cause.critical_path_ns, format_time)
    return f"{place} accounts for {amount} on the critical path."


def _as_shown(cause: Cause, comparison: Comparison) -> model.Cause:
    """The call path, its change, and in which metric and on which process it is."""
    found = describe_cause(cause, comparison)
    place = f"in {name_path(cause.call_path)}" if cause.call_path else "in no call path"
    amount = found.headline.partition(f"{place}: ")[2].removesuffix(".")
    return model.Cause(
        call_path=cause.call_path or "no call path",
        source="",
        cost=amount,
        advice=" ".join(nonempty(f"{cause.title}.", found.detail)),
    )


def _bars(comparison: Comparison) -> Iterator[model.Bar]:
    """Parallel efficiency and its parts in B, with those of A."""
    for each in comparison.efficiencies:
        if each.metric in (PARALLEL, *IN_SUMMARY) and each.other_ratio is not None:
            yield model.Bar(
                title=each.title,
                ratio=each.other_ratio,
                before=each.base_ratio,
                level=int(each.metric != PARALLEL),
            )
