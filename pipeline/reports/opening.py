"""What the page of a run says first: a verdict, its efficiencies, and the worst causes."""

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from tracemill.reports.material import Material
from tracemill.reports.model import Cause, Opening
from tracemill.reports.sections import efficiencies, gains, root_causes
from tracemill.reports.wording import (
    Row,
    name_path,
    name_place,
    nonempty,
    number,
    share_of,
    start,
    time_of,
)

MOST_CAUSES = 3
# Causes of less of all waiting, and smaller gains, are in the tables only.
LEAST_SHARE = 0.01
OF_MPI = "Send fewer or smaller messages, or overlap them with computation."
OF_ONE = "Give {place} less of this work."
OF_MANY = "Make it faster, or distribute it evenly."
OF_GAIN = "Make it faster, or overlap it with other work."


def opening_of(material: Material) -> Opening:
    """The verdict in one or two sentences, the efficiencies as bars, three causes with advice."""
    caused = _causes(material)
    gained = () if material.is_focused else _gains(material)
    causes = [_of_waiting(row, has_threads=material.has_threads) for row in caused]
    causes += [] if causes else [_of_gain(row) for row in gained[:MOST_CAUSES]]
    sentences = (efficiencies.name_worst(material), *_cause_and_gain(caused, gained))
    return Opening(
        verdict=" ".join(nonempty(*sentences)),
        bars=efficiencies.bars(material),
        causes=tuple(causes),
    )


def _causes(material: Material) -> Sequence[Row]:
    """The largest causes of waiting, those of MPI setup last."""
    rows = [
        row
        for row in material.rows_of(root_causes.BY_CALL_PATH)
        if number(row["caused_ratio"]) >= LEAST_SHARE
    ]
    return sorted(rows, key=lambda row: bool(row["is_setup"]))[:MOST_CAUSES]


def _gains(material: Material) -> Sequence[Row]:
    """Call paths whose removal would bring most."""
    return [
        row
        for row in material.rows_of(gains.PARTS)
        if row["kind"] == "call path"
        and not row["is_setup"]
        and number(row["gain_ratio"]) >= LEAST_SHARE
    ]


def _cause_and_gain(caused: Sequence[Row], gained: Sequence[Row]) -> Iterator[str]:
    """The largest cause and the largest gain, in one sentence if they are the same call path."""
    cause = caused[0] if caused else None
    gain = gained[0] if gained else None
    if cause:
        what = start(f"{name_path(cause['call_path'])} causes {share_of(cause['caused_ratio'])}")
        if gain and gain["part"] == cause["call_path"]:
            yield f"{what} of all waiting; without it the run would take {_less(gain)}."
            return
        yield f"{what} of all waiting."
    if gain:
        yield f"Without {name_path(gain['part'])} the run would take {_less(gain)}."


def _less(gain: Row) -> str:
    return f"{time_of(gain['gain_ns'])} ({share_of(gain['gain_ratio'])}) less"


def _of_waiting(row: Row, *, has_threads: bool) -> Cause:
    cost = f"{time_of(row['caused_ns'])}, {share_of(row['caused_ratio'])} of all waiting"
    place = name_place(row["worst_rank"], row["worst_thread"], has_threads=has_threads)
    if row["is_mpi"]:
        advice = OF_MPI
    elif root_causes.is_one(row):
        advice = OF_ONE.format(place=place)
    else:
        advice = OF_MANY
    source = PurePath(str(row["source"] or "")).name
    return Cause(call_path=str(row["call_path"]), site=source, cost=cost, advice=advice)


def _of_gain(row: Row) -> Cause:
    cost = f"{_less(row)} without it"
    return Cause(call_path=str(row["part"]), site="", cost=cost, advice=OF_GAIN)
