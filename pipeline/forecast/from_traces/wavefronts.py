"""Messages that carry dependences, and computing between calls.

In a wavefront, a process receives from its predecessors, computes, and sends to its successors.
"""

from collections.abc import Collection, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tracemill.forecast.from_traces.recording import Recording
from tracemill.forecast.from_traces.steps import Pattern

LEAST_SHARE = 0.01
"""Computing between two calls counts if it is above this share of all computing."""
ALMOST = 0.9
"""A step is over when it has this share of the usual computing."""
_NEVER = np.iinfo(np.int64).max


def computing_between(
    computing: pl.DataFrame, parts: pl.DataFrame, begin: str, end: str
) -> NDArray[np.float64]:
    """Computing of the process of each row between two of its times (ns)."""
    between = np.zeros(parts.height)
    ranks = parts["rank"].to_numpy()
    for (rank,), own in computing.partition_by("rank", as_dict=True).items():
        chosen = np.flatnonzero(ranks == rank)
        starts = own["begin_ns"].to_numpy()
        before = np.concatenate([[0], np.cumsum(own["end_ns"].to_numpy() - starts)])
        first, last = (
            np.searchsorted(starts, parts[name].to_numpy()[chosen]) for name in (begin, end)
        )
        between[chosen] = before[last] - before[first]
    return between


def noticeable(
    recording: Recording, call_paths: Sequence[str], times: NDArray[np.float64]
) -> set[str]:
    """Call paths whose times together are a noticeable share of all computing."""
    computing = recording.computing
    total = float((computing["end_ns"] - computing["begin_ns"]).sum())
    sums = (
        pl.DataFrame({"path": call_paths, "time": times}, schema_overrides={"path": pl.String})
        .group_by("path")
        .agg(pl.col("time").sum())
    )
    return set(sums.filter(pl.col("time") > LEAST_SHARE * total)["path"].to_list())


def find_wavefronts(
    recording: Recording, parts: pl.DataFrame, patterns: Sequence[Pattern]
) -> set[int]:
    """Operations by number whose processes all compute between receiving and sending.

    `patterns` are those of the operations. All operations of a call path are alike. No process
    sends to one that sends to it.
    """
    call_paths = [pattern.call_path for pattern in patterns]
    both = parts.filter(pl.col("send_ns").is_not_null() & pl.col("receive_ns").is_not_null())
    if not both.height:
        return set()
    is_other = pl.col("receive_ns") >= pl.col("send_ns")
    others = {call_paths[number] for number in both.filter(is_other)["operation"].to_list()}
    others |= {pattern.call_path for pattern in set(patterns) if not _is_one_way(pattern)}
    paths = [call_paths[number] for number in both["operation"].to_list()]
    times = computing_between(recording.computing, both, "receive_ns", "send_ns")
    found = noticeable(recording, paths, times) - others
    return {number for number, path in enumerate(call_paths) if path in found}


def _is_one_way(pattern: Pattern) -> bool:
    """Whether no process that sends to another one gets a message from it."""
    pairs = {(sender, receiver) for sender, receiver, _ in pattern.pairs}
    return not any((receiver, sender) in pairs for sender, receiver in pairs)


def cut_wavefronts(
    recording: Recording, parts: pl.DataFrame, wavefronts: Collection[int]
) -> pl.DataFrame:
    """Parts of wavefronts end after their computing: at the send, else before the next call.

    The last of several steps without a send has as much computing as the others.
    """
    if not wavefronts:
        return parts
    ordered = parts.sort("rank", "end_ns", "end_visit_id", "operation").with_columns(
        is_cut=pl.col("operation").is_in(list(wavefronts)),
        next_ns=pl.col("end_ns").shift(-1, fill_value=_NEVER).over("rank"),
    )
    is_open = pl.col("is_cut") & pl.col("send_ns").is_null()
    is_next_open = is_open.shift(-1, fill_value=False).over("rank")
    ordered = ordered.with_columns(is_open=is_open, is_last=is_open & ~is_next_open)
    ends = ordered["next_ns"].to_numpy().copy()
    for (rank,), own in recording.computing.partition_by("rank", as_dict=True).items():
        _shorten_last(ordered, ends, own, int(str(rank)))
    cut = pl.when("is_cut").then(pl.coalesce("send_ns", pl.Series(ends) - 1)).otherwise("end_ns")
    visit = pl.when("is_cut").then(pl.coalesce("send_visit_id", "end_visit_id"))
    return ordered.with_columns(end_ns=cut, end_visit_id=visit.otherwise("end_visit_id")).select(
        parts.columns
    )


def _shorten_last(
    parts: pl.DataFrame, ends: NDArray[np.int64], computing: pl.DataFrame, rank: int
) -> None:
    """Change the ends of last steps of a process: after the median computing of the others."""
    is_own = (parts["rank"] == rank).to_numpy()
    is_open = parts["is_open"].to_numpy() & is_own
    is_last = parts["is_last"].to_numpy() & is_own
    if not (is_open & ~is_last).any() or not is_last.any():
        return
    starts = computing["begin_ns"].to_numpy()
    before = np.concatenate([[0], np.cumsum(computing["end_ns"].to_numpy() - starts)])
    begins = parts["end_ns"].to_numpy()
    done, later = (before[np.searchsorted(starts, times)] for times in (begins, ends))
    usual = float(np.median((later - done)[is_open & ~is_last]))
    # The first stretch whose end reaches almost as much belongs to the step as a whole.
    reached = np.searchsorted(before[1:], done[is_last] + ALMOST * usual)
    after = np.append(starts[1:], _NEVER)[np.minimum(reached, len(starts) - 1)]
    ends[is_last] = np.minimum(ends[is_last], after)
