"""Removal of runs and generations: first out of sight by renames, then from the disk."""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tracemill.base.temporary import temporary_name
from tracemill.store.failures import store_errors
from tracemill.store.holdings import Generation, Holding, key_at
from tracemill.store.pruning import PruningDecision, Uses
from tracemill.store.sweep import is_being_written, remove


@dataclass(frozen=True)
class _Hidden:
    """A file or folder of a run, and the temporary name that it was given."""

    place: Path
    aside: Path


_Removal = tuple[PruningDecision, list[_Hidden]]


def carry_out(
    decisions: Iterable[PruningDecision], find_uses: Callable[[], Uses]
) -> list[PruningDecision]:
    """Remove what was decided, and return what is gone.

    A run stays if somebody has changed it or used it in a campaign since then. Everything is hidden
    first, then uses are checked again, then bytes are removed: the next sweep finishes a killed
    removal. Raises StoreError if the store cannot be written.
    """
    hidden: list[_Removal] = []
    for each in decisions:
        if not each.is_removed:
            continue
        with store_errors(each.holding.folder):
            if each.generation is None:
                paths = _hide_run(each.holding)
            else:
                paths = _hide_generation(each.holding, each.generation)
        if paths:
            hidden.append((each, paths))
    done = _without_used(hidden, find_uses()) if hidden else []
    for _, paths in done:
        for path in paths:
            remove(path.aside)
    for folder in {each.holding.folder for each, _ in done if each.generation is None}:
        with suppress(OSError):  # a new analysis of it began
            folder.rmdir()
    return [each for each, _ in done]


def _without_used(hidden: Iterable[_Removal], uses: Uses) -> list[_Removal]:
    """Bring back what campaigns use, and return the rest."""
    done: list[_Removal] = []
    for each, paths in hidden:
        generations = [each.generation] if each.generation else each.holding.generations
        if not uses.of(each.holding, generations):
            done.append((each, paths))
            continue
        with store_errors(each.holding.folder):
            for path in reversed(paths):  # the pointer last, by which readers find all else
                _give_back(path)
    return done


def _hide_generation(holding: Holding, generation: Generation) -> list[_Hidden]:
    """Take an earlier generation out of sight, unless it was made current again."""
    if key_at(holding.pointer) == generation.key:
        return []
    hidden = _hide(generation.path)
    if hidden and key_at(holding.pointer) == generation.key:
        _give_back(hidden[0])
        return []
    return hidden


def _hide_run(run: Holding) -> list[_Hidden]:
    """Hide a run: first its pointer, then the rest; its folder stays until it is empty."""
    if is_being_written(run.folder):
        return []
    hidden = _hide(run.pointer)
    for path in hidden:
        # In this very moment somebody may have published, or begun with what is there.
        if key_at(path.aside) != run.current or is_being_written(run.folder):
            _give_back(path)
            return []
    for generation in run.generations:
        hidden += _hide(generation.path)
    return hidden + _hide(run.report)


def _hide(path: Path) -> list[_Hidden]:
    """Give a file or folder a temporary name; none if it is gone."""
    aside = path.with_name(temporary_name("prune"))
    try:
        path.rename(aside)
    except FileNotFoundError:
        return []
    return [_Hidden(path, aside)]


def _give_back(hidden: _Hidden) -> None:
    """Give a file or folder its name again; what was published meanwhile stays."""
    if hidden.aside.is_dir():
        if not hidden.place.exists():
            hidden.aside.rename(hidden.place)
        return  # else the next sweep removes it
    with suppress(FileExistsError):
        os.link(hidden.aside, hidden.place)
    hidden.aside.unlink()
