"""Messages that carry dependences, and computing between calls.

In a wavefront, a process receives from its predecessors, computes, and sends to its successors.
"""

from collections.abc import Collection, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tracemill.forecast.from_traces.recording import Recording

LEAST_SHARE = 0.01
"""Computing between two calls counts if it is above this share of all computing."""


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
    recording: Recording, parts: pl.DataFrame, call_paths: Sequence[str]
) -> set[int]:
    """Operations by number whose processes all compute between receiving and sending.

    `call_paths` are those of the operations. All operations of a call path are alike.
    """
    both = parts.filter(pl.col("send_ns").is_not_null() & pl.col("receive_ns").is_not_null())
    if not both.height:
        return set()
    is_other = pl.col("start_ns").is_not_null() | (pl.col("receive_ns") >= pl.col("send_ns"))
    others = {call_paths[number] for number in both.filter(is_other)["operation"].to_list()}
    paths = [call_paths[number] for number in both["operation"].to_list()]
    times = computing_between(recording.computing, both, "receive_ns", "send_ns")
    found = noticeable(recording, paths, times) - others
    return {number for number, path in enumerate(call_paths) if path in found}


def cut_wavefronts(parts: pl.DataFrame, wavefronts: Collection[int]) -> pl.DataFrame:
    """Parts of wavefronts end after their computing: at the send, else before the next call."""
    if not wavefronts:
        return parts
    is_wavefront = pl.col("operation").is_in(list(wavefronts))
    following = pl.col("end_ns").shift(-1, fill_value=np.iinfo(np.int64).max).over("rank") - 1
    return (
        parts.sort("rank", "end_ns", "operation")
        .with_columns(
            end_ns=pl.when(is_wavefront)
            .then(pl.coalesce("send_ns", following))
            .otherwise("end_ns")
        )
    )  # fmt: skip
