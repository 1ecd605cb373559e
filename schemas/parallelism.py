"""Lost parallelism: time that locations lose while others compute."""

from tracemill.schemas.columns import CALL_PATH_ID, renamed
from tracemill.schemas.overheads import OVERHEAD_ID
from tracemill.schemas.table import INT64, Column, Table

PARALLELISM_LOSSES = Table(
    name="parallelism_losses",
    meaning=(
        "Time that threads lose in the main part while other threads compute, charged to the call "
        "paths that compute. While n of P threads compute, each of them is charged (P - n) / n."
    ),
    grain="one row per computing call path, and class of the losing threads",
    key=("call_path_id", "overhead_id"),
    columns=(
        renamed(CALL_PATH_ID, "call_path_id", "Call path that computes while others lose time."),
        renamed(OVERHEAD_ID, "overhead_id", "Class in which the losing threads spend the time."),
        Column(
            name="participant_count",
            type=INT64,
            minimum=1,
            meaning="Number of threads that visit the call path anywhere in the run.",
        ),
        Column(
            name="alone_ns",
            type=INT64,
            unit="ns",
            minimum=0,
            meaning="Time lost while only one thread computes, summed over the losing threads.",
        ),
        Column(
            name="with_others_ns",
            type=INT64,
            unit="ns",
            minimum=0,
            meaning=(
                "Share of the time lost while several threads compute, summed over the losing "
                "threads and rounded."
            ),
        ),
        renamed(
            OVERHEAD_ID,
            "moved_to_overhead_id",
            "Class that explains the loss: unparallelised code if one thread takes part, partially "
            "parallelised code if some do.",
            null_means="all threads take part, or a rule of the user names the region",
        ),
    ),
)

TABLES = (PARALLELISM_LOSSES,)
