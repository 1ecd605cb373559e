"""Collects points and what they wait for, as tables of the simulation."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.forecast import layout as at
from tracemill.stages.arrays import Numbers


class Points:
    """Actions of processes, then meetings, then what is added."""

    def __init__(self, action_count: int, meeting_count: int) -> None:
        self._actions, self._first = action_count, action_count + meeting_count
        self._transfers: list[Numbers] = []
        self._count = self._first
        self._followers: list[Numbers] = []
        self._causes: list[Numbers] = []

    def add_transfers(self, senders: Numbers, receivers: Numbers, sizes: Numbers) -> Numbers:
        """Add transfers between processes; returns their points."""
        rows = np.stack(np.broadcast_arrays(senders, receivers, sizes), axis=1).astype(np.int64)
        self._transfers.append(rows)
        self._count += len(rows)
        return np.arange(self._count - len(rows), self._count)

    def add_meeting(self) -> Numbers:
        """Add a meeting; returns its point."""
        nobody = np.full(1, at.NOBODY)
        return self.add_transfers(np.zeros(1, np.int64), np.zeros(1, np.int64), nobody)

    def wait(self, followers: Numbers, causes: Numbers) -> None:
        """Make `followers` wait for `causes`; pairs without either are left out."""
        followers, causes = np.broadcast_arrays(followers, causes)
        is_kept = (followers >= 0) & (causes >= 0)
        self._followers.append(followers[is_kept])
        self._causes.append(causes[is_kept])

    def waits(self) -> tuple[Numbers, Numbers]:
        """All pairs of a point and one that it waits for."""
        none = np.zeros(0, np.int64)
        return (np.concatenate([none, *self._followers]), np.concatenate([none, *self._causes]))

    def tables(self, begin: int) -> dict[str, NDArray[Any]]:
        """The tables `points` and `followers`; nothing happens before `begin`."""
        follower, cause = self.waits()
        points = np.zeros((self._count + 1, at.POINT_WIDTH), np.int64)
        points[self._actions : self._first, at.POINT_KIND] = at.MEETING
        points[:, [at.CAUSE, at.WAITER]] = at.NOBODY
        points[:, at.LATEST_NS] = begin
        points[:, [at.READY_NS, at.END_NS]] = begin
        columns = [at.SENDER, at.RECEIVING, at.POINT_SIZE]
        if self._transfers:
            points[self._first : -1, columns] = np.concatenate(self._transfers)
        is_transfer = points[:, at.POINT_SIZE] >= 0
        is_transfer[: self._first] = False
        points[is_transfer, at.POINT_KIND] = at.TRANSFER
        points[self._first :, at.POINT_KIND][~is_transfer[self._first :]] = at.MEETING
        points[:-1, at.MISSING] = np.bincount(follower, minlength=self._count)
        order = np.lexsort((follower, cause))
        points[:, at.FIRST_FOLLOWER] = np.searchsorted(cause[order], np.arange(self._count + 1))
        return {"points": points, "followers": np.ascontiguousarray(follower[order])}
