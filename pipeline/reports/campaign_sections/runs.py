"""Runs: what was measured, how often, and what failed."""

from collections.abc import Iterator, Sequence

from tracemill.base.text import join_words
from tracemill.reports.material import Material, filled
from tracemill.reports.model import Section
from tracemill.reports.tables import TableSpec
from tracemill.reports.wording import Row, count_of, said

PLACE = 90

CONFIGURATIONS = TableSpec(
    query="configurations",
    title="Configurations",
    note="Best, median and longest time of the repetitions; spread: longest less best, of median.",
    row_limit=500,
    bars=("best_ns",),
    titles={"best_ns": "Best", "median_ns": "Median", "longest_ns": "Longest", "run_count": "Runs",
            "failed_count": "Failed", "spread_ratio": "Spread"},
    silent={"threads": 1, "variant": "", "failed_count": 0},
)  # fmt: skip
FAILED = TableSpec(query="failed_runs", title="Runs that failed")

NAMES = TableSpec(
    query="programs_by_names",
    title="Programs that only names of traces tell",
    note="If these are several programs, tell them apart by a pattern or a list of runs.",
    row_limit=500,
    titles={"run_count": "Runs", "first_label": "First", "last_label": "Last"},
)
VARYING = TableSpec(
    query="varying_parameters",
    title="Parameters in which runs of a program differ",
    row_limit=500,
    titles={"parameter": "Parameter", "parameter_values": "Values"},
)


def build(material: Material) -> Section:
    """Configurations and their times; runs that failed; what was taken together."""
    failed, names, varying = map(material.table, (FAILED, NAMES, VARYING))
    return Section(
        key="runs",
        title="Runs",
        sentences=said(
            describe_failures(len(failed.rows)),
            *describe_names(names.as_dicts()),
            *describe_varying(varying.as_dicts()),
        ),
        tables=filled(material.table(CONFIGURATIONS), failed, names, varying),
    )


def describe_names(rows: Sequence[Row]) -> Iterator[str]:
    """Which traces were taken for runs of one program though nothing but their names says so."""
    for row in rows:
        yield (
            f"{row['application']}: {count_of(row['run_count'], 'run')} were taken together by the "
            f"names of their traces, {row['first_label']} to {row['last_label']}."
        )


def describe_varying(rows: Sequence[Row]) -> Iterator[str]:
    """Which runs of one program differ in more than processes, threads and size."""
    for application in dict.fromkeys(row["application"] for row in rows):
        own = [row for row in rows if row["application"] == application]
        told = join_words([f"{row['parameter']} ({row['parameter_values']})" for row in own])
        yield (
            f"{application}: runs differ in {told}; the best of each configuration stands in the "
            "grid and in models, all count in what grows."
        )


def describe_failures(count: int) -> str:
    """How many runs are missing; else nothing."""
    return f"{count_of(count, 'run')} could not be used; see below why." if count else ""
