"""Wait states: kinds, places and causes of waiting."""

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
    nonempty,
    number,
    share_of,
    start,
    time_of,
)

PLACE = 30
UNANALYZED = "unanalyzed_waiting"
SEARCHED = "searched_wait_states"
EXTENDED = "extended"
NOT_IN_SCALASCA = "not in Scalasca"
LOCKING = "lock_contention"

_COMPARABLE: dict[str, Value] = {"is_extended": False}

BY_PROPERTY = TableSpec(
    query="waits_by_property",
    title="By kind",
    note="For meanings and advice, see Metrics explained.",
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
    titles={"cause_rank": "Cause rank", "rank": "Waiting rank"},
    silent={"thread": 0, "cause_thread": 0} | _COMPARABLE,
)
BETWEEN_RANKS = TableSpec(
    query="waits_between_ranks",
    title="Waiting between ranks",
    note="Rows cause the waiting, columns wait. All kinds together, including extended ones.",
    row_limit=MATRIX_LIMIT * MATRIX_LIMIT,
    layout=Layout.MATRIX,
    titles={"cause_rank": "Cause", "rank": "Waits"},
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
        sentences=nonempty(
            describe_coverage(overview, material.rows(UNANALYZED)),
            describe_waiting(overview, searched) if is_quiet else "",
        ),
        tables=(*material.tables(BY_PROPERTY, BY_CALL_PATH), *matrix, *material.tables(BY_CAUSE)),
        drawings=tuple(map(draw_pairs, matrix)),
        sources=(read_source(UNANALYZED),),
    )


def describe_coverage(overview: Row, unanalyzed: Sequence[Row]) -> str:
    """The analyzed kinds of waiting, and the time that may contain other waiting."""
    kinds = [f"{row['kind']} ({share_of(row['time_ratio'])} of all time)" for row in unanalyzed]
    others = f" Not analyzed: {join_words(kinds)}." if kinds else ""
    has_processes = number(overview["process_count"]) > 1 or overview["mpi_ns"]
    analyzed = ["messages and collectives between processes"] if has_processes else []
    analyzed += ["one-sided communication"] if overview["rma_count"] else []
    analyzed += ["collective file access"] if overview["file_call_count"] else []
    analyzed += ["OpenMP barriers"] if overview["team_count"] else []
    analyzed += ["thread locks"] if overview["lock_count"] else []
    covered = f"Analyzed for waiting: {', '.join(analyzed)}." if analyzed else ""
    return f"{covered}{others}".strip()


def describe_waiting(overview: Row, searched: Sequence[Row]) -> str:
    """The sentence before the findings, or the kinds of waiting that were not found."""
    lost = []
    if overview["wait_ns"]:
        waits = count_of(overview["wait_count"], "wait")
        lost.append(f"{waits} lost {time_of(overview['wait_ns'])}")
    if overview["beyond_ns"]:
        waits = count_of(overview["beyond_count"], "wait")
        lost.append(
            f"{waits} of {EXTENDED} kinds ({NOT_IN_SCALASCA}) lost {time_of(overview['beyond_ns'])}"
        )
    if lost:
        return f"{join_words(lost)}; worst first:"
    if number(overview["location_count"]) < 2:
        return "No waiting is possible between fewer than two locations."
    kinds = join_words([str(row["finding"]) for row in searched])
    return f"No waiting was found{f' (searched: {kinds})' if kinds else ''}."


def describe_finding(row: Row, *, has_threads: bool) -> Finding:
    """A wait state with its time, place, worst location and cause."""
    headline = str(row["finding"])
    if row["is_extended"]:
        headline += f" ({EXTENDED}, {NOT_IN_SCALASCA})"
    headline += f": {time_of(row['wait_ns'])}"
    if row["wait_ratio"] is not None:
        headline += f", {share_of(row['wait_ratio'])} of all time"
    waits = count_of(row["wait_count"], "wait")
    loss = _describe_loss(row, has_threads=has_threads)
    place = name_path(row["call_path"])
    return Finding(
        f"{headline}.",
        f"{waits} in {place}. {loss}{_describe_uncertainty(row)}",
        str(row["metric"]),
    )


def _describe_uncertainty(row: Row) -> str:
    """The confidence of a finding; nothing if it is certain."""
    if not row["doubtful_count"]:
        return ""
    if row["doubtful_count"] == row["wait_count"]:
        return f" Uncertain: confidence {row['confidence']}%."
    uncertain, waits = (
        format_count(number(row[name])) for name in ("doubtful_count", "wait_count")
    )
    lowest = f"confidence at least {row['confidence']}%"
    return f" {uncertain} of the {waits} waits are uncertain: {lowest}."


def _describe_loss(row: Row, *, has_threads: bool) -> str:
    """The location that loses most, and its cause: a late location, or the owner of a lock."""
    victim = name_place(row["rank"], row["thread"], has_threads=has_threads)
    cause = _describe_cause(row, has_threads=has_threads)
    is_lock = LOCKING in str(row["metric"])
    worst, part = time_of(row["worst_ns"]), _describe_part(row)
    amount = "" if part == "all" else f" {part}"
    if is_lock:  # the previous owner counts, even if others were inside before
        waits = f"{cause} let it in{f' for{amount}' if amount else ''}"
    else:
        waits = f"{part} waiting for {cause}"
    tied = int(number(row["tied_count"])) - 1
    if tied > 0:
        each = f"{start(victim)} and {count_of(tied, 'other')} lose most, {worst} each"
        return f"{each}; {waits if is_lock else f'{victim} waits{amount} for {cause}'}."
    if number(row["location_count"]) > 1:
        return f"{start(victim)} waits most, {worst}{'; ' if is_lock else ', '}{waits}."
    if part == "all":
        until = f"until {cause} lets it in" if is_lock else f"for {cause}"
        return f"{start(victim)} waits {until}."
    return f"{start(victim)} loses all of it{'; ' if is_lock else ', '}{waits}."


def _describe_cause(row: Row, *, has_threads: bool) -> str:
    cause = name_place(row["cause_rank"], row["cause_thread"], has_threads=has_threads)
    path = row["cause_call_path"]
    if path is None:
        return cause
    if path == row["call_path"]:
        return cause if LOCKING in str(row["metric"]) else f"{cause} to enter it"
    return f"{cause} in {name_path(path)}"


def _describe_part(row: Row) -> str:
    """The part of the worst location's loss that its worst cause explains."""
    if number(row["cause_ns"]) >= number(row["worst_ns"]):
        return "all"
    caused = time_of(row["cause_ns"])
    return "nearly all" if caused == time_of(row["worst_ns"]) else f"{caused} of it"
