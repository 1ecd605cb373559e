"""Root causes: the call paths that made others wait, directly or through further waiting."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from tracemill.reports.material import Material
from tracemill.reports.model import Section
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.units import Value
from tracemill.reports.wording import (
    Row,
    count_of,
    name_path,
    name_place,
    number,
    share_of,
    time_of,
)

PLACE = 25
DEVICE = "device"
"""Kind of the waiting that kernels cause."""
INDIRECT = "indirect_waiting"
# Smaller shares of the waiting appear in tables only.
LEAST_SHARE = 0.1
# Sentences name causes until they cover this share, but at most MOST_CAUSES.
ENOUGH, MOST_CAUSES = 0.8, 3
# Sentences ignore a smaller part of a time outside the main part.
ALIKE = 0.005
# A sentence names the location that causes this share of a call path's part; that it is the only
# one, from ALONE on.
MOST_OF_IT, ALONE = 2 / 3, 0.99

_ONE_THREAD: dict[str, Value] = {"worst_thread": 0, "cause_thread": 0, "thread": 0}
BY_CALL_PATH = TableSpec(
    query="causes_by_call_path",
    title="By call path",
    note="A call path causes waiting where it takes longer than on the location that waits. "
    "Waiting that the waiting location passes on to others counts, too.",
    row_limit=20,
    bars=("caused_ns",),
    titles={
        "caused_ns": "Waiting caused",
        "caused_ratio": "Of all waiting",
        "direct_ns": "Directly",
        "passed_on_ns": "Passed on",
        "worst_ns": "Its part",
    },
    silent=_ONE_THREAD,
    hidden=frozenset(
        {
            "source",
            "worst_direct_ns",
            "is_mpi",
            "is_setup",
            "waiting_ns",
            "main_waiting_ns",
            "kind",
            "operation",
        }
    ),
)
_OF_KERNELS = (
    "A kernel causes waiting for its stream while it runs; if the stream runs nothing, the waiting "
    "has no cause here."
)
BY_VICTIM = TableSpec(
    query="causes_and_victims",
    title="By cause and victim",
    row_limit=20,
    bars=("direct_ns",),
    titles={
        "finding": "Kind",
        "cause_rank": "Cause rank",
        "rank": "Waiting rank",
        "direct_ns": "Directly",
        "passed_on_ns": "Passed on",
    },
    silent=_ONE_THREAD,
)
BY_KIND = TableSpec(
    query=INDIRECT,
    title="Indirect and propagating waiting",
    note="Indirect: because the awaited location itself waited. Propagating: it made others wait.",
    titles={"indirect_ratio": "Indirect part", "propagating_ratio": "Propagating part"},
    explained=("metric",),
)


def build(material: Material) -> Section | None:
    """The causes of waiting; None without any."""
    if not material.rows_of(BY_CALL_PATH):
        return None
    first, *others = material.tables(BY_CALL_PATH, BY_VICTIM, BY_KIND)
    if material.overview["stream_count"]:
        first = replace(first, note=f"{first.note} {_OF_KERNELS}")
    return Section(
        key="root-causes",
        title="Root causes",
        sentences=(*describe_causes(material), *describe_indirect(material)),
        tables=(first, *others),
        sources=(read_source(BY_CALL_PATH.query, BY_CALL_PATH.row_limit), read_source(INDIRECT)),
    )


def largest(material: Material, least_share: float) -> Sequence[Row]:
    """The causes to name first: those of most waiting, and those of MPI setup last."""
    rows = material.rows_of(BY_CALL_PATH)
    large = [row for row in rows if number(row["caused_ratio"]) >= least_share]
    return sorted(large, key=lambda row: bool(row["is_setup"]))[:MOST_CAUSES]


def describe_causes(material: Material) -> Iterator[str]:
    """The largest causes in a sentence each."""
    causes = largest(material, LEAST_SHARE)
    covered = accumulate((number(row["caused_ratio"]) for row in causes), initial=0.0)
    for row, before in zip(causes, covered, strict=False):
        if before < ENOUGH:
            yield describe_cause(row, has_threads=material.has_threads)


def is_one(row: Row) -> bool:
    """True if one location causes most of the waiting that its call path causes."""
    return number(row["worst_ns"]) >= MOST_OF_IT * number(row["caused_ns"])


def describe_cause(row: Row, *, has_threads: bool) -> str:
    """A call path with the waiting that it causes; names a location if it causes most of it.

    Waiting is that of the whole run; the sentence says so if that of the main part differs.
    """
    what = name_path(row["call_path"])
    subject = f"The time without waiting in {what}" if row["is_mpi"] else what
    place = name_place(row["worst_rank"], row["worst_thread"], has_threads=has_threads)
    caused, direct = number(row["caused_ns"]), number(row["direct_ns"])
    places = ("location", "locations") if has_threads else ("process", "processes")
    if row["kind"] == DEVICE:
        places = ("GPU stream", "GPU streams")
    where = f" on {count_of(row['location_count'], *places)}"
    if is_one(row):
        is_alone = number(row["worst_ns"]) >= ALONE * caused
        where = f" on {place}" if is_alone else f", mostly on {place},"
    waiting = number(row["waiting_ns"])
    amounts = f"{share_of(caused / waiting)} of all waiting ({time_of(caused)} of "
    has_more = waiting - number(row["main_waiting_ns"]) > ALIKE * waiting
    amounts += f"{time_of(waiting)}{' in the whole run' if has_more else ''})"
    return f"{subject}{where} causes {amounts}{_describe_parts(direct, caused - direct)}."


def _describe_parts(direct: float, passed_on: float) -> str:
    if passed_on < 0.01 * direct:
        return ""
    return f": {time_of(direct)} directly, {time_of(passed_on)} passed on by others"


def describe_indirect(material: Material) -> Iterator[str]:
    """The part of each kind of waiting that waiting elsewhere causes, if it is large."""
    for row in material.rows(INDIRECT):
        if number(row["indirect_ratio"]) >= LEAST_SHARE:
            yield (
                f"Of {row['finding']}, {time_of(row['indirect_ns'])} of {time_of(row['wait_ns'])} "
                "is indirect: waiting for others who waited."
            )
