"""Generated archives that are read, with their true waits, path and accesses."""

from pathlib import Path
from typing import Any

from tests.helpers.otf2_reading import ReadTrace, read_archive
from tests.helpers.truth_reading import true_accesses, true_path, true_waits
from tracemill.programs.generate import Generated, generate
from tracemill.programs.language.process_kinds import parse_spec

MACHINE = {"overhead_ns": 200, "latency_ns": 1000, "ns_per_kib": 100}
QUIET = {"noise": False, "start_ns": 0}


class Made:
    """A generated archive, read."""

    def __init__(self, folder: Path, *phases: dict[str, Any], **options: Any) -> None:
        given = {"processes": 2, "size": 100, "machine": MACHINE, "phase": list(phases), **options}
        self.generated: Generated = generate(parse_spec(given), folder / "archive")
        self.folder = self.generated.anchor.parent
        self.read: ReadTrace = read_archive(self.generated.anchor, folder / "store")

    def visits(self, call: str, rank: int) -> list[tuple[int, int]]:
        """When a call was entered and left, every time."""
        rows = self.read.visits("path enter_ns leave_ns", location=rank)
        return [(enter, leave) for path, enter, leave in rows if path.endswith(f"/{call}")]

    def waits(self, kind: str) -> list[tuple[int, ...]]:
        """Location, start, length and cause of every wait of a kind."""
        columns = ("location_id", "start_ns", "wait_ns", "cause_location_id")
        rows = true_waits(self.folder)
        return [tuple(row[c] for c in columns) for row in rows if row["property"] == kind]

    def accesses(self) -> list[tuple[Any, ...]]:
        """Handle, location, mode, operations, bytes and time of reads and writes."""
        columns = ("io_handle_id", "location_id", "mode", "operation_count", "bytes", "time_ns")
        return [tuple(row[c] for c in columns) for row in true_accesses(self.folder)]

    def path(self) -> dict[tuple[str, int], int]:
        """Time of the critical path by the last region of the call path and location."""
        found = {
            (row["call_path"].rpartition("/")[2], row["location_id"]): row["path_ns"]
            for row in true_path(self.folder)
        }
        assert len(found) == len(true_path(self.folder))
        return found
