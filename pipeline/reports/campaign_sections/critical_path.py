"""Critical path: what grows, does not shrink or shrinks on it with more processes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from tracemill.base.text import join_words
from tracemill.reports.material import Material, filled
from tracemill.reports.model import Finding, Picture, Section, Table, Trend
from tracemill.reports.pictures.stacks import Part, draw_stacks
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.units import Unit
from tracemill.reports.wording import (
    Row,
    count_of,
    group_by,
    name_path,
    name_site,
    nonempty,
    number,
    put_after,
    share_of,
    size_of,
    time_of,
)
from tracemill.schemas.path_changes import VERDICTS

PLACE = 12
MOST_DRAWN = 4
"""Maximum number of applications with pictures."""
MOST_NAMED = 4
"""Maximum number of call paths that a finding names."""
MOST_PARTS = 7
"""Maximum number of call paths that a picture distinguishes."""
LEAST_COMMUNICATION = 0.05
"""Share of the path above which communication is mentioned although it does not grow."""
GROWS, STAYS, SHRINKS = VERDICTS
LEAST_EXCESS = 0.01
"""Share of the path above which a call path is said to shrink less than if divided evenly."""
COMMUNICATION, OTHERS = "communication", "others"
NANOSECONDS = 1e9
KNOWLEDGE = "path_knowledge"

CHANGES = TableSpec(
    query="changed_call_paths",
    title="What grows on the critical path",
    note=(
        "Time of the critical path in each call path without callees, in the main part of the run, "
        "with the fewest and the most processes of the largest size; medians over repetitions. "
        "Divided: the time with the fewest processes, divided evenly. Noise: relative standard "
        "deviation of repetitions. A change counts above twice the noise, but at least 2% of the "
        "larger time; above 25% if the noise is not known."
    ),
    row_limit=100,
    limited_per="application",
    is_ranked=False,
    bars=("fewest_ns", "most_ns"),
    titles={
        "verdict": "With processes, it", "fewest_ns": "Fewest processes",
        "most_ns": "Most processes", "largest_share_ratio": "Of the path",
        "divided_ns": "Divided", "noise_ratio": "Noise",
    },
    silent={"source": None, "noise_ratio": None, "divided_ns": None},
    hidden=frozenset({
        "least_change_ns", "is_communication", "caller_call_path", "smallest_processes",
        "largest_processes", "smallest_size", "largest_size", "size_name", "size_count",
        "is_setup_included", "run_count", "smallest_total_ns", "largest_total_ns",
    }),
)  # fmt: skip
BY_CONFIGURATION = TableSpec(
    query="path_by_configuration",
    title="Critical path by configuration",
    note=(
        "Call paths with at least 1% of the path in some run; medians over repetitions. Deviation: "
        "standard deviation of the repetitions, divided by their mean."
    ),
    row_limit=1_000,
    bars=("path_ns",),
    titles={"deviation_ratio": "Deviation", "run_count": "Runs"},
    silent={"source": None, "deviation_ratio": None},
    hidden=frozenset({"is_communication", "whole_path_ns"}),
)  # fmt: skip


def build(material: Material) -> Section | None:
    """The changes of the critical path, and the path of every configuration."""
    changes, paths = material.table(CHANGES), material.table(BY_CONFIGURATION)
    if not paths.rows:
        return None
    return Section(
        key="critical-path",
        title="Critical path",
        sentences=describe_path(material),
        pictures=tuple(pictures_of(paths.as_dicts(), changes.as_dicts())),
        tables=filled(with_trends(changes, paths.as_dicts())),
        sources=(read_source(KNOWLEDGE),),
    )


def describe_path(material: Material) -> tuple[str, ...]:
    """How the path changes with processes; and what the runs cannot say about it."""
    return nonempty(
        *describe_lengths(material.table(CHANGES).as_dicts()),
        *describe_knowledge(material.rows(KNOWLEDGE), material.table(BY_CONFIGURATION).as_dicts()),
    )


def find_changes(material: Material) -> tuple[Finding, ...]:
    """Code that grows, does not shrink, and shrinks, in this order, by application."""
    return tuple(describe_changes(material.table(CHANGES).as_dicts()))


def describe_lengths(changes: Sequence[Row]) -> Iterator[str]:
    """The length of the critical path at both ends of each application."""
    for application, (row, *_) in group_by("application", changes).items():
        setup = "" if row["is_setup_included"] else " without MPI setup"
        is_scaled = row["smallest_size"] != row["largest_size"]
        fewest = _name_end(row, "smallest") if is_scaled else row["smallest_processes"]
        before, after = number(row["smallest_total_ns"]), number(row["largest_total_ns"])
        count = count_of(row["run_count"], "run")
        medians = f" (medians of {count})" if number(row["run_count"]) > 1 else ""
        yield (
            f"{application}: from {fewest} to {_name_end(row, 'largest')}, the critical path"
            f"{setup} {'shrinks' if after < before else 'grows'} from {time_of(before)} to "
            f"{time_of(after)}{medians}."
        )


def _name_end(row: Row, end: str) -> str:
    """'16 processes at n = 400'; without the size if the program has only one."""
    processes = count_of(row[f"{end}_processes"], "process", "processes")
    if row["size_count"] == 1:
        return processes
    return f"{processes} at {row['size_name']} = {size_of(row[f'{end}_size'])}"


def describe_knowledge(knowledge: Sequence[Row], paths: Sequence[Row]) -> Iterator[str]:
    """Gaps in the comparison of paths; for one number of processes, the largest call paths."""
    found = group_by("application", paths)
    for row in knowledge:
        name = str(row["application"])
        if not row["process_number_count"]:
            yield (
                f"{name}: what grows on the critical path and what causes waiting is not known, "
                f"because the runs have no {'critical path' if row['trace_count'] else 'traces'}."
            )
        elif row["process_number_count"] == 1:
            yield f"{name}: {_describe_single(row, found[name])}"
        elif row["run_count"] == 1:
            yield (
                f"{name}: the noise is not known, because no configuration was repeated. On the "
                "critical path, changes of less than 25% do not count."
            )


def _describe_single(known: Row, paths: Sequence[Row]) -> str:
    """The largest call paths on the path of a program with one number of processes."""
    own = [row for row in paths if row["size"] == paths[0]["size"]]
    calls = sum(number(row["path_ratio"]) for row in own if row["is_communication"])
    parts = [(number(row["path_ratio"]), name_site(row)) for row in own
             if not row["is_communication"]]  # fmt: skip
    parts += [(calls, "communication itself")] if calls else []
    named = [f"{name} ({share_of(share)})" for share, name in sorted(parts, reverse=True)]
    return (
        f"all traces have {count_of(known['largest_processes'], 'process', 'processes')}, so what "
        f"grows with processes is not known. Largest on the critical path: "
        f"{join_words(named[:MOST_NAMED])}."
    )


def describe_changes(changes: Sequence[Row]) -> Iterator[Finding]:
    """Code that grows, does not shrink and shrinks; for MPI calls, their callers are named."""
    groups = group_by("application", changes)
    for application, own in groups.items():
        prefix = f"{application}: " if len(groups) > 1 else ""
        code = [row for row in own if not row["is_communication"]]
        is_scaled = own[0]["smallest_size"] != own[0]["largest_size"]
        for verdict in VERDICTS:
            named = [row for row in code if row["verdict"] == verdict]
            if named or verdict == GROWS:
                title = "does not grow" if is_scaled and verdict == STAYS else verdict
                headline = f"{title} on the critical path:"
                yield Finding(
                    put_after(prefix, headline), _describe(named) or "nothing, beyond noise."
                )
        calls = [row for row in own if row["is_communication"] and _is_notable(row)]
        if calls:
            yield Finding(put_after(prefix, "communication itself:"), _describe_calls(calls))


def _describe(rows: Sequence[Row]) -> str:
    """Call paths with their times at both ends, and their part of the path."""
    named = [_describe_change(row) for row in rows[:MOST_NAMED]]
    more = len(rows) - len(named)
    if more > 0:
        named.append(f"{more} more")
    if not named:
        return ""
    total = sum(number(row["largest_share_ratio"]) for row in rows)
    together = f"; together {share_of(total)} of the path" if len(rows) > 1 else ""
    return f"{'; '.join(named)}{together}."


def _describe_change(row: Row) -> str:
    fewest, most = time_of(row["fewest_ns"]), time_of(row["most_ns"])
    return (
        f"{name_site(row)} from {fewest} to {most}, {share_of(row['largest_share_ratio'])}"
        f"{_describe_undivided(row)}"
    )


def _describe_undivided(row: Row) -> str:
    """The time that an even division would leave, if the call path takes notably longer."""
    if row["verdict"] != SHRINKS or row["divided_ns"] is None:
        return ""
    excess = number(row["most_ns"]) - number(row["divided_ns"])
    noise = number(row["least_change_ns"]) / number(row["fewest_ns"]) * number(row["most_ns"])
    if excess <= max(noise, LEAST_EXCESS * number(row["largest_total_ns"])):
        return ""
    return f" (divided evenly: {time_of(row['divided_ns'])})"


def _is_notable(row: Row) -> bool:
    share = number(row["largest_share_ratio"])
    return row["verdict"] == GROWS or share >= LEAST_COMMUNICATION


def _describe_calls(calls: Sequence[Row]) -> str:
    """Time of the path in communication, without waiting, and the code that communicates."""
    fewest, most, share = (
        sum(number(row[name]) for row in calls)
        for name in ("fewest_ns", "most_ns", "largest_share_ratio")
    )
    callers = dict.fromkeys(row["caller_call_path"] for row in calls)
    named = [name_path(caller) for caller in callers if caller is not None][:MOST_NAMED]
    where = f" in calls from {join_words(named)}" if named else ""
    return (
        f"without its waiting, from {time_of(fewest)} to {time_of(most)}{where}, "
        f"{share_of(share)} of the path."
    )


def with_trends(changes: Table, paths: Sequence[Row]) -> Table:
    """The changes with a curve over all process counts of the same size."""
    times: dict[tuple[object, ...], list[float]] = {}
    for row in paths:
        key = row["application"], row["size"], row["call_path"]
        times.setdefault(key, []).append(number(row["path_ns"]))
    trends = tuple(
        Trend(
            values=tuple(times.get((row["application"], row["largest_size"], row["call_path"]),
                                   (number(row["fewest_ns"]), number(row["most_ns"])))),
            unit=Unit.TIME,
            order="fewest processes first",
        )
        for row in changes.as_dicts()
    )  # fmt: skip
    return replace(changes, trends=trends, trend_title="Over processes")


def pictures_of(
    paths: Sequence[Row],
    changes: Sequence[Row],
    draw: Callable[[Sequence[int], Sequence[Part], str], str] = draw_stacks,
) -> Iterator[Picture]:
    """The critical path of each application by processes, at its largest size."""
    verdicts_of = group_by("application", changes)
    for application, own in islice(group_by("application", paths).items(), MOST_DRAWN):
        known = verdicts_of.get(application)
        if not known:
            continue
        size = known[0]["largest_size"]
        rows = [row for row in own if row["size"] == size]
        processes = sorted({int(number(row["processes"])) for row in rows})
        parts = make_parts(rows, known, processes)
        yield Picture(
            name=f"path-{application}",
            title=f"Critical path of {application} by processes",
            draw=partial(draw, processes, parts, f"path-{application}"),
            description=(
                f"At {known[0]['size_name']} = {size_of(size)}. Red: grows; violet: does not "
                "shrink; blue: shrinks; gray: communication and others."
            ),
            of=f"Drawn from {BY_CONFIGURATION.title}, in Growth.",
        )


def make_parts(
    rows: Sequence[Row], changes: Sequence[Row], processes: Sequence[int]
) -> tuple[Part, ...]:
    """The path of each number of processes in parts, in seconds.

    From the bottom: what does not shrink, what grows, what shrinks, communication, others.
    """
    times = {(row["call_path"], row["processes"]): number(row["path_ns"]) for row in rows}
    totals = {row["processes"]: number(row["whole_path_ns"]) for row in rows}
    code = sorted(
        (row for row in changes if not row["is_communication"]),
        key=lambda row: -max(number(row["fewest_ns"]), number(row["most_ns"])),
    )[:MOST_PARTS]
    calls = {row["call_path"] for row in rows if row["is_communication"]}
    parts = [
        Part(
            str(row["call_path"]).rpartition("/")[2], verdict,
            tuple(times.get((row["call_path"], p), 0.0) / NANOSECONDS for p in processes),
        )
        for verdict in (STAYS, GROWS, SHRINKS)
        for row in code if row["verdict"] == verdict
    ]  # fmt: skip
    communicating = tuple(
        sum(times.get((call, p), 0.0) for call in calls) / NANOSECONDS for p in processes
    )
    rest = tuple(
        max(totals[p] / NANOSECONDS - sum(part.values[at] for part in parts) - communicating[at], 0)
        for at, p in enumerate(processes)
    )
    return (*parts, Part(COMMUNICATION, "", communicating), Part(OTHERS, "", rest))
