"""Causes of waiting: call paths that make others wait or lose time, and which of them grow."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from tracemill.base.text import join_words
from tracemill.reports.material import Material
from tracemill.reports.model import Finding, Section
from tracemill.reports.sections.root_causes import ENOUGH, LEAST_SHARE
from tracemill.reports.tables import TableSpec
from tracemill.reports.wording import (
    Row,
    count_of,
    group_by,
    name_path,
    name_place,
    name_site,
    number,
    put_after,
    share_of,
    size_of,
    time_of,
)

PLACE = 14
MOST_CAUSES = 2
MOST_WAITING = 2
_SUMMED = ("fewest_ns", "most_ns", "smallest_share_ratio", "largest_share_ratio")
LEAST_LOST = 0.05
"""Smallest share of all time for which lost parallelism is a finding."""

GROWING = TableSpec(
    query="growing_causes",
    title="Causes that grow most",
    note=(
        "Waiting that a call path causes by taking longer than others that wait for it, also "
        "through others that wait; with the fewest and the most processes of the largest size, "
        "median over repetitions. Rank: the process with two thirds of it. Spearman's rank "
        "correlation is between its share of all waiting and the number of processes, over all "
        "runs, as for call sites."
    ),
    row_limit=30,
    limited_per="application",
    bars=("most_ns",),
    titles={
        "cause_rank": "Rank", "fewest_ns": "Fewest processes", "most_ns": "Most processes",
        "smallest_share_ratio": "Of all waiting, fewest",
        "largest_share_ratio": "Of all waiting, most", "p_value": "p", "q_value": "q",
        "run_count": "Runs",
    },
    silent={"source": None},
    hidden=frozenset({
        "growth_ns", "is_communication", "is_setup", "caller_call_path", "smallest_processes",
        "largest_processes", "size_name", "size", "size_count",
    }),
)  # fmt: skip
BY_CONFIGURATION = TableSpec(
    query="causes_by_configuration",
    title="Causes of waiting by configuration",
    note="Causes of at least 1% of all waiting; medians over repetitions.",
    row_limit=500,
    bars=("caused_ns",),
    titles={
        "cause_rank": "Rank", "caused_ns": "Waiting caused", "direct_ns": "Directly",
        "waiting_ratio": "Of all waiting", "run_count": "Runs",
    },
)  # fmt: skip
WAITING = TableSpec(
    query="waiting_for_causes",
    title="Call paths that wait for one cause",
    note=(
        "With the most processes, at the largest size. Certain: part of the waiting that has this "
        "cause even if all waiting with other causes lies there; at least two thirds."
    ),
    row_limit=100,
    titles={
        "cause_call_path": "Cause", "cause_rank": "Its rank", "certain_ratio": "Certain",
    },
)  # fmt: skip
LOSSES = TableSpec(
    query="losses_by_configuration",
    title="Lost parallelism by configuration",
    note=(
        "Time that threads lose in the main part while code computes that not all of them take "
        "part in; medians over repetitions. Alone: part of it while only this call path computes."
    ),
    row_limit=500,
    bars=("lost_ns",),
    titles={
        "participant_count": "Threads", "lost_ns": "Lost by others", "alone_ns": "Alone",
        "lost_ratio": "Of all time",
        "run_count": "Runs",
    },
    silent={"source": None},
)  # fmt: skip


def build(material: Material) -> Section | None:
    """The causes that grow, who waits for them, and who loses time meanwhile."""
    causes, waiting, losses = _read(material)
    if not (causes or losses):
        return None
    return Section(
        key="causes",
        title="Causes of waiting",
        sentences=(*describe_causes(causes, waiting), *describe_losses(losses)),
        tables=material.tables(GROWING, WAITING),
    )


def _read(material: Material) -> Iterator[tuple[Row, ...]]:
    """Causes, those who wait for them, and lost parallelism."""
    return (material.table(spec).as_dicts() for spec in (GROWING, WAITING, LOSSES))


def find_causes(material: Material) -> tuple[Finding, ...]:
    """The causes of waiting of each application, and the parallelism that they and others lose."""
    causes, waiting, losses = _read(material)
    large = group_by("application", _large_causes(causes))
    seen, lost = group_by("application", waiting), group_by("application", _of_largest(losses))
    applications = sorted({*large, *lost})
    return tuple(
        replace(finding, headline=put_after(prefix, finding.headline))
        for name in applications
        for prefix in [f"{name}: " if len(applications) > 1 else ""]
        for finding in _find(large.get(name, ()), seen.get(name, ()), lost.get(name, ()))
    )


def _find(
    causes: Sequence[Row], waiting: Sequence[Row], losses: Sequence[Row]
) -> Iterator[Finding]:
    """The causes of a program's waiting; then other code that others lose time for."""
    for row in causes:
        amount = (
            f"{time_of(row['most_ns'])} {_name_place(row)}, "
            f"{share_of(row['largest_share_ratio'])} of all waiting{_describe_growth(row)}"
        )
        yield Finding(
            f"waiting for {_name_cause(row).removesuffix(',')}:",
            f"{amount}{_describe_waiting(row, waiting)}.{_describe_own_loss(row, losses)}",
        )
    named = {row["call_path"] for row in causes}
    for row in losses[:MOST_CAUSES]:
        if row["call_path"] not in named and number(row["lost_ratio"]) >= LEAST_LOST:
            yield Finding(
                f"lost parallelism in {name_site(row)}{_name_runner(row)}:",
                f"meanwhile, the others lost {time_of(row['lost_ns'])}, "
                f"{share_of(row['lost_ratio'])} of all time.",
            )


