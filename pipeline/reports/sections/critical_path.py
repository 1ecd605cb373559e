"""Critical path: the chain of activities that decided how long the run took."""

from collections.abc import Sequence

from pipeline.reports.material import Material
from pipeline.reports.model import Fact, Section
from pipeline.reports.tables import TableSpec, read_source
from pipeline.reports.units import Unit
from pipeline.reports.wording import (
    Row,
    count_of,
    join_words,
    name_path,
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
        "all processes together lose to this call path on it."
    ),
    row_limit=20,
    bars=("path_ns",),
    titles={"worst_rank": "Most on rank"},
    silent={"imbalance_ns": 0, "impact_ns": 0},
    hidden=frozenset({"is_setup"}),
)
LOCATIONS = TableSpec(
    query="critical_path_by_location",
    title="Processes on it",
    row_limit=64,
    bars=("path_ns",),
    silent={"thread": 0},
)
PASSAGES = TableSpec(
    query="critical_path_passages",
    title="From process to process",
    note="Where the path passes on: to the process that waited, from the one it waited for.",
    row_limit=20,
    bars=("wait_ns",),
    titles={"completion_ns": "Completing"},
    silent={"from_thread": 0, "to_thread": 0},
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
    call_paths = material.rows(CALL_PATHS.query, CALL_PATHS.row_limit)
    return Section(
        key="critical-path",
        title="Critical path",
        facts=_facts(overview[0]),
        sentences=said(
            describe_length(material),
            describe_course(overview[0]),
            describe_impact(call_paths),
            "" if overview[0]["is_whole"] else BROKEN,
        ),
        tables=material.tables(CALL_PATHS, LOCATIONS, PASSAGES),
        sources=(read_source(OVERVIEW),),
    )


BROKEN = (
    "The path could not be followed back to the start, as clocks or messages contradict each "
    "other: the figures hold its later part."
)


def _facts(overview: Row) -> tuple[Fact, ...]:
    return (
        Fact("length", overview["path_ns"], Unit.TIME),
        Fact("of the run time", overview["path_ratio"], Unit.SHARE),
        Fact("computation", overview["computation_ratio"], Unit.SHARE),
        Fact("communication", overview["communication_ratio"], Unit.SHARE),
        Fact("starting MPI", overview["setup_ratio"], Unit.SHARE),
        Fact("processes on it", overview["location_count"], Unit.COUNT),
    )


def describe_absence(material: Material) -> str:
    """Why there is no critical path."""
    if material.has_threads:
        return "There is no critical path: it is not followed through explicit tasks."
    return "There is no critical path: no process did anything."


def describe_length(material: Material) -> str:
    """How long the path is, of what it consists, and where most of it lies; else nothing."""
    for whole in material.rows(OVERVIEW):
        if number(whole["path_ns"]) > 0:
            return (
                f"The critical path takes {time_of(whole['path_ns'])}, "
                f"{share_of(whole['path_ratio'])} of the run time: {_parts(whole)}."
                f"{_top(whole, material.rows(CALL_PATHS.query, CALL_PATHS.row_limit))}"
            )
    return ""


def _parts(whole: Row) -> str:
    parts = {
        "computation": number(whole["computation_ratio"]),
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


def describe_course(overview: Row) -> str:
    """How the path moves between processes."""
    if number(overview["location_count"]) < 2:
        return f"It stays on rank {overview['worst_rank']}."
    share = number(overview["worst_ns"]) / (number(overview["path_ns"]) or 1)
    return (
        f"It visits {count_of(overview['location_count'], 'process', 'processes')} in "
        f"{count_of(overview['segment_count'], 'segment')}, rank {overview['worst_rank']} longest: "
        f"{time_of(overview['worst_ns'])}, {share_of(share)} of it."
    )


def describe_impact(call_paths: Sequence[Row]) -> str:
    """Which call path on it keeps the others waiting most; else nothing."""
    worst = max(call_paths, key=lambda row: number(row["impact_ns"]), default=None)
    if worst is None or not number(worst["impact_ns"]):
        return ""
    return (
        f"What is uneven on it costs most in {name_path(worst['call_path'])}: there all processes "
        f"together lose {time_of(worst['impact_ns'])}."
    )
