"""Summary: the most important facts of the campaign."""

from tracemill.reports import scaling
from tracemill.reports.campaign_sections import (
    call_sites,
    causes,
    efficiency,
    growth,
    runs,
    surface,
)
from tracemill.reports.material import Material
from tracemill.reports.model import Fact, Section
from tracemill.reports.tables import read_source
from tracemill.reports.units import Unit
from tracemill.reports.wording import Row, count_of, nonempty, time_of

PLACE = 10
OVERVIEW = "campaign_overview"


def build(material: Material) -> Section:
    """The campaign in a few sentences."""
    overview = material.overview
    return Section(
        key="summary",
        title="Summary",
        facts=_facts(overview),
        sentences=nonempty(
            describe_times(overview),
            describe_failures(overview),
            scaling.describe_scalings(material.rows(scaling.QUERY)),
            *runs.describe_names(material.table(runs.NAMES).as_dicts()),
            *runs.describe_varying(material.table(runs.VARYING).as_dicts()),
            *efficiency.describe_marks(material.table(efficiency.MARKS).as_dicts()),
            *causes.describe_material(material),
            *surface.describe_choice(material.table(surface.FITS).as_dicts()),
            *call_sites.describe_worst(material.rows(call_sites.WORST)),
            *growth.describe_growth(material.table(growth.CALL_PATHS).as_dicts()),
        ),
        sources=(
            read_source(OVERVIEW),
            read_source(scaling.QUERY),
            read_source(runs.NAMES.query, runs.NAMES.row_limit),
            read_source(runs.VARYING.query, runs.VARYING.row_limit),
            read_source(efficiency.MARKS.query, efficiency.MARKS.row_limit),
            read_source(causes.GROWING.query, causes.GROWING.row_limit),
            read_source(causes.WAITING.query, causes.WAITING.row_limit),
            read_source(surface.FITS.query),
            read_source(call_sites.WORST),
            read_source(growth.CALL_PATHS.query, growth.CALL_PATHS.row_limit),
        ),
    )


def _facts(overview: Row) -> tuple[Fact, ...]:
    return (
        Fact("runs", overview["measured_count"], Unit.COUNT),
        Fact("configurations", overview["configuration_count"], Unit.COUNT),
        Fact("most processes", overview["max_processes"], Unit.COUNT),
        Fact("shortest run", overview["shortest_ns"], Unit.TIME),
        Fact("longest run", overview["longest_ns"], Unit.TIME),
    )


def describe_size(overview: Row) -> str:
    """The campaign in one sentence: runs, programs and ranges."""
    measured = count_of(overview["measured_count"], "run")
    programs = (
        str(overview["applications"])
        if overview["application_count"] == 1
        else f"{overview['application_count']} programs"
    )
    processes = _range(overview["min_processes"], overview["max_processes"])
    sizes = ""
    if overview["size_count"] != 1:
        sizes = f", {overview['size_names']} = {_range(overview['min_size'], overview['max_size'])}"
    return f"{measured} of {programs} with {processes} processes{sizes}."


def describe_times(overview: Row) -> str:
    """The range of run times, and the measured part."""
    if overview["shortest_ns"] is None:
        return "No times are available."
    return (
        f"Runs take {time_of(overview['shortest_ns'])} to {time_of(overview['longest_ns'])} "
        f"({overview['timed_parts']})."
    )


def describe_failures(overview: Row) -> str:
    """The number and configurations of failed runs; else nothing."""
    failed = int(overview["run_count"] or 0) - int(overview["measured_count"] or 0)
    if not failed:
        return ""
    processes = _range(overview["failed_min_processes"], overview["failed_max_processes"])
    sizes = _range(overview["failed_min_size"], overview["failed_max_size"])
    return (
        f"{count_of(failed, 'run')} failed, with {processes} processes and "
        f"{overview['size_names']} = {sizes}; see Runs."
    )


def _range(low: object, high: object) -> str:
    first, last = f"{low:g}", f"{high:g}"
    return first if first == last else f"{first} to {last}"
