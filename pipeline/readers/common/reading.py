"""What a format has to offer so that the two passes over its records can be made."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tracemill.kernels.location_walk import LocationWalk
from tracemill.kernels.walk_state import RecordRows
from tracemill.readers.common.definitions import Definitions


@dataclass(frozen=True)
class LocationRead:
    """How the reading of one location ended."""

    record_count: int
    error: str = ""


@dataclass(frozen=True)
class LocationState:
    """How many of a location's announced records can be read, and why not all.

    `last_ticks` is the time of the last record in the file's own clock; None without records, or
    if it is not known.
    """

    readable_count: int
    problem: str = ""
    last_ticks: int | None = None


def take_nothing(rows: RecordRows) -> None:
    """For a walk that makes no rows."""


class OpenLocations(Protocol):
    """Some locations, open for reading; not shared between threads."""

    def feed(
        self,
        location: int,
        limit: int,
        walk: LocationWalk,
        report: Callable[[int], None],
        take_records: Callable[[RecordRows], None] = take_nothing,
        *,
        is_all: bool = False,
    ) -> LocationRead:
        """Read at most `limit` records of a location through a walk that has begun; end the walk.

        `location` counts in definition order. It is an error if more follow where `is_all`.
        """

    def take_dropped(self) -> int:
        """Attributes that were not kept since this was last asked."""


class RecordFiles(Protocol):
    """The records of a trace, wherever they lie."""

    @property
    def path(self) -> Path:
        """The file or folder that stands for the trace."""

    @property
    def definitions(self) -> Definitions: ...

    def open_locations(
        self, groups: frozenset[str], locations: list[int], *, only_structure: bool = False
    ) -> AbstractContextManager[OpenLocations]:
        """Open some locations; only records of these groups (records.py `needs`) are wanted.

        With `only_structure` only those that open or close visits.
        """

    def file_of(self, location: int) -> str:
        """The file that holds a location's records, for messages."""


@dataclass(frozen=True)
class TraceOrigin:
    """Where a trace comes from, as it says itself."""

    format: str
    trace_id: str
    creator: str
    machine_name: str
