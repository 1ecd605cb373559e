"""Wait states: what kinds of waiting there were, where, and who was waited for."""

from collections.abc import Sequence

from tracemill.base.text import join_words
from tracemill.reports.material import Material
from tracemill.reports.model import Finding, Layout, Section
from tracemill.reports.rank_matrix import MATRIX_LIMIT, draw_pairs
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.units import Value, format_count
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

PLACE = 30
UNANALYSED = "unanalysed_waiting"
SEARCHED = "searched_wait_states"
BEYOND = "beyond the reference"
LOCKING = "lock_contention"

_COMPARABLE: dict[str, Value] = {"is_beyond_reference": False}

BY_PROPERTY = TableSpec(
    query="waits_by_property",
    title="By kind",
    note="What a metric means and what to try is told further below.",
    explained=("metric",),
    row_limit=30,
    bars=("wait_ns",),
    silent={"confidence": 100, "worst_thread": 0} | _COMPARABLE,
)
BY_CALL_PATH = TableSpec(
    query="waits_by_call_path",
    title="By call path",
    row_limit=20,
    bars=("wait_ns",),
    silent={"worst_thread": 0} | _COMPARABLE,
)
BY_CAUSE = TableSpec(
    query="waits_by_cause",
    title="By cause and victim",
    row_limit=20,
    bars=("wait_ns",),
    titles={"cause_rank": "Waited for", "rank": "Waiting rank"},
    silent={"thread": 0, "cause_thread": 0} | _COMPARABLE,
)
BETWEEN_RANKS = TableSpec(
    query="waits_between_ranks",
    title="Who waits how long for whom",
    note="Rows are waited for, columns wait; all kinds together, beyond the reference too.",
    row_limit=MATRIX_LIMIT * MATRIX_LIMIT,
    layout=Layout.MATRIX,
    titles={"cause_rank": "Waited for", "rank": "Waits"},
)


def build(material: Material) -> Section:
    """Time lost in waiting, by kind, call path and cause."""
    overview = material.overview
    searched = material.rows(SEARCHED)
    is_quiet = not (overview["wait_ns"] or overview["beyond_ns"])
    is_matrix = 2 <= int(number(overview["process_count"])) <= MATRIX_LIMIT
    matrix = material.tables(BETWEEN_RANKS) if is_matrix else ()
    return Section(
        key="wait-states",
        title="Wait states",
        sentences=said(
            describe_coverage(overview, material.rows(UNANALYSED)),
            describe_waiting(overview, searched) if is_quiet else "",
        ),
        tables=(*material.tables(BY_PROPERTY, BY_CALL_PATH), *matrix, *material.tables(BY_CAUSE)),
        drawings=tuple(map(draw_pairs, matrix)),
        sources=(read_source(UNANALYSED),),
    )


def describe_coverage(overview: Row, unanalysed: Sequence[Row]) -> str:
    """Which waiting the analysis tells apart, and how much time may hold other waiting."""
    kinds = [f"{row['kind']} ({share_of(row['time_ratio'])} of all time)" for row in unanalysed]
    others = f" Not analysed: {join_words(kinds)}." if kinds else ""
    has_processes = number(overview["process_count"]) > 1 or overview["mpi_ns"]
    analysed = ["messages and collectives between processes"] if has_processes else []
    analysed += ["one-sided communication"] if overview["rma_count"] else []
    analysed += ["collective access to files"] if overview["file_call_count"] else []
    analysed += ["barriers of OpenMP"] if overview["team_count"] else []
    analysed += ["locks of threads"] if overview["lock_count"] else []
    told = f"Analysed for waiting: {', '.join(analysed)}." if analysed else ""
    return f"{told}{others}".strip()


