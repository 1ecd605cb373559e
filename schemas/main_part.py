"""The main part of a run, between MPI setup and MPI_Finalize."""

from dataclasses import replace

from tracemill.schemas.columns import CALL_PATH_ID, LOCATION_ID, METRIC, REGION_ID, renamed
from tracemill.schemas.table import INT64, Column, Table, not_before
from tracemill.schemas.wait_states import WAIT_COLUMNS

_TIME_NS = Column(
    name="time_ns", type=INT64, unit="ns", minimum=1, meaning="Exclusive time in the main part."
)

MAIN_PART = Table(
    name="main_part",
    meaning=(
        "The main part of the run: from the end of the last MPI_Init to the start of the first "
        "MPI_Finalize. Without these calls, or with --with-setup, the whole run."
    ),
    grain="one row",
    key=("begin_ns",),
    columns=(
        Column(name="begin_ns", type=INT64, unit="ns", meaning="Begin of the main part."),
        Column(name="end_ns", type=INT64, unit="ns", meaning="End of the main part."),
    ),
    rules=(not_before("end_ns", "begin_ns"),),
)
FOCUS = Table(
    name="focus",
    meaning=(
        "Periods of locations that tables of the main part cover: without a focus, the main part."
    ),
    grain="one row per location and period",
    key=("location_id", "begin_ns"),
    columns=(
        LOCATION_ID,
        Column(name="begin_ns", type=INT64, unit="ns", meaning="Begin of the period."),
        Column(name="end_ns", type=INT64, unit="ns", meaning="End of the period."),
    ),
    rules=(not_before("end_ns", "begin_ns"),),
)
SETUP_TIMES = Table(
    name="setup_times",
    meaning="Exclusive time before and after the main part of the run.",
    grain="one row per call path and location with such time",
    key=("call_path_id", "location_id"),
    columns=(
        CALL_PATH_ID,
        LOCATION_ID,
        replace(_TIME_NS, meaning="Exclusive time outside the main part."),
        replace(
            _TIME_NS,
            name="fork_join_ns",
            minimum=0,
            meaning="Part of it between parallel regions and their fork and join.",
        ),
    ),
)
MAIN_TIMES = Table(
    name="main_times",
    meaning="Exclusive time of call paths in the main part of the run.",
    grain="one row per call path and location with time in the main part",
    key=("call_path_id", "location_id"),
    columns=(CALL_PATH_ID, LOCATION_ID, REGION_ID, _TIME_NS),
)
MAIN_WAITS = Table(
    name="main_waits",
    meaning="Waiting, without completion, and its part in the main part of the run.",
    grain="one row per visit and property with waiting",
    key=("property", "visit_id"),
    columns=(
        *WAIT_COLUMNS,
        renamed(
            METRIC, "kind", "Wait state that includes the property and is part of no other one."
        ),
        replace(_TIME_NS, name="main_ns", minimum=0, meaning="Waiting in the main part."),
    ),
)

TABLES = (MAIN_PART, FOCUS, SETUP_TIMES)
VIEWS = (MAIN_TIMES, MAIN_WAITS)
