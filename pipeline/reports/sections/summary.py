"""Summary: the most important facts of the run, in at most twelve lines."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import chain, groupby

from tracemill.base.text import join_words
from tracemill.reports.exploring import describe_left_out
from tracemill.reports.material import MARK_NOTE, OVERVIEW, Material
from tracemill.reports.model import MARK, Fact, Finding, Layout, Section, ShownQuery
from tracemill.reports.sections import efficiencies, gains, load_balance, root_causes, trace_quality
from tracemill.reports.sections.findings import BY_KIND, MASTERS, describe_all
from tracemill.reports.sections.wait_states import (
    EXTENDED,
    SEARCHED,
    UNANALYZED,
    UNRECORDED,
    describe_absence,
    describe_kind,
    describe_unrecorded,
)
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.units import Unit
from tracemill.reports.wording import Row, count_of, name_path, nonempty, number, share_of, time_of
from tracemill.schemas.definitions import PROFILE
from tracemill.store.manifest import SourceRecord

PLACE = 10
KINDS = "worst_waits"
# Lines of the summary in a terminal: its title and size, and the lines below.
MOST_LINES = 12
_HEADING_LINES = 2
_USUAL_KINDS, _MOST_KINDS = 2, 5
ALL_TIME = "the time of all locations in region visits, in the main part of the run"
# Smaller shares of all time appear in tables only, except the worst kind of waiting.
LEAST_SHARE = 0.0005
# Calls whose waiting is not analyzed are named above this share of all time.
LEAST_UNANALYZED = 0.01

_OF_RUN = (
    "Iterations, timeline and trace quality are those of the whole run; root causes, gains and "
    "findings are left out."
)

_DETAILS = {
    "calls": "Detail: calls. Visits of user functions between two calls are summed; iterations and "
    "a focus need --detail full.",
    "profile": "Detail: profile. Only times and visits per call path and location were read, of "
    "the whole run with MPI setup: waiting, messages, the critical path, efficiencies and what "
    "happens over time need --detail calls or full.",
}
TIME_PARTS = TableSpec(
    query="time_parts",
    title="Time of all locations",
    note="Inside region visits, in the main part of the run. The section Overheads also includes "
    "MPI setup and time outside of visits.",
    layout=Layout.PARTS,
    bars=("time_ns",),
)


def build(material: Material) -> Section:
    """Run time, root causes, waiting by kind, and quality."""
    overview = material.overview
    first = _first_sentences(material)
    last = nonempty(
        *_describe_quality(material),
        _OF_RUN if material.is_focused else "",
        describe_left_out(material),
    )
    kinds = list(_kinds(material))
    shown, more = _fitting(
        kinds,
        (*root_causes.describe_indirect(material), *describe_all(material)),
        MOST_LINES - _HEADING_LINES - len(first) - len(last) - bool(material.perturbed),
    )
    section = Section(
        key="summary",
        title="Summary",
        facts=(*_facts(overview, is_focused=material.is_focused), *_of_streams(material)),
        sentences=(*first, *more),
        findings=tuple(shown),
        remarks=nonempty(
            *last, _DETAILS.get(material.manifest.detail, ""), describe_advice(shown, kinds)
        ),
        tables=(material.table(TIME_PARTS),),
        sources=_sources(overview),
    )
    # Of many perturbed call paths, it names some of those that were fetched.
    return mark_paths(section, material.perturbed & material.fetched_paths())


def _first_sentences(material: Material) -> tuple[str, ...]:
    """Origin, run time, efficiencies, root causes, and what a fix would bring."""
    rated = (
        *efficiencies.describe_efficiency(material),
        *nonempty(efficiencies.describe_little_computation(material)),
    )
    return nonempty(
        _describe_origin(material.manifest.source),
        describe_run(material.overview, is_focused=material.is_focused),
        " ".join(rated),
        *root_causes.describe_causes(material),
        *(() if material.is_focused else gains.describe_gain(material)),
    )


def _sources(overview: Row) -> tuple[ShownQuery, ...]:
    """The queries of the sentences and figures."""
    return (
        read_source(OVERVIEW),
        read_source(efficiencies.EFFICIENCIES.query),
        read_source(gains.PARTS.query, gains.PARTS.row_limit),
        read_source(root_causes.BY_CALL_PATH.query, root_causes.BY_CALL_PATH.row_limit),
        read_source(root_causes.INDIRECT),
        read_source(BY_KIND.query),
        *((read_source(load_balance.IDLE),) if overview["stream_count"] else ()),
        read_source(MASTERS),
        read_source("incomplete_locations", _location_count(overview)),
        read_source("quality_findings"),
        read_source(trace_quality.CLOCKS.query),
        read_source(trace_quality.MISREAD.query, trace_quality.ALL_MISREAD),
        read_source(UNANALYZED),
        read_source(UNRECORDED),
        read_source(SEARCHED),
        read_source(KINDS, _MOST_KINDS),
    )


def mark_paths(section: Section, perturbed: Set[str]) -> Section:
    """The section with perturbed call paths marked as in tables, and a note if it has any."""
    details = ((each.headline, each.detail) for each in section.findings)
    said = "\n".join((*section.sentences, *chain.from_iterable(details)))
    names = {name for name in map(name_path, perturbed) if name in said}

    def mark(text: str) -> str:
        for name in names:
            text = text.replace(name, f"{name} {MARK}")
        return text

    marked = replace(
        section,
        sentences=tuple(map(mark, section.sentences)),
        findings=tuple(
            replace(each, headline=mark(each.headline), detail=mark(each.detail))
            for each in section.findings
        ),
    )
    return replace(marked, remarks=(*marked.remarks, MARK_NOTE)) if marked != section else section


def _fitting(
    kinds: Sequence[Finding], more: Sequence[str], free: int
) -> tuple[Sequence[Finding], Sequence[str]]:
    """The kinds of waiting and last further sentences that fit into lines, with the advice."""
    free -= bool(kinds)
    shown = kinds[: max(free - len(more), min(_USUAL_KINDS, free), 1)]
    return shown, more[max(len(more) - max(free - len(shown), 0), 0) :]


def _location_count(overview: Row) -> int:
    return int(overview["location_count"] or 0)


def _facts(overview: Row, *, is_focused: bool) -> tuple[Fact, ...]:
    run_ns, mpi = overview["run_ns"], overview["mpi_ratio"]
    in_mpi = Fact(
        "of all time in MPI", mpi, Unit.SHARE, f"Time in MPI calls, as a share of {ALL_TIME}."
    )
    messages = Fact("messages", overview["message_count"], Unit.COUNT, "Number of messages.")
    main_part = Fact("main part", run_ns, Unit.TIME, "Run time without MPI_Init and MPI_Finalize.")
    of_focus = Fact("focus", run_ns, Unit.TIME, "From begin to end, in the main part of the run.")
    return (
        of_focus if is_focused else main_part,
        Fact(
            "whole run",
            overview["whole_ns"],
            Unit.TIME,
            "From the first to the last record of any location.",
        ),
        Fact(
            "process" if overview["process_count"] == 1 else "processes",
            overview["process_count"],
            Unit.COUNT,
            "Number of processes of the program.",
        ),
        Fact(
            "locations",
            int(overview["location_count"] or 0) - int(overview["metric_location_count"] or 0),
            Unit.COUNT,
            "Threads, and streams of accelerators.",
        ),
        *((in_mpi,) if has_mpi(overview) else ()),
        _waiting_fact(overview),
        *((messages,) if has_mpi(overview) else ()),
    )


def has_mpi(overview: Row) -> bool:
    """True for MPI calls, and for several processes, which lack them if none were recorded."""
    return bool(overview["mpi_ns"]) or number(overview["process_count"]) > 1


def _of_streams(material: Material) -> Iterator[Fact]:
    """How busy streams of accelerators are; nothing without any."""
    for row in material.rows(load_balance.IDLE) if material.overview["stream_count"] else ():
        if row["stream_ratio"] is not None:
            text = "Share of the run for which a stream runs kernels and copies, on average."
            yield Fact("streams busy", row["stream_ratio"], Unit.SHARE, text)


def _waiting_fact(overview: Row) -> Fact:
    """The share of waiting; that in extended wait states if a run has no other."""
    is_extended = bool(overview["extended_ns"]) and not overview["wait_ns"]
    ratio, states = "wait_ratio", ""
    if is_extended:
        ratio, states = "extended_ratio", f", all of it in {EXTENDED} wait states"
    text = f"Time in calls that wait for a late location{states}, as a share of {ALL_TIME}."
    return Fact("of all time waiting", overview[ratio], Unit.SHARE, text)


def describe_size(overview: Row) -> str:
    """The run in one sentence: processes, locations and records."""
    processes = count_of(overview["process_count"], "process", "processes")
    locations = describe_locations(overview)
    records = count_of(overview["record_count"], "event record")
    return f"{processes} with {locations}; the trace contains {records}."


def _describe_origin(source: SourceRecord) -> str:
    """The replay that a run comes from; empty for measured ones."""
    if source.is_measured:
        return ""
    change = source.change if source.kind == "forecast" else f"with {source.change}"
    return f"Not measured: {source.trace_label} replayed {change}."


def describe_run(overview: Row, *, is_focused: bool) -> str:
    """The run time, and the shares of MPI and of waiting in the time of all locations."""
    length, whole = (time_of(overview[name]) for name in ("run_ns", "whole_ns"))
    if is_focused:
        length += f" of {whole} of the whole run"
    elif overview["run_ns"] != overview["whole_ns"]:
        length += f" without MPI setup ({whole} with it)"
    return f"Run time: {length}. {_describe_use(overview)}"


def _describe_use(overview: Row) -> str:
    if not overview["visit_count"] and not overview["total_ns"]:
        return "No region was visited: the profile is empty."
    if not overview["total_ns"]:
        return "All visits took no time."
    part = (
        f"{share_of(overview['mpi_ratio'])} in MPI" if overview["mpi_ns"] else "none of it in MPI"
    )
    shares = [
        *([part] if has_mpi(overview) else []),
        *([f"{share_of(overview['wait_ratio'])} waiting"] if overview["wait_ns"] else []),
        *(
            [f"{share_of(overview['extended_ratio'])} waiting in {EXTENDED} wait states"]
            if overview["extended_ns"]
            else []
        ),
    ]
    spent = f"All locations together spent {time_of(overview['total_ns'])}"
    if overview["stream_ns"]:
        spent += f", {time_of(overview['stream_ns'])} of it on GPU streams"
    return f"{', '.join(nonempty(spent, join_words(shares)))}."


def _describe_quality(material: Material) -> Iterator[str]:
    """Parts of the trace that are missing, damaged, uncertain or not analyzed; four at most."""
    overview = material.overview
    incomplete = material.rows("incomplete_locations", _location_count(overview))
    quality = material.rows("quality_findings")
    unrecorded = material.rows(UNRECORDED)
    misread = material.rows(trace_quality.MISREAD.query, trace_quality.ALL_MISREAD)
    absence = describe_absence(overview, material.rows(SEARCHED), unrecorded)
    if material.manifest.detail != PROFILE:
        yield " ".join(nonempty(absence, *describe_unrecorded(unrecorded)))
    yield describe_damage(incomplete, quality, overview)
    yield trace_quality.describe_misread(misread)
    yield " ".join(
        nonempty(
            trace_quality.describe_quality(quality, incomplete),
            trace_quality.describe_clocks(material.rows(trace_quality.CLOCKS.query)),
            _describe_unanalyzed(material.rows(UNANALYZED)),
        )
    )


def describe_warnings(material: Material) -> tuple[str, ...]:
    """Missing, damaged, uncertain and unanalyzed data in sentences; none if all is well."""
    overview = material.overview
    incomplete = material.rows("incomplete_locations", _location_count(overview))
    quality = material.rows("quality_findings")
    return nonempty(
        *describe_unrecorded(material.rows(UNRECORDED)),
        describe_damage(incomplete, quality, overview),
        trace_quality.describe_misread(
            material.rows(trace_quality.MISREAD.query, trace_quality.ALL_MISREAD)
        ),
        trace_quality.describe_quality(quality, incomplete) if quality else "",
        trace_quality.describe_clocks(material.rows(trace_quality.CLOCKS.query)),
        _describe_unanalyzed(material.rows(UNANALYZED)),
    )


def _describe_unanalyzed(unanalyzed: Sequence[Row]) -> str:
    """Calls whose waiting is not analyzed, if they take much time; else nothing."""
    kinds = [
        f"{row['kind']} ({share_of(row['time_ratio'])} of all time)"
        for row in unanalyzed
        if number(row["time_ratio"]) >= LEAST_UNANALYZED
    ]
    return f"Waiting not analyzed in: {join_words(kinds)}." if kinds else ""


def describe_locations(overview: Row) -> str:
    """The number of locations, by kind if not all are threads."""
    streams, metrics = overview["stream_count"], overview["metric_location_count"]
    if not streams and not metrics:
        return count_of(overview["location_count"], "location")
    kinds = [count_of(overview["thread_count"], "thread")]
    kinds += [count_of(streams, "GPU stream")] if streams else []
    kinds += [count_of(metrics, "metric location")] if metrics else []
    return join_words(kinds)


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


def _kinds(material: Material) -> Iterator[Finding]:
    """The kinds of waiting: the worst, and all others that cost enough."""
    rows = material.rows(KINDS, _MOST_KINDS)
    groups = groupby(rows, key=lambda row: (row["metric"], row["is_extended"]))
    for place, (_, places) in enumerate(groups):
        kind = list(places)
        ratio = kind[0]["kind_ratio"]
        if not place or ratio is None or number(ratio) >= LEAST_SHARE:
            yield describe_kind(kind, has_threads=material.has_threads)


def describe_advice(shown: Sequence[Finding], kinds: Sequence[Finding]) -> str:
    """Kinds of waiting that no line has room for, and the command that explains the worst."""
    if not shown:
        return ""
    others = "; ".join(each.headline.removesuffix(".") for each in kinds[len(shown) :])
    also = f"Also {others}. " if others else ""
    return f"{also}Meaning and what to try: tracemill explain {shown[0].metric}"
