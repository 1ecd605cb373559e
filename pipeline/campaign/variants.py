"""Runs that differ in parameters besides processes, threads, size and repetition."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby

from tracemill.base.text import join_words
from tracemill.campaign.configurations import RunRecord
from tracemill.campaign.description import Variants

_MOST_TOLD = 5


def keep_apart(
    runs: Sequence[RunRecord], variants: Variants, tell: Callable[[str], None]
) -> list[RunRecord]:
    """The runs, with a program of its own for every variant where these are to be kept apart."""
    named: list[RunRecord] = []
    for application, group in groupby(
        sorted(runs, key=lambda run: run.application), key=lambda run: run.application
    ):
        own = list(group)
        varying = _varying(own)
        if varying and variants == "apart":
            apart = [replace(run, application=_name(run, varying)) for run in own]
            programs = sorted({run.application for run in apart})
            more = ["…"] if len(programs) > _MOST_TOLD else []
            tell(
                f"{application}: runs differ in {join_words(varying)}: each value is a program of "
                f"its own: {', '.join(programs[:_MOST_TOLD] + more)} (see --variants and --size)"
            )
            own = apart
        elif varying:
            tell(
                f"{application}: runs differ in {join_words(varying)}: the best of each "
                "configuration counts in the grid and in models"
            )
        named += own
    return named


def _varying(runs: Sequence[RunRecord]) -> list[str]:
    """Parameters that have several values, or are told of some runs only."""
    names = sorted({name for run in runs for name in run.parameters})
    return [name for name in names if len({run.parameters.get(name) for run in runs}) > 1]


def _name(run: RunRecord, varying: Sequence[str]) -> str:
    told = [f"{name}={run.parameters[name]}" for name in varying if name in run.parameters]
    return " ".join([run.application, *told])
