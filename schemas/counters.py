"""Counters of the trace per call path and over time, and figures derived from them."""

from dataclasses import replace

from tracemill.schemas.columns import CALL_PATH_ID, LOCATION_ID, NAME, VISIT_COUNT, nullable
from tracemill.schemas.named_values import COUNTER_INSTANCES, COUNTER_SCOPES
from tracemill.schemas.table import BOOL, ENUM, FLOAT64, INT32, INT64, STRING, Column, Table

METHODS = ("exact", "spread", "mean")
MOST_CELLS = 1 << 20
"""Maximum number of bins of all counters and parts of the system together."""

_BINS = ("bin", "begin_ns", "end_ns", "scope", "scope_id")

COUNTER_ID = Column(name="counter_id", type=INT32, minimum=0, meaning="Counter.")
METHOD = Column(
    name="method",
    type=ENUM,
    values=METHODS,
    meaning=(
        "exact: differences of the values at every enter and leave; spread: differences spread "
        "over time; mean: mean over time of the values."
    ),
)
COVERED_NS = Column(
    name="covered_ns",
    type=INT64,
    unit="ns",
    minimum=0,
    meaning="Time for which values are known, without callees.",
)
NEGATIVE_STEPS = Column(
    name="negative_steps",
    type=INT64,
    unit="steps",
    minimum=0,
    meaning="Steps in which an accumulated counter fell; their difference is unknown.",
)

COUNTER_RECORDINGS = Table(
    name="counter_recordings",
    meaning="Series of values of a counter that a location recorded.",
    grain="one row per location, counter and described part of the system",
    key=("recording_id",),
    columns=(
        Column(name="recording_id", type=INT32, minimum=0, meaning="Number of the series."),
        LOCATION_ID,
        COUNTER_ID,
        nullable(COUNTER_INSTANCES.columns[0], "the values describe the recording location"),
        Column(
            name="value_count", type=INT64, unit="values", minimum=1, meaning="Number of values."
        ),
        Column(name="first_ns", type=INT64, unit="ns", meaning="Time of the first value."),
        Column(name="last_ns", type=INT64, unit="ns", meaning="Time of the last value."),
        Column(
            name="is_strict",
            type=BOOL,
            meaning="There is a value at every enter and leave of the location, and no other.",
        ),
        replace(NEGATIVE_STEPS, meaning="Steps in which the value falls."),
    ),
)

CALL_PATH_COUNTERS = Table(
    name="call_path_counters",
    meaning=(
        "Counters of call paths in the main part of the run. Counters of a process, a node or the "
        "run belong to no call path; see counter_profile."
    ),
    grain="one row per call path, location and counter with known values",
    key=("call_path_id", "location_id", "counter_id"),
    columns=(
        CALL_PATH_ID,
        LOCATION_ID,
        COUNTER_ID,
        replace(VISIT_COUNT, meaning="Number of region visits that begin in the main part."),
        Column(
            name="exclusive_value",
            type=FLOAT64,
            null_means="the method is mean, and no value is known without callees",
            meaning="Value without callees, in the unit of the counter; the mean for method mean.",
        ),
        Column(
            name="inclusive_value",
            type=FLOAT64,
            meaning="Value with callees on the location; the mean for method mean.",
        ),
        Column(
            name="least_value",
            type=FLOAT64,
            null_means="the method is not mean, or no value is known without callees",
            meaning="Least value without callees.",
        ),
        Column(
            name="greatest_value",
            type=FLOAT64,
            null_means="the method is not mean, or no value is known without callees",
            meaning="Greatest value without callees.",
        ),
        COVERED_NS,
        METHOD,
        NEGATIVE_STEPS,
    ),
)

