"""Phases of a run, and the curves they are found from."""

from dataclasses import replace

from tracemill.schemas.overheads import ACTIVITIES
from tracemill.schemas.table import FLOAT64, INT8, INT32, INT64, STRING, Column, Table, not_before

FURTHER_CURVES = Table(
    name="further_curves",
    meaning="Curves besides activities that phases are found from, if they are requested.",
    grain="one row per curve and bin of the main part with a value",
    key=("curve", "bin"),
    is_transient=True,
    columns=(
        Column(name="curve", type=STRING, meaning="bytes_sent, or the name of a counter."),
        Column(name="bin", type=INT32, minimum=0, meaning="Position in the main part."),
        Column(name="value", type=FLOAT64, meaning="Value of all locations."),
    ),
)


def ratio_name(activity: str) -> str:
    """The column of an activity's share: 'io_ratio' for I/O."""
    return f"{activity.lower().replace('i/o', 'io').replace('/', '_')}_ratio"


_RATIO = Column(
    name="ratio",
    type=FLOAT64,
    unit="ratio",
    minimum=0,
    null_means="there are no threads",
    meaning="Share of the time of all threads in the phase.",
)
PHASES = Table(
    name="phases",
    meaning=(
        "Phases of the main part: stretches between large changes of what its threads do. Every "
        "level divides the phases of the level before."
    ),
    grain="one row per level and phase",
    key=("level", "phase"),
    columns=(
        Column(
            name="level", type=INT8, minimum=0, meaning="Level of detail; 0 is the coarsest one."
        ),
        Column(name="phase", type=INT32, minimum=0, meaning="Number of the phase on its level."),
        Column(
            name="parent_phase",
            type=INT32,
            minimum=0,
            null_means="the coarsest level",
            meaning="Phase of the level before that contains it.",
        ),
        Column(
            name="threshold",
            type=FLOAT64,
            minimum=0,
            maximum=1,
            meaning="Least strength of the changes between phases of the level.",
        ),
        Column(
            name="strength",
            type=FLOAT64,
            minimum=0,
            maximum=1,
            null_means="the first phase",
            meaning="Strength of the change at the begin, as a share of the strongest change.",
        ),
        Column(name="begin_ns", type=INT64, unit="ns", meaning="Start of the phase."),
        Column(name="end_ns", type=INT64, unit="ns", meaning="End of the phase."),
        Column(
            name="kind",
            type=INT32,
            minimum=0,
            meaning=(
                "Kind on the level: phases whose exclusive times of regions differ by at most 15% "
                "from the first one of the kind."
            ),
        ),
        *(
            replace(_RATIO, name=ratio_name(name), meaning=f"{_RATIO.meaning[:-1]}: {name}.")
            for name in ACTIVITIES
        ),
        Column(
            name="wait_ns", type=INT64, unit="ns", minimum=0,
            meaning="Time of all threads in wait states.",
        ),
        Column(
            name="path_ns", type=INT64, unit="ns", minimum=0,
            meaning="Length of the critical path in the phase.",
        ),
    ),
    rules=(not_before("end_ns", "begin_ns"),),
)  # fmt: skip

TABLES = (FURTHER_CURVES, PHASES)
