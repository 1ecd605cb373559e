"""Findings: what patterns found apart from waiting, those of the user included."""

from collections.abc import Sequence

from pipeline.reports.material import Material
from pipeline.reports.model import Section, Source
from pipeline.reports.tables import TableSpec, strip_header
from pipeline.reports.units import Value, format_size
from pipeline.reports.wording import Row, count_of, name_path, number, said, share_of, time_of

PLACE = 35
# Share of all time below which a finding is left to the table, unless a pattern of the user made
# it.
WORTH_TELLING = 0.01
TOLD_AT_ONCE = 5
OWN = "own_patterns"

_WITHOUT: dict[str, Value] = {
    "time_ns": None,
    "time_ratio": None,
    "bytes": None,
    "occurrence_count": None,
}
BY_KIND = TableSpec(
    query="findings_by_kind",
    title="By finding",
    note="Several may be about the same time, so that they do not add up. Call path and rank are "
    "those of its worst place.",
    titles={"finding": "Finding", "is_own": "Yours"},
    explained=("metric",),
    bars=("time_ns",),
    silent={"confidence": 100, "is_own": False, **_WITHOUT},
)
BY_CALL_PATH = TableSpec(
    query="findings_by_call_path",
    title="By call path",
    row_limit=5,
    limited_per="finding",
    titles={"finding": "Finding"},
    bars=("time_ns",),
    silent={"confidence": 100, **_WITHOUT},
)


def build(material: Material) -> Section | None:
    """What was found, as a whole and by call path; None if nothing was found."""
    if not material.rows(BY_KIND.query):
        return None
    return Section(
        key="findings",
        title="Findings",
        sentences=said(describe_findings(material.rows(BY_KIND.query))),
        tables=material.tables(BY_KIND, BY_CALL_PATH),
        sources=own_patterns(material),
    )


def describe_findings(found: Sequence[Row]) -> str:
    """The findings that cost most, and those of patterns of the user, in one sentence."""
    worst = [row for row in found if number(row["time_ratio"]) >= WORTH_TELLING]
    told = [row for row in found if row["is_own"] or row in worst[:TOLD_AT_ONCE]]
    if not told:
        return ""
    return f"Found, which may overlap: {'; '.join(map(describe_finding, told))}."


def describe_finding(row: Row) -> str:
    """How much of it there is, and where most."""
    if row["time_ns"] is not None:
        share = "" if row["time_ratio"] is None else f", {share_of(row['time_ratio'])} of all time"
        amount = f"{time_of(row['time_ns'])}{share}"
    elif row["bytes"] is not None:
        amount = format_size(number(row["bytes"]))
    else:
        amount = count_of(row["occurrence_count"], "time")
    doubt = "" if row["confidence"] == 100 else f" (confidence down to {row['confidence']}%)"
    return f"{row['finding']} {amount}, most in {name_path(row['call_path'])}{doubt}"


def own_patterns(material: Material) -> tuple[Source, ...]:
    """The queries of the patterns of the user."""
    rows = material.rows(OWN)
    return tuple(Source(str(row["pattern"]), strip_header(str(row["query"]))) for row in rows)
