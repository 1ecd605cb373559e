"""What other programs need for the same archive, and a loop to compare machines by."""

import subprocess
from itertools import islice
from pathlib import Path
from typing import Any

BARE_LOOP_EVENTS = 1_000_000
"""The official Python reader is slow; this many events are enough to measure it."""
FIXED_ROUNDS = 20_000_000
"""Rounds of the fixed loop: about a second on a processor of 2020."""


def open_archive(trace: Path) -> Any:
    """The definitions of the archive, and where its files are."""
    from tracemill.readers.otf2.anchor import find_anchor
    from tracemill.readers.otf2.archive import read_archive

    return read_archive(find_anchor(trace))


def read_locations(archive: Any, reader: Any) -> dict[str, Any]:
    """Read every location, and count its events."""
    from tracemill.readers.common.reading import LocationRead

    total = 0
    declared = {ref: count for ref, (_, _, count, _) in archive.definitions["Location"].items()}
    for ref, limit in declared.items():
        for step in reader.read(ref, limit):
            if not isinstance(step, LocationRead):
                total += step.record_count
    if total != sum(declared.values()):
        raise RuntimeError(f"{archive.anchor}: {total} of {sum(declared.values())} events read")
    return {"events": total}


def library(trace: Path, _: object) -> dict[str, Any]:
    """The C library without any callback: nothing built on it can be faster."""
    from tracemill.readers.otf2.library_events import open_locations

    archive = open_archive(trace)
    with open_locations(archive.anchor, {}, list(archive.definitions["Location"])) as reader:
        return read_locations(archive, reader)


def fixed_loop(trace: Path, _: object) -> dict[str, Any]:
    """A loop of Python that no change of ours makes faster: a unit to compare machines by."""
    total = 0
    for number in range(FIXED_ROUNDS):
        total += number & 7
    return {"events": FIXED_ROUNDS}


def otf2_print(trace: Path, _: object) -> dict[str, Any]:
    """The official tool prints every event; its lines are thrown away."""
    archive = open_archive(trace)
    subprocess.run(["otf2-print", str(archive.anchor)], check=True, stdout=subprocess.DEVNULL)
    return {"events": sum(count for _, _, count, _ in archive.definitions["Location"].values())}


def bare_loop(trace: Path, _: object) -> dict[str, Any]:
    """The loop over all events that the official Python reader offers; nothing is kept."""
    import otf2

    count = 0
    with otf2.reader.open(str(open_archive(trace).anchor)) as opened:
        for _event in islice(opened.events, BARE_LOOP_EVENTS):
            count += 1
    return {"events": count}
