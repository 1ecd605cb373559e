"""Runs: configurations, repetitions and failures."""

from collections.abc import Iterator, Sequence

from tracemill.base.text import join_words
from tracemill.reports.material import Material, filled
from tracemill.reports.model import Section
from tracemill.reports.pivots import pivot_each
from tracemill.reports.tables import TableSpec
from tracemill.reports.wording import Row, count_of, group_by, nonempty

PLACE = 80

CONFIGURATIONS = TableSpec(
    query="configurations",
    title="Configurations",
    note=(
        "Median of the repetitions. Noise: standard deviation of the repetitions / mean."
    ),
    row_limit=500,
    bars=("best_ns",),
    titles={"best_ns": "Best", "median_ns": "Median", "longest_ns": "Longest", "run_count": "Runs",
            "failed_count": "Failed", "spread_ratio": "Spread", "noise_ratio": "Noise"},
    silent={"threads": 1, "variant": "", "failed_count": 0, "noise_ratio": None},
)  # fmt: skip
LISTED = TableSpec(
    query="listed_runs",
    title="All runs",
    note=(
        "A name with a link leads to the report of the run. `tracemill campaign --run-reports` "
        "writes all of them."
    ),
    row_limit=2_000,
    bars=("time_ns",),
    titles={"label": "Name", "time_ns": "Time", "whole_time_ns": "Whole run"},
    silent={"run": None, "threads": 1, "variant": "", "state": "measured", "whole_time_ns": None},
)  # fmt: skip
FAILED = TableSpec(query="failed_runs", title="Runs that failed")

NAMES = TableSpec(
    query="programs_by_names",
    title="Programs identified by trace names only",
    note="If these are several programs, separate them with a pattern or a list of runs.",
    row_limit=500,
    titles={"run_count": "Runs", "first_label": "First", "last_label": "Last"},
)
VARYING = TableSpec(
    query="varying_parameters",
    title="Parameters that differ between runs of a program",
    row_limit=500,
    titles={"parameter": "Parameter", "parameter_values": "Values"},
)


def build(material: Material) -> Section:
    """Configurations and their times, failed runs, and grouped runs."""
    failed, names, varying = map(material.table, (FAILED, NAMES, VARYING))
    return Section(
        key="runs",
        title="Runs",
        sentences=nonempty(
            describe_runs(material.overview),
            describe_failures(len(failed.rows)),
            *describe_names(names.as_dicts()),
            *describe_varying(varying.as_dicts()),
            *describe_joined(material.rows("joined_call_sites")),
        ),
        tables=filled(
            *pivot_each(
                material.table(CONFIGURATIONS), ("median_ns", "noise_ratio"), ("threads", "variant")
            ),
            failed,
            names,
            varying,
            material.table(LISTED),
        ),
    )


def describe_runs(overview: Row) -> str:
    """The number of runs and configurations."""
    runs = count_of(overview["measured_count"], "run")
    return f"{runs} of {count_of(overview['configuration_count'], 'configuration')}."


def describe_names(rows: Sequence[Row]) -> Iterator[str]:
    """Traces that are grouped as one program only by their names."""
    for row in rows:
        yield (
            f"{row['application']}: {count_of(row['run_count'], 'run')} are grouped by the "
            f"names of their traces, {row['first_label']} to {row['last_label']}."
        )


def describe_varying(rows: Sequence[Row]) -> Iterator[str]:
    """Parameters other than processes, threads and size that differ between runs."""
    for application, own in group_by("application", rows).items():
        varying = join_words([f"{row['parameter']} ({row['parameter_values']})" for row in own])
        yield (
            f"{application}: runs differ in {varying}. The grid and the models use the best run of "
            "each configuration; growth uses all runs."
        )


def describe_joined(rows: Sequence[Row]) -> Iterator[str]:
    """Programs whose call sites are not distinguished."""
    for row in rows:
        yield (
            f"{row['application']}: some runs lack call sites, so calls of a region by one caller "
            "are not distinguished."
        )


def describe_failures(count: int) -> str:
    """The number of failed runs; else nothing."""
    return f"{count_of(count, 'run')} could not be used; for reasons, see below." if count else ""
