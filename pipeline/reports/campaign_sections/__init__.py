"""The sections of a campaign's report. Every module of this folder is a section."""

from dataclasses import replace

from tracemill.reports.campaign_sections import critical_path
from tracemill.reports.material import Material
from tracemill.reports.model import Section
from tracemill.reports.sections import build_sections, section_modules
from tracemill.reports.wording import unprefixed


def build_campaign_sections(material: Material) -> tuple[Section, ...]:
    """All non-empty sections of a campaign, in order."""
    modules = section_modules(__name__, __path__)
    sections = build_sections(material, modules, last_open=critical_path.PLACE)
    return tuple(without_prefixes(material, section) for section in sections)


def without_prefixes(material: Material, section: Section) -> Section:
    """The section without names of the application before sentences if there is only one."""
    tables = (
        replace(table, claim="".join(unprefixed(material.overview, (table.claim,))))
        for table in section.tables
    )
    return replace(
        section, sentences=unprefixed(material.overview, section.sentences), tables=tuple(tables)
    )
