"""Measured runs, independent of the format of their file."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tracemill.campaign.configurations import MEASURED

UNKNOWN_FUNCTION = "[unknown]"


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A place in the program with a call; unknown parts are empty or 0."""

    function: str = ""
    file: str = ""
    line: int = 0
    address: str = ""

    @property
    def place(self) -> str:
        """file:line, else the address."""
        return f"{self.file}:{self.line}" if self.file else self.address

    @property
    def identity(self) -> str:
        """A text that is equal in every run; the address only if nothing else is known."""
        if self.file:
            return f"{self.function}@{self.file}:{self.line}"
        return self.function or self.address


@dataclass(frozen=True, kw_only=True)
class CallSite:
    """An operation and its callers, the innermost frame first."""

    operation: str
    frames: tuple[Frame, ...]

    @property
    def identity(self) -> str:
        """A text that is equal in every run."""
        return "\n".join((self.operation, *(frame.identity for frame in self.frames)))

    @property
    def call_path(self) -> str:
        """Names from the outermost function to the operation."""
        names = [frame.function or UNKNOWN_FUNCTION for frame in reversed(self.frames)]
        return "/".join((*names, self.operation))

    @property
    def place(self) -> str | None:
        """file:line of the innermost frame that has one, else an address, else None."""
        with_files = [frame.place for frame in self.frames if frame.file]
        return next(iter(with_files or [frame.place for frame in self.frames if frame.place]), None)


@dataclass(frozen=True, kw_only=True)
class CallSiteTask:
    """Calls of one process at a call site; times in nanoseconds."""

    site: CallSite
    rank: int
    call_count: int
    total_ns: int
    shortest_ns: int
    longest_ns: int


@dataclass(frozen=True, kw_only=True)
class TaskTime:
    """Elapsed time and communication time of a process, in nanoseconds."""

    rank: int
    time_ns: int
    communication_ns: int


@dataclass(frozen=True, kw_only=True)
class RegionTime:
    """Time of a region in nanoseconds; `callees_ns` is the part of it in other listed regions."""

    call_path: tuple[str, ...]
    time_ns: int
    callees_ns: int = 0


@dataclass(frozen=True, kw_only=True)
class MeasuredRun:
    """A run, read from `place`: a file, and perhaps a line in it.

    `parameters` are texts by standard name or own name. `efficiency` is a fraction. A failed run
    has a reason, but neither time nor efficiency.
    """

    place: str
    application: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    time_ns: int | None = None
    efficiency: float | None = None
    state: str = MEASURED
    reason: str | None = None
    tasks: tuple[TaskTime, ...] = ()
    call_sites: tuple[CallSiteTask, ...] = ()
    regions: tuple[RegionTime, ...] = ()


@dataclass(frozen=True)
class MeasuredRuns:
    """The runs of a file or folder, in its order; `notes` are messages for the user."""

    runs: tuple[MeasuredRun, ...]
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[MeasuredRun]:
        return iter(self.runs)
