"""The runs of a campaign with their configurations and repetitions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING

from tracemill.base.errors import CampaignError
from tracemill.campaign.expressions import evaluate_expression
from tracemill.campaign.names import PROCESSES, REPETITION, SIZE, THREADS

if TYPE_CHECKING:  # that module imports this one
    from tracemill.campaign.inputs.measurements import MeasuredRun
    from tracemill.campaign.inputs.monitoring import Monitored

MEASURED, FAILED, OUT_OF_MEMORY = "measured", "failed", "out of memory"
PROCESS_NAMES = ("p", PROCESSES)
"""Names of the number of processes in expressions."""
_LARGEST = 2**31 - 1
_USUAL_SIZE = "n"


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """A run of a campaign: its configuration, its times in nanoseconds, and its state.

    `is_named` unless the application was guessed. `measured` is set for a run without trace.
    `monitored` are further characteristics.
    """

    application: str
    is_named: bool = True
    label: str
    processes: int
    threads: int = 1
    size: float = 1.0
    repetition: int = 0
    parameters: Mapping[str, str] = field(default_factory=dict)
    run_id: str | None = None
    state: str = MEASURED
    reason: str | None = None
    time_ns: int | None = None
    whole_time_ns: int | None = None
    given_efficiency: float | None = None
    measured: "MeasuredRun | None" = None
    monitored: "tuple[Monitored, ...]" = ()

    @property
    def variant(self) -> str:
        """Parameters besides processes, threads, size and repetition."""
        return " ".join(f"{name}={self.parameters[name]}" for name in sorted(self.parameters))

    @property
    def configuration(self) -> tuple[str, int, int, float, str]:
        return (self.application, self.processes, self.threads, self.size, self.variant)


def special_parameters(
    given: Mapping[str, str], size_name: str, where: str
) -> tuple[dict[str, float], dict[str, str]]:
    """Processes, threads, size and repetition as numbers, and all other parameters.

    Raises CampaignError, which begins with `where`, for an invalid number.
    """
    numbers: dict[str, float] = {}
    others = dict(given)
    if size_name and size_name in others:
        chosen = others.pop(size_name)
        if SIZE in others:  # an ordinary parameter beside the chosen one
            others[_USUAL_SIZE] = others.pop(SIZE)
        others[SIZE] = chosen
    for name in (PROCESSES, THREADS, SIZE, REPETITION):
        if name not in others:
            continue
        text = others.pop(name)
        try:
            number = float(text)
        except ValueError as error:
            raise CampaignError(f"{where}: {name} is not a number: {text!r}") from error
        is_count = name != SIZE
        if not number < _LARGEST or number < is_count or (is_count and number % 1):
            raise CampaignError(f"{where}: {name} cannot be {text}")
        numbers[name] = number
    return numbers, others


def number_runs(runs: Sequence[RunRecord]) -> list[RunRecord]:
    """All runs in order of their configurations, with repetitions numbered from 1."""
    ordered = sorted(
        runs, key=lambda run: (run.configuration, run.repetition, run.label, run.run_id or "")
    )
    return [
        replace(run, repetition=number)
        for _, group in groupby(ordered, key=lambda run: run.configuration)
        for number, run in enumerate(group, 1)
    ]


def repeated(runs: Sequence[RunRecord]) -> list[tuple[RunRecord, RunRecord]]:
    """Pairs of runs with the same configuration and repetition number."""
    seen: dict[object, RunRecord] = {}
    pairs = []
    for run in runs:
        key = (run.configuration, run.repetition)
        if run.repetition and key in seen:
            pairs.append((seen[key], run))
        seen.setdefault(key, run)
    return pairs


def computation_size(expression: str, size_name: str, *, size: float, processes: int) -> float:
    """The value of the expression for a run; without expression, the size of the run."""
    if not expression:
        return size
    names = dict.fromkeys(size_names(size_name), size)
    return evaluate_expression(expression, names | dict.fromkeys(PROCESS_NAMES, float(processes)))


def size_names(size_name: str) -> tuple[str, ...]:
    """Names of the size in expressions."""
    return tuple(dict.fromkeys((size_name or _USUAL_SIZE, _USUAL_SIZE, SIZE, "d")))
