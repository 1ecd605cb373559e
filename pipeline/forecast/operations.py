"""The tables of operations of simulated processes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.forecast.outcome import CLASSES
from tracemill.kernels.forecast import layout as at
from tracemill.programs.placed import STORAGE
from tracemill.programs.transfers import (
    AllPairs,
    Communication,
    Edges,
    Numbers,
    PipelineSteps,
    Ring,
    Transfers,
)

_NONE = Transfers(*(np.zeros(0, np.int64) for _ in Transfers._fields))


class Operations:
    """Collects operations on so many processes; each gets a number.

    `rounds` is the largest number of rounds of listed transfers, `most_started` the largest number
    of transfers that a process starts at once.
    """

    def __init__(self, process_count: int) -> None:
        self._processes = process_count
        self._rows: list[Numbers] = []
        self._outs: list[Numbers] = []
        self._out_counts: list[Numbers] = []
        self._in_rounds: list[Numbers] = []
        self._in_counts: list[Numbers] = []
        self._in_degrees: list[Numbers] = []
        self._pipes: list[Numbers] = []
        self._edges: dict[int, Numbers] = {}
        self.rounds = self.most_started = 1

    def add(self, found: Communication, class_name: str, *, is_nonblocking: bool) -> int:
        """Add communication or storing; returns its number."""
        transfers, members = found.transfers, found.members
        row = self._new_row(class_name)
        row[at.MEMBERS], row[at.IS_COMMON] = len(members), found.is_common_end
        row[at.IS_NONBLOCKING] = is_nonblocking
        in_degrees = np.full(self._processes, at.NOBODY, np.int64)
        in_degrees[members] = 0
        if isinstance(transfers, Ring) and transfers.rounds and len(members) > 1:
            row[at.SHAPE], row[at.ROUNDS], row[at.SIZE] = at.RING, *transfers
            row[at.TRANSFER_COUNT] = transfers.rounds * len(members)
            in_degrees[members] = transfers.rounds
            self.most_started = max(self.most_started, transfers.rounds)
            to = np.roll(members, -1)
            self._list(Transfers(members, to, np.full_like(to, transfers.size), np.zeros_like(to)))
        elif isinstance(transfers, AllPairs) and len(members) > 1:
            row[at.SHAPE], row[at.SIZE] = at.ALL_PAIRS, transfers.size
            in_degrees[members] = len(members) - 1
            self.most_started = max(self.most_started, len(members))
            self._list(_NONE)
        else:
            listed = transfers if isinstance(transfers, Transfers) else _NONE
            row[at.ROUNDS] = int(listed.rounds.max()) + 1 if len(listed.rounds) else 1
            row[at.TRANSFER_COUNT] = len(listed.rounds)
            receivers = listed.receivers[listed.receivers != STORAGE]
            in_degrees += np.bincount(receivers, minlength=self._processes)
            self._list(listed)
            self.rounds = max(self.rounds, int(row[at.ROUNDS]))
        self._in_degrees.append(in_degrees)
        return len(self._rows) - 1

    def add_pipeline(self, found: PipelineSteps, short: dict[int, Numbers] | None) -> int:
        """Add a pipelined loop and its edges; returns its number.

        `short` are, by dimension of the grid, the columns FED, FEEDER, FIRST and POSITION of each
        process, if only a part of the loop is simulated.
        """
        row = self._new_row("pipeline")
        edges = [*found.edges, *([found.along] if found.along else [])]
        row[at.SHAPE], row[at.PIPE] = at.PIPELINED, len(self._pipes)
        row[at.MEMBERS], row[at.IS_SHORT] = (found.steps > 0).sum(), short is not None
        row[at.FIRST_EDGE], row[at.EDGES] = len(self._rows), len(edges)
        row[at.HAS_ALONG] = found.along is not None
        self._list(_NONE)
        self._in_degrees.append(np.where(found.steps > 0, 0, at.NOBODY))
        for edge in edges:
            own = self._new_row("pipeline")
            own[at.SHAPE], own[at.PIPE] = at.EDGE, row[at.PIPE]
            self._edges[len(self._rows) - 1] = _edge_rows(edge, short)
            self._list(_NONE)
            self._in_degrees.append(np.ones(self._processes, np.int64))
        columns = (found.steps, found.step_ns, found.last_step_ns, found.is_productive)
        self._pipes.append(np.stack([each.astype(np.int64) for each in columns], axis=1))
        return int(row[at.FIRST_EDGE]) - 1

    def tables(self) -> dict[str, NDArray[Any]]:
        """The tables of layout.Tables that describe operations."""
        count = len(self._rows)
        edges = np.zeros((count, self._processes if self._pipes else 0, at.EDGE_WIDTH), np.int64)
        for number, rows in self._edges.items():
            edges[number] = rows
        return {
            "operations": _stacked(self._rows, (0, at.OPERATION_WIDTH)),
            "outs": np.concatenate([np.zeros((0, 4), np.int64), *self._outs]),
            "out_first": _firsts(self._out_counts, self._processes),
            "in_rounds": np.concatenate([np.zeros(0, np.int64), *self._in_rounds]),
            "in_first": _firsts(self._in_counts, self._processes),
            "in_degrees": _stacked(self._in_degrees, (0, self._processes)),
            "edges": edges,
            "pipes": _stacked(self._pipes, (0, self._processes, at.PIPE_WIDTH)),
        }

    def _new_row(self, class_name: str) -> Numbers:
        row = np.zeros(at.OPERATION_WIDTH, np.int64)
        row[at.CLASS], row[at.ROUNDS] = CLASSES.index(class_name), 1
        self._rows.append(row)
        return row

    def _list(self, found: Transfers) -> None:
        """Add transfers in the order of their starters: the sender, for reading the receiver."""
        starters = np.where(found.senders == STORAGE, found.receivers, found.senders)
        order = np.argsort(starters, kind="stable")
        columns = (found.senders, found.receivers, found.sizes, found.rounds)
        self._outs.append(np.stack(columns, axis=1)[order])
        counts = np.bincount(starters, minlength=self._processes)
        self._out_counts.append(counts)
        self.most_started = max(self.most_started, int(counts.max()))
        arriving = np.flatnonzero(found.receivers != STORAGE)
        arriving = arriving[np.argsort(found.receivers[arriving], kind="stable")]
        self._in_rounds.append(found.rounds[arriving])
        self._in_counts.append(np.bincount(found.receivers[arriving], minlength=self._processes))


def _edge_rows(edge: Edges, short: dict[int, Numbers] | None) -> Numbers:
    rows = np.full((len(edge.sizes), at.EDGE_WIDTH), at.NOBODY, np.int64)
    rows[:, at.PREDECESSOR], rows[:, at.SUCCESSOR] = edge.predecessors, edge.successors
    rows[:, at.EDGE_SIZE], rows[:, at.LAST_SIZE] = edge.sizes, edge.last_sizes
    if short is not None:
        rows[:, at.FED :] = short[edge.dimension]
    return rows


def _stacked(rows: list[Numbers], empty: tuple[int, ...]) -> Numbers:
    return np.stack(rows) if rows else np.zeros(empty, np.int64)


def _firsts(counts: list[Numbers], process_count: int) -> Numbers:
    """First row of each process of each operation, and the end, from counts."""
    firsts = np.zeros((len(counts), process_count + 1), np.int64)
    end = 0
    for number, own in enumerate(counts):
        firsts[number, 0] = end
        np.cumsum(own, out=firsts[number, 1:])
        firsts[number, 1:] += end
        end = int(firsts[number, -1])
    return firsts
