"""Find the store and the run that a command names; errors list similar names."""

from collections.abc import Iterable
from pathlib import Path

from tracemill.base.errors import MissingInputError, StoreError
from tracemill.base.near import did_you_mean, near_matches
from tracemill.store.runs import Run, Store


def existing_store(path: Path) -> Store:
    """A store that exists. Raises MissingInputError or, for a file, StoreError."""
    try:
        is_there, is_folder = path.exists(), path.is_dir()
    except OSError as error:
        raise StoreError(f"the store cannot be read: {path}: {error.strerror}") from error
    if not is_there:
        raise MissingInputError(f"no store: {path}: analyze a trace first or name it with --store")
    if not is_folder:
        raise StoreError(f"not a store but a file: {path}: name a folder with --store")
    return Store(path)


def open_run(path: Path, name: str | None) -> Run:
    """The run called `name`, or whose label starts with it uniquely.

    Raises MissingInputError with similar names.
    """
    store = existing_store(path)
    runs = store.runs(is_measured=name is None)
    if name is None and not runs:
        raise MissingInputError(f"no runs: {path}: analyze a trace first")
    try:
        return store.open(name)
    except MissingInputError as error:
        known = {run.label: run.run_id for run in runs}
        starting = [run for run in runs if name and run.label.startswith(name)]
        starting = [run for run in starting if run.source.is_measured] or starting
        is_ambiguous = name in known or any(run.run_id.startswith(name or "") for run in runs)
        if len(starting) == 1 and not is_ambiguous:
            return starting[0]
        if not is_ambiguous and (advice := _advice(path, name or "", known)):
            raise MissingInputError(f"no run {name}: {path}: {advice}") from error
        raise


def _advice(store: Path, name: str, known: Iterable[str]) -> str:
    """How to name a run instead, or to make it of an existing path; empty if there is no way."""
    if name and Path(name).exists():
        return f"not analyzed yet; run tracemill analyze {name} --store {store} first"
    return did_you_mean(near_matches(name, known, most=1))
