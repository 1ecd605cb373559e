"""What the page of a run says first: a verdict, its efficiencies, and the worst causes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

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

# Causes of less of all waiting, and smaller gains, are in the tables only.
LEAST_SHARE = 0.01
_OF_ONE = "Give {place} less of this work: {who}."
_OF_MANY = "Distribute it evenly: {who}."
_WHO_WAITS = {
    "latesender": "receivers wait",
    "latereceiver": "senders wait",
    "barrier": "all wait at a barrier",
    "n2n": "all wait in a collective",
    "12n": "all wait for the root",
    "n21": "the root waits",
    "ompbarrier": "threads wait at a barrier",
    root_causes.DEVICE: "threads wait for it",
}
_OF_CALLS = {
    ("point-to-point", "latesender"): "Send earlier, without blocking, in fewer messages: {who}.",
    ("point-to-point", "latereceiver"): "Post receives earlier, before this call: {who}.",
    ("collective", "latesender"): "Start sends before this collective: {who}.",
    ("collective", "latereceiver"): "Post receives before this collective: {who}.",
    ("barrier", "latesender"): "Start sends before this barrier, or drop it: {who}.",
    ("barrier", "latereceiver"): "Post receives before this barrier, or drop it: {who}.",
    ("point-to-point", ""): "Overlap its messages with computation: {who}.",
    ("collective", ""): "Use fewer or non-blocking collectives.",
    ("barrier", ""): "Drop barriers that nothing depends on.",
}
"""Advice on MPI calls by operation and kind of waiting that they cause; '': any other kind."""
_OF_OTHER_CALLS = "Call it less often, or move it away from communication: {who}."
_OF_SETUP = "Paid once: longer runs hide it."
_OF_KERNEL = "Make it faster, or compute on the host meanwhile: {who}."
OF_GAIN = "Make it faster, or overlap it with other work."
_REPLACED = ", less than its {} on the critical path, because other work would become critical"
SAME = "The same."
"""Advice that the cause before it has, too."""
OF_WHOLE = "Root causes and gains are on the page of the whole run: both follow from all of it."


def opening_of(material: Material) -> Opening:
    """The verdict in one or two sentences, the efficiencies as bars, three causes with advice.

    Where nothing waits, or for devices only in part, gains make up for causes.
    """
    caused = root_causes.largest(material, LEAST_SHARE)
    gained = () if material.is_focused else _gains(material)
    causes = [_of_waiting(row, has_threads=material.has_threads) for row in caused]
    if not causes or any(row["kind"] == root_causes.DEVICE for row in caused):
        named = {cause.call_path for cause in causes}
        others = [_of_gain(row) for row in gained if row["part"] not in named]
        causes += others[: root_causes.MOST_CAUSES - len(causes)]
    sentences = (
        efficiencies.name_worst(material),
        _cause_and_gain(caused, gained),
        efficiencies.describe_little_computation(material),
        OF_WHOLE if material.is_focused else "",
    )
    return Opening(
        verdict=" ".join(nonempty(*sentences)),
        bars=efficiencies.bars(material),
        causes=tuple(_without_repeated_advice(causes)),
    )


def _without_repeated_advice(causes: Sequence[Cause]) -> Iterator[Cause]:
    for at, cause in enumerate(causes):
        is_same = at > 0 and cause.advice == causes[at - 1].advice
        yield replace(cause, advice=SAME) if is_same else cause


def _gains(material: Material) -> Sequence[Row]:
    """Call paths whose removal would bring most."""
    return [
        row
        for row in material.rows_of(gains.PARTS)
        if row["kind"] == "call path"
        and not row["is_setup"]
        and number(row["gain_ratio"]) >= LEAST_SHARE
    ]


def _cause_and_gain(caused: Sequence[Row], gained: Sequence[Row]) -> str:
    """The largest cause and the largest gain in one sentence; one that is both is named once."""
    cause = caused[0] if caused else None
    gain = gained[0] if gained else None
    said = []
    if cause:
        share = share_of(cause["caused_ratio"])
        said.append(f"{name_path(cause['call_path'])} causes {share} of all waiting")
    if gain:
        is_same = cause is not None and gain["part"] == cause["call_path"]
        part = "it" if is_same else name_path(gain["part"])
        why = _REPLACED.format(time_of(gain["path_ns"])) if gains.is_replaced(gain) else ""
        said.append(f"without {part}, the whole run would be {gains.gain_of(gain)} shorter{why}")
    return start(f"{'; '.join(said)}.") if said else ""


def _of_waiting(row: Row, *, has_threads: bool) -> Cause:
    cost = f"{time_of(row['caused_ns'])}, {share_of(row['caused_ratio'])} of all waiting"
    place = name_place(row["worst_rank"], row["worst_thread"], has_threads=has_threads)
    advice = _advice_on(row).format(place=place, who=_WHO_WAITS[str(row["kind"])])
    return Cause(call_path=str(row["call_path"]), cost=cost, advice=advice)


def _advice_on(row: Row) -> str:
    """What to try, by the operation that takes long and the kind of waiting that it causes."""
    if row["is_setup"]:
        return _OF_SETUP
    if row["is_mpi"]:
        operation, kind = str(row["operation"]), str(row["kind"])
        found = _OF_CALLS.get((operation, kind)) or _OF_CALLS.get((operation, ""))
        return found or _OF_OTHER_CALLS
    if row["kind"] == root_causes.DEVICE:
        return _OF_KERNEL
    return _OF_ONE if root_causes.is_one(row) else _OF_MANY


def _of_gain(row: Row) -> Cause:
    cost = f"{gains.gain_of(row)} shorter without it"
    return Cause(call_path=str(row["part"]), cost=cost, advice=OF_GAIN)
