"""Overheads of a parallel run against a sequential one, computed when asked for."""

from tracemill.schemas.columns import CALL_PATH_KEY
from tracemill.schemas.overheads import OVERHEAD_ID
from tracemill.schemas.table import INT64, STRING, Column, Table

NOT_COUNTED = "a side lacks counters of instructions or cycles"
NO_REPETITIONS = "there is only one run on each side"


def _time(name: str, meaning: str, null_means: str = "") -> Column:
    return Column(name=name, type=INT64, unit="ns", null_means=null_means, meaning=meaning)


NOISE = _time(
    "noise_ns",
    "Largest difference of the mean overhead that chance explains (95%).",
    NO_REPETITIONS,
)


REGION_COMPARISON = Table(
    name="region_comparison",
    meaning="Inclusive times of regions in a sequential and a parallel run.",
    grain="one row per region of either run",
    key=("region",),
    columns=(
        Column(name="region", type=STRING, meaning="Name of the region."),
        _time("seq_ns", "Mean over processes in the sequential run."),
        _time("par_mean_ns", "Mean over processes in the parallel run."),
        _time("par_max_ns", "Longest time of a process in the parallel run."),
        _time("overhead_mean_ns", "Mean time minus its share of the sequential time."),
        _time("overhead_max_ns", "Longest time minus its share of the sequential time."),
        _time("charged_ns", "Time that other threads lose meanwhile, per thread of the run."),
        NOISE,
    ),
)

CALL_PATH_COMPARISON = Table(
    name="call_path_comparison",
    meaning="Exclusive times of call paths in a sequential and a parallel run.",
    grain="one row per call path of either run",
    key=("call_path_key",),
    columns=(
        CALL_PATH_KEY,
        Column(name="call_path", type=STRING, meaning="Region names from the root."),
        _time("seq_ns", "Sum over the threads of the sequential run."),
        _time("par_mean_ns", "Mean over all threads of the parallel run."),
        _time("par_max_ns", "Longest time of a thread in the parallel run."),
        Column(
            name="participant_count",
            type=INT64,
            minimum=0,
            meaning="Threads of the parallel run that visit the call path.",
        ),
        _time("overhead_ns", "Overhead per thread; negative if superlinear."),
        _time("replicated_ns", "Part of it: the same computation on several threads."),
        _time("additional_ns", "Part of it: computation that the sequential run does not have."),
        _time(
            "unidentified_ns",
            "Part of it: computation that neither times nor instructions can explain.",
        ),
        _time(
            "lower_ipc_ns",
            "Part of the unidentified time: fewer instructions per cycle.",
            NOT_COUNTED,
        ),
        _time("lower_frequency_ns", "Part of the unidentified time: longer cycles.", NOT_COUNTED),
        NOISE,
    ),
)

RUN_COMPARISON = Table(
    name="run_comparison",
    meaning="Overhead of a parallel run against a sequential one, by class.",
    grain="one row per class with overhead",
    key=("overhead_id",),
    columns=(
        OVERHEAD_ID,
        _time(
            "time_ns",
            "Overhead per thread; negative if superlinear. The class computation holds "
            "computation that cannot be explained.",
        ),
        NOISE,
    ),
)
