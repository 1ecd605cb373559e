"""Writes the traces of data/ that have a trace.txt as CSV."""

import csv
from pathlib import Path

_COLUMNS = (
    "Timestamp (ns)", "Event Type", "Name", "Process", "Partner", "Communicator", "Tag", "Bytes",
    "Received Bytes", "Operation", "Root", "Request",
)  # fmt: skip
_MESSAGE = ("Partner", "Communicator", "Tag", "Bytes")
_RECORDS = {
    "S": ("MpiSend", _MESSAGE),
    "R": ("MpiRecv", _MESSAGE),
    "IS": ("MpiIsend", (*_MESSAGE, "Request")),
    "ISC": ("MpiIsendComplete", ("Request",)),
    "IRR": ("MpiIrecvRequest", ("Request",)),
    "IR": ("MpiIrecv", (*_MESSAGE, "Request")),
    "CB": ("MpiCollectiveBegin", ()),
    "CE": ("MpiCollectiveEnd", ("Operation", "Communicator", "Root", "Bytes", "Received Bytes")),
}
_VISITS = {"E": "Enter", "L": "Leave"}


def write_csv(source: Path, file: Path) -> None:
    """Write the events of a trace.txt, whose lines are rank, microseconds, event and arguments."""
    lines = [line.split() for line in source.read_text().splitlines()]
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(_row(*line) for line in lines if line[0].isdecimal())


def _row(rank: str, microseconds: str, event: str, *arguments: str) -> dict[str, object]:
    place = {"Timestamp (ns)": round(float(microseconds) * 1000), "Process": rank}
    if event in _VISITS:
        return place | {"Event Type": _VISITS[event], "Name": arguments[0]}
    name, columns = _RECORDS[event]
    cells = dict(zip(columns, arguments, strict=True))
    if event == "CE":
        cells["Operation"] = cells["Operation"].removeprefix("MPI_").lower()
        cells["Root"] = cells["Root"].removeprefix("-1")
    return place | cells | {"Event Type": "Instant", "Name": name}