COUNTER_PROFILE = Table(
    name="counter_profile",
    meaning="Counters over the run in equal bins.",
    grain="one row per bin, counter and part of the system with known values",
    key=("bin", "counter_id", "scope", "scope_id"),
    columns=(
        Column(name="bin", type=INT32, minimum=0, meaning="Position of the bin."),
        Column(name="begin_ns", type=INT64, unit="ns", meaning="Begin of the bin."),
        Column(name="end_ns", type=INT64, unit="ns", meaning="End of the bin."),
        COUNTER_ID,
        Column(
            name="scope",
            type=ENUM,
            values=COUNTER_SCOPES,
            meaning=(
                "What the values describe: locations of a process, a process, a node of the "
                "system, or the run (group)."
            ),
        ),
        Column(
            name="scope_id",
            type=INT32,
            minimum=0,
            meaning=(
                "location_group_id for location and process, system_tree_node_id for node, 0 for "
                "group."
            ),
        ),
        Column(
            name="value",
            type=FLOAT64,
            meaning=(
                "Value of the bin: the sum over all locations, or the mean over time for an "
                "absolute counter."
            ),
        ),
        replace(COVERED_NS, meaning="Time for which values are known, of all locations."),
        Column(
            name="recorded_mean",
            type=FLOAT64,
            null_means="no value is recorded in the bin",
            meaning="Mean of the values that are recorded in the bin, as they are.",
        ),
        METHOD,
    ),
)

DERIVED_COUNTERS = Table(
    name="derived_counters",
    meaning="Figures derived from counters: ratios of sums.",
    grain="one row per derived counter",
    key=("name",),
    columns=(
        NAME,
        Column(name="numerator", type=STRING, meaning="Names of counters, joined with +, or time."),
        Column(
            name="denominator", type=STRING, meaning="Names of counters, joined with +, or time."
        ),
        Column(name="factor", type=FLOAT64, meaning="Factor of the ratio; times are in seconds."),
        Column(name="unit", type=STRING, meaning="Unit of the figure."),
        Column(name="is_more_better", type=BOOL, meaning="Whether a greater figure is better."),
    ),
)

COUNTER_FIGURES = Table(
    name="counter_figures",
    meaning=(
        "Numerators and denominators of counters and derived counters. The value of any rows "
        "together is the sum of numerators, divided by the sum of denominators if there are any."
    ),
    grain="one row per counter or derived counter, call path and location",
    key=("is_derived", "name", "call_path_id", "location_id"),
    columns=(
        NAME,
        Column(name="unit", type=STRING, meaning="Unit of the value."),
        Column(name="is_derived", type=BOOL, meaning="Derived from counters of the trace."),
        nullable(
            DERIVED_COUNTERS.columns[-1], "a counter of the trace, which is neither good nor bad"
        ),
        CALL_PATH_ID,
        LOCATION_ID,
        Column(
            name="numerator",
            type=FLOAT64,
            meaning="Value without callees, or numerator of the value, with its factor.",
        ),
        Column(
            name="denominator",
            type=FLOAT64,
            null_means="values are summed",
            meaning="Denominator of the value, without callees.",
        ),
        COVERED_NS,
        NEGATIVE_STEPS,
    ),
)

DERIVED_COUNTER_PROFILE = Table(
    name="derived_counter_profile",
    meaning=(
        "Derived counters over the run in equal bins. The value of any rows of one together is the "
        "sum of numerators, divided by the sum of denominators."
    ),
    grain="one row per derived counter, part of the system and bin with known values",
    key=("name", "bin", "scope", "scope_id"),
    columns=(
        NAME,
        *(column for column in DERIVED_COUNTERS.columns if column.name == "unit"),
        *(column for column in COUNTER_PROFILE.columns if column.name in _BINS),
        Column(name="numerator", type=FLOAT64, meaning="Numerator of the value, with its factor."),
        Column(name="denominator", type=FLOAT64, meaning="Denominator of the value."),
        replace(COVERED_NS, meaning="Time for which values are known, of all locations."),
        replace(NEGATIVE_STEPS, meaning="Steps of the counters that fall, in the whole run."),
    ),
)

TABLES = (
    COUNTER_RECORDINGS, CALL_PATH_COUNTERS, COUNTER_PROFILE, DERIVED_COUNTERS, COUNTER_FIGURES,
)  # fmt: skip
VIEWS = (DERIVED_COUNTER_PROFILE,)
