"""Single pictures of a campaign, for notebooks."""

from tracemill.base.errors import MissingInputError, UsageError
from tracemill.reports.build import ReportedRun
from tracemill.reports.campaign_sections import efficiency, summary
from tracemill.reports.pictures.drawing import standing_alone
from tracemill.reports.plots import Plot, use_material

_NAMED = {"efficiency": "grid-", "surface": "surface-", "speed-up": "scaling-"}


def plot_campaign(campaign: ReportedRun, what: str, application: str | None = None) -> Plot:
    """A picture of an application; of the first one without a name.

    Raises UsageError, MissingInputError or MissingLibraryError.
    """
    if what not in _NAMED:
        raise UsageError(f"no plot {what}: plots are {', '.join(_NAMED)}")
    section = use_material(campaign, efficiency.build, summary.OVERVIEW)
    begin = _NAMED[what]
    pictures = {
        each.name.removeprefix(begin): each
        for each in (section.pictures if section else ())
        if each.name.startswith(begin)
    }
    chosen = pictures.get(application) if application else next(iter(pictures.values()), None)
    if chosen is None:
        has = f"there are those of {', '.join(pictures)}" if pictures else "the campaign has none"
        raise MissingInputError(f"no plot {what} of {application or 'any application'}: {has}")
    return Plot(what, standing_alone(chosen.svg))
