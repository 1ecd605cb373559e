"""Load balance: the distribution of computation, and idle time."""

from collections.abc import Sequence

from tracemill.base.text import join_words
from tracemill.reports.material import Material, filled
from tracemill.reports.model import Section
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.units import Value
from tracemill.reports.wording import (
    Row,
    name_path,
    name_place,
    nonempty,
    number,
    share_of,
    start,
    time_of,
)

PLACE = 50
IDLE = "idle_overview"
# A smaller share of the run is no imbalance.
SMALL = 0.005
_ONE_THREAD: dict[str, Value] = {"thread": 0, "worst_thread": 0}

BY_CALL_PATH = TableSpec(
    query="imbalance_by_call_path",
    title="Uneven computation",
    note=(
        "Excess: longest time of a location minus the mean over all possible participants. "
        "Visitors: locations that visit the call path. Overload: time above the mean, summed over "
        "locations; it equals the time below the mean."
    ),
    row_limit=20,
    bars=("excess_ns",),
    titles={
        "excess_ns": "Excess",
        "longest_to_mean": "Max/mean",
        "mean_ns": "Mean",
        "location_count": "Locations",
        "visitor_count": "Visitors",
        "non_participation_ns": "Non-participation",
    },
    silent={**_ONE_THREAD, "non_participation_ns": 0},
    hidden=frozenset({"underload_ns"}),
)
BY_LOCATION = TableSpec(
    query="imbalance_by_location",
    title="Balance by location",
    note="Time above and below the mean of each call path, summed over call paths.",
    row_limit=128,
    bars=("overload_ns", "underload_ns"),
    titles={
        "single_participant_ns": "Single participant",
        "non_participation_ns": "Non-participation",
    },
    silent={**_ONE_THREAD, "single_participant_ns": 0, "non_participation_ns": 0},
)
IDLE_BY_LOCATION = TableSpec(
    query="idle_by_location",
    title="Idle time by location",
    note="Absent: time of the run before the location's first and after its last record.",
    row_limit=128,
    bars=("idle_ns",),
    titles={"idle_thread_ns": "Idle thread", "idle_ns": "Idle", "idle_ratio": "Of the run"},
    silent={**_ONE_THREAD, "idle_thread_ns": 0, "absent_ns": 0},
)


def build(material: Material) -> Section | None:
    """Uneven computation, and idle time."""
    uneven = material.table(BY_CALL_PATH)
    idle = material.rows(IDLE)
    tables = filled(uneven, *material.tables(BY_LOCATION, IDLE_BY_LOCATION))
    if not tables:
        return None
    has_threads = material.has_threads
    return Section(
        key="load-balance",
        title="Load balance",
        sentences=nonempty(
            describe_worst(uneven.as_dicts(), material.overview, has_threads=has_threads),
            describe_idleness(idle, has_threads=has_threads),
        ),
        tables=tables,
        sources=(read_source(IDLE),),
    )


def describe_worst(uneven: Sequence[Row], overview: Row, *, has_threads: bool) -> str:
    """The call path that gains most from an even distribution; nothing without any."""
    if not uneven:
        return ""
    if number(uneven[0]["excess_ns"]) < SMALL * number(overview["run_ns"]):
        return (
            "Computation is balanced: in every call path, the longest time of a location is at "
            f"most {time_of(uneven[0]['excess_ns'])} above the mean."
        )
    return describe_imbalance(uneven[0], has_threads=has_threads)


def describe_imbalance(row: Row, *, has_threads: bool) -> str:
    """The location with the most time in a call path, and the time with an even distribution."""
    place = name_place(row["worst_rank"], row["worst_thread"], has_threads=has_threads)
    spent = time_of(row["worst_ns"])
    if row["visitor_count"] == 1:
        worst = f"only {place} visits it, for {spent}"
    else:
        worst = f"{place} spends {spent} there, {number(row['longest_to_mean']):.2f} times the mean"
    return (
        f"Computation is least balanced in {name_path(row['call_path'])}: {worst}. "
        f"Evenly distributed over {row['location_count']} locations, it would take "
        f"{time_of(row['mean_ns'])} on each."
    )


def describe_idleness(idle: Sequence[Row], *, has_threads: bool) -> str:
    """The mean and the longest idle time; nothing without locations."""
    for row in idle:
        if not number(row["idle_ns"]):
            return f"No location is idle in analyzed calls.{_streams_of(row)}"
        place = name_place(row["worst_rank"], row["worst_thread"], has_threads=has_threads)
        return (
            f"On average, a thread is idle for {share_of(row['idle_ratio'])} of the run. "
            f"{start(place)} is idle longest: {time_of(row['worst_ns'])}{_kinds_of(row)}."
            f"{_streams_of(row)}"
        )
    return ""


def _streams_of(row: Row) -> str:
    """How busy streams of accelerators are, which are no part of idle time; nothing without any."""
    if row["stream_ratio"] is None:
        return ""
    busy = share_of(row["stream_ratio"])
    return f" GPU streams do not count here: on average, one is busy for {busy} of the run."


def _kinds_of(row: Row) -> str:
    """The kinds of idle time of the worst location."""
    kinds = {
        "waiting": row["worst_wait_ns"],
        "as an idle thread": row["worst_idle_thread_ns"],
        "absent": row["worst_absent_ns"],
    }
    parts = {kind: time_of(time) for kind, time in kinds.items() if number(time)}
    if len(parts) == 1:
        return f", all {join_words(list(parts))}"
    return f" ({join_words([f'{time} {kind}' for kind, time in parts.items()])})"
