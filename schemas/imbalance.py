"""Distribution of work over locations, and their idle time."""

from tracemill.schemas.columns import (
    CALL_PATH_ID,
    EXCLUSIVE_NS,
    LOCATION_GROUP_ID,
    LOCATION_ID,
    nullable,
    renamed,
)
from tracemill.schemas.table import ENUM, FLOAT64, INT32, INT64, Column, Table

SCOPES = ("processes", "threads", "created threads", "streams")


def _time(name: str, meaning: str) -> Column:
    return Column(name=name, type=INT64, unit="ns", minimum=0, meaning=meaning)


def _count(name: str, meaning: str) -> Column:
    return Column(name=name, type=INT32, minimum=1, unit="locations", meaning=meaning)


SCOPE = Column(
    name="scope",
    type=ENUM,
    values=SCOPES,
    meaning=(
        "Possible participants: the first thread of every process; inside parallel regions and in "
        "tasks, all threads; below THREADS, all threads except the first of each process; or the "
        "accelerator streams. Every location that visits the call path also counts."
    ),
)

IMBALANCE_SCOPES = Table(
    name="imbalance_scopes",
    meaning="Possible participants in the computation of call paths of each scope.",
    grain="one row per scope and location that belongs to it",
    key=("scope", "location_id"),
    columns=(SCOPE, LOCATION_ID),
)

COMPUTATIONAL_IMBALANCE = Table(
    name="computational_imbalance",
    meaning=(
        "How unevenly the computation in each call path is distributed over its possible "
        "participants."
    ),
    grain="one row per computation call path that took time",
    key=("call_path_id",),
    columns=(
        CALL_PATH_ID,
        SCOPE,
        _count("location_count", "Possible participants."),
        _count("visitor_count", "Locations that visit the call path."),
        nullable(
            LOCATION_ID,
            "several locations visit the call path",
            meaning=(
                "The only location that visits the call path. Its overload then counts as Single "
                "Participant, and the non-participation of the others as Singularity."
            ),
        ),
        renamed(EXCLUSIVE_NS, "exclusive_ns", "Time without callees, over all locations."),
        _time("mean_ns", "Mean over the possible participants, rounded to whole nanoseconds."),
        _time("longest_ns", "Longest time of a location."),
        Column(
            name="longest_to_mean",
            type=FLOAT64,
            unit="ratio",
            minimum=1,
            meaning="Longest time of a location divided by the mean; 1 is perfect balance.",
        ),
        _time("overload_ns", "Time above the mean, summed over locations."),
        _time("underload_ns", "Time missing to reach the mean, summed over locations."),
        _time(
            "non_participation_ns",
            "Part of the underload of locations that do not visit the call path.",
        ),
    ),
)

LOCATION_IMBALANCE = Table(
    name="location_imbalance",
    meaning="Distance of a location's computation from the mean, summed over call paths.",
    grain="one row per location",
    key=("location_id",),
    columns=(
        LOCATION_ID,
        renamed(EXCLUSIVE_NS, "computation_ns", "Time in computation call paths."),
        _time("overload_ns", "Time above the mean of a call path."),
        _time(
            "single_participant_ns",
            "Part of the overload in call paths that only this location visits.",
        ),
        _time("underload_ns", "Time missing to reach the mean of a call path."),
        _time(
            "non_participation_ns",
            "Part of the underload in call paths that the location does not visit.",
        ),
        _time(
            "singularity_ns",
            "Part of the non-participation in call paths that only one location visits.",
        ),
    ),
)

_RUN_RATIO = Column(
    name="idle_ratio",
    type=FLOAT64,
    unit="ratio",
    null_means="the run took no time",
    meaning="Idle time as a share of the length of the run.",
)

IDLE_TIMES = Table(
    name="idle_times",
    meaning="Idle time of locations during the run: waiting, without work, or absent.",
    grain="one row per thread",
    key=("location_id",),
    columns=(
        LOCATION_ID,
        LOCATION_GROUP_ID,
        _time("wait_ns", "Waiting inside calls: the sum of all wait states, without completion."),
        _time(
            "idle_thread_ns",
            "Worker threads of a team: time outside of all regions while their process runs, from "
            "its first to its last record.",
        ),
        _time(
            "absent_ns",
            "Time of the run before the first and after the last record of the location; for "
            "worker threads of a team, of their process.",
        ),
        _time("idle_ns", "Sum of the three times above."),
        _RUN_RATIO,
    ),
)

PROCESS_IDLE_TIMES = Table(
    name="process_idle_times",
    meaning="Idle time of all locations of a process.",
    grain="one row per location group with threads",
    key=("location_group_id",),
    columns=(
        LOCATION_GROUP_ID,
        _count("location_count", "Locations of the process."),
        *IDLE_TIMES.columns[2:-1],
        renamed(
            _RUN_RATIO,
            "idle_ratio",
            "Idle time as a share of the length of the run times the number of locations.",
            null_means="the run took no time",
        ),
    ),
)

TABLES = (
    IMBALANCE_SCOPES,
    COMPUTATIONAL_IMBALANCE,
    LOCATION_IMBALANCE,
    IDLE_TIMES,
    PROCESS_IDLE_TIMES,
)
