"""How unevenly work is spread over locations, and how long they are idle."""

from schemas.columns import (
    CALL_PATH_ID,
    EXCLUSIVE_NS,
    LOCATION_GROUP_ID,
    LOCATION_ID,
    nullable,
    renamed,
)
from schemas.table import ENUM, FLOAT64, INT32, INT64, Column, Table

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
        "Who could take part: the first thread of every process; inside parallel regions "
        "and tasks all threads; below THREADS all but the first; or the streams of "
        "accelerators. Whoever does take part counts too."
    ),
)

IMBALANCE_SCOPES = Table(
    name="imbalance_scopes",
    meaning="Which locations could take part in the computation of call paths of each scope.",
    grain="one row per scope and location that belongs to it",
    key=("scope", "location_id"),
    columns=(SCOPE, LOCATION_ID),
)

COMPUTATIONAL_IMBALANCE = Table(
    name="computational_imbalance",
    meaning=(
        "How unevenly the computation at each call path is spread over the locations that could "
        "take part in it."
    ),
    grain="one row per call path of computation that took time",
    key=("call_path_id",),
    columns=(
        CALL_PATH_ID,
        SCOPE,
        _count("location_count", "Locations that could take part."),
        _count("visitor_count", "Locations that do."),
        nullable(
            LOCATION_ID,
            "several locations visit the call path",
            meaning=(
                "The only location that visits the call path; then overload is that of a single "
                "participant, and non-participation a singularity."
            ),
        ),
        renamed(EXCLUSIVE_NS, "exclusive_ns", "Time without callees, of all locations."),
        _time("mean_ns", "Mean over those that could take part, rounded to whole nanoseconds."),
        _time("longest_ns", "Most time of any location."),
        Column(
            name="longest_to_mean",
            type=FLOAT64,
            unit="ratio",
            minimum=1,
            meaning="Most time of any location over the mean; 1 is perfect balance.",
        ),
        _time("overload_ns", "Time above the mean, summed over locations."),
        _time("underload_ns", "Time missing to the mean, summed over locations."),
        _time("non_participation_ns", "The part of it of locations that do not take part."),
    ),
)

LOCATION_IMBALANCE = Table(
    name="location_imbalance",
    meaning="How far a location's computation is from the mean, summed over call paths.",
    grain="one row per location",
    key=("location_id",),
    columns=(
        LOCATION_ID,
        renamed(EXCLUSIVE_NS, "computation_ns", "Time in call paths of computation."),
        _time("overload_ns", "Time above the mean of a call path."),
        _time("single_participant_ns", "The part of it where no other location takes part."),
        _time("underload_ns", "Time missing to the mean of a call path."),
        _time("non_participation_ns", "The part of it where the location does not take part."),
        _time("singularity_ns", "The part of that where only one location takes part."),
    ),
)

_RUN_RATIO = Column(
    name="idle_ratio",
    type=FLOAT64,
    unit="ratio",
    null_means="the run took no time",
    meaning="Idle time as a share of the run.",
)

IDLE_TIMES = Table(
    name="idle_times",
    meaning="How long locations are idle: waiting, without work, or not there while the run lasts.",
    grain="one row per location",
    key=("location_id",),
    columns=(
        LOCATION_ID,
        LOCATION_GROUP_ID,
        _time("wait_ns", "Waiting inside calls, by all wait states; completion does not count."),
        _time(
            "idle_thread_ns",
            "Workers of a team: outside any region while their process runs, from its first to "
            "its last record.",
        ),
        _time(
            "absent_ns",
            "Outside the location's own records while the run lasts; for workers of a team, "
            "outside those of their process.",
        ),
        _time("idle_ns", "All of these."),
        _RUN_RATIO,
    ),
)

PROCESS_IDLE_TIMES = Table(
    name="process_idle_times",
    meaning="How long the locations of a process are idle, together.",
    grain="one row per location group with locations",
    key=("location_group_id",),
    columns=(
        LOCATION_GROUP_ID,
        _count("location_count", "Locations of the process."),
        *IDLE_TIMES.columns[2:-1],
        renamed(
            _RUN_RATIO,
            "idle_ratio",
            "Idle time as a share of the run times the number of locations.",
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
