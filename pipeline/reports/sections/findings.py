"""Findings of patterns, except waiting; includes user patterns."""

from collections.abc import Sequence

from tracemill.reports.material import Material
from tracemill.reports.model import Section, ShownQuery
from tracemill.reports.tables import TableSpec, read_source, strip_header
from tracemill.reports.units import Value, format_size
from tracemill.reports.wording import (
    Row,
    count_of,
    name_path,
    name_place,
    nonempty,
    number,
    share_of,
    start,
    time_of,
)

PLACE = 35
# Findings with a smaller share of all time appear in the table only, except user patterns.
LEAST_SHARE = 0.01
OWN, MASTERS = "own_patterns", "masters"
# Catalog findings with a sentence of their own; others have other sentences or only the table.
SENTENCES = ("large_messages",)

_WITHOUT: dict[str, Value] = {
    "time_ns": None,
    "time_ratio": None,
    "bytes": None,
    "occurrence_count": None,
}
BY_KIND = TableSpec(
    query="findings_by_kind",
    title="By finding",
    note="Findings may overlap, so their values do not add up. Call path and rank are those of the "
    "worst place.",
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
    """Findings as a whole and by call path; None if there are none."""
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
    """Sentences about masters with workers, and about other important findings."""
    total_ns = material.overview["total_ns"]
    masters = (describe_master(row, total_ns) for row in material.rows(MASTERS))
    return nonempty(*masters, describe_findings(material.rows(BY_KIND.query)))


def describe_master(row: Row, total_ns: Value) -> str:
    """A master and its workers, and the time that they lose."""
    rounds = count_of(row["round_count"], "round")
    sentences = [
        f"{start(name_place(row['master_rank'], 0, has_threads=False))} assigns work to "
        f"{count_of(row['worker_count'], 'other rank')} in {rounds} "
        f"(confidence {row['confidence']}%)."
    ]
    if row["starving_ns"]:
        share = number(row["starving_ns"]) / number(total_ns) if total_ns else None
        part = "" if share is None else f", {share_of(share)} of all time"
        sentences.append(f"They wait {time_of(row['starving_ns'])} for it{part}.")
    if row["overloaded_ns"]:
        sentences.append(
            f"For {time_of(row['overloaded_ns'])}, it works for one of them while another waits."
        )
    if row["fine_ns"]:
        tasks = count_of(row["fine_count"], "task")
        them = "it" if row["fine_count"] == 1 else "them"
        sentences.append(
            f"Getting {tasks} took {time_of(row['fine_ns'])}, more than computing {them}."
        )
    return " ".join(sentences)


def describe_findings(found: Sequence[Row]) -> str:
    """Important findings without another sentence, and all findings of user patterns."""
    shown = [
        row
        for row in found
        if row["is_own"]
        or (row["metric"] in SENTENCES and number(row["time_ratio"]) >= LEAST_SHARE)
    ]
    if not shown:
        return ""
    overlap = " (may overlap)" if len(shown) > 1 else ""
    return f"Found{overlap}: {'; '.join(map(describe_row, shown))}."


def describe_row(row: Row) -> str:
    """A finding with its amount and worst place."""
    if row["time_ns"] is not None:
        share = "" if row["time_ratio"] is None else f", {share_of(row['time_ratio'])} of all time"
        amount = f"{time_of(row['time_ns'])}{share}"
    elif row["bytes"] is not None:
        amount = format_size(number(row["bytes"]))
    else:
        amount = count_of(row["occurrence_count"], "time")
    doubt = "" if row["confidence"] == 100 else f" (confidence at least {row['confidence']}%)"
    return f"{row['finding']} {amount}, most in {name_path(row['call_path'])}{doubt}"


def own_patterns(material: Material) -> tuple[ShownQuery, ...]:
    """The queries of user patterns."""
    rows = material.rows(OWN)
    return tuple(ShownQuery(str(row["pattern"]), strip_header(str(row["query"]))) for row in rows)
