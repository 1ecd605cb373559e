"""New runs against those before them: which are worse, beyond noise, and why."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.comparison.choosing import choose_runs
from pipeline.errors import MissingInputError, PipelineError
from pipeline.nightly.applications import rule_of
from pipeline.nightly.history import RUN_TIME, PastRun, Series
from pipeline.nightly.outcome import Application
from pipeline.reports.model import Finding
from pipeline.store import Run, Store

if TYPE_CHECKING:
    from pipeline.comparison import Cause, Comparison
    from pipeline.comparison.conditions import Verdict

HISTORY = 10
"""So many runs before a new one are its repetitions, unless the configuration says otherwise."""
LEAST_RATIO, LEAST_RATIO_OF_ONE = 0.05, 0.10
"""A run is worse if it takes longer by more than that part; the second against a single run."""
MOST_CAUSES = 3


@dataclass(frozen=True, kw_only=True)
class Regression:
    """A run that is worse than `base`, the mean of some runs, and what explains it.

    `condition` holds of it, and `reason` says how. Values are those of its metric, in its `unit`;
    `noise_value` is how far they may be apart by chance, or None if that is not known.
    `explanations` are the causes in words.
    """

    run: PastRun
    base: tuple[PastRun, ...]
    is_baseline: bool
    condition: str
    reason: str
    metric: str
    unit: str
    base_value: float
    value: float
    noise_value: float | None
    causes: "tuple[Cause, ...]" = ()
    explanations: tuple[Finding, ...] = ()

    @property
    def change_ratio(self) -> float | None:
        """The change as a part of the base; None from nothing."""
        return (self.value - self.base_value) / abs(self.base_value) if self.base_value else None


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A new run and what it was held against: nothing if `base` is empty."""

    run: PastRun
    base: tuple[PastRun, ...]
    regressions: tuple[Regression, ...] = ()

    @property
    def change_ratio(self) -> float | None:
        """By which part of theirs it took longer than the others on average."""
        before = [run.run_time_ns for run in self.base]
        mean = sum(before) / len(before) if before else 0
        return (self.run.run_time_ns - mean) / mean if mean else None


