"""Compares each new run with the runs before it, or with a baseline, and explains regressions."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tracemill.base.errors import MissingInputError, PipelineError, QueryError, StoreError
from tracemill.comparison.changes import Cause, Change, MetricChange
from tracemill.comparison.choosing import choose_runs
from tracemill.comparison.comparing import Comparison, compare_runs, is_incomplete
from tracemill.comparison.conditions import check_condition, parse_condition
from tracemill.comparison.efficiencies import Efficiencies, read_efficiencies
from tracemill.comparison.noise import run_time_change
from tracemill.comparison.sentences import describe_cause
from tracemill.nightly.config import Application
from tracemill.nightly.history import PastRun, RunSeries
from tracemill.reports.model import Finding
from tracemill.schemas.history import RUN_TIME
from tracemill.store.runs import Run, Store

HISTORY = 10
"""Number of earlier runs that count as repetitions of a new one, by default."""
LEAST_RATIO, LEAST_RATIO_OF_ONE = 0.05, 0.10
"""Least relative increase of the run time that is worse; the second if the base is one run."""
MOST_CAUSES = 3
FASTER = "faster"


@dataclass(frozen=True, kw_only=True)
class Regression:
    """A condition that is true for the `change` of a new run from the mean of the runs `base`.

    `explanations` are the causes in words, and `sql` their statements, by call path and by rank,
    for all runs of the store.
    """

    run: PastRun
    base: tuple[PastRun, ...]
    is_baseline: bool
    condition: str
    reason: str
    change: Change
    causes: tuple[Cause, ...] = ()
    explanations: tuple[Finding, ...] = ()
    sql: tuple[str, ...] = ()

    @property
    def change_ratio(self) -> float | None:
        """The change as a share of the base; None if the base is 0."""
        return self.change.change_ratio if self.change.base_value else None


@dataclass(frozen=True, kw_only=True)
class JudgedRun:
    """A new run, the runs it was compared with, and the change of the run time.

    `is_different` if the change is large and beyond noise.
    """

    run: PastRun
    base: tuple[PastRun, ...] = ()
    change: MetricChange | None = None
    is_different: bool = False
    regressions: tuple[Regression, ...] = ()

    @property
    def change_ratio(self) -> float | None:
        """The change of the run time as a share of the base; None without a base."""
        ratio = self.change.change_ratio if self.change else None
        return ratio if ratio is not None and math.isfinite(ratio) else None

    @property
    def verdict(self) -> str:
        """The judgment in a few words."""
        if self.regressions:
            return "worse"
        if self.change is None:
            return "first of its kind"
        if not self.is_different:
            return "as before"
        return FASTER if self.change.change_value < 0 else "longer, but allowed"


@dataclass(frozen=True)
class UnjudgedRun:
    """A new run that could not be compared, and the reason."""

    run_id: str
    label: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Judgment:
    """The new runs, oldest first; `incomplete` are the labels of those with damaged traces."""

    judged: tuple[JudgedRun, ...]
    unjudged: tuple[UnjudgedRun, ...] = ()
    incomplete: tuple[str, ...] = ()

    @property
    def worse(self) -> frozenset[str]:
        """Ids of the runs with a regression."""
        return frozenset(each.run.run_id for each in self.judged if each.regressions)

    @property
    def regressions(self) -> tuple[Regression, ...]:
        """The regressions with the largest relative change first."""
        found = [each for judged in self.judged for each in judged.regressions]
        found.sort(key=lambda each: -math.inf if (r := each.change_ratio) is None else -abs(r))
        return tuple(found)


@dataclass(frozen=True, kw_only=True)
class Judge:
    """Compares new runs with others of a store; `history` holds all its runs, oldest first."""

    store: Store
    history: Sequence[PastRun]
    applications: Sequence[Application] = ()
    threads: int | None = None
    memory_limit: str = ""
    _baselines: dict[str, frozenset[str]] = field(default_factory=dict)

    def judge_runs(self, new: Sequence[Run]) -> Judgment:
        """Compare each new run with its baseline, or else with earlier good runs of its series."""
        wanted = {run.run_id for run in new}
        judged: list[JudgedRun] = []
        reason = "the store lost tables of it, or another version made them"
        readable = {run.run_id for run in self.history}
        missing = [run for run in new if run.run_id not in readable]
        unjudged = [UnjudgedRun(run.run_id, run.label, reason) for run in missing]
        before: defaultdict[RunSeries, list[PastRun]] = defaultdict(list)
        for run in self.history:
            is_worse = False
            if run.run_id in wanted:
                try:
                    judged.append(self._judge(run, before[run.series]))
                    is_worse = bool(judged[-1].regressions)
                except PipelineError as error:
                    unjudged.append(UnjudgedRun(run.run_id, run.label, str(error)))
            if not is_worse:
                before[run.series].append(run)
        present = [run for run in new if run.run_id in readable]
        incomplete = tuple(run.label for run in present if is_incomplete(run))
        return Judgment(judged=tuple(judged), unjudged=tuple(unjudged), incomplete=incomplete)

    def read_efficiencies(self, judgment: Judgment) -> Efficiencies:
        """The efficiencies of judged runs, and of the runs that these were compared with."""
        wanted = {
            each.run_id: each for found in judgment.judged for each in (found.run, *found.base)
        }
        try:
            runs = [self.store.generation(each.run_id, each.generation) for each in wanted.values()]
            return read_efficiencies(
                filter(None, runs), threads=self.threads, memory_limit=self.memory_limit
            )
        except (StoreError, QueryError):  # a run was removed meanwhile
            return Efficiencies({}, {})

    def _judge(self, run: PastRun, before: Sequence[PastRun]) -> JudgedRun:
        name = run.series.application
        application = next((each for each in self.applications if each.name == name), None)
        baseline = self._baseline(run, application)
        limit = application.history if application else HISTORY
        base = tuple(before[-limit:]) if baseline is None else baseline
        if not base:
            return JudgedRun(run=run)
        change = run_time_change([each.run_time_ns for each in base], [run.run_time_ns])
        is_different = is_significant(change, least_ratio(base))
        if application is not None and application.fail_if:
            found = self._failed_conditions(run, base, application.fail_if)
        else:
            found = self._longer_run_time(run, base, change) if is_different else iter(())
        regressions = tuple(
            Regression(run=run, base=base, is_baseline=baseline is not None, **values)
            for values in found
        )
        return JudgedRun(
            run=run, base=base, change=change, is_different=is_different, regressions=regressions
        )

    def _baseline(
        self, run: PastRun, application: Application | None
    ) -> tuple[PastRun, ...] | None:
        """The other runs of a baseline with a run's size, of its application if there are any.

        None if no baseline has that size. Raises MissingInputError if runs are missing or
        ambiguous.
        """
        if application is None or not application.baseline:
            return None
        named, name = self._named(application.baseline), run.series.application
        own = [each for each in named if each.series.application == name]
        size = (run.series.processes, run.series.threads)
        alike = [
            each for each in own or named if (each.series.processes, each.series.threads) == size
        ]
        others = sorted({each.series.application for each in alike} - {name})
        if len(others) > 1:
            raise MissingInputError(
                f"baseline {application.baseline}: it names runs of {', '.join(others)}, and none "
                f"of {name}: name runs by their ids"
            )
        return tuple(each for each in alike if each.run_id != run.run_id) if alike else None

    def _named(self, names: str) -> tuple[PastRun, ...]:
        if names not in self._baselines:
            chosen = choose_runs(self.store.path, names)
            self._baselines[names] = frozenset(each.run_id for each in chosen)
        ids = self._baselines[names]
        found = tuple(each for each in self.history if each.run_id in ids)
        if not found:
            raise MissingInputError(f"baseline {names}: the store lost tables of it")
        return found

    def _longer_run_time(
        self, run: PastRun, base: Sequence[PastRun], change: MetricChange
    ) -> Iterator[dict[str, Any]]:
        """The regression of a longer run time, even if its causes cannot be computed."""
        if change.change_value < 0:
            return
        try:
            explained = _explain(self._compare(run, base), change.metric)
        except (StoreError, QueryError, MissingInputError) as error:
            finding = Finding("The cause is unknown:", str(error))
            explained = {"explanations": (finding,)}
        condition = f"{RUN_TIME} > +{least_ratio(base):.0%}"
        yield {"condition": condition, "reason": "", "change": change, **explained}

    def _failed_conditions(
        self, run: PastRun, base: Sequence[PastRun], conditions: Sequence[str]
    ) -> Iterator[dict[str, Any]]:
        """The regressions of true conditions. Raises UsageError for a malformed condition."""
        parsed = [parse_condition(each) for each in conditions]
        comparison = self._compare(run, base)
        for result in [check_condition(each, comparison) for each in parsed]:
            if result.holds:
                yield {
                    "condition": result.expression,
                    "reason": result.reason,
                    "change": result.change,
                    **_explain(comparison, result.change.metric),
                }

    def _compare(self, run: PastRun, base: Sequence[PastRun]) -> Comparison:
        found = [self.store.generation(each.run_id, each.generation) for each in (run, *base)]
        new, there = found[0], [each for each in found[1:] if each]
        if new is None or not there:
            raise MissingInputError(f"run {run.run_id} ({run.label}): it was removed meanwhile")
        return compare_runs(there, [new], threads=self.threads, memory_limit=self.memory_limit)


def least_ratio(base: Sequence[PastRun]) -> float:
    """The least relevant change of the run time, as a share of that of `base`."""
    return LEAST_RATIO if len(base) > 1 else LEAST_RATIO_OF_ONE


def is_significant(change: MetricChange, least: float) -> bool:
    """Whether a change is larger than a share of the base, and not explained by chance."""
    return abs(change.change_ratio) > least and change.is_beyond_noise is not False


def _explain(comparison: Comparison, metric: str) -> dict[str, Any]:
    """The causes of the change of a metric as fields of a regression."""
    causes = comparison.causes(metric, limit=MOST_CAUSES)
    return {
        "causes": causes,
        "explanations": tuple(describe_cause(cause, comparison) for cause in causes),
        "sql": comparison.sql,
    }