def describe_waiting(overview: Row, searched: Sequence[Row]) -> str:
    """The sentence that leads to the findings, or says what was looked for in vain."""
    lost = []
    if overview["wait_ns"]:
        waits = count_of(overview["wait_count"], "wait")
        lost.append(f"{waits} lost {time_of(overview['wait_ns'])}")
    if overview["beyond_ns"]:
        waits = count_of(overview["beyond_count"], "wait")
        which = f"{BEYOND} (which Scalasca does not report)"
        lost.append(f"{waits} {which} lost {time_of(overview['beyond_ns'])}")
    if lost:
        return f"{join_words(lost)}; worst first:"
    if number(overview["location_count"]) < 2:
        return "There are no two processes, of which one could wait for the other."
    kinds = join_words([str(row["finding"]) for row in searched])
    return f"No waiting was found{f' (looked for: {kinds})' if kinds else ''}."


def describe_finding(row: Row, *, has_threads: bool) -> Finding:
    """What costs how much, where, who loses most and who is waited for."""
    headline = str(row["finding"])
    if row["is_beyond_reference"]:
        headline += f", {BEYOND}"
    headline += f": {time_of(row['wait_ns'])}"
    if row["wait_ratio"] is not None:
        headline += f", {share_of(row['wait_ratio'])} of all time"
    waits = count_of(row["wait_count"], "wait")
    loss = _describe_loss(row, has_threads=has_threads)
    place = name_path(row["call_path"])
    return Finding(
        f"{headline}.", f"{waits} in {place}. {loss}{_describe_doubt(row)}", str(row["metric"])
    )


def _describe_doubt(row: Row) -> str:
    """How far a finding can be trusted, if not fully."""
    if not row["doubtful_count"]:
        return ""
    if row["doubtful_count"] == row["wait_count"]:
        return f" Doubtful: confidence {row['confidence']}%."
    doubtful, waits = (format_count(number(row[name])) for name in ("doubtful_count", "wait_count"))
    return (
        f" {doubtful} of the {waits} waits are doubtful: confidence down to {row['confidence']}%."
    )


def _describe_loss(row: Row, *, has_threads: bool) -> str:
    """Which location loses most, and whom it waits for, or who lets it in."""
    victim = name_place(row["rank"], row["thread"], has_threads=has_threads)
    cause = _describe_cause(row, has_threads=has_threads)
    is_lock = LOCKING in str(row["metric"])
    worst, part = time_of(row["worst_ns"]), _describe_part(row)
    amount = "" if part == "all" else f" {part}"
    if is_lock:  # whoever had it before counts, even if others were inside before that
        waits = f"{cause} let it in{f' for{amount}' if amount else ''}"
    else:
        waits = f"{part} waiting for {cause}"
    tied = int(number(row["tied_count"])) - 1
    if tied > 0:
        each = f"{start(victim)} and {count_of(tied, 'other')} lose most, {worst} each"
        return f"{each}; {waits if is_lock else f'{victim} waits{amount} for {cause}'}."
    if number(row["location_count"]) > 1:
        return f"{start(victim)} loses most, {worst}{'; ' if is_lock else ', '}{waits}."
    if part == "all":
        until = f"until {cause} lets it in" if is_lock else f"for {cause}"
        return f"{start(victim)} waits {until}."
    return f"{start(victim)} loses it all{'; ' if is_lock else ', '}{waits}."


def _describe_cause(row: Row, *, has_threads: bool) -> str:
    cause = name_place(row["cause_rank"], row["cause_thread"], has_threads=has_threads)
    path = row["cause_call_path"]
    if path is None:
        return cause
    if path == row["call_path"]:
        return cause if LOCKING in str(row["metric"]) else f"{cause} to enter it"
    return f"{cause} in {name_path(path)}"


def _describe_part(row: Row) -> str:
    """How much of what the worst location loses is due to its worst cause."""
    if number(row["cause_ns"]) >= number(row["worst_ns"]):
        return "all"
    caused = time_of(row["cause_ns"])
    return "nearly all" if caused == time_of(row["worst_ns"]) else f"{caused} of it"
