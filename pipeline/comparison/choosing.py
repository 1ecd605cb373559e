"""Finds the runs of a side of a comparison."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from tracemill.base.errors import MissingInputError, UsageError
from tracemill.engine.focusing.options import EVERYTHING, FocusOptions, check_parts, split_name
from tracemill.engine.focusing.run import focused
from tracemill.store.finding import existing_store, open_run
from tracemill.store.runs import Run


@contextmanager
def chosen_side(
    store: Path, name: str, focus: FocusOptions = EVERYTHING
) -> Iterator[tuple[Run, ...]]:
    """The runs of a name, in a focus and in that behind the name, as in l01@iteration=3."""
    name, own = split_name(name)
    chosen = replace(focus, **own.given)
    with ExitStack() as stack:
        runs = choose_runs(store, name)
        yield tuple(stack.enter_context(focused(run, chosen)) for run in runs)


def choose_runs(store: Path, name: str) -> tuple[Run, ...]:
    """The run with a name, all runs with a label, or the runs of several names joined by commas."""
    try:
        return (open_run(store, name),)
    except MissingInputError:
        labeled = tuple(
            run for run in existing_store(store).runs(is_measured=False) if run.label == name
        )
        names = [part.strip() for part in name.split(",") if part.strip()]
        if labeled:
            return tuple(sorted(labeled, key=lambda run: run.run_id))
        if len(names) < 2:
            check_parts(name)
            raise
    return tuple(run for part in names for run in choose_runs(store, part))


def check_repetitions(*sides: Sequence[Run]) -> None:
    """Raise UsageError if a side is empty or has a run twice."""
    for side in sides:
        if not side:
            raise UsageError("nothing to compare: give a run for each side")
        ids = [run.run_id for run in side]
        twice = next((run_id for run_id in ids if ids.count(run_id) > 1), None)
        if twice:
            raise UsageError(f"run {twice} is given twice: name each repetition once")
