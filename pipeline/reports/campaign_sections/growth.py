"""Growth: overheads, wait states and call paths over the number of processes."""

from collections.abc import Iterator, Sequence

from pipeline.reports.material import Material
from pipeline.reports.model import Section
from pipeline.reports.tables import TableSpec
from pipeline.reports.wording import Row, count_of, name_path, number, said, share_of

PLACE = 60
# Shares of all time: less growth than that is not worth a sentence.
LEAST = 0.01

_TITLES = {
    "smallest_share_ratio": "At fewest",
    "largest_share_ratio": "At most processes",
    "growth_ratio": "Growth",
    "growth_exponent": "Exponent",
    "growth_error": "Its error",
    "p_value": "p",
    "run_count": "Runs",
    "wait_share_ratio": "Waiting at most",
    "path_share_ratio": "Of the path at most",
}
METRICS = TableSpec(
    query="growing_metrics",
    title="Overheads and wait states that grow most",
    note=(
        "Shares of the time of all locations, at the fewest and at the most processes. Exponent b: "
        "the sum over all processes grows as p^b; 0 where work is only divided."
    ),
    row_limit=60,
    titles=_TITLES,
)
CALL_PATHS = TableSpec(
    query="growing_call_paths",
    title="Call paths whose share grows most",
    note="The same for the time of call paths without callees; their waiting, their part of the "
    "critical path.",
    row_limit=60,
    titles=_TITLES,
)
MODELS = TableSpec(
    query="modelled_call_paths",
    title="How call paths depend on processes and size",
    note=(
        "Normal form of the time per process, without callees, in seconds; terms are chosen by the "
        "error of configurations that are left out, and describe nothing if it is above 25%. "
        "Communication is fitted without runs of a single process, which waits for nobody: see "
        "From processes. 1 - 1/p is what the others wait for one."
    ),
    row_limit=60,
    titles={
        "leading_in_processes": "In processes", "leading_in_size": "In size",
        "largest_share_ratio": "Largest share", "symmetric_error_ratio": "Error",
        "cross_validated_ratio": "Error left out", "smallest_processes": "From processes",
    },
    silent={"reason": None, "source": None},
)  # fmt: skip
TOTALS = TableSpec(
    query="runs_without_total",
    title="Runs without a time that call sites are part of",
    note="Only their call sites are known: they have no shares of all time.",
    row_limit=100,
)


def build(material: Material) -> Section | None:
    """What grows with processes and size."""
    tables = material.tables(METRICS, CALL_PATHS, MODELS, TOTALS)
    if not tables:
        return None
    rows = {table.name: table.as_dicts() for table in tables}
    return Section(
        key="growth",
        title="What grows",
        sentences=said(
            *describe_growth(rows.get(CALL_PATHS.query, ())),
            describe_totals(len(rows.get(TOTALS.query, ()))),
        ),
        tables=tables,
    )


def describe_totals(count: int) -> str:
    """How many runs are left out as nothing tells what their call sites are part of."""
    if not count:
        return ""
    return f"{count_of(count, 'run')} left out: no time is known that its call sites are part of."


def describe_growth(paths: Sequence[Row]) -> Iterator[str]:
    """The call path that grows most of every application."""
    seen: set[object] = set()
    for row in paths:
        if row["application"] in seen or number(row["growth_ratio"]) < LEAST:
            continue
        seen.add(row["application"])
        yield (
            f"{row['application']}: the share of {name_path(row['call_path'])} grows most, from "
            f"{share_of(row['smallest_share_ratio'])} to {share_of(row['largest_share_ratio'])} "
            "of all time."
        )
