"""Runs: what was measured, how often, and what failed."""

from pipeline.reports.material import Material, filled
from pipeline.reports.model import Section
from pipeline.reports.tables import TableSpec
from pipeline.reports.wording import count_of, said

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


def build(material: Material) -> Section:
    """Configurations and their times; runs that failed."""
    failed = material.table(FAILED)
    return Section(
        key="runs",
        title="Runs",
        sentences=said(describe_failures(len(failed.rows))),
        tables=filled(material.table(CONFIGURATIONS), failed),
    )


def describe_failures(count: int) -> str:
    """How many runs are missing; else nothing."""
    return f"{count_of(count, 'run')} could not be used; see below why." if count else ""
