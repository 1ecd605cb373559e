"""The report of lost parallelism of a single run."""

from dataclasses import replace

from tracemill.reports.material import Material
from tracemill.reports.model import Report, Section
from tracemill.reports.sections.overheads import BY_LOSS, describe_loss
from tracemill.store.runs import Run

ALL_ROWS = 1 << 31


def build_losses_report(run: Run) -> Report:
    """Call paths that compute while other threads lose time; no table without any."""
    with run.connect() as connection:
        material = Material(connection, run.manifest)
        table = material.table(replace(BY_LOSS, row_limit=ALL_ROWS))
    sentence = describe_loss(table.as_dicts())
    return Report(
        title=f"Lost parallelism of {run.label}",
        subtitle="",
        name=run.run_id,
        sections=(
            Section(
                key="losses",
                title="Lost parallelism",
                sentences=(sentence or "No code runs on some of the threads only.",),
                tables=(table,) if table.rows else (),
            ),
        ),
    )
