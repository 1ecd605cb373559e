"""Wait states: kinds, places and causes of waiting."""

from collections.abc import Iterator, Sequence

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
UNRECORDED = "unrecorded_operations"
EXTENDED = "extended"
NOT_IN_SCALASCA = "not in Scalasca"
LOCKING = "lock_contention"

_COMPARABLE: dict[str, Value] = {"is_extended": False}
_BASES = {"wait_ns": "In the whole run", "wait_ratio": "Of the main part"}

BY_PROPERTY = TableSpec(
    query="waits_by_property",
    title="By kind",
    note="A kind includes its parts. Times and counts are those of the whole run; shares are those "
    "of waiting in the main part, as in the summary: 0% if all of it is in MPI setup.",
    explained=("metric",),
    titles=_BASES,
    row_limit=99,  # all kinds, for conditions
    bars=("wait_ns",),
    silent={"confidence": 100, "worst_thread": 0, "part_of": None} | _COMPARABLE,
)
BY_CALL_PATH = TableSpec(
    query="waits_by_call_path",
    title="By call path",
    titles=_BASES,
    row_limit=20,
    bars=("wait_ns",),
    silent={"worst_thread": 0} | _COMPARABLE,
)
BY_CAUSE = TableSpec(
    query="waits_by_cause",
    title="By cause and victim",
    row_limit=20,
    bars=("wait_ns",),
    titles={"cause_rank": "Cause rank", "rank": "Waiting rank"} | _BASES,
    silent={"thread": 0, "cause_thread": 0} | _COMPARABLE,
)
BETWEEN_RANKS = TableSpec(
    query="waits_between_ranks",
    title="Waiting between ranks",
    note="Rows cause the waiting, columns wait. All kinds in the whole run, with extended ones.",
    row_limit=MATRIX_LIMIT * MATRIX_LIMIT,
    layout=Layout.MATRIX,
    titles={"cause_rank": "Cause", "rank": "Waits"},
)


def build(material: Material) -> Section:
    """Time lost in waiting, by kind, call path and cause."""
    overview = material.overview
    unrecorded = material.rows(UNRECORDED)
    is_matrix = 2 <= int(number(overview["process_count"])) <= MATRIX_LIMIT
    matrix = material.tables(BETWEEN_RANKS) if is_matrix else ()
    return Section(
        key="wait-states",
        title="Wait states",
        sentences=nonempty(
            describe_coverage(overview, material.rows(UNANALYZED)),
            describe_absence(overview, material.rows(SEARCHED), unrecorded),
            *describe_unrecorded(unrecorded),
        ),
        tables=(*material.tables(BY_PROPERTY, BY_CALL_PATH), *matrix, *material.tables(BY_CAUSE)),
        drawings=tuple(map(draw_pairs, matrix)),
        sources=(read_source(UNANALYZED), read_source(UNRECORDED)),
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
    analyzed += ["kernels of accelerators"] if overview["stream_count"] else []
    covered = f"Analyzed for waiting: {', '.join(analyzed)}." if analyzed else ""
    return f"{covered}{others}".strip()


def describe_absence(overview: Row, searched: Sequence[Row], unrecorded: Sequence[Row]) -> str:
    """The kinds of waiting that were not found; nothing if some was."""
    if overview["wait_ns"] or overview["extended_ns"]:
        return ""
    if number(overview["location_count"]) < 2:
        return "No waiting is possible between fewer than two locations."
    if unrecorded:
        return "No waiting was found in the records that the trace has."
    kinds = join_words([str(row["finding"]) for row in searched])
    return f"No waiting was found{f' (searched: {kinds})' if kinds else ''}."


def describe_unrecorded(unrecorded: Sequence[Row]) -> Iterator[str]:
    """A sentence for each kind of operation that the trace does not record."""
    for row in unrecorded:
        calls = count_of(row["visit_count"], "call")
        share = "" if row["time_ratio"] is None else f" ({share_of(row['time_ratio'])} of all time)"
        yield (
            f"{start(str(row['operation']))} were not recorded: waiting in {calls} such as "
            f"{row['region']}{share} is unknown."
        )


def describe_kind(rows: Sequence[Row], *, has_threads: bool) -> Finding:
    """A kind of waiting with its total, and the call paths that cost most.

    `rows` are its worst call paths, the first with its worst location and cause.
    """
    first, *others = rows
    headline = str(first["finding"])
    if first["is_extended"]:
        headline += f" ({EXTENDED}, {NOT_IN_SCALASCA})"
    headline += f": {time_of(first['kind_ns'])}"
    if first["kind_ratio"] is not None:
        headline += f", {share_of(first['kind_ratio'])} of all time"
    waits = count_of(first["wait_count"], "wait")
    amount = "" if first["call_path_count"] == 1 else f", {time_of(first['wait_ns'])} of it"
    place = f"{waits}{amount} in {name_path(first['call_path'])}. "
    loss = _describe_loss(first, has_threads=has_threads)
    detail = place + loss + _describe_others(first, others) + _describe_uncertainty(first)
    return Finding(f"{headline}.", detail, str(first["metric"]))


def _describe_others(first: Row, others: Sequence[Row]) -> str:
    """The next call paths of a kind with their times, and the number of the rest."""
    if not others:
        return ""
    named = [f"{time_of(row['wait_ns'])} in {name_path(row['call_path'])}" for row in others]
    rest = int(number(first["call_path_count"])) - len(others) - 1
    return f" Then {join_words([*named, *([count_of(rest, 'other')] if rest else [])])}."


def _describe_uncertainty(row: Row) -> str:
    """The number of uncertain waits of a kind; nothing if all are certain."""
    uncertain = int(number(row["uncertain_count"]))
    if not uncertain:
        return ""
    return f" {format_count(uncertain)} of the waits {'is' if uncertain == 1 else 'are'} uncertain."


def _describe_loss(row: Row, *, has_threads: bool) -> str:
    """The location that loses most, and its cause: a late location, or the owner of a lock."""
    victim = name_place(row["rank"], row["thread"], has_threads=has_threads)
    cause = _describe_cause(row, has_threads=has_threads)
    is_lock = LOCKING in str(row["metric"])
    worst, part = time_of(row["worst_ns"]), _describe_part(row)
    if is_lock:  # the previous owner counts, even if others were inside before
        reason = f"{'' if part == 'all' else f'{part} '}until {cause} lets it in"
    else:
        reason = f"{part} for {cause}"
    if number(row["location_count"]) > 1:
        return f"{start(victim)} waits most, {worst}, {reason}."
    return f"Only {victim} waits, {reason}."


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
