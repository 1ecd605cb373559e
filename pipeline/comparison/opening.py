"""The opening of a comparison's page: the run time, and the changes beyond the noise."""

from collections.abc import Iterator, Sequence
from itertools import islice

from tracemill.comparison.changes import Cause
from tracemill.comparison.comparing import Comparison
from tracemill.comparison.conditions import CheckedCondition
from tracemill.comparison.efficiencies import PARALLEL
from tracemill.comparison.sentences import OUTSIDE, amount_of, describe_cause, describe_run_time
from tracemill.reports import model
from tracemill.reports.sections.efficiencies import IN_SUMMARY
from tracemill.reports.wording import name_path, nonempty

MOST_CAUSES = 3


def opening_of(comparison: Comparison, verdicts: Sequence[CheckedCondition] = ()) -> model.Opening:
    """The verdict, the efficiencies, and the first of the main changes."""
    return model.Opening(
        verdict=" ".join(describe_verdict(comparison, verdicts)),
        bars=tuple(_bars(comparison)),
        causes=tuple(_as_shown(each, comparison) for each in main_changes(comparison, MOST_CAUSES)),
    )


def describe_verdict(
    comparison: Comparison, verdicts: Sequence[CheckedCondition] = ()
) -> tuple[str, ...]:
    """Conditions that fail, the change of the run time, and its main cause if it is no noise."""
    return (
        *(f"Fails: {each.expression}. {each.reason}." for each in verdicts if each.holds),
        describe_run_time(comparison),
        *(_describe_main(each, comparison) for each in _main_cause(comparison)),
    )


def main_changes(comparison: Comparison, limit: int) -> tuple[Cause, ...]:
    """The changes beyond the noise that matter most, each of another call path.

    The main cause of the change of the run time comes first, then other changes of the critical
    path, then the largest changes of time, up or down.
    """
    first, _ = split_parts(comparison, limit)
    main = _main_cause(comparison)
    deciding = comparison.decisive_causes(limit)
    shown: dict[int | str, Cause] = {}
    for each in (*main, *(each for each in deciding if not _is_noise(each)), *first):
        shown.setdefault(each.call_path_key or each.metric, each)
    return tuple(islice(shown.values(), limit))


def _main_cause(comparison: Comparison) -> list[Cause]:
    """The main cause of the change of the run time; none within the noise."""
    if comparison.run_time.is_beyond_noise is False:
        return []
    causes = comparison.causes(limit=2 * MOST_CAUSES)
    return [each for each in causes if not _is_noise(each)][:1]


def split_parts(comparison: Comparison, limit: int) -> tuple[list[Cause], list[Cause]]:
    """The largest changes of time: those beyond noise, or all without noise; and the others.

    What the run time excludes, such as MPI setup, is among the others.
    """
    first: list[Cause] = []
    others: list[Cause] = []
    for each in comparison.parts_of_time(limit):
        is_included = (each.metric, each.call_path_key) in comparison.in_run_time
        (others if _is_noise(each) or not is_included else first).append(each)
    return first[:limit], others[:limit]


def _is_noise(cause: Cause) -> bool:
    return cause.is_beyond_noise is False


def _describe_main(cause: Cause, comparison: Comparison) -> str:
    """The share of the first cause in the change of the run time."""
    if not cause.is_decisive:
        return describe_cause(cause, comparison).headline
    place = name_path(cause.call_path) if cause.call_path else cause.title
    return f"{place} accounts for {amount_of(cause, comparison)}."


def _as_shown(cause: Cause, comparison: Comparison) -> model.Cause:
    """The call path, its change, and in which metric and on which process it is."""
    detail = describe_cause(cause, comparison).detail
    return model.Cause(
        call_path=cause.call_path or OUTSIDE,
        source="",
        cost=amount_of(cause, comparison),
        advice=" ".join(nonempty(f"{cause.title}.", detail)),
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
