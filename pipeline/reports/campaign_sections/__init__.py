"""The sections of a campaign's report; a module is one as in `reports.sections`."""

from pipeline.reports.material import Material
from pipeline.reports.model import Section
from pipeline.reports.sections import build_sections, section_modules


def build_campaign_sections(material: Material) -> tuple[Section, ...]:
    """All sections that a campaign has something for, in order."""
    return build_sections(material, section_modules(__name__, __path__))
