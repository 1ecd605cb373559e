"""Summary: the most important facts of the run."""

from collections.abc import Sequence

from tracemill.base.text import join_words
from tracemill.reports.material import OVERVIEW, Material
from tracemill.reports.model import Fact, Layout, Section
from tracemill.reports.sections import critical_path, load_balance, root_causes, trace_quality
from tracemill.reports.sections.findings import BY_KIND, MASTERS, describe_all
from tracemill.reports.sections.flat_profile import TOP_REGIONS, describe_top_region
from tracemill.reports.sections.wait_states import (
    EXTENDED,
    SEARCHED,
    UNANALYZED,
    describe_coverage,
    describe_finding,
    describe_waiting,
)
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.units import Unit
from tracemill.reports.wording import Row, count_of, nonempty, number, share_of, time_of

PLACE = 10
FINDINGS = "worst_findings"
FINDING_LIMIT = 5
ALL_TIME = "the time of all locations in region visits"
# A smaller share of all time, or of the path, appears in tables only, except the worst wait.
LEAST_SHARE = 0.0005

TIME_PARTS = TableSpec(
    query="time_parts",
    title="Time of all locations",
    note="Inside region visits. The section Overheads also includes time outside of them.",
    layout=Layout.PARTS,
    bars=("time_ns",),
)


def build(material: Material) -> Section:
    """The run in a few sentences, and its worst findings."""
    overview = material.overview
    top = material.rows_of(TOP_REGIONS)[:1]
    incomplete = material.rows("incomplete_locations", _location_count(overview))
    quality = material.rows("quality_findings")
    findings = select_findings(material.rows(FINDINGS, FINDING_LIMIT))
    return Section(
        key="summary",
        title="Summary",
        facts=_facts(overview),
        sentences=nonempty(
            describe_damage(incomplete, quality, overview),
            *root_causes.describe_causes(material),
            describe_use(overview),
            describe_use_without_setup(overview),
            critical_path.describe_length(material),
            critical_path.describe_path_waits(material, least=LEAST_SHARE),
            load_balance.describe_most_uneven(material),
            describe_top_region(top) if top and overview["total_ns"] else "",
            *describe_all(material),
            trace_quality.describe_quality(quality, incomplete),
            trace_quality.describe_misread(
                material.rows(trace_quality.MISREAD.query, trace_quality.ALL_MISREAD)
            ),
            describe_coverage(material.overview, material.rows(UNANALYZED)),
            describe_waiting(overview, material.rows(SEARCHED)),
        ),
        findings=tuple(describe_finding(row, has_threads=material.has_threads) for row in findings),
        advice=describe_advice(findings),
        tables=(material.table(TIME_PARTS),),
        sources=(
            read_source(OVERVIEW),
            read_source(root_causes.BY_CALL_PATH.query, root_causes.BY_CALL_PATH.row_limit),
            read_source(root_causes.INDIRECT),
            read_source(critical_path.OVERVIEW),
            read_source(critical_path.CALL_PATHS.query, critical_path.CALL_PATHS.row_limit),
            read_source(load_balance.BY_CALL_PATH.query, 1),
            read_source(TOP_REGIONS.query, 1),
            read_source(BY_KIND.query),
            read_source(MASTERS),
            read_source("incomplete_locations", _location_count(overview)),
            read_source("quality_findings"),
            read_source(trace_quality.MISREAD.query, trace_quality.ALL_MISREAD),
            read_source(UNANALYZED),
            read_source(SEARCHED),
            read_source(FINDINGS, FINDING_LIMIT),
        ),
    )


def _location_count(overview: Row) -> int:
    return int(overview["location_count"] or 0)


def _facts(overview: Row) -> tuple[Fact, ...]:
    run_ns, mpi, waiting = overview["duration_ns"], overview["mpi_ratio"], overview["wait_ratio"]
    return (
        Fact("run time", run_ns, Unit.TIME, "From the first to the last record of any location."),
        Fact(
            "processes",
            overview["process_count"],
            Unit.COUNT,
            "Number of processes of the program.",
        ),
        Fact(
            "locations",
            overview["location_count"],
            Unit.COUNT,
            "Streams of events, such as threads.",
        ),
        Fact(
            "of all time in MPI", mpi, Unit.SHARE, f"Time in MPI calls, as a share of {ALL_TIME}."
        ),
        Fact(
            "of all time waiting",
            waiting,
            Unit.SHARE,
            f"Time in calls that wait for a late location, as a share of {ALL_TIME}.",
        ),
        Fact("messages", overview["message_count"], Unit.COUNT, "Number of messages."),
    )


def describe_size(overview: Row) -> str:
    """The run in one sentence: processes, locations, length and records."""
    processes = count_of(overview["process_count"], "process", "processes")
    locations = count_of(overview["location_count"], "location")
    records = count_of(overview["record_count"], "event record")
    return (
        f"{processes} with {locations} ran for {time_of(overview['duration_ns'])}; "
        f"the trace contains {records}."
    )


def describe_damage(incomplete: Sequence[Row], findings: Sequence[Row], overview: Row) -> str:
    """A warning if recorded data is lost; else nothing."""
    parts = trace_quality.name_findings([each for each in findings if each["is_loss"]])
    if not parts:
        return ""
    if incomplete:
        locations = count_of(overview["location_count"], "location")
        parts = [f"{len(incomplete)} of {locations} could not be read completely"]
        parts += trace_quality.name_findings(
            [each for each in findings if each["is_loss"] and not each["location_count"]]
        )
    return f"Incomplete trace: {'; '.join(parts)}; the figures cover only readable data."


def describe_use(overview: Row) -> str:
    """The shares of MPI and of waiting in the time of all locations."""
    if not overview["visit_count"]:
        return "No region was visited: the profile is empty."
    if not overview["total_ns"]:
        return "All visits took no time."
    spent = f"All locations together spent {time_of(overview['total_ns'])}"
    is_in_mpi = bool(overview["mpi_ns"])
    part = share_of(overview["mpi_ratio"]) if is_in_mpi else "none"
    share = f"{spent}, {part} of it in MPI"
    waiting = [
        *([f"{share_of(overview['wait_ratio'])} waiting"] if overview["wait_ns"] else []),
        *(
            [f"{share_of(overview['beyond_ratio'])} waiting in {EXTENDED} wait states"]
            if overview["beyond_ns"]
            else []
        ),
    ]
    return f"{join_words([share, *waiting])}."


def describe_use_without_setup(overview: Row) -> str:
    """The share of MPI without its setup, if the setup distorts the share; else nothing."""
    setup, mpi = number(overview["mpi_setup_ns"]), number(overview["mpi_ns"])
    rest = number(overview["total_ns"]) - setup
    if setup <= mpi / 10 or rest <= 0:
        return ""
    return f"Without MPI_Init and MPI_Finalize: {share_of((mpi - setup) / rest)} in MPI."


def describe_advice(findings: Sequence[Row]) -> str:
    """The command that explains the worst finding; nothing without findings."""
    if not findings:
        return ""
    worst = findings[0]
    return f"Meaning of {worst['finding']} and what to try: tracemill explain {worst['metric']}"


def select_findings(findings: Sequence[Row]) -> list[Row]:
    """The worst finding, and all other important ones."""
    return [
        row
        for place, row in enumerate(findings)
        if not place or row["wait_ratio"] is None or number(row["wait_ratio"]) >= LEAST_SHARE
    ]
