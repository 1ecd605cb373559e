"""The sections of a report, a module each, which is found by being here.

A module has `PLACE`, by which sections are ordered, and `build`, which makes the section of a
run, or None where there is nothing to tell.
"""

import importlib
import pkgutil
from typing import Protocol, cast

from pipeline.reports.material import Material
from pipeline.reports.model import Section


class SectionModule(Protocol):
    """What a module of this folder has."""

    PLACE: int

    def build(self, material: Material) -> Section | None: ...


def build_sections(material: Material) -> tuple[Section, ...]:
    """All sections that a run has something for, in order."""
    made = (module.build(material) for module in section_modules())
    return tuple(section for section in made if section is not None)


def section_modules() -> list[SectionModule]:
    """The modules of this folder by their place."""
    names = [f"{__name__}.{each.name}" for each in pkgutil.iter_modules(__path__)]
    modules = [cast(SectionModule, importlib.import_module(name)) for name in names]
    return sorted(modules, key=lambda module: module.PLACE)
