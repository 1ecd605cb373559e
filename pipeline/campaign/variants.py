"""Variants: runs that differ in parameters besides processes, threads, size and repetition."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from tracemill.base.text import join_words
from tracemill.campaign.configurations import RunRecord
from tracemill.campaign.description import Variants

_MOST_LISTED = 5


def separate_variants(
    runs: Sequence[RunRecord], variants: Variants, note: Callable[[str], None]
) -> list[RunRecord]:
    """The runs; if `variants` is "apart", each variant gets an application name of its own."""
    separated: list[RunRecord] = []
    for application in sorted({run.application for run in runs}):
        own = [run for run in runs if run.application == application]
        varying = _varying(own)
        differ = f"{application}: runs differ in {join_words(varying)}"
        if varying and variants == "apart":
            own = [replace(run, application=_name(run, varying)) for run in own]
            programs = sorted({run.application for run in own})
            more = ["…"] if len(programs) > _MOST_LISTED else []
            note(
                f"{differ}: each value is a program of its own: "
                f"{', '.join(programs[:_MOST_LISTED] + more)} (see --variants and --size)"
            )
        elif varying:
            note(f"{differ}: the best of each configuration counts in the grid and in models")
        separated += own
    return separated


def _varying(runs: Sequence[RunRecord]) -> list[str]:
    """Parameters with several values, or given for some runs only."""
    names = sorted({name for run in runs for name in run.parameters})
    return [name for name in names if len({run.parameters.get(name) for run in runs}) > 1]


def _name(run: RunRecord, varying: Sequence[str]) -> str:
    values = [f"{name}={run.parameters[name]}" for name in varying if name in run.parameters]
    return " ".join([run.application, *values])
