"""Iterations of a program's main loop."""

from dataclasses import replace

from tracemill.schemas.columns import (
    CALL_PATH_ID,
    ENTER_NS,
    EXCLUSIVE_NS,
    LEAVE_NS,
    LOCATION_GROUP_ID,
    REGION_ID,
    VISIT_COUNT,
    VISIT_ID,
    renamed,
)
from tracemill.schemas.table import BOOL, ENUM, FLOAT64, INT32, INT64, Column, Table, not_before

REASONS = (
    "counts differ", "ends differ", "too few", "unlike", "uneven", "short", "no communication",
    "twice only", "not compared",
)  # fmt: skip
"""Reasons why a head begins no loop."""

_ROOT = "the root of the process"
_ITERATION = Column(
    name="iteration", type=INT32, minimum=0, meaning="Number of the iteration, from 0."
)
_IS_RUN = Column(
    name="is_run",
    type=BOOL,
    meaning="Only the first of several visits in a row begins an iteration.",
)
_BEGIN = renamed(
    ENTER_NS,
    "begin_ns",
    "Begin of the iteration on the process: enter of the head, in the main part.",
)
_END = renamed(
    LEAVE_NS,
    "end_ns",
    "End of the iteration: enter of the next head; of the last one, the leave of the last call "
    "that another iteration makes too.",
)
_TIME = Column(name="time_ns", type=INT64, unit="ns", minimum=0, meaning="Time of the iteration.")
_RATIO = Column(name="similarity_ratio", type=FLOAT64, minimum=0, maximum=1, meaning="")
_SIMILARITY = replace(
    _RATIO,
    meaning=(
        "Mean Jaccard index of the regions called in an iteration with those of the usual set, "
        "which lasts longest in sum; on the process where it is least."
    ),
)
_COVERAGE = replace(
    _RATIO,
    name="coverage_ratio",
    meaning="Share of the iterations in the main part of all processes.",
)

LOOP_CHILDREN = Table(
    name="loop_children",
    meaning="Calls in which iterations are searched.",
    grain="one row per call",
    key=("visit_id",),
    is_transient=True,
    columns=(
        renamed(CALL_PATH_ID, "call_path_id", "Caller.", null_means=f"{_ROOT}, or a named head"),
        LOCATION_GROUP_ID,
        VISIT_ID,
        REGION_ID,
        ENTER_NS,
        LEAVE_NS,
        Column(name="is_head", type=BOOL, meaning="The call is a visit of the named head."),
    ),
)
ITERATION_LOOP = Table(
    name="iteration_loop",
    meaning="The main loop of the program, found by its recurring calls.",
    grain="one row if there is a loop",
    key=("region_id",),
    columns=(
        renamed(
            CALL_PATH_ID,
            "call_path_id",
            "Call path whose calls are cut into iterations.",
            null_means=f"{_ROOT}, or several callers of a named head",
        ),
        renamed(REGION_ID, "region_id", "Head: the region that begins every iteration."),
        _IS_RUN,
        Column(
            name="is_named", type=BOOL, meaning="The head was named with --iteration-head."
        ),
        Column(
            name="iteration_count",
            type=INT64,
            unit="iterations",
            minimum=1,
            meaning="Number of iterations on each process.",
        ),
        _SIMILARITY,
        _COVERAGE,
        Column(
            name="dropped_before_count",
            type=INT64,
            unit="iterations",
            minimum=0,
            meaning="Visits of the head before the loop that begin something else: warm-up.",
        ),
        Column(
            name="dropped_after_count",
            type=INT64,
            unit="iterations",
            minimum=0,
            meaning="The same after the loop.",
        ),
        replace(
            _TIME,
            name="before_ns",
            meaning="Time of all processes in the main part before their first iteration.",
        ),
        replace(
            _TIME,
            name="after_ns",
            meaning="Time of all processes in the main part after their last iteration.",
        ),
    ),
)  # fmt: skip
ITERATION_CANDIDATES = Table(
    name="iteration_candidates",
    meaning="Regions that recur on a process, and why they are no head of the main loop.",
    grain="one row per caller and repeated region; a second one for first visits of runs",
    key=("call_path_id", "region_id", "is_run"),
    columns=(
        renamed(CALL_PATH_ID, "call_path_id", "Caller.", null_means=_ROOT),
        REGION_ID,
        _IS_RUN,
        renamed(VISIT_COUNT, "least_count", "Visits on the process with the fewest."),
        renamed(
            LOCATION_GROUP_ID, "least_group_id", "Process with the fewest visits; the first one."
        ),
        renamed(VISIT_COUNT, "most_count", "Visits on the process with the most."),
        renamed(LOCATION_GROUP_ID, "most_group_id", "Process with the most visits; the first one."),
        Column(
            name="iteration_count",
            type=INT64,
            unit="iterations",
            minimum=0,
            meaning="Iterations without unusual ones at the ends; 0 if not determined.",
        ),
        _SIMILARITY,
        _COVERAGE,
        Column(
            name="reason",
            type=ENUM,
            values=REASONS,
            meaning=(
                "First condition that does not hold. counts differ: processes have different "
                "numbers of visits; ends differ: processes begin or end with different numbers of "
                "unusual iterations; too few: fewer than two; unlike: the similarity is below 0.8; "
                "uneven: the median lasts less than 0.2 of the mean; short: the coverage is below "
                "0.3; no communication: fewer than 80 % of the iterations synchronize or move "
                "data; twice only: there are two iterations; not compared: there are 16 earlier "
                "heads with the same number of visits."
            ),
            null_means="the region begins the iterations of a loop",
        ),
    ),
)  # fmt: skip
ITERATION_SPANS = Table(
    name="iteration_spans",
    meaning="Begin and end of the iterations on each process.",
    grain="one row per iteration and process",
    key=("iteration", "location_group_id"),
    is_transient=True,
    columns=(_ITERATION, LOCATION_GROUP_ID, _BEGIN, _END),
)
ITERATIONS = Table(
    name="iterations",
    meaning="Iterations of the main loop on each process.",
    grain="one row per iteration and process",
    key=("iteration", "location_group_id"),
    columns=(
        _ITERATION,
        LOCATION_GROUP_ID,
        _BEGIN,
        _END,
        _TIME,
        renamed(
            EXCLUSIVE_NS, "computing_ns", "Time in which locations of the process compute, summed."
        ),
        replace(
            _TIME,
            name="wait_ns",
            meaning="Waiting of the locations of the process, without completion, summed.",
        ),
        replace(_TIME, name="path_ns", meaning="Time of the critical path on the process."),
        Column(
            name="bytes_sent",
            type=INT64,
            unit="bytes",
            minimum=0,
            meaning="Bytes of messages that the process sends in the iteration.",
        ),
        Column(
            name="imbalance_ratio",
            type=FLOAT64,
            minimum=1,
            meaning=(
                "Longest computing time of a first thread over the mean of all processes, the same "
                "in all rows of an iteration."
            ),
            null_means="no first thread computes in the iteration",
        ),
    ),
    rules=(not_before("end_ns", "begin_ns"),),
)

TABLES = (
    LOOP_CHILDREN, ITERATION_LOOP, ITERATION_CANDIDATES, ITERATION_SPANS, ITERATIONS,
)  # fmt: skip
