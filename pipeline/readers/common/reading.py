"""Protocols of a format for the two passes over its records."""

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
    """Result of reading one location; `error` is the reason if it stopped early."""

    record_count: int
    error: str = ""


@dataclass(frozen=True)
class LocationState:
    """Number of readable records of a location; `problem` is the reason if some are not.

    `last_ticks` is the time of the last record in ticks of the file; None if there is none.
    """

    readable_count: int
    problem: str = ""
    last_ticks: int | None = None


def take_nothing(rows: RecordRows) -> None:
    """Take no records: the first pass writes no rows."""


class OpenLocations(Protocol):
    """Locations that one thread reads."""

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
        """Number of attributes dropped since the last call."""


class RecordFiles(Protocol):
    """The records of a trace."""

    @property
    def path(self) -> Path:
        """The file or folder that stands for the trace."""

    @property
    def definitions(self) -> Definitions: ...

    def open_locations(
        self, groups: frozenset[str], locations: list[int], *, only_structure: bool = False
    ) -> AbstractContextManager[OpenLocations]:
        """Open some locations for records of some groups (`needs` in kernels/records.py).

        With `only_structure` only records that open or close visits are needed.
        """

    def ends_of(self, location: int, groups: frozenset[str]) -> tuple[int, int] | None:
        """Ticks of the first and last record of a location, if they are known."""

    def file_of(self, location: int) -> str:
        """The file that holds a location's records, for messages."""


@dataclass(frozen=True)
class TraceOrigin:
    """The origin that a trace states."""

    format: str
    trace_id: str
    creator: str
    machine_name: str
