"""Summary: sentences on scaling, critical path and waiting, then facts of the campaign."""

from collections.abc import Collection, Iterator, Sequence

from tracemill.reports import scaling
from tracemill.reports.campaign_sections import (
    call_sites,
    causes,
    critical_path,
    efficiencies,
    efficiency,
    growth,
    overheads,
    runs,
    surface,
)
from tracemill.reports.material import Material
from tracemill.reports.model import Fact, Section
from tracemill.reports.tables import read_source
from tracemill.reports.units import Unit, Value
from tracemill.reports.wording import Row, count_of, nonempty, size_of, time_of, unprefixed

PLACE = 10
OVERVIEW = "campaign_overview"


def build(material: Material) -> Section:
    """Sentences on scaling, critical path and waiting, then facts of the campaign."""
    overview = material.overview
    findings = (*critical_path.find_changes(material), *causes.find_causes(material))
    scaling_of_efficiencies = efficiencies.describe_scaling(material.rows(efficiencies.QUERY))
    answers = unprefixed(
        overview, (*scaling_of_efficiencies, *critical_path.describe_path(material))
    )
    rest = unprefixed(overview, nonempty(*_describe_rest(material)))
    return Section(
        key="summary",
        title="Summary",
        facts=_facts(overview),
        # Without findings, what is known comes before what is not.
        sentences=answers if findings else (*rest, *answers),
        findings=findings,
        remarks=rest if findings else (),
        sources=(
            read_source(OVERVIEW),
            *(read_source(spec.query, spec.row_limit) for spec in _SPECS),
            *(
                read_source(name)
                for name in (
                    efficiencies.QUERY,
                    critical_path.KNOWLEDGE,
                    overheads.LARGEST,
                    scaling.QUERY,
                )
            ),
            read_source(call_sites.WORST),
        ),
    )


_SPECS = (
    critical_path.CHANGES, critical_path.BY_CONFIGURATION, causes.GROWING, causes.WAITING,
    causes.LOSSES, efficiency.MARKS, surface.FITS, runs.NAMES, runs.VARYING, growth.CALL_PATHS,
)  # fmt: skip


def _describe_rest(material: Material) -> Iterator[str]:
    """Times, efficiency and models; which runs there are; growth where no path is known."""
    overview = material.overview
    unknown = {
        row["application"]
        for row in material.rows(critical_path.KNOWLEDGE)
        if not row["process_number_count"]
    }
    yield describe_times(overview)
    yield from efficiency.describe_marks(material.table(efficiency.MARKS).as_dicts())
    yield from overheads.describe_largest(material.rows(overheads.LARGEST))
    yield from surface.describe_choice(material.table(surface.FITS).as_dicts())
    yield from call_sites.describe_worst(_of(unknown, material.rows(call_sites.WORST)))
    yield from growth.describe_growth(_of(unknown, material.table(growth.CALL_PATHS).as_dicts()))
    yield describe_failures(overview)
    yield scaling.describe_scalings(material.rows(scaling.QUERY))
    yield from runs.describe_names(material.table(runs.NAMES).as_dicts())
    yield from runs.describe_varying(material.table(runs.VARYING).as_dicts())


def _of(applications: Collection[Value], rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["application"] in applications]


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
    processes = _processes(overview["min_processes"], overview["max_processes"])
    sizes = ""
    if overview["size_count"] != 1:
        sizes = f", {overview['size_names']} = {_range(overview['min_size'], overview['max_size'])}"
    return f"{measured} of {programs} with {processes}{sizes}."


def describe_times(overview: Row) -> str:
    """The range of run times, and the measured part."""
    if overview["shortest_ns"] is None:
        return "No times are available."
    shortest, longest = (time_of(overview[name]) for name in ("shortest_ns", "longest_ns"))
    times = shortest if shortest == longest else f"{shortest} to {longest}"
    return f"Runs take {times} ({overview['timed_parts']})."


def describe_failures(overview: Row) -> str:
    """The number and configurations of failed runs; else nothing."""
    failed = int(overview["run_count"] or 0) - int(overview["measured_count"] or 0)
    if not failed:
        return ""
    processes = _processes(overview["failed_min_processes"], overview["failed_max_processes"])
    sizes = _range(overview["failed_min_size"], overview["failed_max_size"])
    return (
        f"{count_of(failed, 'run')} failed, with {processes} and "
        f"{overview['size_names']} = {sizes}; see Runs."
    )


def _processes(low: Value, high: Value) -> str:
    """'1 process', '1 to 16 processes'."""
    return f"{_range(low, high)} {'process' if low == high == 1 else 'processes'}"


def _range(low: Value, high: Value) -> str:
    first, last = size_of(low), size_of(high)
    return first if first == last else f"{first} to {last}"
