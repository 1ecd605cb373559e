"""Delays: the causes of waiting, and what each wait has to do with other waits."""

from dataclasses import replace

from tracemill.schemas.columns import (
    CALL_PATH_ID,
    LEAVE_NS,
    LOCATION_ID,
    METRIC,
    VALUE,
    VISIT_ID,
    WAIT_NS,
    renamed,
)
from tracemill.schemas.critical_path import KIND
from tracemill.schemas.table import ENUM, FLOAT64, INT32, INT64, Column, Table

POINT_ID = Column(
    name="point_id",
    type=INT64,
    minimum=0,
    meaning="Synchronization point, numbered by location and time.",
)
DELAY_KINDS = (
    "latesender", "latereceiver", "barrier", "n2n", "12n", "n21", "ompbarrier", "ompidle",
    "device",
)  # fmt: skip

DELAY_POINTS = Table(
    name="delay_points",
    meaning="Synchronization points in order, where intervals of delays begin and end.",
    grain="one row per synchronization point, join of a team, and end of a thread that forked",
    key=("point_id",),
    is_transient=True,
    columns=(
        POINT_ID,
        replace(KIND, values=(*KIND.values, "join", "end")),
        LOCATION_ID,
        VISIT_ID,
        CALL_PATH_ID,
        Column(
            name="boundary_ns",
            type=INT64,
            unit="ns",
            meaning="Time where intervals begin and end here: the enter of the call, or the fork.",
        ),
        LEAVE_NS,
        WAIT_NS,
        renamed(
            POINT_ID,
            "cause_point_id",
            "Point that was waited for.",
            null_means="nobody was waited for",
        ),
        Column(
            name="group_id",
            type=INT32,
            minimum=-1,
            null_means="not all members took part",
            meaning="Communicator whose members all took part; -1 for all processes.",
        ),
        Column(name="duration_ns", type=INT64, unit="ns", meaning="Time of the call."),
        Column(
            name="completion_ns",
            type=INT64,
            unit="ns",
            meaning="Part of the call that belongs to its completion.",
        ),
        Column(
            name="idle_count",
            type=INT32,
            minimum=0,
            meaning="Threads that were idle before a fork.",
        ),
    ),
)
DELAY_KIND = Column(
    name="kind", type=ENUM, values=DELAY_KINDS, meaning="Kind of the waiting that was caused."
)

_DIRECT = Column(
    name="direct_ns", type=FLOAT64, unit="ns", minimum=0, meaning="Waiting of the victim."
)
_VICTIM = renamed(LOCATION_ID, "victim_location_id", "Location that waited for it.")

DEVICE_DELAYS = Table(
    name="device_delays",
    meaning="Waiting for streams of accelerators, by the kernels and copies that ran meanwhile.",
    grain="one row per call path of kernels, stream and thread that waited for it",
    key=("call_path_id", "location_id", "victim_location_id"),
    is_transient=True,
    columns=(
        CALL_PATH_ID,
        renamed(LOCATION_ID, "location_id", "Stream that ran them."),
        _VICTIM,
        _DIRECT,
    ),
)

ROOT_CAUSES = Table(
    name="root_causes",
    meaning=(
        "Causes of waiting: where a location took longer than one that waited for it, and the "
        "waiting that this caused. Idle threads wait for the thread that forks them. A thread that "
        "waits for a device waits for the kernels that it runs."
    ),
    grain="one row per kind of waiting, delaying call path and location, and waiting location",
    key=("kind", "call_path_id", "location_id", "victim_location_id"),
    columns=(
        DELAY_KIND,
        CALL_PATH_ID,
        renamed(LOCATION_ID, "location_id", "Location that delayed others."),
        _VICTIM,
        _DIRECT,
        Column(
            name="passed_on_ns",
            type=FLOAT64,
            unit="ns",
            minimum=0,
            meaning="Waiting of others for the victim, because it waited.",
        ),
    ),
)

INDIRECT_WAITS = Table(
    name="indirect_waits",
    meaning="Waits that other waits caused, and waits that caused others.",
    grain="one row per synchronization point whose wait is indirect or propagating",
    key=("kind", "call_path_id", "location_id"),
    columns=(
        DELAY_KIND,
        CALL_PATH_ID,
        LOCATION_ID,
        Column(
            name="indirect_ns",
            type=FLOAT64,
            unit="ns",
            minimum=0,
            meaning="Part of the wait because the awaited location itself waited.",
        ),
        Column(
            name="propagating_ns",
            type=FLOAT64,
            unit="ns",
            minimum=0,
            meaning="Part of the wait that made others wait.",
        ),
    ),
)

DELAY_SEVERITIES = Table(
    name="delay_severities",
    meaning="Metrics of delays by call path and location.",
    grain="one row per metric, call path and location with a value other than zero",
    key=("metric", "call_path_id", "location_id"),
    is_transient=True,
    columns=(METRIC, CALL_PATH_ID, LOCATION_ID, VALUE),
)

TABLES: tuple[Table, ...] = (
    DELAY_POINTS, DEVICE_DELAYS, ROOT_CAUSES, INDIRECT_WAITS, DELAY_SEVERITIES,
)  # fmt: skip
