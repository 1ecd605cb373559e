"""Growth of overheads, wait states and call paths with the number of processes."""

from collections.abc import Iterator, Sequence

from tracemill.reports.campaign_sections import causes
from tracemill.reports.campaign_sections.causes import name_cause
from tracemill.reports.campaign_sections.critical_path import BY_CONFIGURATION
from tracemill.reports.material import Material, filled
from tracemill.reports.model import Section
from tracemill.reports.pivots import pivot_each
from tracemill.reports.sections.root_causes import MOST_OF_IT
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.units import Value
from tracemill.reports.wording import (
    Row,
    count_of,
    name_path,
    name_site,
    nonempty,
    number,
    share_of,
    size_of,
)

PLACE = 60
# Shares of all time: smaller growth has no sentence.
LEAST = 0.01

_TITLES = {
    "smallest_share_ratio": "Fewest processes",
    "largest_share_ratio": "Most processes",
    "growth_ratio": "Growth",
    "growth_exponent": "Exponent",
    "growth_error": "Exponent error",
    "p_value": "p",
    "run_count": "Runs",
    "wait_share_ratio": "Waiting, most processes",
    "path_share_ratio": "Of the path, most processes",
    "other_sizes": "At other sizes",
    "cause_call_path": "Waits for",
    "cause_rank": "On rank",
}
_SILENT: dict[str, Value] = dict.fromkeys(
    ("other_sizes", "source", "title", "cause_call_path", "cause_rank")
)
_ENDS = "with the fewest and the most processes of the largest size, without runs of one process"
_EXPONENT = (
    "Exponent b, over all sizes: the sum over all processes grows as p^b; b = 0 if the work is "
    "only divided."
)
METRICS = TableSpec(
    query="growing_metrics",
    title="Overheads and wait states that grow most",
    note=f"Shares of the time of all locations, {_ENDS}. {_EXPONENT}",
    row_limit=60,
    limited_per="application",
    titles=_TITLES,
    silent=_SILENT,
)
CALL_PATHS = TableSpec(
    query="growing_call_paths",
    title="Call paths whose share grows most",
    note=(
        f"Time of call paths without callees as a share of the time of all locations, {_ENDS}; "
        "also its waiting part and their part of the critical path, with the most processes. "
        f"{_EXPONENT}"
    ),
    row_limit=60,
    limited_per="application",
    titles=_TITLES,
    silent=_SILENT,
)
MODELS = TableSpec(
    query="modeled_call_paths",
    title="Models of call paths over processes and size",
    note=(
        "Normal form of the time per process, without callees, in seconds. The terms have the "
        "smallest error for configurations that are left out; above 25%, the model is not usable. "
        "Communication is fitted without runs of a single process, which never waits: see From "
        "processes. 1 - 1/p is the waiting of all other processes for one."
    ),
    row_limit=60,
    limited_per="application",
    titles={
        "leading_in_processes": "In processes", "leading_in_size": "In size",
        "largest_share_ratio": "Largest share", "symmetric_error_ratio": "Error",
        "cross_validated_ratio": "Error left out", "smallest_processes": "From processes",
    },
    silent={"reason": None, "source": None},
)  # fmt: skip
RANGE = "growth_range"
ENDS = ("smallest", "largest")
TOTALS = TableSpec(
    query="runs_without_total",
    title="Runs without a total time",
    note="Only call sites are available for these runs, so they have no shares of all time.",
    row_limit=100,
)


def build(material: Material) -> Section | None:
    """Metrics and call paths that grow with processes and size."""
    paths, caused, losses = map(
        material.table, (BY_CONFIGURATION, causes.BY_CONFIGURATION, causes.LOSSES)
    )
    tables = filled(
        *map(material.table, (METRICS, CALL_PATHS, MODELS)),
        *pivot_each(paths, ("path_ns",), ("call_path", "source")),
        *pivot_each(caused, ("caused_ns",), ("call_path",)),
        *pivot_each(losses, ("lost_ns",), ("call_path", "source")),
        material.table(TOTALS),
    )
    if not tables:
        return None
    rows = {table.name: table.as_dicts() for table in tables}
    return Section(
        key="growth",
        title="Growth",
        sentences=nonempty(
            *describe_range(material.rows(RANGE)),
            *describe_growth(rows.get(CALL_PATHS.query, ())),
            describe_totals(len(rows.get(TOTALS.query, ()))),
        ),
        tables=tables,
        sources=(read_source(RANGE),),
    )


def describe_range(ranges: Sequence[Row]) -> Iterator[str]:
    """The runs that the shares of each application come from, and the number left out."""
    for row in ranges:
        fewest, most = (f"{row['size_name']} = {size_of(row[f'{end}_run_size'])}" for end in ENDS)
        first = count_of(row["smallest_processes"], "process", "processes")
        at = f"{row['smallest_processes']} and {row['largest_processes']} processes, both at {most}"
        if fewest != most:
            at = f"{first} at {fewest} and {row['largest_processes']} at {most}"
        elif row["size_count"] != 1:
            at += f", the largest of {row['size_count']} sizes"
        yield (
            f"{row['application']}: {count_of(row['run_count'], 'run')} compared; shares are from "
            f"runs with {at}.{_describe_left_out(row)}"
        )


def _describe_left_out(row: Row) -> str:
    if not row["left_out_count"]:
        return ""
    verb = "is" if row["left_out_count"] == 1 else "are"
    up_to = "" if row["left_out_processes"] == 1 else "up to "
    most = count_of(row["left_out_processes"], "process", "processes")
    return f" {count_of(row['left_out_count'], 'run')} with {up_to}{most} {verb} left out."


def describe_totals(count: int) -> str:
    """The number of runs left out because they have no total time."""
    if not count:
        return ""
    return f"{count_of(count, 'run')} left out: no total time is available."


def describe_growth(paths: Sequence[Row]) -> Iterator[str]:
    """The call path with the largest growth of each application."""
    seen: set[object] = set()
    for row in paths:
        if row["application"] in seen or number(row["growth_ratio"]) < LEAST:
            continue
        seen.add(row["application"])
        yield (
            f"{row['application']}: the share of {_name_growing(row)} grows most, from "
            f"{share_of(row['smallest_share_ratio'])} to {share_of(row['largest_share_ratio'])} "
            f"of all time{_describe_others(row)}."
        )


def _name_growing(row: Row) -> str:
    """The call path; or what it waits for, if it mostly waits for one cause."""
    is_waiting = number(row["wait_share_ratio"]) >= MOST_OF_IT * number(row["largest_share_ratio"])
    if not (is_waiting and name_cause(row)):
        return name_site(row)
    return f"waiting for {name_cause(row)} (in {name_path(row['call_path'])})"


def _describe_others(row: Row) -> str:
    others = row.get("other_sizes")
    return f" at the largest size, but {others}" if others else ""
