"""Figures put into plain sentences; no look-ups here, only wording."""

from collections.abc import Mapping, Sequence

from pipeline.reports.model import Finding
from pipeline.reports.units import (
    Value,
    drop_arguments,
    format_count,
    format_path,
    format_share,
    format_size,
    format_time,
    make_visible,
    shorten,
)

Row = Mapping[str, Value]

LONGEST_REGION = 60


def count_of(count: Value, singular: str, plural: str = "") -> str:
    """'1 process', '8 processes'."""
    number = int(count or 0)
    return f"{format_count(number)} {singular if number == 1 else plural or singular + 's'}"


def join_words(words: Sequence[str]) -> str:
    """'a, b and c'."""
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)


def describe_size(overview: Row) -> str:
    """The run in one sentence: who ran for how long and what was recorded."""
    processes = count_of(overview["process_count"], "process", "processes")
    locations = count_of(overview["location_count"], "location")
    records = count_of(overview["record_count"], "event record")
    return (
        f"{processes} with {locations} ran for {format_time(_number(overview['duration_ns']))}; "
        f"the trace holds {records}."
    )


def describe_use(overview: Row) -> str:
    """How much of the time of all locations went into MPI and into waiting."""
    total = _number(overview["total_ns"])
    if not overview["visit_count"]:
        return "No region was visited: there is nothing to profile."
    if total == 0:
        return "All visits took no time."
    spent = f"Together the locations spent {format_time(total)}"
    if not overview["mpi_ns"]:
        return f"{spent}, none of it in MPI."
    share = f"{spent}, {format_share(_number(overview['mpi_ratio']))} of it in MPI"
    if not overview["wait_ns"]:
        return f"{share}."
    return f"{share} and {format_share(_number(overview['wait_ratio']))} waiting on messages."


def describe_waiting(overview: Row, searched: Sequence[Row]) -> str:
    """The sentence that leads to the findings, or says what was looked for in vain."""
    if overview["wait_ns"]:
        waits = count_of(overview["wait_count"], "wait")
        return f"{waits} lost {format_time(_number(overview['wait_ns']))}; worst first:"
    if overview["message_count"]:
        kinds = join_words([str(row["finding"]) for row in searched])
        return f"No waiting on messages was found{f' (looked for: {kinds})' if kinds else ''}."
    return "There are no messages between processes, so no wait state could be found."


def describe_coverage(unanalysed: Sequence[Row]) -> str:
    """Which waiting the analysis tells apart, and how much time may hold other waiting."""
    kinds = [f"{row['kind']} ({_share_of_all(row)})" for row in unanalysed]
    others = f" Not analysed: {join_words(kinds)}." if kinds else ""
    return f"Analysed for waiting: messages between processes.{others}"


def _share_of_all(row: Row) -> str:
    return f"{format_share(_number(row['time_ratio']))} of all time"


def describe_damage(incomplete: Sequence[Row], overview: Row) -> str:
    """What must be known before any figure, if not all of the trace could be read."""
    if not incomplete:
        return ""
    return (
        f"Incomplete trace: of {count_of(overview['location_count'], 'location')}, "
        f"{len(incomplete)} could not be read whole; the figures hold only what was readable."
    )


def describe_use_without_setup(overview: Row) -> str:
    """The share of MPI where starting and ending it would blur that; else nothing."""
    setup, mpi = _number(overview["mpi_setup_ns"]), _number(overview["mpi_ns"])
    rest = _number(overview["total_ns"]) - setup
    if setup <= mpi / 10 or rest <= 0:
        return ""
    return f"Without MPI_Init and MPI_Finalize: {format_share((mpi - setup) / rest)} in MPI."


def describe_finding(row: Row, *, has_threads: bool) -> Finding:
    """What costs how much, where, who loses most and who is waited for."""
    headline = f"{row['finding']}: {format_time(_number(row['wait_ns']))}"
    if row["wait_ratio"] is not None:
        headline += f", {format_share(_number(row['wait_ratio']))} of all time"
    waits = count_of(row["wait_count"], "wait")
    loss = _describe_loss(row, has_threads=has_threads)
    place = _quote(format_path(str(row["call_path"])))
    return Finding(f"{headline}.", f"{waits} in {place}. {loss}{_describe_doubt(row)}")


