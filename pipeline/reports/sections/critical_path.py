"""Critical path: the chain of activities that determines the length of the run."""

from collections.abc import Sequence

from tracemill.base.text import join_words
from tracemill.reports.material import Material
from tracemill.reports.model import Fact, Section
from tracemill.reports.sections.root_causes import ALIKE
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.units import Unit
from tracemill.reports.wording import (
    Row,
    count_of,
    name_path,
    name_place,
    nonempty,
    number,
    share_of,
    time_of,
)

PLACE = 40
OVERVIEW = "critical_path_overview"

CALL_PATHS = TableSpec(
    query="critical_path_call_paths",
    title="Call paths on the critical path",
    note=(
        "Imbalance: time that an even distribution of work would save. Impact: time that all "
        "locations lose while the path is in this call path."
    ),
    row_limit=20,
    bars=("path_ns",),
    titles={"worst_rank": "Most on rank", "worst_thread": "Thread"},
    silent={"worst_thread": 0, "imbalance_ns": 0, "impact_ns": 0},
    hidden=frozenset({"is_setup"}),
)
LOCATIONS = TableSpec(
    query="critical_path_by_location",
    title="By location",
    row_limit=64,
    bars=("path_ns",),
    titles={"setup_ns": "MPI setup"},
    silent={"thread": 0, "setup_ns": 0},
)
PASSAGES = TableSpec(
    query="critical_path_passages",
    title="Transitions between locations",
    note=(
        "The path moves from the location that was waited for, or that forked the team, to the "
        "location that waited. Completing: rest of the waiting call, part of the path."
    ),
    row_limit=20,
    bars=("wait_ns",),
    titles={"completion_ns": "Completing"},
    silent={"from_thread": 0, "to_thread": 0},
)

WAITING = TableSpec(
    query="critical_path_waiting",
    title="Waiting on the critical path",
    note="In these calls, the path stays on the waiting location and does not move to the cause.",
    row_limit=20,
    bars=("path_ns",),
    silent={"is_extended": False},
)


def build(material: Material) -> Section:
    """The call paths and locations of the path, and the cost of imbalance."""
    overview = material.rows(OVERVIEW)
    if not overview:
        return Section(
            key="critical-path",
            title="Critical path",
            sentences=(describe_absence(material),),
            sources=(read_source(OVERVIEW),),
        )
    return Section(
        key="critical-path",
        title="Critical path",
        facts=_facts(overview[0], material),
        sentences=nonempty(
            describe_length(material),
            describe_path_waits(material),
            describe_course(overview[0], material),
            describe_impact(overview[0]),
            "" if overview[0]["is_whole"] else BROKEN,
        ),
        tables=material.tables(CALL_PATHS, LOCATIONS, PASSAGES, WAITING),
        sources=(read_source(OVERVIEW),),
    )


BROKEN = (
    "The path could not be followed back to the start, because clocks or messages contradict each "
    "other: the figures cover only its later part."
)


def _facts(overview: Row, material: Material) -> tuple[Fact, ...]:
    threading = Fact("of the path coordinating threads", overview["threading_ratio"], Unit.SHARE)
    moving = Fact("of the path moving data outside MPI", overview["moving_ratio"], Unit.SHARE)
    communicating = Fact("of the path communication", overview["communication_ratio"], Unit.SHARE)
    without_setup = "Without MPI setup." if overview["setup_ns"] else ""
    return (
        Fact("length", overview["path_ns"], Unit.TIME, without_setup),
        Fact("of the path computation", overview["computation_ratio"], Unit.SHARE),
        *((threading,) if material.has_threads else ()),
        *((moving,) if moving.value else ()),
        *((communicating,) if communicating.value else ()),
        Fact(f"{_locations(material)[1]} on the path", overview["location_count"], Unit.COUNT),
    )


def _locations(material: Material) -> tuple[str, str]:
    """Singular and plural of what the path visits."""
    is_finer = material.has_threads or number(material.overview["stream_count"])
    return ("location", "locations") if is_finer else ("process", "processes")


def describe_absence(material: Material) -> str:
    """The reason for a missing critical path."""
    if material.overview["task_count"]:
        return "There is no critical path: traces with suspended tasks are not supported."
    return "There is no critical path: no process has records."


def describe_length(material: Material) -> str:
    """The length of the path, its parts and its top call path; nothing without a path."""
    for whole in material.rows(OVERVIEW):
        if number(whole["path_ns"]) > 0:
            return (
                f"The critical path takes {time_of(whole['path_ns'])}{_cover(whole, material)}. "
                f"It consists of {_parts(whole)}.{_top(material.rows_of(CALL_PATHS))}"
            )
    return ""


def _parts(whole: Row) -> str:
    parts = {
        "computation": number(whole["computation_ratio"]),
        "coordinating threads": number(whole["threading_ratio"]),
        "moving data outside MPI": number(whole["moving_ratio"]),
        "communication": number(whole["communication_ratio"]),
    }
    shown = {name: share_of(share) for name, share in parts.items() if share}
    if len(shown) > 1:  # no part of several is all of it
        shown = {name: ">99.9%" if text == "100.0%" else text for name, text in shown.items()}
    return join_words([f"{text} {name}" for name, text in shown.items()])


def _cover(whole: Row, material: Material) -> str:
    """The MPI setup that is left out; if the rest is longer than the main part, also why."""
    if not whole["setup_ns"]:
        return ""
    setup = f" without {time_of(whole['setup_ns'])} of MPI setup"
    main_ns = number(material.overview["run_ns"])
    if number(whole["path_ns"]) <= (1 + ALIKE) * main_ns:
        return setup
    return f"{setup}, but with code before and after the main part"


def _top(call_paths: Sequence[Row]) -> str:
    """The call path to look at first; a program cannot improve MPI setup."""
    for row in call_paths:
        if not row["is_setup"]:
            place = name_path(row["call_path"])
            return f" It spends most time in {place}: {time_of(row['path_ns'])}."
    return ""


def describe_path_waits(material: Material) -> str:
    """The waiting on the path; nothing without any."""
    for whole in material.rows(OVERVIEW):
        if number(whole["waiting_ratio"]) > 0:
            return (
                f"The critical path contains {time_of(whole['waiting_ns'])} of waiting, "
                f"{share_of(whole['waiting_ratio'])} of its length. It does not follow this "
                "waiting to the cause."
            )
    return ""


def describe_course(overview: Row, material: Material) -> str:
    """The number of locations and segments, and the location with most of the path."""
    place = name_place(
        overview["worst_rank"], overview["worst_thread"], has_threads=material.has_threads
    )
    if number(overview["location_count"]) < 2:
        return f"It stays on {place}."
    return (
        f"It visits {count_of(overview['location_count'], *_locations(material))} in "
        f"{count_of(overview['segment_count'], 'segment')}, and spends most time on {place}: "
        f"{time_of(overview['worst_ns'])} ({share_of(overview['worst_ratio'])} of the path)."
    )


def describe_impact(overview: Row) -> str:
    """The call path on the critical path with the largest impact; else nothing."""
    if not number(overview["impact_ns"]):
        return ""
    return (
        "Imbalance costs most in "
        f"{name_path(overview['worst_call_path'])}: all locations together "
        f"lose {time_of(overview['impact_ns'])} while the path is there."
    )
