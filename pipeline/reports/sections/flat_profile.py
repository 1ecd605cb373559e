"""Flat profile: time by region and by location."""

from collections.abc import Sequence

from tracemill.reports.material import Material, filled
from tracemill.reports.model import Section
from tracemill.reports.tables import TableSpec
from tracemill.reports.units import format_time
from tracemill.reports.wording import (
    Row,
    count_of,
    name_region,
    nonempty,
    number,
    share_of,
    time_of,
)

PLACE = 70
LOCATION_LIMIT = 128

TOP_REGIONS = TableSpec(
    query="top_regions",
    title="Regions by exclusive time",
    note=(
        "Summed over all locations. Times are without MPI setup; visits, and the longest one, are "
        "with it. Worst rank: the rank with the most time in the region."
    ),
    row_limit=25,
    bars=("exclusive_ns",),
    silent={"worst_thread": 0},
)
TIME_BY_LOCATION = TableSpec(
    query="time_by_location",
    title="Time by location",
    note="Waiting is part of the time in MPI. Caused to others: their waiting for this location.",
    row_limit=LOCATION_LIMIT,
    bars=("outside_mpi_ns", "mpi_ns", "wait_ns", "caused_ns"),
    silent={"thread": 0, "extended_ns": 0},
)

METRIC_LOCATIONS = TableSpec(
    query="metric_locations",
    title="Metric locations",
    note="They record metrics and no code. They are left out of all times and shares.",
    row_limit=LOCATION_LIMIT,
    titles={"thread": "Location", "value_count": "Values"},
)


def build(material: Material) -> Section:
    """Exclusive time by region and by location."""
    regions = material.table(TOP_REGIONS)
    locations = material.table(TIME_BY_LOCATION)
    return Section(
        key="profile",
        title="Flat profile",
        sentences=nonempty(
            describe_top_region(regions.as_dicts()), describe_balance(locations.as_dicts())
        ),
        tables=filled(regions, locations, material.table(METRIC_LOCATIONS)),
    )


def describe_top_region(regions: Sequence[Row]) -> str:
    """The region with the most exclusive time."""
    if not regions:
        return "No region was visited."
    top = regions[0]
    if top["exclusive_ratio"] is None:
        return "The regions have no time."
    return (
        f"{name_region(top['region'])} has the most exclusive time: "
        f"{time_of(top['exclusive_ns'])}, {share_of(top['exclusive_ratio'])} of all time, "
        f"in {count_of(top['visit_count'], 'visit')}."
    )


def describe_balance(locations: Sequence[Row]) -> str:
    """The balance of the time outside MPI over the threads."""
    locations = [row for row in locations if isinstance(row["thread"], int)]
    work = [number(row["outside_mpi_ns"]) for row in locations]
    mean = sum(work) / len(work) if work else 0
    if len(work) < 2 or mean <= 0:
        return ""
    worst = locations[work.index(max(work))]
    return (
        f"Rank {worst['rank']} spends the most time outside MPI, {format_time(max(work))}; "
        f"the mean is {format_time(mean)} (load balance {share_of(mean / max(work))})."
    )
