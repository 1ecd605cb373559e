"""Named values that the trace declares: attributes of records, parameters and counters."""

from schemas.columns import (
    NAME,
    SOURCE_REF,
)
from schemas.table import ENUM, INT8, INT32, INT64, STRING, Column, Table

ATTRIBUTES = Table(
    name="attributes",
    meaning="Named extra values that records may carry.",
    grain="one row per attribute",
    key=("attribute_id",),
    columns=(
        Column(name="attribute_id", type=INT32, minimum=0, meaning="Definition order."),
        SOURCE_REF,
        NAME,
        Column(name="description", type=STRING, meaning="Description as the trace gives it."),
    ),
)

PARAMETERS = Table(
    name="parameters",
    meaning="Named values that the program recorded.",
    grain="one row per parameter",
    key=("parameter_id",),
    columns=(
        Column(name="parameter_id", type=INT32, minimum=0, meaning="Definition order."),
        SOURCE_REF,
        NAME,
        Column(
            name="kind",
            type=ENUM,
            values=("string", "int64", "uint64"),
            meaning="Type of the values.",
        ),
    ),
)

COUNTERS = Table(
    name="counters",
    meaning="Counters (OTF2: metric members), such as hardware events.",
    grain="one row per counter",
    key=("counter_id",),
    columns=(
        Column(name="counter_id", type=INT32, minimum=0, meaning="Definition order."),
        SOURCE_REF,
        NAME,
        Column(name="unit", type=STRING, meaning="Unit as the trace gives it."),
        Column(
            name="kind",
            type=ENUM,
            values=("other", "papi", "rusage", "user"),
            meaning="Where the values come from.",
        ),
        Column(
            name="accumulation",
            type=ENUM,
            values=("accumulated", "absolute", "relative"),
            meaning="Whether values grow from the start, stand alone, or add to the one before.",
        ),
        Column(name="base", type=INT8, meaning="2 or 10: values count base**exponent units."),
        Column(name="exponent", type=INT64, meaning="See base."),
    ),
)

TABLES = (ATTRIBUTES, PARAMETERS, COUNTERS)
