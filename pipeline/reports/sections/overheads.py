"""Overheads: the time of all locations by class of the overhead taxonomy."""

from collections.abc import Sequence

from tracemill.base.text import join_words
from tracemill.reports.material import Material, filled
from tracemill.reports.model import Section
from tracemill.reports.tables import TableSpec
from tracemill.reports.wording import Row, name_path, nonempty, number, share_of, time_of

PLACE = 20
NAMED = 3
COMPUTATION = "computation"
UNIDENTIFIED = "unidentified"

_TITLES = {
    "data_movement_ns": "Data movement",
    "control_ns": "Control of parallelism",
    "additional_ns": "Additional computation",
    "loss_ns": "Loss of parallelism",
    "overhead_class": "Class",
    "overhead_subclass": "Subclass",
}
_BESIDES = ("additional_ns", "loss_ns", "unidentified_ns")
_IDLE_STREAMS = "GPU streams are outside of visits while they run nothing."
BY_CLASS = TableSpec(
    query="overheads_by_class",
    title="By class",
    note="Waiting counts in the class of the waiting call.",
    bars=("time_ns",),
    titles=_TITLES | {"mean_ns": "Mean", "time_ratio": "Of the run", "worst_rank": "Most on rank"},
    silent={"worst_thread": 0},
)
BY_CALL_PATH = TableSpec(
    query="overheads_by_call_path",
    title="By call path",
    note="Exclusive time of the call path.",
    row_limit=20,
    bars=("exclusive_ns",),
    titles={"overhead_subclass": "Overhead", "exclusive_ratio": "Of the run"},
    hidden=frozenset({"overhead_class"}),
)
BY_REGION = TableSpec(
    query="overheads_by_region",
    title="By program region",
    note="With all callees.",
    row_limit=20,
    bars=("overhead_ns",),
    titles=_TITLES,
    silent=dict.fromkeys(("synchronization_ns", "loss_ns"), 0),
)
BY_LOCATION = TableSpec(
    query="overheads_by_location",
    title="By location",
    row_limit=128,
    bars=("computation_ns", "data_movement_ns", "synchronization_ns", "control_ns", "loss_ns"),
    titles=_TITLES,
    silent=dict.fromkeys(("thread", *_BESIDES, "synchronization_ns"), 0),
)


BY_LOSS = TableSpec(
    query="losses_by_call_path",
    title="Lost parallelism",
    note=(
        "Time of other threads in the main part while the call path computed. Without a loss of "
        "parallelism, all threads take part: imbalance, or work done in turn."
    ),
    row_limit=20,
    bars=("alone_ns", "with_others_ns"),
    titles=_TITLES
    | {
        "overhead_subclass": "Counts as",
        "participant_count": "Threads that take part",
        "alone_ns": "While it ran alone",
        "with_others_ns": "While others ran",
        "lost_ns": "Lost by others",
    },
    silent={"thread": 0},
    hidden=frozenset({"overhead_class", "is_moved"}),
)


def build(material: Material) -> Section | None:
    """Overheads by class, call path, region and location."""
    classes = material.table(BY_CLASS)
    if not classes.rows:
        return None
    losses = material.table(BY_LOSS)
    tables = filled(classes, losses, *material.tables(BY_CALL_PATH, BY_REGION, BY_LOCATION))
    return Section(
        key="overheads",
        title="Overheads",
        sentences=nonempty(
            describe_shares(classes.as_dicts()),
            describe_largest(classes.as_dicts()),
            describe_loss(losses.as_dicts()),
            _IDLE_STREAMS if material.overview["stream_count"] else "",
        ),
        tables=tables,
    )


def describe_shares(classes: Sequence[Row]) -> str:
    """The shares of computation, overhead and unidentified time."""
    times = {COMPUTATION: 0.0, UNIDENTIFIED: 0.0}
    total = sum(number(row["time_ns"]) for row in classes)
    if total <= 0:
        return "The run took no time."
    for row in classes:
        name = str(row["overhead_class"])
        if name in times:
            times[name] += number(row["time_ns"])
    overhead = total - sum(times.values())
    return (
        f"The time of all locations from the first to the last record of the run is "
        f"{time_of(total)}: {share_of(times[COMPUTATION] / total)} computation, "
        f"{share_of(overhead / total)} overhead, and "
        f"{share_of(times[UNIDENTIFIED] / total)} unidentified."
    )


def describe_largest(classes: Sequence[Row]) -> str:
    """The largest overheads; else nothing."""
    not_costly = (COMPUTATION, UNIDENTIFIED)
    costly = [row for row in classes if row["overhead_class"] not in not_costly][:NAMED]
    named = [
        f"{row['overhead_subclass']} {time_of(row['time_ns'])} ({share_of(row['time_ratio'])})"
        for row in costly
    ]
    return f"Largest overheads: {join_words(named)}." if named else ""


def describe_loss(losses: Sequence[Row]) -> str:
    """The call path that loses most parallelism; else nothing."""
    if not losses or not losses[0]["is_moved"]:
        return ""
    worst = losses[0]
    lost = time_of(worst["lost_ns"])
    path = name_path(worst["call_path"])
    if worst["participant_count"] != 1:
        count = worst["participant_count"]
        return f"While {path} ran on {count} threads only, the others lost {lost}."
    thread = f" thread {worst['thread']}" if worst["thread"] else ""
    rank = "one thread" if worst["rank"] is None else f"rank {worst['rank']}{thread}"
    alone = " alone" if number(worst["alone_ns"]) > number(worst["with_others_ns"]) else ""
    return f"While {path} ran on {rank}{alone}, the others lost {lost}."
