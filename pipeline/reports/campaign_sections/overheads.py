"""Overheads: every configuration against the fewest processes of its size."""

from collections.abc import Iterator, Sequence

from tracemill.reports.material import Material, filled
from tracemill.reports.model import Section
from tracemill.reports.pivots import pivot_each
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.wording import (
    Row,
    count_of,
    describe_part_of_overhead,
    nonempty,
    number,
    size_of,
    time_of,
)

PLACE = 52
LARGEST = "largest_overheads"
_NOISE = "By chance up to"

COMPARED = TableSpec(
    query="compared_configurations",
    title="Overheads of configurations",
    note=(
        "Time minus its share of the time with the fewest processes of the same size: "
        "T_o = T_p − T_s · P_s / P, per thread. Means over the repetitions of the fastest launch; "
        "by chance: Welch's confidence interval, 95%."
    ),
    row_limit=500,
    titles={
        "base_processes": "Compared with", "base_ns": "Its time", "time_ns": "Time",
        "overhead_ns": "Overhead", "noise_ns": _NOISE, "run_count": "Runs",
        "base_run_count": "Its runs",
    },
    bars=("overhead_ns",),
    silent={"noise_ns": None},
)  # fmt: skip
CLASSES = TableSpec(
    query="overheads_of_configurations",
    title="Overheads by class",
    row_limit=2_000,
    titles={
        "overhead_class": "Class", "overhead_subclass": "Subclass", "overhead_ns": "Overhead",
        "overhead_ratio": "Of the overhead", "noise_ns": _NOISE,
    },
    bars=("overhead_ns",),
    silent={"noise_ns": None},
)  # fmt: skip
CALL_PATHS = TableSpec(
    query="overheads_of_call_paths",
    title="Overheads by call path",
    note=(
        "Up to ten call paths per configuration, per thread. Charged: time that others lose while "
        "it computes, because not all threads ever do; this time is part of the waiting elsewhere."
    ),
    row_limit=2_000,
    titles={
        "participant_count": "Threads that take part", "seq_ns": "Fewest processes, sum",
        "par_mean_ns": "Mean", "par_max_ns": "Longest", "overhead_ns": "Overhead",
        "charged_ns": "Charged for others", "lower_ipc_ns": "Fewer instructions per cycle",
        "lower_frequency_ns": "Lower frequency", "noise_ns": _NOISE,
    },
    silent={"noise_ns": None, "lower_ipc_ns": None, "lower_frequency_ns": None},
)  # fmt: skip

REGIONS = TableSpec(
    query="overheads_of_regions",
    title="Overheads by region",
    note=(
        "Up to ten regions per configuration, with callees, per process. The mean hides what one "
        "process does alone. Charged: time that others lose meanwhile, per thread."
    ),
    row_limit=2_000,
    titles={
        "seq_ns": "Fewest processes, mean", "par_mean_ns": "Mean", "par_max_ns": "Longest",
        "overhead_mean_ns": "Overhead, mean", "overhead_max_ns": "Overhead, longest",
        "charged_ns": "Charged for others",
    },
)  # fmt: skip


def build(material: Material) -> Section | None:
    """Overheads in total, by class, by call path and by region."""
    compared = material.table(COMPARED)
    tables = filled(
        *pivot_each(compared, ("overhead_ns", "noise_ns"), ()),
        *pivot_each(
            material.table(CLASSES), ("overhead_ns",), ("overhead_class", "overhead_subclass")
        ),
        *pivot_each(material.table(CALL_PATHS), ("overhead_ns", "charged_ns"), ("call_path",)),
        *pivot_each(material.table(REGIONS), ("overhead_mean_ns", "charged_ns"), ("region",)),
    )
    if not tables:
        return None
    return Section(
        key="overheads",
        title="Overheads",
        sentences=nonempty(*describe_largest(material.rows(LARGEST))),
        tables=tables,
        sources=(read_source(LARGEST),),
    )


def describe_largest(rows: Sequence[Row]) -> Iterator[str]:
    """The overhead with most processes at the largest size, and its largest part."""
    for row in rows:
        place = count_of(row["processes"], "process", "processes")
        base = count_of(row["base_processes"], "process", "processes")
        where = f"{row['application']}: with {place} at {row['size_name']} = {size_of(row['size'])}"
        total = number(row["overhead_ns"])
        if total <= 0:
            yield f"{where}, it is {time_of(-total)} faster than its share of {base}."
            continue
        noise = row["noise_ns"]
        overhead = f"overhead is {time_of(total)}"
        if noise is not None:
            overhead = f"mean {overhead} (± {time_of(noise)} by chance)"
        part = describe_part_of_overhead(
            row["overhead_subclass"], number(row["time_ns"]), total, row["call_path"]
        )
        yield f"{where}, the {overhead} against an even division of the time with {base}: {part}."
