"""Causes of waiting: call paths that make others wait, and which of them grow with processes."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

from tracemill.reports.material import Material
from tracemill.reports.model import Section
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
    share_of,
    time_of,
)

PLACE = 25
MOST_CAUSES = 2

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
        "growth_ns": "Growth", "smallest_share_ratio": "Of all waiting, fewest",
        "largest_share_ratio": "Of all waiting, most", "p_value": "p", "q_value": "q",
        "run_count": "Runs",
    },
    silent={"source": None},
    hidden=frozenset({
        "is_communication", "is_setup", "smallest_processes", "largest_processes", "size_name",
        "size", "size_count",
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


def build(material: Material) -> Section | None:
    """The causes that grow, those of each configuration, and who waits for them."""
    tables = material.tables(GROWING, BY_CONFIGURATION, WAITING)
    if not tables:
        return None
    return Section(
        key="causes",
        title="Causes of waiting",
        sentences=tuple(describe_material(material)),
        tables=tables,
    )


def describe_material(material: Material) -> Iterator[str]:
    """The sentences of a campaign on its causes."""
    causes, waiting = (material.table(spec).as_dicts() for spec in (GROWING, WAITING))
    return describe_causes(causes, waiting)


def describe_causes(causes: Sequence[Row], waiting: Sequence[Row]) -> Iterator[str]:
    """The large causes of each application that grow most, and call paths that wait for them."""
    seen = group_by("application", waiting)
    for application, own in group_by("application", causes).items():
        large = [
            row
            for row in own
            if number(row["largest_share_ratio"]) >= LEAST_SHARE and not row["is_setup"]
        ][:MOST_CAUSES]
        covered = accumulate((number(row["largest_share_ratio"]) for row in large), initial=0.0)
        for row, before in zip(large, covered, strict=False):
            if before < ENOUGH:
                waits = _describe_seen(row, seen.get(application, ()))
                yield f"{application}: {_describe(row)}.{waits}"


def _describe(row: Row) -> str:
    subject = name_site(row)
    if row["is_communication"]:
        subject = f"the time itself in {subject} (not its waiting)"
    fewest, most = number(row["fewest_ns"]), number(row["most_ns"])
    change = ""
    if row["smallest_processes"] != row["largest_processes"]:
        verb = "up" if most > fewest else "down"
        change = f", {verb} from {time_of(fewest)} with {row['smallest_processes']}"
    size = f" at {row['size_name']} = {number(row['size']):g}" if row["size_count"] != 1 else ""
    processes = count_of(row["largest_processes"], "process", "processes")
    return (
        f"{subject}{name_rank(row)} causes {share_of(row['largest_share_ratio'])} of all waiting "
        f"with {processes}{size}: {time_of(most)}{change}"
    )


def _describe_seen(cause: Row, waiting: Sequence[Row]) -> str:
    """The call paths that wait for a cause, if these are certain."""
    names = [
        name_path(row["call_path"])
        for row in waiting
        if row["cause_call_path"] == cause["call_path"]
    ]
    return f" Others wait for it in {' and '.join(names[:2])}." if names else ""


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