def describe_causes(causes: Sequence[Row], waiting: Sequence[Row]) -> Iterator[str]:
    """The large causes of each application that grow most, and call paths that wait for them."""
    seen = group_by("application", waiting)
    for row in _large_causes(causes):
        yield (
            f"{row['application']}: {_name_cause(row)} causes "
            f"{share_of(row['largest_share_ratio'])} of all waiting {_name_place(row)}: "
            f"{time_of(row['most_ns'])}{_describe_growth(row)}."
        )
        names = _names_of_waiting(row, seen.get(str(row["application"]), ()))
        if names:
            cause = f"{name_path(row['call_path'])}{name_rank(row)}"
            yield f"The waiting in {join_words(names)} is for {cause}."


def describe_losses(losses: Sequence[Row]) -> Iterator[str]:
    """The largest loss of parallelism of each application."""
    for application, (row, *_) in group_by("application", _of_largest(losses)).items():
        yield (
            f"{application}: while {name_site(row)} ran{_name_runner(row)}, the others lost "
            f"{time_of(row['lost_ns'])} with "
            f"{count_of(row['processes'], 'process', 'processes')}."
        )


def _large_causes(causes: Sequence[Row]) -> Iterator[Row]:
    """The causes of each application that grow most and bring about most of its waiting."""
    for own in group_by("application", causes).values():
        joined = _join_calls([row for row in own if not row["is_setup"]])
        large = [row for row in joined if number(row["largest_share_ratio"]) >= LEAST_SHARE]
        large = large[:MOST_CAUSES]
        covered = accumulate((number(row["largest_share_ratio"]) for row in large), initial=0.0)
        yield from (row for row, before in zip(large, covered, strict=False) if before < ENOUGH)


def _join_calls(causes: Sequence[Row]) -> list[Row]:
    """The causes that grow most, with all communication as one of them."""
    calls = [row for row in causes if row["is_communication"]]
    joined: list[Row] = [row for row in causes if not row["is_communication"]]
    if calls:
        sums = {name: sum(number(row[name]) for row in calls) for name in _SUMMED}
        joined.append({**max(calls, key=lambda row: number(row["most_ns"])), **sums})
    return sorted(
        joined,
        key=lambda row: (
            number(row["fewest_ns"]) - number(row["most_ns"]), -number(row["most_ns"])
        ),
    )  # fmt: skip


def _name_cause(row: Row) -> str:
    """The call path and its rank; of communication, the code that communicates most."""
    if not row["is_communication"]:
        return f"{name_site(row)}{name_rank(row)}"
    caller = row["caller_call_path"]
    where = f", most in calls from {name_path(caller)}," if caller is not None else ""
    return f"communication itself{where}"


def _name_place(row: Row) -> str:
    """'with 16 processes at n = 400', where causes are largest."""
    size = f" at {row['size_name']} = {size_of(row['size'])}" if row["size_count"] != 1 else ""
    return f"with {count_of(row['largest_processes'], 'process', 'processes')}{size}"


def _describe_growth(row: Row) -> str:
    """', up from 100 ms with 2'; nothing for a single number of processes."""
    if row["smallest_processes"] == row["largest_processes"]:
        return ""
    verb = "up" if number(row["most_ns"]) > number(row["fewest_ns"]) else "down"
    return f", {verb} from {time_of(row['fewest_ns'])} with {row['smallest_processes']}"


def _names_of_waiting(cause: Row, waiting: Sequence[Row]) -> list[str]:
    """The first call paths that are certain to wait for a cause."""
    return [
        name_path(row["call_path"])
        for row in waiting
        if row["cause_call_path"] == cause["call_path"]
    ][:MOST_WAITING]


def _describe_waiting(cause: Row, waiting: Sequence[Row]) -> str:
    names = _names_of_waiting(cause, waiting)
    return f"; seen in {join_words(names)}" if names else ""


def _of_largest(losses: Sequence[Row]) -> list[Row]:
    """The losses with the most processes at the largest size of each application."""
    return [
        row
        for own in group_by("application", losses).values()
        for row in own
        if (row["size"], row["processes"]) == (own[0]["size"], own[0]["processes"])
    ]


def _describe_own_loss(cause: Row, losses: Sequence[Row]) -> str:
    """The parallelism that a cause loses, in a sentence; else nothing."""
    found = next((row for row in losses if row["call_path"] == cause["call_path"]), None)
    if found is None:
        return ""
    return f" While it ran{_name_runner(found)}, the others lost {time_of(found['lost_ns'])}."


def _name_runner(row: Row) -> str:
    """' on rank 0 alone', or on how many threads code runs that not all take part in."""
    if row["participant_count"] != 1:
        return f" on {row['participant_count']} threads only"
    alone = " alone" if number(row["alone_ns"]) * 2 > number(row["lost_ns"]) else ""
    place = "one thread" if row["rank"] is None else name_place(row["rank"], 0, has_threads=False)
    return f" on {place}{alone}"


def name_rank(row: Row) -> str:
    """' on rank 0', or that several processes share a cause."""
    if row["cause_rank"] is None:
        return " on several processes"
    return f" on {name_place(row['cause_rank'], 0, has_threads=False)}"


def name_cause(row: Row) -> str:
    """The cause of the waiting in a row's call path; empty if it is unknown."""
    if row.get("cause_call_path") is None:
        return ""
    return f"{name_path(row['cause_call_path'])}{name_rank(row)}"
