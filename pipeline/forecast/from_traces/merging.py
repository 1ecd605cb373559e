"""Merge the calls of all processes of a run to one sequence of steps.

Collectives are anchors. Messages sent from one call path between two anchors are one operation for
each of their rounds: as often as the most alike number of messages on all channels allows.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tracemill.base.errors import ProgramError
from tracemill.forecast.from_traces.operations import Operations, find_operations
from tracemill.forecast.from_traces.recording import ADVICE, Recording
from tracemill.forecast.from_traces.steps import Merged, Pattern, Spent, Step

OTHER = "other"
"""Stands for all call paths that are left out."""

Integers = NDArray[np.int64]


def merge(recording: Recording, call_paths: Collection[str]) -> Merged:
    """The steps of a run; computing outside of `call_paths` is joined as OTHER.

    Raises ProgramError if the sequences of the processes do not fit.
    """
    operations = find_operations(recording)
    order = _order(recording, operations)
    position = np.empty(operations.token_count, np.int64)
    position[order] = np.arange(len(order))
    steps = [_step(operations, token) for token in order]
    steps.append(Step(Pattern("end", ""), -1))
    for item, path, spent in _spent(recording, operations, position, len(order), set(call_paths)):
        steps[item].spent[path] = spent
    return Merged(
        process_count=recording.process_count, steps=steps, channel_bytes=operations.channel_bytes
    )


def _step(operations: Operations, token: int) -> Step:
    operation, is_wait = divmod(int(token), 2)
    signature = operations.signatures[operation] * 2 + is_wait
    pattern = operations.patterns[operations.signatures[operation]]
    if is_wait:
        pattern = Pattern(pattern.kind, pattern.call_path, is_wait=True)
    return Step(pattern, signature, executions=[operation])


@dataclass
class _Chain:
    """The operations of a process in its order, and how many of them are merged."""

    tokens: list[int]
    place: int = 0

    @property
    def head(self) -> int | None:
        return self.tokens[self.place] if self.place < len(self.tokens) else None


def _order(recording: Recording, operations: Operations) -> Integers:
    """All tokens in an order that fits the sequence of every process."""
    cuts = operations.cuts
    first = cuts.group_by("token").agg(pl.col("cut_ns").min()).sort("cut_ns", "token")
    order = first["token"].to_numpy()
    rank_of = np.full(operations.token_count, -1, np.int64)
    rank_of[order] = np.arange(len(order))
    places = rank_of[cuts["token"].to_numpy()]
    is_same = np.diff(cuts["rank"].to_numpy()) == 0
    if np.all(np.diff(places)[is_same] > 0):
        return order
    return _merge_chains(recording, operations, rank_of)


def _merge_chains(recording: Recording, operations: Operations, priority: Integers) -> Integers:
    """The same by merging: an operation is next if it is next on all processes it is on."""
    chains = _chains(operations)
    waiting = np.zeros(operations.token_count, np.int64)
    np.add.at(waiting, operations.cuts["token"].to_numpy(), 1)
    at_head: dict[int, list[int]] = {}
    ready: list[tuple[int, int]] = []

    def arrive(rank: int) -> None:
        token = chains[rank].head
        if token is None:
            return
        at_head.setdefault(token, []).append(rank)
        if len(at_head[token]) == waiting[token]:
            heappush(ready, (int(priority[token]), token))

    for rank in chains:
        arrive(rank)
    order: list[int] = []
    while ready:
        _, token = heappop(ready)
        order.append(token)
        for rank in at_head.pop(token):
            chains[rank].place += 1
            arrive(rank)
    if at_head:
        raise _contradiction(recording, operations, chains)
    return np.array(order, np.int64)


def _chains(operations: Operations) -> dict[int, _Chain]:
    grouped = operations.cuts.group_by("rank", maintain_order=True).agg("token")
    return {rank: _Chain(tokens) for rank, tokens in grouped.iter_rows()}


def _contradiction(
    recording: Recording, operations: Operations, chains: Mapping[int, _Chain]
) -> ProgramError:
    """The error for two processes whose next operations wait for each other."""
    heads = {rank: chain.head for rank, chain in chains.items() if chain.head is not None}
    first = min(heads)
    other = next((rank for rank, head in heads.items() if head != heads[first]), first)
    places = [
        f"rank {rank} is in {operations.describe(heads[rank] or 0)} (call {chains[rank].place + 1})"
        for rank in (first, other)
    ]
    return ProgramError(
        f"{recording.label}: the calls of the processes do not fit into one sequence: "
        f"{' while '.join(places)}: {ADVICE}"
    )


def _spent(
    recording: Recording,
    operations: Operations,
    position: Integers,
    last: int,
    call_paths: set[str],
) -> list[tuple[int, str, Spent]]:
    """Computing by step and call path, in the order of its first time."""
    computing = recording.computing
    if not computing.height:
        return []
    items = np.full(computing.height, last, np.int64)
    ranks, begins = computing["rank"].to_numpy(), computing["begin_ns"].to_numpy()
    cuts = operations.cuts.partition_by("rank", as_dict=True)
    for (rank,), own in cuts.items():
        found = np.flatnonzero(ranks == rank)
        next_cut = np.searchsorted(own["cut_ns"].to_numpy(), begins[found], side="right")
        places = np.append(position[own["token"].to_numpy()], last)
        items[found] = places[next_cut]
    names = {
        number: path if path in call_paths else OTHER for number, path in recording.paths.items()
    }
    return _summed(computing, items, names)


def _summed(
    computing: pl.DataFrame, items: Integers, names: Mapping[int, str]
) -> list[tuple[int, str, Spent]]:
    rows: Any = (
        computing.with_columns(
            item=items,
            path=pl.col("call_path_id").replace_strict(
                names, default=OTHER, return_dtype=pl.String
            ),
            time_ns=pl.col("end_ns") - pl.col("begin_ns"),
        )
        .group_by("item", "path", "rank")
        .agg(pl.col("time_ns").sum(), pl.col("begin_ns").min())
        .group_by("item", "path")
        .agg(
            total=pl.col("time_ns").sum(),
            longest=pl.col("time_ns").max(),
            begin=pl.col("begin_ns").min(),
        )
        .sort("item", "begin", "path")
        .select("item", "path", "total", "longest")
        .iter_rows()
    )
    return [(item, path, Spent(float(total), float(most))) for item, path, total, most in rows]
