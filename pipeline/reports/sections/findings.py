"""Findings: what patterns found apart from waiting, those of the user included."""

from collections.abc import Sequence

from tracemill.reports.material import Material
from tracemill.reports.model import Section, Source
from tracemill.reports.tables import TableSpec, read_source, strip_header
from tracemill.reports.units import Value, format_size
from tracemill.reports.wording import (
    Row,
    count_of,
    name_path,
    name_place,
    number,
    said,
    share_of,
    start,
    time_of,
)

PLACE = 35
# Share of all time below which a finding is left to the table, unless a pattern of the user made
# it.
WORTH_TELLING = 0.01
OWN, MASTERS = "own_patterns", "masters"
# Findings that a sentence tells besides those of the user; what else the summary has sentences for,
# or what is only a matter of the table, is left to it.
TOLD = ("large_messages",)

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
    hidden=frozenset({"meaning", "finding_count", "location_count"}),
)
BY_CALL_PATH = TableSpec(
    query="findings_by_call_path",
    title="By call path",
    row_limit=5,
    limited_per="finding",
    titles={"finding": "Finding"},
    bars=("time_ns",),
    silent={"confidence": 100, **_WITHOUT},
    hidden=frozenset({"finding_count", "location_count"}),
)


def build(material: Material) -> Section | None:
    """What was found, as a whole and by call path; None if nothing was found."""
    if not material.rows(BY_KIND.query):
        return None
    return Section(
        key="findings",
        title="Findings",
        sentences=describe_all(material),
        tables=material.tables(BY_KIND, BY_CALL_PATH),
        sources=(read_source(MASTERS), *own_patterns(material)),
    )


def describe_all(material: Material) -> tuple[str, ...]:
    """What is worth a sentence: masters and their workers, and what else was found."""
    total_ns = material.overview["total_ns"]
    masters = (describe_master(row, total_ns) for row in material.rows(MASTERS))
    return said(*masters, describe_findings(material.rows(BY_KIND.query)))


def describe_master(row: Row, total_ns: Value) -> str:
    """Who hands out work to how many, and what the workers and the master lose by it."""
    rounds = count_of(row["round_count"], "round")
    told = [
        f"{start(name_place(row['master_rank'], 0, has_threads=False))} hands out work to "
        f"{count_of(row['worker_count'], 'other')} in {rounds} (confidence {row['confidence']}%)."
    ]
    if row["starving_ns"]:
        share = number(row["starving_ns"]) / number(total_ns) if total_ns else None
        part = "" if share is None else f", {share_of(share)} of all time"
        told.append(f"They wait for it for {time_of(row['starving_ns'])}{part}.")
    if row["overloaded_ns"]:
        told.append(
            f"For {time_of(row['overloaded_ns'])} it works for one of them while another waits."
        )
    if row["fine_ns"]:
        tasks = count_of(row["fine_count"], "task")
        them = "it" if row["fine_count"] == 1 else "them"
        told.append(
            f"Getting {tasks} took {time_of(row['fine_ns'])}, longer than computing {them}."
        )
    return " ".join(told)


def describe_findings(found: Sequence[Row]) -> str:
    """Findings that matter and are told nowhere else, and those of patterns of the user."""
    told = [
        row
        for row in found
        if row["is_own"] or (row["metric"] in TOLD and number(row["time_ratio"]) >= WORTH_TELLING)
    ]
    if not told:
        return ""
    overlap = ", which may overlap" if len(told) > 1 else ""
    return f"Found{overlap}: {'; '.join(map(describe_finding, told))}."


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
