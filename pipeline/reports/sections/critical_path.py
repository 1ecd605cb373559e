"""Critical path: the chain of activities that decided how long the run took."""

from collections.abc import Sequence

from tracemill.base.text import join_words
from tracemill.reports.material import Material
from tracemill.reports.model import Fact, Section
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.units import Unit
from tracemill.reports.wording import (
    Row,
    count_of,
    name_path,
    name_place,
    number,
    said,
    share_of,
    time_of,
)

PLACE = 40
OVERVIEW = "critical_path_overview"

CALL_PATHS = TableSpec(
    query="critical_path_call_paths",
    title="Call paths on it",
    note=(
        "Imbalance: what the path would be shorter by if the work were spread evenly. Impact: what "
        "all together lose to this call path on it."
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
    titles={"setup_ns": "Starting MPI"},
    silent={"thread": 0, "setup_ns": 0},
)
PASSAGES = TableSpec(
    query="critical_path_passages",
    title="Where it passes on",
    note=(
        "The path passes on to the one that waited, from the one it waited for, or that forked it. "
        "Completing is the rest of the call that waited, and part of the path."
    ),
    row_limit=20,
    bars=("wait_ns",),
    titles={"completion_ns": "Completing"},
    silent={"from_thread": 0, "to_thread": 0},
)

WAITING = TableSpec(
    query="critical_path_waiting",
    title="Waiting on it",
    note="There the path stays with the one that waits, instead of passing on to the cause.",
    row_limit=20,
    bars=("path_ns",),
    silent={"is_beyond_reference": False},
)


def build(material: Material) -> Section:
    """What is on the path, and what its imbalance costs."""
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
        facts=_facts(overview[0], has_threads=material.has_threads),
        sentences=said(
            describe_length(material),
            describe_waiting(material),
            describe_course(overview[0], has_threads=material.has_threads),
            describe_impact(overview[0]),
            "" if overview[0]["is_whole"] else BROKEN,
        ),
        tables=material.tables(CALL_PATHS, LOCATIONS, PASSAGES, WAITING),
        sources=(read_source(OVERVIEW),),
    )


BROKEN = (
    "The path could not be followed back to the start, as clocks or messages contradict each "
    "other: the figures hold its later part."
)


def _facts(overview: Row, *, has_threads: bool) -> tuple[Fact, ...]:
    threading = Fact("of it coordinating threads", overview["threading_ratio"], Unit.SHARE)
    return (
        Fact("length", overview["path_ns"], Unit.TIME),
        Fact("of the run time", overview["path_ratio"], Unit.SHARE),
        Fact("of it computation", overview["computation_ratio"], Unit.SHARE),
        *((threading,) if has_threads else ()),
        Fact("of it communication", overview["communication_ratio"], Unit.SHARE),
        Fact("of it starting MPI", overview["setup_ratio"], Unit.SHARE),
        Fact(f"{_locations(has_threads)[1]} on it", overview["location_count"], Unit.COUNT),
    )


def _locations(has_threads: bool) -> tuple[str, str]:
    """One and several of what the path visits."""
    return ("location", "locations") if has_threads else ("process", "processes")


def describe_absence(material: Material) -> str:
    """Why there is no critical path."""
    if material.overview["task_count"]:
        return "There is no critical path: it is not followed through suspended tasks."
    return "There is no critical path: no process did anything."


def describe_length(material: Material) -> str:
    """How long the path is, of what it consists, and where most of it lies; else nothing."""
    for whole in material.rows(OVERVIEW):
        if number(whole["path_ns"]) > 0:
            return (
                f"The critical path takes {time_of(whole['path_ns'])}, "
                f"{share_of(whole['path_ratio'])} of the run time, and consists of {_parts(whole)}."
                f"{_top(whole, material.rows_of(CALL_PATHS))}"
            )
    return ""


def _parts(whole: Row) -> str:
    parts = {
        "computation": number(whole["computation_ratio"]),
        "coordinating threads": number(whole["threading_ratio"]),
        "communication": number(whole["communication_ratio"]),
        "starting MPI": number(whole["setup_ratio"]),
    }
    return join_words([f"{share_of(share)} {name}" for name, share in parts.items() if share])


def _top(whole: Row, call_paths: Sequence[Row]) -> str:
    """Where to look first: starting MPI is nothing that a program could do better."""
    for row in call_paths:
        if not row["is_setup"]:
            where = "After starting MPI it" if whole["setup_ratio"] else "It"
            place = name_path(row["call_path"])
            return f" {where} is longest in {place}: {time_of(row['path_ns'])}."
    return ""


def describe_waiting(material: Material, *, least: float = 0) -> str:
    """How much of the path is waiting, if that is more than `least` of it; else nothing."""
    for whole in material.rows(OVERVIEW):
        if number(whole["waiting_ratio"]) > least:
            return (
                f"The critical path contains {time_of(whole['waiting_ns'])} of waiting, "
                f"{share_of(whole['waiting_ratio'])} of its length, which it does not follow to "
                "the cause."
            )
    return ""


def describe_course(overview: Row, *, has_threads: bool) -> str:
    """How the path moves between processes, and who has most of it."""
    place = name_place(overview["worst_rank"], overview["worst_thread"], has_threads=has_threads)
    if number(overview["location_count"]) < 2:
        return f"It stays on {place}."
    after = " after starting MPI" if overview["setup_ratio"] else ""
    return (
        f"It visits {count_of(overview['location_count'], *_locations(has_threads))} in "
        f"{count_of(overview['segment_count'], 'segment')}, {place} longest: "
        f"{time_of(overview['worst_ns'])}, {share_of(overview['worst_ratio'])} of it{after}."
    )


def describe_impact(overview: Row) -> str:
    """Which call path on it keeps the others waiting most; else nothing."""
    if not number(overview["impact_ns"]):
        return ""
    return (
        "Work that is uneven, or done by one after the other, costs most in "
        f"{name_path(overview['worst_call_path'])}: while the path is there, all "
        f"together lose {time_of(overview['impact_ns'])}."
    )
