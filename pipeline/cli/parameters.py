"""Options that several commands share: type, check and help."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tracemill.base.text import bytes_of

if TYPE_CHECKING:
    from tracemill.engine.analyze import Options
    from tracemill.engine.focusing.options import FocusOptions
    from tracemill.store.runs import Run

SMALLEST_MEMORY = 64_000_000


def check_positive(_: object, number: int | None) -> None:
    """Refuse numbers below 1."""
    if number is not None and number < 1:
        raise ValueError("must be at least 1")


def _check_memory(_: object, limit: str | None) -> None:
    if limit is not None and bytes_of(limit) < SMALLEST_MEMORY:
        raise ValueError("must be at least 64MB")


StorePath = Annotated[Path, Parameter(name="--store", help="Folder with the results.")]
Flag = Parameter(negative="", show_default=False)
RunName = Annotated[
    str | None,
    Parameter(
        help="Run id or its first characters, label, or trace path. [default: the latest run]"
    ),
]
FailIf = Annotated[list[str] | None, Parameter(negative="", consume_multiple=False)]
Patterns = Annotated[
    Path | None,
    Parameter(help="Folder with your own patterns, besides the folder patterns in the store."),
]


@dataclass(frozen=True, kw_only=True)
class Focusing:
    """The focus of an analysis: options that intersect."""

    window: Annotated[
        str | None,
        Parameter(
            allow_leading_hyphen=True,
            help="Only this period of the run, such as 1.2s..1.3s or 800ms..-; without a unit, in "
            "seconds; - stands for the begin or end of the run.",
        ),
    ] = None
    iteration: Annotated[
        str | None, Parameter(help="Only these iterations of the main loop, such as 3 or 3..7,12.")
    ] = None
    phase: Annotated[
        str | None,
        Parameter(help="Only these phases, such as 4 or 2..3, of the level of --threshold."),
    ] = None
    threshold: Annotated[
        str | None, Parameter(help="Threshold of phases, above 0 and up to 1. [default: 0.25]")
    ] = None
    region: Annotated[
        str | None,
        Parameter(help="Only visits of this region or call path, and work forked there."),
    ] = None
    ranks: Annotated[str | None, Parameter(help="Only these ranks, such as 0-7,12.")] = None
    nodes: Annotated[
        str | None, Parameter(help="Only processes on these nodes: names, joined by commas.")
    ] = None
    threads: Annotated[
        str | None, Parameter(help="Only these threads of each process, such as 0 or 1-3.")
    ] = None

    @property
    def options(self) -> "FocusOptions":
        from tracemill.engine.focusing.options import FocusOptions

        return FocusOptions(**vars(self))

    @contextmanager
    def applied(
        self, run: "Run", *, has_records: bool = False, is_printed: bool = True
    ) -> "Iterator[Run]":
        """The run in this focus, which is printed unless the output says it; or the run itself."""
        from tracemill.base.console import messages
        from tracemill.engine.focusing.run import FocusedRun, focused

        with focused(run, self.options, has_records=has_records) as chosen:
            if is_printed and isinstance(chosen, FocusedRun):
                messages().print(chosen.focus.sentence, markup=False, soft_wrap=True)
            yield chosen


FocusingOptions = Annotated[Focusing, Parameter(name="*")]
EVERYTHING = Focusing()


@dataclass(frozen=True, kw_only=True)
class Analyzing:
    """Options of all commands that analyze traces."""

    threads: Annotated[
        int | None,
        Parameter(validator=check_positive, help="Number of threads. [default: all processors]"),
    ] = None
    memory_limit: Annotated[
        str | None,
        Parameter(
            validator=_check_memory,
            help="Memory for queries, such as 2GB, at least 64MB; the rest goes to disk. "
            "[default: 80% of the memory]",
        ),
    ] = None
    allow_damaged: Annotated[
        bool,
        Flag,
        Parameter(help="Analyze the readable part of damaged input and count what is missing."),
    ] = False
    overhead_classes: Annotated[
        Path | None,
        Parameter(
            help="CSV file with the overhead class of each region. "
            "[default: queries/overheads/overhead_classes.csv]"
        ),
    ] = None
    with_setup: Annotated[
        bool,
        Flag,
        Parameter(
            help="Run time and shares of the whole run, with MPI setup. [default: from the end of "
            "MPI_Init to the start of MPI_Finalize]"
        ),
    ] = False
    clock_correction: Annotated[
        Literal["auto", "always", "off"],
        Parameter(
            help="Correct times if clocks contradict each other (auto), always, or never (off)."
        ),
    ] = "auto"
    delays_as_scalasca: Annotated[
        bool,
        Flag,
        Parameter(help="Compute delays with the known errors of Scalasca, to compare results."),
    ] = False
    merge_call_sites: Annotated[
        bool, Flag, Parameter(help="Join calls of a region that one caller makes on several lines.")
    ] = False
    detail: Annotated[
        Literal["auto", "full", "calls", "profile"],
        Parameter(
            help="Keep every visit (full), sums of visits of user functions (calls), or the call "
            "tree alone (profile); auto is calls from 50 million records on, else full."
        ),
    ] = "auto"
    event_cost: Annotated[
        str | None,
        Parameter(
            help="Time to record an event, such as 120ns. [default: the least that gaps between "
            "records allow]"
        ),
    ] = None
    patterns: Patterns = None
    no_report: Annotated[bool, Flag, Parameter(help="Write no HTML and Markdown reports.")] = False

    def options(self, *, force: bool = False) -> "Options":
        """The options of an analysis; raises UsageError for wrong values."""
        from tracemill.base.durations import read_duration_ns
        from tracemill.base.processors import available_threads
        from tracemill.engine.analyze import Options
        from tracemill.stages.overhead_classes import read_rules

        files = {"overhead_classes": self.overhead_classes} if self.overhead_classes else {}
        return Options(
            threads=self.threads or available_threads(),
            memory_limit=self.memory_limit or "",
            allow_damaged=self.allow_damaged,
            force=force,
            parameters={
                **{name: read_rules(path) for name, path in files.items()},
                **({"is_setup_included": True} if self.with_setup else {}),
                **(
                    {"clock_correction": self.clock_correction}
                    if self.clock_correction != "auto"
                    else {}
                ),
                **({"is_like_scalasca": True} if self.delays_as_scalasca else {}),
                **({"merge_call_sites": True} if self.merge_call_sites else {}),
                **({"detail": self.detail} if self.detail != "auto" else {}),
                **(
                    {"event_cost_ns": read_duration_ns("--event-cost", self.event_cost)}
                    if self.event_cost is not None
                    else {}
                ),
            },
            files={name: str(path.absolute()) for name, path in files.items()},
            patterns=(self.patterns.absolute(),) if self.patterns else (),
        )


AnalyzingOptions = Annotated[Analyzing, Parameter(name="*")]
DEFAULTS = Analyzing()
