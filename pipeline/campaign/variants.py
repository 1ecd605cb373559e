"""Variants: runs that differ in parameters besides processes, threads, size and repetition."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby

from tracemill.base.text import join_words
from tracemill.campaign.configurations import RunRecord
from tracemill.campaign.description import Variants

_MOST_LISTED = 5


def separate_variants(
    runs: Sequence[RunRecord], variants: Variants, note: Callable[[str], None]
) -> list[RunRecord]:
    """The runs; if `variants` is "apart", each variant gets an application name of its own."""
    named: list[RunRecord] = []
    for application, group in groupby(
        sorted(runs, key=lambda run: run.application), key=lambda run: run.application
    ):
        own = list(group)
        varying = _varying(own)
        if varying and variants == "apart":
            apart = [replace(run, application=_name(run, varying)) for run in own]
            programs = sorted({run.application for run in apart})
            more = ["…"] if len(programs) > _MOST_LISTED else []
            note(
                f"{application}: runs differ in {join_words(varying)}: each value is a program of "
                f"its own: {', '.join(programs[:_MOST_LISTED] + more)} (see --variants and --size)"
            )
            own = apart
        elif varying:
            note(
                f"{application}: runs differ in {join_words(varying)}: the best of each "
                "configuration counts in the grid and in models"
            )
        named += own
    return named


def _varying(runs: Sequence[RunRecord]) -> list[str]:
    """Parameters with several values, or given for some runs only."""
    names = sorted({name for run in runs for name in run.parameters})
    return [name for name in names if len({run.parameters.get(name) for run in runs}) > 1]


def _name(run: RunRecord, varying: Sequence[str]) -> str:
    values = [f"{name}={run.parameters[name]}" for name in varying if name in run.parameters]
    return " ".join([run.application, *values])
