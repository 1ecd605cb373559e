"""Named values defined in the trace: attributes of records, parameters and counters."""

from tracemill.schemas.columns import (
    LOCATION_GROUP_ID,
    LOCATION_ID,
    NAME,
    SOURCE_REF,
    nullable,
    renamed,
)
from tracemill.schemas.table import ENUM, INT8, INT32, INT64, STRING, Column, Table

PARAMETER_KINDS = ("string", "int64", "uint64")
COUNTER_KINDS = ("other", "papi", "rusage", "user")
ACCUMULATION_MODES = ("accumulated", "absolute", "relative")
OCCURRENCES = ("start", "point", "last", "next")
COUNTER_SCOPES = ("location", "process", "node", "group")

ATTRIBUTES = Table(
    name="attributes",
    meaning="Named additional values of records.",
    grain="one row per attribute",
    key=("attribute_id",),
    columns=(
        Column(name="attribute_id", type=INT32, minimum=0, meaning="Number in definition order."),
        SOURCE_REF,
        NAME,
        Column(name="description", type=STRING, meaning="Description in the trace."),
    ),
)

PARAMETERS = Table(
    name="parameters",
    meaning="Named values that the program recorded.",
    grain="one row per parameter",
    key=("parameter_id",),
    columns=(
        Column(name="parameter_id", type=INT32, minimum=0, meaning="Number in definition order."),
        SOURCE_REF,
        NAME,
        Column(name="kind", type=ENUM, values=PARAMETER_KINDS, meaning="Type of the values."),
    ),
)

COUNTERS = Table(
    name="counters",
    meaning="Counters (OTF2: metric members), such as hardware events.",
    grain="one row per counter",
    key=("counter_id",),
    columns=(
        Column(name="counter_id", type=INT32, minimum=0, meaning="Number in definition order."),
        SOURCE_REF,
        NAME,
        Column(name="unit", type=STRING, meaning="Unit in the trace."),
        Column(name="kind", type=ENUM, values=COUNTER_KINDS, meaning="Source of the values."),
        Column(
            name="accumulation",
            type=ENUM,
            values=ACCUMULATION_MODES,
            meaning=(
                "Whether values count from the start, are independent, or are differences from the "
                "previous value."
            ),
        ),
        Column(
            name="occurrence",
            type=ENUM,
            values=OCCURRENCES,
            meaning=(
                "Period that a value describes: since the start of the measurement, its point in "
                "time, since the last value, or until the next one."
            ),
        ),
        Column(name="base", type=INT8, meaning="2 or 10: values are in units of base**exponent."),
        Column(name="exponent", type=INT64, meaning="See base."),
    ),
)

COUNTER_INSTANCES = Table(
    name="counter_instances",
    meaning="Counters that one location records for another part of the system.",
    grain="one row per metric instance of the trace",
    key=("counter_instance_id",),
    columns=(
        Column(
            name="counter_instance_id", type=INT32, minimum=0, meaning="Number in definition order."
        ),
        SOURCE_REF,
        nullable(LOCATION_ID, "not defined", meaning="Location that records the values."),
        Column(name="scope", type=ENUM, values=COUNTER_SCOPES, meaning="What the values describe."),
        renamed(
            LOCATION_ID,
            "scope_location_id",
            "Location that the values describe.",
            null_means="another scope, or not defined",
        ),
        nullable(
            LOCATION_GROUP_ID,
            "another scope, or not defined",
            meaning="Process that the values describe.",
        ),
        Column(
            name="system_tree_node_id",
            type=INT32,
            minimum=0,
            null_means="another scope, or not defined",
            meaning="Node of the system tree that the values describe.",
        ),
    ),
)

TABLES = (ATTRIBUTES, PARAMETERS, COUNTERS, COUNTER_INSTANCES)