@dataclass(frozen=True, kw_only=True)
class Unjudged:
    """A new run that could not be held against others, and why."""

    run_id: str
    label: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What became of the new runs, oldest first."""

    judged: tuple[Judged, ...]
    unjudged: tuple[Unjudged, ...]

    @property
    def regressions(self) -> tuple[Regression, ...]:
        """Worst first: by the size of the change as a part of the base."""
        found = [each for judged in self.judged for each in judged.regressions]
        return tuple(sorted(found, key=_size_of, reverse=True))


@dataclass(frozen=True, kw_only=True)
class Judge:
    """Holds new runs against the history of a store."""

    store: Store
    history: Sequence[PastRun]
    applications: Sequence[Application] = ()
    threads: int | None = None
    memory_limit: str = ""

    def judge(self, new: Sequence[Run]) -> Judgement:
        """Hold each new run against its baseline, else against those of its series before it.

        Runs that turn out to be worse are not what later ones are held against.
        """
        wanted = {run.run_id for run in new}
        known = {run.run_id for run in self.history}
        judged: list[Judged] = []
        unjudged = [
            Unjudged(
                run_id=run.run_id,
                label=run.label,
                reason="the store has lost tables of it, or another version made them",
            )
            for run in new
            if run.run_id not in known
        ]
        before: defaultdict[Series, list[PastRun]] = defaultdict(list)
        for run in self.history:
            is_worse = False
            if run.run_id in wanted:
                try:
                    judged.append(self._judge(run, before[run.series]))
                    is_worse = bool(judged[-1].regressions)
                except PipelineError as error:
                    unjudged.append(Unjudged(run_id=run.run_id, label=run.label, reason=str(error)))
            if not is_worse:
                before[run.series].append(run)
        return Judgement(judged=tuple(judged), unjudged=tuple(unjudged))

    def _judge(self, run: PastRun, before: Sequence[PastRun]) -> Judged:
        rule = rule_of(run.series.application, self.applications)
        if rule is not None and rule.baseline:
            base = self._named(rule.baseline, run)
        else:
            base = tuple(before)[-(rule.history if rule else HISTORY) :]
        if not base:
            return Judged(run=run, base=())
        held = self._held(run, base, rule.fail_if if rule else ())
        has_baseline = rule is not None and bool(rule.baseline)
        found = (
            _regression(run, base, verdict, comparison, is_baseline=has_baseline)
            for verdict, comparison in held
        )
        return Judged(run=run, base=base, regressions=tuple(found))

    def _named(self, names: str, run: PastRun) -> tuple[PastRun, ...]:
        """The runs of a baseline, but for the run itself. Raises MissingInputError."""
        ids = {each.run_id for each in choose_runs(self.store.path, names)}
        found = tuple(each for each in self.history if each.run_id in ids)
        if not found:
            raise MissingInputError(f"baseline {names}: the store has lost tables of it")
        return tuple(each for each in found if each.run_id != run.run_id)

    def _held(
        self, run: PastRun, base: Sequence[PastRun], conditions: Sequence[str]
    ) -> Iterator[tuple["Verdict", "Comparison"]]:
        """The conditions that hold; without any that a run takes longer, beyond the noise.

        Run times that are known tell the latter, so that runs are only opened to find the cause.
        """
        from pipeline.comparison.conditions import holds, parse

        least = LEAST_RATIO if len(base) > 1 else LEAST_RATIO_OF_ONE
        if conditions or is_longer(run, base, least):
            parsed = [parse(each) for each in conditions or (f"{RUN_TIME} > +{least:.0%}",)]
            comparison = self._compare(run, base)
            for each in parsed:
                verdict = holds(each, comparison)
                if verdict.holds:
                    yield verdict, comparison

    def _compare(self, run: PastRun, base: Sequence[PastRun]) -> "Comparison":
        from pipeline.comparison import compare

        return compare(
            [self._open(each) for each in base],
            [self._open(run)],
            threads=self.threads,
            memory_limit=self.memory_limit,
        )

    def _open(self, run: PastRun) -> Run:
        """The generation that the history tells of; raises MissingInputError if it is gone."""
        found = self.store.generation(run.run_id, run.generation)
        if found is None:
            raise MissingInputError(f"run {run.run_id} ({run.label}) was removed meanwhile")
        return found


def _size_of(found: Regression) -> float:
    return math.inf if found.change_ratio is None else abs(found.change_ratio)


def _regression(
    run: PastRun,
    base: Sequence[PastRun],
    verdict: "Verdict",
    comparison: "Comparison",
    *,
    is_baseline: bool,
) -> Regression:
    from pipeline.comparison.sentences import describe_cause

    change = verdict.change
    causes = comparison.causes(change.metric, limit=MOST_CAUSES)
    return Regression(
        run=run,
        base=tuple(base),
        is_baseline=is_baseline,
        condition=verdict.expression,
        reason=verdict.reason,
        metric=change.metric,
        unit=change.unit,
        base_value=change.base_value,
        value=change.other_value,
        noise_value=change.noise_value,
        causes=causes,
        explanations=tuple(describe_cause(cause, comparison) for cause in causes),
    )


def is_longer(run: PastRun, base: Sequence[PastRun], least: float) -> bool:
    """Whether a run takes longer than some others on average: by that part, and beyond noise."""
    import numpy as np

    from pipeline.comparison.noise import noise_of

    times = np.array([each.run_time_ns for each in base], np.float64)
    change = run.run_time_ns - float(times.mean())
    if change <= least * float(times.mean()):
        return False
    if len(times) < 2:
        return True
    variance = np.array([times.var(ddof=1)])
    unknown = np.array([np.nan])
    return change > float(noise_of(variance, unknown, base_count=len(times), other_count=1)[0])
