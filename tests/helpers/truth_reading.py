"""Reads true waits, paths and accesses of generated programs from the files beside the archive."""

from pathlib import Path
from typing import Any

import pyarrow.csv

Row = tuple[Any, ...]


def true_waits(folder: Path) -> list[dict[str, Any]]:
    return _records(folder / "truth_wait_states.csv")


def true_path(folder: Path) -> list[dict[str, Any]]:
    """Time of the critical path by call path and location."""
    return _records(folder / "truth_critical_path.csv")


def true_segments(folder: Path) -> list[dict[str, Any]]:
    """The chain of the critical path."""
    return _records(folder / "truth_critical_path_segments.csv")


def true_accesses(folder: Path) -> list[dict[str, Any]]:
    """Reads and writes by handle, location and mode; none without files."""
    file = folder / "truth_file_accesses.csv"
    return _records(file) if file.exists() else []


def _records(file: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pyarrow.csv.read_csv(file).to_pylist()
    return rows
