"""Gains: how much shorter the run would be without parts of its critical path."""

from collections.abc import Iterator

from tracemill.reports.material import Material
from tracemill.reports.model import Section
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.wording import Row, name_path, number, share_of, time_of

PLACE = 42
# The time on the path overstates a gain that is a smaller part of it.
OVERSTATED = 0.9
# Smaller gains are not worth a sentence.
LEAST_SHARE = 0.01

PARTS = TableSpec(
    query="gains_by_part",
    title="Gain of each part",
    note=(
        "The run is replayed without the part: waiting follows from what the others do then. A "
        "dash: not replayed; the gain is at most the time on the path. A program cannot do without "
        "MPI_Init and MPI_Finalize: their gain is a bound for a faster start and end. The "
        "path is that of the activity graph, from the first record to the last, through scans, "
        "windows and locks, too; the critical path above follows Scalasca."
    ),
    row_limit=20,
    limited_per="kind",
    bars=("gain_ns",),
    titles={"gain_ns": "Gain", "gain_ratio": "Of the run", "run_ns": "Run then"},
    hidden=frozenset({"is_setup"}),
    paths=("part",),
)


def build(material: Material) -> Section | None:
    """The gains of parts; None without any, or for a part of the run."""
    if material.is_focused or not material.rows_of(PARTS):
        return None
    return Section(
        key="gains",
        title="Gains of removing parts",
        sentences=tuple(describe_gain(material)),
        tables=material.tables(PARTS),
        sources=(read_source(PARTS.query, PARTS.row_limit),),
    )


def describe_gain(material: Material) -> Iterator[str]:
    """The gain from removing the call path with the largest gain."""
    for row in material.rows_of(PARTS):
        if row["kind"] != "call path" or row["is_setup"] or row["gain_ns"] is None:
            continue
        if number(row["gain_ratio"]) < LEAST_SHARE:
            return
        gain = number(row["gain_ns"])
        yield (
            f"Without {name_path(row['part'])}, the whole run would take "
            f"{time_of(row['run_ns'])} instead of {time_of(number(row['run_ns']) + gain)}, "
            f"{gain_of(row)} less.{describe_replacement(row)}"
        )
        return


def describe_replacement(row: Row) -> str:
    """Why the gain is less than the time on the critical path, after a blank; else empty."""
    if not is_replaced(row):
        return ""
    return (
        f" That is less than the {time_of(row['path_ns'])} of this call path on the critical path, "
        "because other work would become critical."
    )


def is_replaced(row: Row) -> bool:
    """True if other work would become critical instead of a part."""
    return number(row["gain_ns"]) < OVERSTATED * number(row["path_ns"])


def gain_of(row: Row) -> str:
    """The gain from removing a part: '50.0 ms (12.5%)'."""
    return f"{time_of(row['gain_ns'])} ({share_of(row['gain_ratio'])})"
