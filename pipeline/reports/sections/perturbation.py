"""Perturbation: the time that the measurement itself took."""

from collections.abc import Sequence

from tracemill.base.text import join_words
from tracemill.reports.material import PERTURBED, Material, filled
from tracemill.reports.model import Section
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.wording import Row, count_of, name_path, nonempty, number, time_of

PLACE = 112
NAMED = 3
TOTALS = "perturbation_totals"
CALL_PATHS = TableSpec(
    query=PERTURBED,
    title="Perturbed call paths",
    note="The measurement may take more than 10% of their exclusive time.",
    row_limit=20,
    titles={
        "record_count": "Records",
        "cost_ns": "Recording",
        "flush_ns": "Writing buffers",
        "exclusive_ns": "Exclusive",
        "perturbed_ratio": "Of its time",
    },
    silent={"flush_ns": 0},
)


def build(material: Material) -> Section | None:
    """The share of the measurement, and the call paths in which it is large."""
    totals = material.rows(TOTALS)
    if not totals or not totals[0]["record_count"]:
        return None
    call_paths = material.table(CALL_PATHS)
    return Section(
        key="perturbation",
        title="Perturbation",
        sentences=nonempty(
            describe_run(totals[0]),
            describe_call_paths(call_paths.as_dicts(), is_cut=call_paths.is_cut),
        ),
        tables=filled(call_paths),
        sources=(read_source(TOTALS),),
    )


def describe_run(totals: Row) -> str:
    """The time that the measurement took, and its share of the main part."""
    flushes = f" Writing buffers took {time_of(totals['flush_ns'])}." if totals["flush_ns"] else ""
    if totals["event_cost_ns"] is None:
        return (
            "The time to record an event is unknown, because no location has 100 gaps between "
            f"neighboring enter and leave records. --event-cost sets it.{flushes}"
        )
    limit = "about" if totals["is_given"] else "at most about"
    ratio = totals["perturbed_ratio"]
    share = "" if ratio is None else f", {100 * float(ratio):.3g}% of the main part of all threads"
    records = count_of(totals["record_count"], "record")
    taken_ns = number(totals["cost_ns"]) + number(totals["flush_ns"])
    return (
        f"The measurement took {limit} {time_of(taken_ns)}{share}: {records}, {limit} "
        f"{time_of(totals['event_cost_ns'])} each.{flushes}"
    )


def describe_call_paths(call_paths: Sequence[Row], *, is_cut: bool) -> str:
    """The call paths in which the measurement took most; else nothing."""
    if not call_paths:
        return ""
    named = join_words([name_path(row["call_path"]) for row in call_paths[:NAMED]])
    more = len(call_paths) - NAMED
    others = f", and {'at least ' * is_cut}{count_of(more, 'other')}" if more > 0 else ""
    return (
        "The measurement may take more than 10% of the exclusive time of some call paths, most in "
        f"{named}{others}."
    )
