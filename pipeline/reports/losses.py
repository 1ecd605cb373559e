"""The report of lost parallelism of a single run."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from tracemill.reports.material import Material
from tracemill.reports.model import Report, Section
from tracemill.reports.sections.overheads import BY_LOSS, describe_loss
from tracemill.reports.wording import Row, name_path, nonempty, number, share_of, time_of
from tracemill.store.runs import Run

ALL_ROWS = 1 << 31


def build_losses_report(run: Run) -> Report:
    """Call paths that compute while other threads lose time; no table without any."""
    with run.connect() as connection:
        material = Material(connection, run.manifest)
        table = material.table(replace(BY_LOSS, row_limit=ALL_ROWS))
    rows = table.as_dicts()
    sentences = nonempty(describe_total(rows), describe_loss(rows))
    return Report(
        title=f"Lost parallelism of {run.label}",
        subtitle="",
        name=run.run_id,
        sections=(
            Section(
                key="losses",
                title="Lost parallelism",
                sentences=sentences or ("No code runs on some of the threads only.",),
                tables=(table,) if table.rows else (),
            ),
        ),
    )


def describe_total(losses: Sequence[Row]) -> str:
    """The time lost in total, and the call path that loses most; nothing without losses."""
    lost: Counter[str] = Counter()
    for row in losses:
        lost[str(row["call_path"])] += int(number(row["lost_ns"]))
    if not (total := lost.total()):
        return ""
    ((path, most),) = lost.most_common(1)
    return (
        f"Threads lose {time_of(total)} in total while others compute, the largest part, "
        f"{time_of(most)} ({share_of(most / total)}), while {name_path(path)} runs."
    )
