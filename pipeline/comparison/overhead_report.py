"""The report of overheads of a parallel run against a sequential one."""

from collections.abc import Sequence
from typing import Any

from tracemill.base.names import make_visible, shorten
from tracemill.comparison.overhead_tables import Row, tables_of
from tracemill.comparison.overhead_times import COMPUTATION, RunTimes
from tracemill.comparison.overheads import Overheads
from tracemill.reports.model import Column, Fact, Report, Section, Subject, Table
from tracemill.reports.units import Unit
from tracemill.reports.wording import count_of, name_path, nonempty, share_of, time_of
from tracemill.schemas.overheads import TAXONOMY

MOST_ROWS = 30
_LOST = ("unparallelised code", "partially parallelised code")
_TITLES = {
    "seq_ns": "SEQ",
    "par_mean_ns": "PAR, mean",
    "par_max_ns": "PAR, longest",
    "participant_count": "Threads that take part",
    "overhead_ns": "Overhead",
    "overhead_mean_ns": "Overhead, mean",
    "overhead_max_ns": "Overhead, longest",
    "charged_ns": "Charged for others",
    "replicated_ns": "Replicated",
    "additional_ns": "Additional",
    "unidentified_ns": "Unidentified",
    "call_path": "Call path",
    "region": "Region",
    "time_ns": "Overhead",
    "overhead_class": "Class",
    "overhead_subclass": "Subclass",
}


def build_overheads_report(overheads: Overheads) -> Report:
    """The overhead of the run by class, call path and region."""
    tables = tables_of(overheads)
    seq, par = overheads.seq, overheads.par
    return Report(
        title=shorten(make_visible(f"Overheads of {par.run.label} against {seq.run.label}")),
        subtitle=make_visible(f"SEQ: {_describe(seq)}. PAR: {_describe(par)}."),
        name=f"{seq.run.run_id}..{par.run.run_id}",
        sections=(
            _summary(overheads),
            _section("call-paths", "By call path", "call_path_comparison", tables, "overhead_ns"),
            _section("regions", "By region", "region_comparison", tables, "overhead_max_ns"),
        ),
        subject=Subject.COMPARISON,
    )


def _describe(side: RunTimes) -> str:
    threads = count_of(side.thread_count, "thread")
    processes = count_of(side.process_count, "process", "processes")
    return f"{side.run.label}, {processes} with {threads} ({side.run.run_id})"


def _summary(overheads: Overheads) -> Section:
    total, unidentified = overheads.total_ns, overheads.unidentified_ns
    seq, par = overheads.seq, overheads.par
    meaning = f"Time of PAR minus {seq.thread_count}/{par.thread_count} of the time of SEQ."
    part = "whole run" if par.is_whole else "main part of the run"
    return Section(
        key="summary",
        title="Summary",
        facts=(
            Fact("time of SEQ", seq.main_ns, Unit.TIME, f"Length of the {part}."),
            Fact("time of PAR", par.main_ns, Unit.TIME, f"Length of the {part}."),
            Fact("overhead", round(total), Unit.TIME_CHANGE, meaning),
            Fact("identified", round(total - unidentified), Unit.TIME_CHANGE),
            Fact("unidentified", round(unidentified), Unit.TIME_CHANGE),
        ),
        sentences=nonempty(*describe_overheads(overheads)),
        tables=(_table("run_comparison", "By class", _classes(overheads), "time_ns"),),
    )


def describe_overheads(overheads: Overheads) -> Sequence[str]:
    """The overhead, its largest part, and the call path behind lost parallelism."""
    total = overheads.total_ns
    seq, par = overheads.seq, overheads.par
    stated = (
        f"SEQ has {count_of(seq.thread_count, 'thread')}, PAR has {par.thread_count}. All times of "
        "overheads are per thread of PAR."
    )
    if total <= 0:
        return stated, f"PAR is superlinear: it is {time_of(-total)} faster than its share of SEQ."
    largest, time = max(overheads.classes.items(), key=lambda each: each[1])
    part = _name_of(largest)
    most = ""
    if part in _LOST and (path := _most_charged(overheads)):
        most = f", most of it while {path} runs"
    return (
        stated,
        f"Of {time_of(total)} overhead, {share_of(time / total)} is {part}{most}.",
        "Where processes share cores, unidentified time is large: they compute more slowly."
        if overheads.unidentified_ns > total / 2
        else "",
    )


def _name_of(overhead: int) -> str:
    return "unidentified computation" if overhead == COMPUTATION else TAXONOMY[overhead].part


def _most_charged(overheads: Overheads) -> str:
    """The call path that others lost most time for; empty if there is none."""
    run = overheads.par.run
    query = """
    SELECT path FROM parallelism_losses INNER JOIN call_paths USING (call_path_id)
    WHERE moved_to_overhead_id IS NOT NULL
    GROUP BY call_path_id, path ORDER BY sum(alone_ns + with_others_ns) DESC, call_path_id LIMIT 1
    """
    with run.connect(tables=("parallelism_losses", "call_paths")) as connection:
        found = connection.execute(query).fetchall()
    return name_path(found[0][0]) if found else ""


def _classes(overheads: Overheads) -> list[Row]:
    rows = sorted(tables_of(overheads)["run_comparison"], key=lambda row: -abs(row["time_ns"]))
    total = overheads.total_ns
    return [
        {
            "overhead_class": row["overhead_class"],
            "overhead_subclass": _name_of(row["overhead_id"]),
            "time_ns": row["time_ns"],
            "overhead_ratio": row["time_ns"] / total if total > 0 else None,
        }
        for row in rows
    ]


def _section(key: str, title: str, name: str, tables: dict[str, list[Row]], bar: str) -> Section:
    rows = [
        {column: value for column, value in row.items() if column != "call_path_key"}
        for row in tables[name]
    ]
    note = f"The {MOST_ROWS} rows with most overhead of {len(rows)}." * (len(rows) > MOST_ROWS)
    table = _table(name, title, rows[:MOST_ROWS], bar)
    return Section(key=key, title=title, sentences=nonempty(note), tables=(table,))


def _table(name: str, title: str, rows: Sequence[Row], bar: str) -> Table:
    names = list(rows[0]) if rows else [bar]
    return Table(
        name=name,
        title=title,
        columns=tuple(_column(each, bar) for each in names),
        rows=tuple(tuple(row[each] for each in names) for row in rows),
        sql="",
    )


def _column(name: str, bar: str) -> Column:
    options: dict[str, Any] = {"has_bar": True} if name == bar else {}
    changes = name.startswith(("overhead_m", "overhead_n")) or name in (
        "time_ns", "replicated_ns", "additional_ns", "unidentified_ns",
    )  # fmt: skip
    if name.endswith("_ns"):
        unit = Unit.TIME_CHANGE if changes else Unit.TIME
    else:
        unit = {"overhead_ratio": Unit.SHARE, "participant_count": Unit.COUNT}.get(name, Unit.TEXT)
    title = _TITLES.get(name, "Of the overhead")
    return Column(name=name, title=title, unit=unit, is_path=name == "call_path", **options)
