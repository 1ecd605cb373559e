"""Columns of all records, and the tables of records that carry values."""

from tracemill.schemas.columns import (
    CALL_PATH_ID,
    ENTER_NS,
    LEAVE_NS,
    LOCATION_ID,
    SEQUENCE,
    TIME_NS,
    VALUE_INTEGER,
    VALUE_TEXT,
    VISIT_ID,
    nullable,
)
from tracemill.schemas.table import FLOAT64, INT32, INT64, Column, Table

OUTSIDE = "the record is outside of any region visit"
RECORD_COLUMNS = (LOCATION_ID, SEQUENCE, TIME_NS)
VISIT_COLUMNS = (nullable(VISIT_ID, OUTSIDE), nullable(CALL_PATH_ID, OUTSIDE))
CALL_ENTER = nullable(ENTER_NS, OUTSIDE, meaning="Start of the call that contains the record.")
CALL_LEAVE = nullable(LEAVE_NS, OUTSIDE, meaning="End of the call that contains the record.")
COLLECTIVE_BEGIN_NS = Column(
    name="begin_ns", type=INT64, unit="ns", meaning="Begin record of the collective."
)
MATCHING_ID = Column(
    name="matching_id",
    type=INT64,
    null_means="the record has no counterpart",
    meaning="Links an operation to its completion, or a lock to its release.",
)
DETAIL = Column(
    name="detail",
    type=INT64,
    null_means="no further information is recorded",
    meaning="Further information of the record, with the numbers of OTF2.",
)

COUNTER_VALUES = Table(
    name="counter_values",
    meaning="Values of counters.",
    grain="one row per value",
    key=("location_id", "sequence", "counter_id"),
    is_partitioned=True,
    columns=(
        *RECORD_COLUMNS,
        *VISIT_COLUMNS,
        Column(name="counter_id", type=INT32, minimum=0, meaning="Counter."),
        Column(
            name="counter_instance_id",
            type=INT32,
            minimum=0,
            null_means="the value describes the location that recorded it",
            meaning="Part of the system that the value describes.",
        ),
        VALUE_INTEGER,
        Column(
            name="value_float",
            type=FLOAT64,
            null_means="the value is an integer",
            meaning="Value, if it is a floating-point number.",
        ),
    ),
)

PARAMETER_VALUES = Table(
    name="parameter_values",
    meaning="Values of parameters.",
    grain="one row per value",
    key=("location_id", "sequence"),
    is_partitioned=True,
    columns=(
        *RECORD_COLUMNS,
        *VISIT_COLUMNS,
        Column(
            name="parameter_id",
            type=INT32,
            null_means="the parameter is not defined",
            meaning="Parameter.",
        ),
        VALUE_INTEGER,
        VALUE_TEXT,
    ),
)

RECORD_ATTRIBUTES = Table(
    name="record_attributes",
    meaning="Additional values of records.",
    grain="one row per value",
    key=("location_id", "sequence", "attribute_id"),
    is_partitioned=True,
    columns=(
        *RECORD_COLUMNS,
        *VISIT_COLUMNS,
        Column(
            name="attribute_id",
            type=INT32,
            null_means="the attribute is not defined",
            meaning="Attribute.",
        ),
        VALUE_INTEGER,
        Column(
            name="value_float",
            type=FLOAT64,
            null_means="the value is not a floating-point number",
            meaning="Value, if it is a floating-point number.",
        ),
        VALUE_TEXT,
    ),
)

SAMPLES = Table(
    name="samples",
    meaning="Call stack samples.",
    grain="one row per sample",
    key=("location_id", "sequence"),
    is_partitioned=True,
    columns=(
        *RECORD_COLUMNS,
        *VISIT_COLUMNS,
        Column(
            name="calling_context_id",
            type=INT32,
            null_means="the context is not defined",
            meaning="Sampled call stack.",
        ),
    ),
)
