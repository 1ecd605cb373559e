"""What a table of measurements tells of runs, whatever its format."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

MEASURED, FAILED, OUT_OF_MEMORY = "measured", "failed", "out of memory"
UNKNOWN_FUNCTION = "[unknown]"


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A place of the program that a call was made from; what is not known is empty or 0."""

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
        """What is the same in every run: not the address, unless nothing else is known."""
        if self.file:
            return f"{self.function}@{self.file}:{self.line}"
        return self.function or self.address


@dataclass(frozen=True, kw_only=True)
class CallSite:
    """An operation and where it is called from, the innermost frame first."""

    operation: str
    frames: tuple[Frame, ...]

    @property
    def identity(self) -> str:
        """Text that is the same for the call site in every run."""
        return "\n".join((self.operation, *(frame.identity for frame in self.frames)))

    @property
    def call_path(self) -> str:
        """Names from the outermost function to the operation, as far as they are known."""
        names = [frame.function or UNKNOWN_FUNCTION for frame in reversed(self.frames)]
        return "/".join((*names, self.operation))

    @property
    def place(self) -> str | None:
        """file:line of the innermost frame that has one; else its address, if that is known."""
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
    """How long a process ran, and communicated, in nanoseconds."""

    rank: int
    time_ns: int
    communication_ns: int


@dataclass(frozen=True, kw_only=True)
class RegionTime:
    """Time of a part of the program in nanoseconds; names from the outermost one.

    `callees_ns` is the part of it that other regions of the run have as their time.
    """

    call_path: tuple[str, ...]
    time_ns: int
    callees_ns: int = 0


@dataclass(frozen=True, kw_only=True)
class MeasuredRun:
    """One run.

    `place` is the file, and the line if it has one, that tells of it. `parameters` are texts by
    what they mean: processes, threads, size and repetition (see campaign.names), or by their own
    names. `efficiency` is a fraction. A run that failed has a reason and no time; one of which
    only the efficiency is known has no time either.
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


@dataclass(frozen=True, kw_only=True)
class MeasuredRuns:
    """The runs of a file or folder, in its order; `notes` are what its user should know."""

    source: Path
    format: str
    runs: tuple[MeasuredRun, ...]
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[MeasuredRun]:
        return iter(self.runs)