def _describe_doubt(row: Row) -> str:
    """How far a finding can be trusted, if not fully."""
    if not row["doubtful_count"]:
        return ""
    if row["doubtful_count"] == row["wait_count"]:
        return f" Doubtful: confidence {row['confidence']}%."
    doubtful, waits = format_count(_number(row["doubtful_count"])), row["wait_count"]
    return (
        f" {doubtful} of the {format_count(_number(waits))} waits are doubtful: "
        f"confidence down to {row['confidence']}%."
    )


def _describe_loss(row: Row, *, has_threads: bool) -> str:
    victim = _start(name_place(row["rank"], row["thread"], has_threads=has_threads))
    cause = name_place(row["cause_rank"], row["cause_thread"], has_threads=has_threads)
    path = row["cause_call_path"]
    late = "" if path is None else f" in {_quote(format_path(str(path)))}"
    worst, caused = _number(row["worst_ns"]), _number(row["cause_ns"])
    part = "all" if caused >= worst else f"{format_time(caused)} of it"
    if row["location_count"] == 1:
        if caused >= worst:
            return f"{victim} waits for {cause}{late}."
        return f"{victim} loses it all, {part} waiting for {cause}{late}."
    return f"{victim} loses most, {format_time(worst)}, {part} waiting for {cause}{late}."


def name_place(rank: Value, thread: Value, *, has_threads: bool) -> str:
    """A location as people call it."""
    return f"rank {rank} thread {thread}" if has_threads else f"rank {rank}"


def describe_top_region(regions: Sequence[Row]) -> str:
    """Which region is the most expensive one by itself."""
    if not regions:
        return "No region was visited."
    top = regions[0]
    name = _name_region(top["region"])
    share = top["exclusive_ratio"]
    if share is None:
        return "All regions took no time."
    return (
        f"{name} takes most time itself: {format_time(_number(top['exclusive_ns']))}, "
        f"{format_share(_number(share))} of all time, "
        f"in {count_of(top['visit_count'], 'visit')}."
    )


def describe_balance(locations: Sequence[Row]) -> str:
    """How unevenly the time outside MPI is spread over the locations."""
    work = [_number(row["outside_mpi_ns"]) for row in locations]
    mean = sum(work) / len(work) if work else 0
    if len(work) < 2 or mean <= 0:
        return ""
    worst = locations[work.index(max(work))]
    return (
        f"Rank {worst['rank']} spends most time outside MPI, {format_time(max(work))}; "
        f"the mean is {format_time(mean)} (load balance {format_share(mean / max(work))})."
    )


def describe_graph(entries: Sequence[Row], edges: Sequence[Row]) -> str:
    """Where execution enters and which call is the heaviest."""
    if not entries:
        return "The graph is empty: no region was executed."
    names = join_words([_name_region(row["region"]) for row in entries[:5]])
    said = f"Execution enters at {names}{' and others' if len(entries) > 5 else ''}."
    if not edges:
        return f"{said} No region calls another."
    heaviest = edges[0]
    caller, callee = (_name_region(heaviest[side]) for side in ("caller", "callee"))
    return (
        f"{said} The heaviest call is {caller} → {callee}: "
        f"{format_time(_number(heaviest['inclusive_ns']))} "
        f"in {count_of(heaviest['visit_count'], 'visit')}."
    )


def describe_traffic(overview: Row) -> str:
    """How much was sent and how many collectives ran."""
    messages, collectives = overview["message_count"], overview["collective_count"]
    if not messages and not collectives:
        return "The processes exchanged no messages and ran no collectives."
    sent = format_size(_number(overview["message_bytes"]))
    return (
        f"{_start(count_of(messages, 'matched message'))} carried {sent}; "
        f"{count_of(collectives, 'collective instance')} ran."
    )


def describe_quality(findings: Sequence[Row], incomplete: Sequence[Row]) -> str:
    """Trace quality in one line."""
    kinds: dict[str, int] = {}
    for finding in findings:
        kind = str(finding["kind"])
        kinds[kind] = kinds.get(kind, 0) + int(_number(finding["finding_count"]))
    if not kinds and not incomplete:
        return "Trace quality: nothing is missing or doubtful."
    listed = [
        f"{format_count(number)} × {kind.replace('_', ' ')}" for kind, number in kinds.items()
    ]
    if incomplete:
        listed.insert(0, f"{count_of(len(incomplete), 'location')} incomplete")
    return f"Trace quality: {'; '.join(listed)}."


def _name_region(name: Value) -> str:
    return _quote(shorten(drop_arguments(make_visible(str(name))), LONGEST_REGION))


def _quote(name: str) -> str:
    return f'"{name}"'


def _start(text: str) -> str:
    return text[:1].upper() + text[1:]


def _number(value: Value) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
