"""The report of overheads of a parallel run against a sequential one."""

from collections.abc import Sequence
from typing import Any

from tracemill.base.names import make_visible, shorten
from tracemill.comparison.differences import SITES_JOINED
from tracemill.comparison.overhead_tables import Row, tables_of
from tracemill.comparison.overhead_times import RunTimes
from tracemill.comparison.overheads import Overheads, label_of
from tracemill.reports.material import filled
from tracemill.reports.model import Column, Fact, Report, Section, Subject, Table
from tracemill.reports.units import Unit
from tracemill.reports.wording import count_of, describe_part_of_overhead, nonempty, time_of
from tracemill.schemas.overheads import TAXONOMY
from tracemill.stages.models.overhead_split import COMPUTATION, mean_of

MOST_ROWS = 30
_OPTIONAL = ("lower_ipc_ns", "lower_frequency_ns", "noise_ns")
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
    "lower_ipc_ns": "Fewer instructions per cycle",
    "lower_frequency_ns": "Lower frequency",
    "noise_ns": "By chance up to",
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
        title=f"Overheads of {_short_label(par)} against {_short_label(seq)}",
        subtitle=make_visible(f"SEQ: {_describe(seq)}. PAR: {_describe(par)}."),
        name=f"{seq[0].run.run_id}..{par[0].run.run_id}",
        sections=(
            _summary(overheads),
            _section("call-paths", "By call path", "call_path_comparison", tables, "overhead_ns"),
            _section("regions", "By region", "region_comparison", tables, "overhead_max_ns"),
        ),
        subject=Subject.COMPARISON,
    )


def _short_label(side: Sequence[RunTimes]) -> str:
    return shorten(make_visible(label_of(side)))


def _describe(side: Sequence[RunTimes]) -> str:
    threads = count_of(side[0].thread_count, "thread")
    processes = count_of(side[0].process_count, "process", "processes")
    ids = ", ".join(each.run.run_id for each in side)
    repeated = f"mean of {len(side)} runs, " if len(side) > 1 else ""
    return f"{label_of(side)}, {repeated}{processes} with {threads} ({ids})"


def _summary(overheads: Overheads) -> Section:
    total, unidentified = overheads.total_ns, overheads.unidentified_ns
    seq, par = mean_of(overheads.seq), mean_of(overheads.par)
    meaning = f"Time of PAR minus {seq.thread_count}/{par.thread_count} of the time of SEQ."
    part = "whole run" if overheads.par[0].is_whole else "main part of the run"
    return Section(
        key="summary",
        title="Summary",
        facts=(
            Fact("time of SEQ", round(seq.main_ns), Unit.TIME, f"Length of the {part}."),
            Fact("time of PAR", round(par.main_ns), Unit.TIME, f"Length of the {part}."),
            Fact("overhead", round(total), Unit.TIME_CHANGE, meaning),
            Fact("identified", round(total - unidentified), Unit.TIME_CHANGE),
            Fact("unidentified", round(unidentified), Unit.TIME_CHANGE),
        ),
        sentences=nonempty(*describe_overheads(overheads)),
        tables=filled(_table("run_comparison", "By class", _classes(overheads), "time_ns")),
    )


def describe_overheads(overheads: Overheads) -> Sequence[str]:
    """The overhead, its largest part, and the call path behind lost parallelism."""
    total = overheads.total_ns
    seq, par = overheads.seq[0], overheads.par[0]
    stated = (
        f"SEQ has {count_of(seq.thread_count, 'thread')}, PAR has {par.thread_count}. All times of "
        "overheads are per thread of PAR."
    )
    joined = SITES_JOINED if par.are_sites_joined else ""
    if total <= 0:
        return (
            stated,
            joined,
            f"PAR is {time_of(-total)} faster than an even division of SEQ's time."
            if total
            else "PAR takes an even division of SEQ's time: it has no overhead.",
        )
    largest, time = max(overheads.classes.items(), key=lambda each: each[1])
    part = TAXONOMY[largest].part
    described = describe_part_of_overhead(part, time, total, _most_charged(par))
    return (
        stated,
        joined,
        f"Of {time_of(total)} overhead{_describe_noise(overheads)}, {described}.",
        _describe_slower(overheads),
    )


def _describe_noise(overheads: Overheads) -> str:
    noise = overheads.noise.get(None)
    return "" if noise is None else f" (± {time_of(noise)} by chance)"


def _describe_slower(overheads: Overheads) -> str:
    """Reasons of unidentified time: cycles that were counted, or else the likely one."""
    rows = overheads.per_thread.drop_nulls("lower_ipc_ns")
    if rows.height:
        ipc, frequency = (
            float(rows[name].sum()) for name in ("lower_ipc_ns", "lower_frequency_ns")
        )
        return (
            f"Fewer instructions per cycle cost {time_of(ipc)}, lower frequency costs "
            f"{time_of(frequency)}; negative times are gains."
        )
    if overheads.unidentified_ns > overheads.total_ns / 2:
        return "Where processes share cores, unidentified time is large: they compute more slowly."
    return ""


def _name_of(overhead: int) -> str:
    return "unidentified computation" if overhead == COMPUTATION else TAXONOMY[overhead].part


def _most_charged(times: RunTimes) -> str:
    """The call path that others lost most time for; empty if there is none."""
    run = times.run
    query = """
    SELECT path FROM parallelism_losses INNER JOIN call_paths USING (call_path_id)
    WHERE moved_to_overhead_id IS NOT NULL
    GROUP BY call_path_id, path ORDER BY sum(alone_ns + with_others_ns) DESC, call_path_id LIMIT 1
    """
    with run.connect(tables=("parallelism_losses", "call_paths")) as connection:
        found = connection.execute(query).fetchall()
    return str(found[0][0]) if found else ""


def _classes(overheads: Overheads) -> list[Row]:
    rows = sorted(tables_of(overheads)["run_comparison"], key=lambda row: -abs(row["time_ns"]))
    total = overheads.total_ns
    return [
        {
            "overhead_class": row["overhead_class"],
            "overhead_subclass": _name_of(row["overhead_id"]),
            "time_ns": row["time_ns"],
            "overhead_ratio": row["time_ns"] / total if total > 0 else None,
            "noise_ns": row["noise_ns"],
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
    names = [
        each
        for each in (rows[0] if rows else [bar])
        if each not in _OPTIONAL or any(row[each] is not None for row in rows)
    ]
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
        "time_ns", "replicated_ns", "additional_ns", "unidentified_ns", "lower_ipc_ns",
        "lower_frequency_ns",
    )  # fmt: skip
    if name.endswith("_ns"):
        unit = Unit.TIME_CHANGE if changes else Unit.TIME
    else:
        unit = {"overhead_ratio": Unit.SHARE, "participant_count": Unit.COUNT}.get(name, Unit.TEXT)
    title = _TITLES.get(name, "Of the overhead")
    return Column(name=name, title=title, unit=unit, is_path=name == "call_path", **options)
