"""The sections of a report, a module each, which is found by being here.

A module has `PLACE`, by which sections are ordered, and `build`, which makes the section of a
run, or None where there is nothing to tell.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Sequence
from typing import Protocol, cast

from tracemill.reports.material import Material
from tracemill.reports.model import Section


class SectionModule(Protocol):
    """What a module of this folder has."""

    PLACE: int

    def build(self, material: Material) -> Section | None: ...


def build_sections(
    material: Material, modules: Sequence[SectionModule] | None = None
) -> tuple[Section, ...]:
    """All sections that a run has something for, in order; `modules` are those of this folder."""
    chosen = section_modules() if modules is None else modules
    made = (module.build(material) for module in chosen)
    return tuple(section for section in made if section is not None)


def section_modules(
    package: str = __name__, paths: Iterable[str] = __path__
) -> list[SectionModule]:
    """The modules of a folder by their place."""
    names = [f"{package}.{each.name}" for each in pkgutil.iter_modules(paths)]
    modules = [cast(SectionModule, importlib.import_module(name)) for name in names]
    return sorted(modules, key=lambda module: module.PLACE)
