"""The sections of a report. Every module of this folder is a section.

A module has `PLACE`, which orders the sections, and `build`, which returns the section of a run,
or None if it would be empty.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Protocol, cast

from tracemill.reports.material import Material
from tracemill.reports.model import Section
from tracemill.schemas.definitions import PROFILE

_OF_RECORDS = frozenset(
    ("communication", "critical_path", "efficiencies", "gains", "iterations", "phases",
     "root_causes", "time_course", "timeline", "wait_states")
)  # fmt: skip
"""Sections that need more than the call tree."""
_LONGEST = frozenset(("timeline", "exploration", "summary"))
"""Sections that take longest are built first. The summary is the very first of its thread: it marks
call paths that were fetched for it."""

LAST_OPEN = 40
"""PLACE of the last section that pages do not fold: the critical path."""


class SectionModule(Protocol):
    """The interface of a section module."""

    PLACE: int
    __name__: str

    def build(self, material: Material) -> Section | None: ...


def build_sections(
    material: Material,
    modules: Sequence[SectionModule] | None = None,
    *,
    beside: Material | None = None,
    last_open: int = LAST_OPEN,
) -> tuple[Section, ...]:
    """All non-empty sections of a run in order; `modules` defaults to those of this folder.

    Those after the place `last_open` are folded. With material `beside` the given one, two are
    built at once.
    """
    chosen = section_modules() if modules is None else modules
    if material.manifest.detail == PROFILE:
        chosen = [each for each in chosen if _name(each) not in _OF_RECORDS]
    made = _build_all(chosen, material, beside)
    return tuple(
        replace(section, is_folded=section.is_folded or last_open < module.PLACE)
        for module, section in zip(chosen, made, strict=True)
        if section
    )


def _build_all(
    modules: Sequence[SectionModule], material: Material, beside: Material | None
) -> list[Section | None]:
    """The sections of the modules; with material `beside`, each of two threads takes the next."""
    made: dict[SectionModule, Section | None] = {}
    waiting = iter(sorted(modules, key=lambda module: _name(module) not in _LONGEST))

    def build_next(given: Material) -> None:
        try:
            for module in waiting:
                made[module] = module.build(given)
        except BaseException:
            list(waiting)  # the other thread ends, too
            raise

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(build_next, beside) if beside else None
        build_next(material)
        if other:
            other.result()
    return [made[module] for module in modules]


def _name(module: SectionModule) -> str:
    return module.__name__.rsplit(".")[-1]


def section_modules(
    package: str = __name__, paths: Iterable[str] = __path__
) -> list[SectionModule]:
    """The modules of a folder, ordered by place."""
    names = [f"{package}.{each.name}" for each in pkgutil.iter_modules(paths)]
    modules = [cast(SectionModule, importlib.import_module(name)) for name in names]
    return sorted(modules, key=lambda module: module.PLACE)
