"""Trace quality: missing, damaged and uncertain parts."""

from collections.abc import Sequence

from tracemill.base.names import make_visible
from tracemill.reports.material import Material, filled
from tracemill.reports.model import Section
from tracemill.reports.tables import TableSpec
from tracemill.reports.units import format_count
from tracemill.reports.wording import Row, count_of, number, quote, share_of, time_of

PLACE = 110
LARGE_SHARE = 0.1
"""A share of the run from which on it is part of the summary."""

QUALITY = TableSpec(
    query="quality_findings",
    title="Problems of the trace",
    titles={"detail": "Effect", "time_ns": "Affected time"},
    silent={"time_ns": None, "run_ratio": None},
    hidden=frozenset({"is_loss"}),
)
CLOCKS = TableSpec(
    query="clocks",
    title="Clocks",
    note="Waiting is touched if a record of its message or collective jumped, or if its begin or "
    "end moved by more than a tenth of it.",
    titles={
        "violation_count": "Contradictions",
        "largest_violation_ns": "Largest",
        "jump_count": "Jumps",
        "largest_jump_ns": "Largest jump",
        "moved_count": "Moved records",
        "largest_move_ns": "Largest move",
        "move_ratio": "Of the run",
        "touched_ns": "Touched waiting",
        "touched_ratio": "Of all waiting",
    },
)
ALL_MISREAD = 1 << 62
MISREAD = TableSpec(
    query="misread_words",
    title="Cells that could not be interpreted",
    titles={"column_name": "Column", "first_line": "First line", "nearest": "Did you mean"},
    row_limit=20,
)
UNCERTAIN = TableSpec(
    query="uncertain_severities",
    title="Time in uncertain events",
    note="Waits and findings that rest on records which are missing or contradict each other.",
    titles={"total_ns": "Total"},
)
INCOMPLETE = TableSpec(
    query="incomplete_locations",
    title="Incomplete locations",
    note="Recorded = not read + unknown + kept.",
    titles={
        "recorded_count": "Recorded",
        "unread_count": "Not read",
        "unknown_count": "Unknown",
        "kept_count": "Kept",
        "dropped_count": "Values dropped",
    },
    row_limit=50,
    silent={"thread": 0, "dropped_count": 0},
)


def build(material: Material, *more: TableSpec) -> Section:
    """Problems of the trace; `more` tables come before the incomplete locations."""
    findings = material.table(QUALITY)
    misread = material.table(MISREAD)
    incomplete = material.table(INCOMPLETE)
    return Section(
        key="trace-quality",
        title="Trace quality",
        sentences=(describe_quality(findings.as_dicts(), incomplete.as_dicts()),),
        tables=filled(
            findings,
            material.table(CLOCKS),
            misread,
            *map(material.table, more),
            incomplete,
            material.table(UNCERTAIN),
        ),
    )


def describe_clocks(clocks: Sequence[Row]) -> str:
    """How much clocks contradict each other, and what correcting them moved; else nothing."""
    if not clocks:
        return ""
    (found,) = clocks
    count = int(number(found["violation_count"]))
    if count:
        times = "once" if count == 1 else f"{format_count(count)} times"
        largest = time_of(found["largest_violation_ns"])
        what = f"Clocks contradict each other {times}, by up to {largest}"
    else:
        jumps = count_of(found["jump_count"], "record")
        what = (
            f"{jumps} came sooner than messages can, by up to {time_of(found['largest_jump_ns'])}"
        )
    if found["jump_count"] is None:
        return f"{what}; times are shown as recorded."
    moved = f"{time_of(found['largest_move_ns'])} ({share_of(found['move_ratio'])} of the run)"
    return (
        f"{what}; times were corrected, records moved by up to {moved}. --clock-correction off "
        "shows them as recorded."
    )


def describe_quality(findings: Sequence[Row], incomplete: Sequence[Row]) -> str:
    """Trace quality in one line."""
    listed = name_findings(findings)
    if not listed:
        return "Trace quality: no problems found."
    if incomplete:
        listed.insert(0, f"{count_of(len(incomplete), 'location')} incomplete")
    return f"Trace quality: {'; '.join(listed)}."


def name_findings(findings: Sequence[Row]) -> list[str]:
    """'5 × unmatched send' for each kind, and its share of the run if that is large."""
    kinds: dict[str, int] = {}
    shares: dict[str, float] = {}
    for finding in findings:
        kind = str(finding["kind"])
        kinds[kind] = kinds.get(kind, 0) + int(number(finding["finding_count"]))
        shares[kind] = shares.get(kind, 0) + number(finding.get("run_ratio"))
    return [
        f"{format_count(count)} × {kind.replace('_', ' ')}"
        + (f" ({share_of(shares[kind])} of the run)" if shares[kind] >= LARGE_SHARE else "")
        for kind, count in kinds.items()
    ]


def describe_misread(misread: Sequence[Row]) -> str:
    """The most frequent cell that could not be interpreted, and the number of others."""
    if not misread:
        return ""
    worst = misread[0]
    column, cell = worst["column_name"], make_visible(str(worst["cell"]))
    what = f"{column} {quote(cell)}" if cell else f"an empty {column}"
    rows, line = count_of(worst["row_count"], "row"), format_count(int(number(worst["first_line"])))
    suggestion = f"; did you mean {worst['nearest']}?" if worst["nearest"] else "."
    others = len(misread) - 1
    more = f" {count_of(others, 'other cell')}: see the table misread_cells." if others else ""
    place = f"{rows}, first in line {line} of {worst['file']}"
    return f"Could not interpret: {what} in {place}{suggestion}{more}"
