"""Names of the sides of a comparison."""

from itertools import takewhile

from tracemill.base.names import make_visible, shorten
from tracemill.base.text import join_words
from tracemill.comparison.comparing import Comparison, Side
from tracemill.engine.focusing.run import FocusedRun
from tracemill.reports.units import format_share
from tracemill.reports.wording import count_of

LEAST_COMMON = 3
"""Characters at the start of names that are written once."""


def title_of(comparison: Comparison) -> str:
    """'before → after'; parts of one run as in 'l01: iteration 3 → iteration 30'."""
    sides = (comparison.base, comparison.other)
    (base, base_part), (other, other_part) = names = [(_name(each), _part(each)) for each in sides]
    if base == other and base_part != other_part and base_part and other_part:
        texts = [f"{base}: {base_part}", other_part]
    else:
        texts = [", ".join(filter(None, each)) for each in names]
        if texts[0] == texts[1] and sides[0].run_ids != sides[1].run_ids:
            texts = [
                f"{text} ({', '.join(side.run_ids)})"
                for text, side in zip(texts, sides, strict=True)
            ]
    return " → ".join(shorten(make_visible(each)) for each in texts)


def describe_sides(comparison: Comparison) -> str:
    """The numbers of processes, and the run ids, of both sides."""
    sides = (("A", comparison.base), ("B", comparison.other))
    return make_visible(" ".join(f"{name}: {_describe(side)}." for name, side in sides))


def _name(side: Side) -> str:
    """The labels of whole runs; those that differ in few characters as 'cg_r{1,2,3}'."""
    labels = list(
        dict.fromkeys(
            run.whole_label if isinstance(run, FocusedRun) else run.label for run in side.runs
        )
    )
    common = takewhile(lambda each: len(set(each)) == 1, zip(*labels, strict=False))
    start = "".join(first for first, *_ in common).rstrip("0123456789")
    if len(labels) == 1 or len(start) < LEAST_COMMON:
        return ", ".join(labels)
    return f"{start}{{{','.join(label.removeprefix(start) for label in labels)}}}"


def _part(side: Side) -> str:
    """The focus of the runs, without its share; empty for whole runs."""
    return ", ".join(
        dict.fromkeys(run.focus.title for run in side.runs if isinstance(run, FocusedRun))
    )


def _describe(side: Side) -> str:
    processes = join_words([count_of(each, "process", "processes") for each in side.processes])
    shares = dict.fromkeys(
        format_share(run.focus.share) for run in side.runs if isinstance(run, FocusedRun)
    )
    part = f"{join_words([*shares])} of the main part, " if shares else ""
    runs = "run" if len(side.runs) == 1 else "runs"
    return f"{part}{processes}, {runs} {join_words(side.run_ids)}"
