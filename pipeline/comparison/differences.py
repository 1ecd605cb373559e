"""Other differences between the sides that affect the comparison, in sentences."""

from collections.abc import Iterator, Set
from typing import Any

import polars as pl

from tracemill.base.text import join_words
from tracemill.comparison.comparing import Comparison
from tracemill.reports.wording import name_path, nonempty, share_of
from tracemill.store.runs import Run

SITES_JOINED = "Some runs lack call sites: calls of a region by one caller are not distinguished."


def describe(comparison: Comparison) -> tuple[str, ...]:
    """A sentence for each difference: runs, sizes, damage, options, call paths."""
    return nonempty(
        _describe_same_runs(comparison),
        _describe_sizes(comparison),
        *_describe_damage(comparison),
        _describe_making(comparison),
        SITES_JOINED if comparison.are_sites_joined else "",
        *_describe_call_paths(comparison),
    )


def _describe_same_runs(comparison: Comparison) -> str:
    if comparison.base.run_ids == comparison.other.run_ids:
        return ""
    both = [each for each in comparison.base.run_ids if each in comparison.other.run_ids]
    return f"{join_words(both)} {'is' if len(both) == 1 else 'are'} on both sides." if both else ""


def _describe_sizes(comparison: Comparison) -> str:
    """Different numbers of processes or threads."""
    base, other = comparison.base, comparison.other
    sentences = []
    if comparison.is_resized:
        sentences.append(
            f"A has {_processes(base.processes)}, B {_numbers(other.processes)}: "
            "times are sums over all processes, and only their change on the critical path changes "
            "the run time."
        )
    if base.threads != other.threads:
        threads = "thread" if base.threads == (1,) else "threads"
        sentences.append(
            f"A has {_numbers(base.threads)} {threads} per process, B {_numbers(other.threads)}."
        )
    return " ".join(sentences)


def _processes(numbers: tuple[int, ...]) -> str:
    return f"{_numbers(numbers)} {'process' if numbers == (1,) else 'processes'}"


def _numbers(numbers: tuple[int, ...]) -> str:
    return join_words([f"{number:,}" for number in numbers])


def _describe_damage(comparison: Comparison) -> Iterator[str]:
    """Traces that lost data."""
    for name, side in (("A", comparison.base), ("B", comparison.other)):
        if side.incomplete:
            lost = join_words(side.incomplete)
            yield f"Incomplete in {name}: {lost}; its values hold only what was readable."


def _describe_making(comparison: Comparison) -> str:
    """Whether all runs were analyzed alike.

    The clocks of replayed runs are never corrected, so that this is no difference.
    """
    runs = (*comparison.base.runs, *comparison.other.runs)
    parts = []
    if len({tuple(sorted(run.manifest.versions.items())) for run in runs}) > 1:
        parts.append("versions")
    ignored = set() if all(run.source.is_measured for run in runs) else {"clock_correction"}
    if len({str(sorted(_parameters_of(run, ignored))) for run in runs}) > 1:
        parts.append("options, such as classes of overhead")
    if not parts:
        return ""
    return f"The runs were analyzed with different {join_words(parts)}: analyze them with the same."


def _parameters_of(run: Run, ignored: Set[str]) -> Iterator[tuple[str, Any]]:
    for name, value in run.manifest.options.get("parameters", {}).items():
        if name not in ignored:
            yield name, value


def _describe_call_paths(comparison: Comparison) -> Iterator[str]:
    """The share of time in call paths that only one side has."""
    rows = comparison.rows.filter(
        (pl.col("metric") == "time") & pl.col("call_path_key").is_not_null()
    )
    if not rows.height:
        return
    if not (rows["is_in_base"] & rows["is_in_other"]).any():
        yield "A and B have no call path in common: are they runs of the same program?"
        return
    for name, own, lacking in (("A", "base", "other"), ("B", "other", "base")):
        alone = rows.filter(~pl.col(f"is_in_{lacking}"))
        if alone.height:
            total = float(rows[f"{own}_value"].sum())
            part = float(alone[f"{own}_value"].sum()) / total if total else 0.0
            paths = f"{alone.height:,} call path{'s' if alone.height > 1 else ''}"
            worst = name_path(str(alone["call_path"][0]))
            yield f"Only {name} has {paths} with {share_of(part)} of its time, first {worst}."
