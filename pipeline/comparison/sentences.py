"""Sentences about changes."""

from tracemill.base.text import join_words
from tracemill.comparison.causes import CRITICAL_PATH
from tracemill.comparison.changes import Cause, Change, EfficiencyChange
from tracemill.comparison.comparing import Comparison
from tracemill.comparison.efficiencies import PARALLEL
from tracemill.comparison.subtrees import HOLDING
from tracemill.reports.model import Finding
from tracemill.reports.sections.efficiencies import IN_SUMMARY, name_inside
from tracemill.reports.units import (
    LARGE_CHANGE,
    Unit,
    format_count,
    format_share_change,
    format_size,
    format_time,
    format_value,
    with_sign,
)
from tracemill.reports.wording import name_path, nonempty, share_of, time_of

# A change is uneven if a process has this multiple of the mean.
UNEVEN = 1.25
OUTSIDE = "outside of regions"
"""In place of a call path: time in which locations are in no region."""


def describe_run_time(comparison: Comparison) -> str:
    """The change of the run time, and whether it is beyond the noise."""
    change = comparison.run_time
    if comparison.base.run_ids == comparison.other.run_ids:
        return f"A and B are the same: {time_of(change.base_value)}."
    if not change.change_value:
        return f"B takes as long as A: {time_of(change.base_value)}."
    text = (
        f"B takes {_compare_times(change)} A: {time_of(change.base_value)} → "
        f"{time_of(change.other_value)} ({signed(change, change.change_value)})"
    )
    return f"{text}{_describe_noise(change, comparison)}"


def describe_efficiency(comparison: Comparison) -> str:
    """Parallel efficiency and its parts on both sides; empty if no run computes."""
    found = {each.metric: each for each in comparison.efficiencies}
    whole = found.get(PARALLEL)
    if whole is None:
        return ""
    parts = [
        f"{name_inside(found[name].title)} {_both(found[name])}"
        for name in IN_SUMMARY
        if name in found
    ]
    return f"{whole.title} {_both(whole)}: {join_words(parts)}."


def _both(change: EfficiencyChange) -> str:
    base, other = (
        format_value(value, Unit.SHARE) for value in (change.base_ratio, change.other_ratio)
    )
    return f"{base} → {other}"


def _compare_times(change: Change) -> str:
    """'12.3% longer than', '12.3% less time than' or '22.6 times as long as', before the base."""
    word = "longer" if change.change_value > 0 else "less time"
    if not change.base_value:
        return f"{word} than"
    if change.change_ratio >= LARGE_CHANGE:
        return f"{change.change_ratio + 1:,.3g} times as long as"
    return f"{share_of(abs(change.change_ratio))} {word} than"


def _describe_noise(change: Change, comparison: Comparison) -> str:
    if change.noise_value is None:
        return ". Without repetitions, the noise is unknown."
    noise = f"±{time_of(change.noise_value)}"
    single = [name for name, side in (("A", comparison.base), ("B", comparison.other))
              if len(side.runs) == 1]  # fmt: skip
    taken = f" (the single run of {single[0]} taken to vary like the others)" if single else ""
    if change.is_beyond_noise:
        return f", beyond the noise of {noise}{taken}."
    return f", within the noise of {noise}{taken}."


def describe_time(comparison: Comparison) -> str:
    """The change of the time of all locations; empty without change."""
    change = comparison.of_metric("time")
    if not change.change_value:
        return ""
    amount = format_time(abs(change.change_value))
    how = "more" if change.change_value > 0 else "less"
    setup = ", MPI setup included" if comparison.base.is_setup_excluded else ""
    ratio = format_share_change(change.change_ratio)
    return f"All locations together spend {amount} {how} in region visits{setup} ({ratio})."


def describe_subtree(comparison: Comparison) -> str:
    """The subtree where the critical path changed; empty if a single call path explains it."""
    found = comparison.holding_subtree
    total = comparison.of_metric(CRITICAL_PATH).change_value
    if found is None or abs(found.exclusive_value) >= HOLDING * abs(total):
        return ""
    part, whole = (with_sign(value, format_time) for value in (found.inclusive_value, total))
    return (
        f"The critical path changes by {whole}: {part} in {name_path(found.call_path)} and its "
        "callees."
    )


def describe_cause(cause: Cause, comparison: Comparison) -> Finding:
    """A cause: metric, call path, change and process."""
    place = f" in {name_path(cause.call_path)}" if cause.call_path else ""
    detail = nonempty(
        f"All processes together: {_total_of(cause)}." if cause.is_decisive else "",
        _describe_rank(cause, comparison),
        "Within the noise." if cause.is_beyond_noise is False else "",
    )
    headline = f"{cause.title}{place}: {amount_of(cause, comparison)}."
    return Finding(headline, " ".join(detail), cause.metric)


def amount_of(cause: Cause, comparison: Comparison) -> str:
    """The change of a cause: on the critical path if it is decisive, else of all processes."""
    if cause.is_decisive:
        return f"{with_sign(cause.critical_path_ns, format_time)} on the critical path"
    several = max(*comparison.base.processes, *comparison.other.processes) > 1
    return f"{_total_of(cause)}{' over all processes' if several else ''}"


def _total_of(cause: Cause) -> str:
    return f"{signed(cause, cause.change_value)} ({format_share_change(cause.change_ratio)})"


def _describe_rank(cause: Cause, comparison: Comparison) -> str:
    """The process with the largest change; empty with one process or different numbers of them."""
    most = max(*comparison.base.processes, *comparison.other.processes)
    if cause.rank is None or most < 2 or comparison.is_resized:
        return ""
    mean = cause.change_value / most
    amount = signed(cause, cause.rank_change_value)
    if cause.rank_change_value * mean > 0 and abs(cause.rank_change_value) < UNEVEN * abs(mean):
        return f"About the same on every rank, most on rank {cause.rank}: {amount}."
    if abs(cause.rank_change_value) >= abs(cause.change_value) and cause.change_value:
        return f"Rank {cause.rank}: {amount}."
    return f"Most on rank {cause.rank}: {amount}."


def _points(ratio: float) -> str:
    return f"{100 * ratio:.3g} points"


def signed(change: Change, value: float) -> str:
    """A value of the change's metric with its sign."""
    formats = {"ns": format_time, "bytes": format_size, "ratio": _points}
    return with_sign(value, formats.get(change.unit, format_count))
