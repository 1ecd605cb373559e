"""Records of messages, and the receives among them whose message a matched probe picked before."""

from typing import NamedTuple

import numpy as np

from tracemill.stages.arrays import Flags, Numbers, order_by

NONE = -1
KINDS = (
    "send", "isend", "isend_complete", "irecv_request", "recv", "irecv", "request_cancelled",
    "probe", "mrecv", "imrecv_request", "imrecv",
)  # fmt: skip
"""Kinds of records that matching needs."""


class Records(NamedTuple):
    """Records of messages by location and sequence; `group` is the process of the location."""

    kind: Numbers
    location: Numbers
    group: Numbers
    sequence: Numbers
    time: Numbers
    communicator: Numbers
    peer: Numbers
    tag: Numbers
    request: Numbers
    probe: Numbers
    has_probe: Flags

    @property
    def is_on_channel(self) -> Flags:
        """Marks records whose communicator and partner are known."""
        return (self.communicator >= 0) & (self.peer >= 0)

    def is_kind(self, kind: str, row: Numbers | None = None) -> Flags:
        """Marks records of a kind, or those of other rows that may be none."""
        found: Flags = self.kind == KINDS.index(kind)
        return found if row is None else found[row] & (row != NONE)

    def following(self, *kinds: str) -> Numbers:
        """For each record of these kinds, the next one of the same request, or none."""
        found = np.full(len(self.kind), NONE)
        before, after = self._neighbors(kinds)
        found[before] = after
        return found

    def preceding(self, *kinds: str) -> Numbers:
        """For each record of these kinds, the one before it of the same request, or none."""
        found = np.full(len(self.kind), NONE)
        before, after = self._neighbors(kinds)
        found[after] = before
        return found

    def _neighbors(self, kinds: tuple[str, ...]) -> tuple[Numbers, Numbers]:
        is_chosen = np.isin(KINDS, kinds)
        chosen = np.flatnonzero(is_chosen[self.kind])
        rows = chosen[order_by(self.location[chosen], self.request[chosen])]
        before, after = rows[:-1], rows[1:]
        is_same = (self.location[before] == self.location[after]) & (
            self.request[before] == self.request[after]
        )
        return before[is_same], after[is_same]


def find_probes(records: Records) -> tuple[Numbers, Numbers, Numbers]:
    """Completions of receives of probed messages, their posts and their probes, as rows.

    The probe has the sender, communicator and tag, and takes the message off its channel; the
    receive only refers to the probe:

        probe 3 (from 1, tag 5)   imrecv_request (probe 3, request 8)   imrecv (request 8, bytes)
        place on the channel      post                                  completion

    A receive belongs to the last probe of its process with its id until then. Source: MPI 4.0,
    section 3.8.2; OTF2 3.1, records MpiProbe, MpiMrecv and MpiImrecv.
    """
    last = records.preceding("imrecv_request", "imrecv")
    is_requested = records.is_kind("imrecv") & records.is_kind("imrecv_request", last)
    completion = np.flatnonzero(records.is_kind("mrecv") | is_requested)
    post = np.where(is_requested[completion], last[completion], completion)
    probe = _last_probe(records, post)
    is_found = (probe != NONE) & records.is_on_channel[probe]
    return completion[is_found], post[is_found], probe[is_found]


def _last_probe(records: Records, post: Numbers) -> Numbers:
    """The last probe of the same process and id until each post, or none."""
    probes = np.flatnonzero(records.is_kind("probe") & records.has_probe)
    if not len(probes) or not len(post):
        return np.full(len(post), NONE)
    rows = np.concatenate([probes, post])
    order = order_by(records.group[rows], records.probe[rows], records.time[rows])
    is_probe = order < len(probes)
    last = np.maximum.accumulate(np.where(is_probe, np.arange(len(rows)), NONE))
    found = np.full(len(rows), NONE)
    found[order] = np.where(last >= 0, rows[order[last]], NONE)
    probe = found[len(probes) :]
    is_same = (records.group[probe] == records.group[post]) & (
        records.probe[probe] == records.probe[post]
    )
    return np.where(is_same & (probe != NONE) & records.has_probe[post], probe, NONE)
