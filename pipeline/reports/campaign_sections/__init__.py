"""The sections of a campaign's report; a module is one as in `reports.sections`."""

from tracemill.reports.material import Material
from tracemill.reports.model import Section
from tracemill.reports.sections import build_sections, section_modules


def build_campaign_sections(material: Material) -> tuple[Section, ...]:
    """All sections that a campaign has something for, in order."""
    return build_sections(material, section_modules(__name__, __path__))
