"""Recordings of runs, written as the sequence of calls of each process.

    {0: "solve 100, allreduce 8", 1: "solve 120, allreduce 8"}

A word of a program with a time (ns) is computing in that region of main. Calls take 10 ns:
`allreduce 8`, `barrier`, `bcast 8 from 1`; `send 1 80` and `recv 0` in the region exchange,
`isend 1 80`, `irecv 0`, `waitall`; `send 1 80 in shift` in another region; `write 64`, `read 64`.
`3 * (…)` repeats. Collectives match in their order, messages by sender and receiver.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from tracemill.forecast.from_traces.recording import Recording

CALL_NS = 10
COLLECTIVES = ("allreduce", "barrier", "bcast", "reduce", "gather", "allgather", "alltoall")

Row = dict[str, Any]


@dataclass
class _Recorder:
    """The rows of a recording, and both halves of its messages."""

    count: int
    paths: dict[str, int] = field(default_factory=dict)
    collectives: list[Row] = field(default_factory=list)
    files: list[Row] = field(default_factory=list)
    computing: list[Row] = field(default_factory=list)
    sends: dict[tuple[int, int], list[Row]] = field(default_factory=lambda: defaultdict(list))
    receives: dict[tuple[int, int], list[Row]] = field(default_factory=lambda: defaultdict(list))

    def path(self, *regions: str) -> int:
        return self.paths.setdefault("/".join(("main", *regions)), len(self.paths))

    def run(self, rank: int, text: str) -> None:
        now, ordinal = 0, 0
        posted: list[tuple[Row, str]] = []
        for visit, words in enumerate(_steps(text)):
            name, end = words[0], now + CALL_NS
            where = words[words.index("in") + 1] if "in" in words else "exchange"
            if name in COLLECTIVES:
                self._collective(rank, ordinal, words, now, visit)
                ordinal += 1
            elif name in ("send", "isend"):
                row = {
                    "call_path_id": self.path(where, f"MPI_{name.capitalize()}"),
                    "bytes": int(words[2]),
                    "send_ns": now,
                    "send_visit_id": visit,
                    "send_end_visit_id": visit,
                    "send_start_ns": end if name == "isend" else None,
                    "send_end_ns": now,
                }
                self.sends[rank, int(words[1])].append(row)
                posted += [(row, "send_end")] if name == "isend" else []
            elif name in ("recv", "irecv"):
                row = {"receive_start_ns": end if name == "irecv" else None, "receive_end_ns": now}
                row |= {"receive_visit_id": visit, "receive_end_visit_id": visit}
                self.receives[int(words[1]), rank].append(row)
                posted += [(row, "receive_end")] if name == "irecv" else []
            elif name == "waitall":
                for row, side in posted:
                    row |= {f"{side}_ns": now, f"{side}_visit_id": visit}
                posted = []
            elif name in ("read", "write"):
                path = self.path(f"MPI_File_{name}")
                row = {"rank": rank, "operation": name, "call_path_id": path, "enter_ns": now}
                self.files.append(row | {"visit_id": visit, "bytes": int(words[1])})
            else:
                end = now + int(words[1])
                row = {"rank": rank, "call_path_id": self.path(name), "begin_ns": now}
                self.computing.append(row | {"end_ns": end})
            now = end

    def _collective(
        self, rank: int, ordinal: int, words: list[str], now: int, visit: int
    ) -> None:  # fmt: skip
        """Sizes as recorded by Score-P: all bytes sent, and all bytes received."""
        name, size = words[0], int(words[1]) if len(words) > 1 else 0
        root = int(words[words.index("from") + 1]) if "from" in words else 0
        sent, received = size * self.count, size * self.count
        if name == "bcast":
            sent, received = (sent if rank == root else 0), size
        elif name in ("reduce", "gather"):
            sent, received = size, (received if rank == root else 0)
        self.collectives.append(
            {
                "collective_id": ordinal,
                "rank": rank,
                "operation": name,
                "root": root,
                "call_path_id": self.path(f"MPI_{name.capitalize()}"),
                "enter_ns": now,
                "visit_id": visit,
                "start_ns": None,
                "start_visit_id": None,
                "bytes_sent": sent,
                "bytes_received": received,
                "is_neighborhood": False,
                "communicator_id": 0,
            }
        )

    def messages(self) -> list[Row]:
        return [
            {"sender": sender, "receiver": receiver, **sent, **received}
            for (sender, receiver), rows in self.sends.items()
            for sent, received in zip(rows, self.receives[sender, receiver], strict=True)
        ]


def _steps(text: str) -> Iterator[list[str]]:
    """The words of each step, repetitions written out."""
    while found := re.search(r"(\d+) \* \(([^()]*)\)", text):
        text = text.replace(found[0], ", ".join([found[2]] * int(found[1])))
    return (step.split() for step in text.split(",") if step.strip())


_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "collectives": (
        "collective_id", "rank", "call_path_id", "enter_ns", "visit_id", "start_ns",
        "start_visit_id", "bytes_sent", "bytes_received", "root", "communicator_id",
    ),
    "messages": (
        "sender", "receiver", "call_path_id", "bytes", "send_ns", "send_visit_id",
        "send_start_ns", "send_end_ns", "send_end_visit_id", "receive_start_ns",
        "receive_visit_id", "receive_end_ns", "receive_end_visit_id",
    ),
    "files": ("rank", "call_path_id", "enter_ns", "visit_id", "bytes"),
    "computing": ("rank", "call_path_id", "begin_ns", "end_ns"),
}  # fmt: skip


def _frame(name: str, rows: list[Row]) -> pl.DataFrame:
    schema: dict[str, Any] = dict.fromkeys(_COLUMNS[name], pl.Int64)
    if name in ("collectives", "files"):
        schema["operation"] = pl.String
    if name == "collectives":
        schema["is_neighborhood"] = pl.Boolean
    return pl.DataFrame(rows, schema=schema)


def record(calls: Mapping[int, str], label: str = "made", **fields: Any) -> Recording:
    """A recording of processes that make these calls."""
    recorder = _Recorder(len(calls))
    for rank, text in calls.items():
        recorder.run(rank, text)
    return Recording(
        label=label,
        process_count=len(calls),
        paths={number: path for path, number in recorder.paths.items()},
        collectives=_frame("collectives", recorder.collectives),
        messages=_frame("messages", recorder.messages()),
        files=_frame("files", recorder.files),
        computing=_frame("computing", recorder.computing),
        **fields,
    )
