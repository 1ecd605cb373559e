"""Changes of the critical path between few and many processes."""

from tracemill.schemas.call_sites import ratio
from tracemill.schemas.campaigns import APPLICATION, PROCESSES, SIZE
from tracemill.schemas.columns import CALL_PATH_KEY, renamed
from tracemill.schemas.table import ENUM, FLOAT64, INT32, Column, Table

VERDICTS = ("grows", "does not shrink", "shrinks")
FEWEST, MOST = "with the fewest processes", "with the most processes"
OTHER_SIZES = "the sizes differ"


def _nanoseconds(name: str, meaning: str, *, null_means: str = "") -> Column:
    return Column(
        name=name, type=FLOAT64, unit="ns", minimum=0, meaning=meaning, null_means=null_means
    )


def _run_count(name: str, end: str) -> Column:
    return Column(name=name, type=INT32, minimum=1, meaning=f"Repetitions {end}.")


CONFIGURATION_PATHS = Table(
    name="configuration_paths",
    meaning=(
        "Critical path of the main part of the run by configuration and call path, without MPI "
        "setup: medians over the repetitions of the fastest launch. Call paths with at least "
        "`least_path_share` of the path in a run (default 0.01)."
    ),
    grain="one row per application, processes, size, and call path with that share in some run",
    key=("application", "processes", "size", "call_path_key"),
    columns=(
        APPLICATION,
        PROCESSES,
        SIZE,
        CALL_PATH_KEY,
        _nanoseconds("path_ns", "Time of the critical path in this call path."),
        ratio("path_share", "Share of the critical path.", maximum=1),
        Column(
            name="deviation_ratio",
            type=FLOAT64,
            minimum=0,
            null_means="a single repetition, or never on the path",
            meaning="Standard deviation of `path_ns` over the repetitions, divided by its mean.",
        ),
        Column(name="run_count", type=INT32, minimum=1, meaning="Repetitions."),
        _nanoseconds("total_ns", "Length of the whole critical path."),
    ),
)

PATH_CHANGES = Table(
    name="path_changes",
    meaning=(
        "Change of the critical path between the fewest and the most processes of a size. If no "
        "size was measured with several process counts, between the fewest processes and the most."
    ),
    grain=(
        "one row per application, size, and call path with at least `least_path_share` of the "
        "path at either end"
    ),
    key=("application", "largest_size", "call_path_key"),
    columns=(
        APPLICATION,
        renamed(SIZE, "smallest_size", f"Problem size {FEWEST}."),
        renamed(SIZE, "largest_size", f"Problem size {MOST}."),
        renamed(PROCESSES, "smallest_processes", "Fewest processes."),
        renamed(PROCESSES, "largest_processes", "Most processes."),
        CALL_PATH_KEY,
        _nanoseconds("smallest_ns", f"Time on the path {FEWEST}, median over repetitions."),
        _nanoseconds("largest_ns", f"Time on the path {MOST}, median over repetitions."),
        ratio("smallest_share", f"Share of the path {FEWEST}.", maximum=1),
        ratio("largest_share", f"Share of the path {MOST}.", maximum=1),
        _nanoseconds(
            "divided_ns",
            "`smallest_ns` divided evenly among the additional processes.",
            null_means=OTHER_SIZES,
        ),
        Column(
            name="noise_ratio",
            type=FLOAT64,
            minimum=0,
            null_means="no repetitions where the call path has at least `least_path_share`",
            meaning=(
                "Relative standard deviation of repetitions of this call path, pooled over the "
                "configurations where it has at least `least_path_share` of the path."
            ),
        ),
        _nanoseconds(
            "least_change_ns",
            "Smaller changes are noise: twice the noise (at least 1%) of the larger of both "
            "times; if the noise is not known, 25% of it.",
        ),
        Column(
            name="verdict",
            type=ENUM,
            values=VERDICTS,
            meaning="Whether the time on the path grows or shrinks by more than the noise.",
        ),
        _run_count("smallest_run_count", FEWEST),
        _run_count("largest_run_count", MOST),
        _nanoseconds("smallest_total_ns", f"Length of the whole path {FEWEST}."),
        _nanoseconds("largest_total_ns", f"Length of the whole path {MOST}."),
    ),
)

TABLES = (CONFIGURATION_PATHS, PATH_CHANGES)
