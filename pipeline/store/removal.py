"""Removal of runs and generations: first out of sight by renames, then from the disk."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from pipeline.store.failures import told_as_store_error
from pipeline.store.holdings import Generation, Holding, key_at
from pipeline.store.pruning import Decision
from pipeline.store.sweep import is_being_written, remove, temporary_name


def carry_out(decisions: Iterable[Decision]) -> list[Decision]:
    """Remove what was decided to go, and return what went.

    Somebody may write into a run since that was decided; then it stays. All is out of sight
    before the first bytes are removed: a removal that is killed leaves what the next sweep
    removes. Raises StoreError if the store cannot be written.
    """
    done, hidden = [], []
    for each in decisions:
        if not each.is_removed:
            continue
        with told_as_store_error(each.holding.folder):
            if each.generation is None:
                paths = _hide_run(each.holding)
            else:
                paths = _hide_generation(each.holding, each.generation)
        if paths:
            done.append(each)
            hidden += paths
    for path in hidden:
        remove(path)
    for folder in {each.holding.folder for each in done if each.generation is None}:
        with suppress(OSError):  # a new analysis of it began
            folder.rmdir()
    return done


def _hide_generation(holding: Holding, generation: Generation) -> list[Path]:
    """Take an earlier generation out of sight, unless it was made current again."""
    if key_at(holding.pointer) == generation.key:
        return []
    hidden = _hide(generation.path)
    if hidden and key_at(holding.pointer) == generation.key:
        hidden[0].rename(generation.path)
        return []
    return hidden


def _hide_run(run: Holding) -> list[Path]:
    """Take a run out of sight: its pointer first, by which readers find it, then all else.

    Its folder stays until it is empty, as others may write into it.
    """
    if is_being_written(run.folder):
        return []
    hidden = _hide(run.pointer)
    for path in hidden:
        # In this very moment somebody may have published, or begun with what is there.
        if key_at(path) != run.current or is_being_written(run.folder):
            _give_back(path, run.pointer)
            return []
    for generation in run.generations:
        hidden += _hide(generation.path)
    return hidden + _hide(run.report)


def _hide(path: Path) -> list[Path]:
    """Give a file or folder a temporary name; the names that this gave, none if it is gone."""
    aside = path.with_name(temporary_name("prune"))
    try:
        path.rename(aside)
    except FileNotFoundError:
        return []
    return [aside]


def _give_back(hidden: Path, path: Path) -> None:
    with suppress(FileExistsError):  # what was published meanwhile stays
        os.link(hidden, path)
    hidden.unlink()
