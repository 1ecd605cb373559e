"""New runs are held against those before them, or against a baseline, with their noise."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tracemill.base.errors import MissingInputError, PipelineError, QueryError, StoreError
from tracemill.nightly.applications import rule_of
from tracemill.nightly.history import PastRun, Series
from tracemill.nightly.outcome import Application
from tracemill.nightly.verdicts import Judged, Judgement, Regression, Unjudged
from tracemill.reports.model import Finding
from tracemill.schemas.history import RUN_TIME
from tracemill.store import Run, Store

if TYPE_CHECKING:
    from tracemill.comparison import Comparison, MetricChange

HISTORY = 10
"""So many runs before a new one are its repetitions, unless the configuration says otherwise."""
LEAST_RATIO, LEAST_RATIO_OF_ONE = 0.05, 0.10
"""A run is worse if it takes longer by more than that part; the second against a single run."""
MOST_CAUSES = 3


@dataclass(frozen=True, kw_only=True)
class Judge:
    """Holds new runs against the history of a store."""

    store: Store
    history: Sequence[PastRun]
    applications: Sequence[Application] = ()
    threads: int | None = None
    memory_limit: str = ""
    _baselines: dict[str, frozenset[str]] = field(default_factory=dict)

    def judge(self, new: Sequence[Run]) -> Judgement:
        """Hold each new run against its baseline, else against those of its series before it.

        Runs that turn out to be worse are not what later ones are held against.
        """
        wanted = {run.run_id for run in new}
        judged: list[Judged] = []
        unjudged = self._unknown(new)
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

    def _unknown(self, new: Sequence[Run]) -> list[Unjudged]:
        """Runs that the history does not tell of."""
        known = {run.run_id for run in self.history}
        reason = "the store has lost tables of it, or another version made them"
        return [
            Unjudged(run_id=run.run_id, label=run.label, reason=reason)
            for run in new
            if run.run_id not in known
        ]

    def _judge(self, run: PastRun, before: Sequence[PastRun]) -> Judged:
        rule = rule_of(run.series.application, self.applications)
        base = self._baseline(run, rule)
        is_baseline = base is not None
        if base is None:
            base = tuple(before[-(rule.history if rule else HISTORY) :])
        if not base:
            return Judged(run=run)
        change = _change(run, base)
        is_different = is_worth_telling(change, least_ratio(base))
        if rule is not None and rule.fail_if:
            found = self._held(run, base, rule.fail_if)
        else:
            found = self._longer(run, base, change) if is_different else iter(())
        regressions = tuple(
            Regression(run=run, base=base, is_baseline=is_baseline, **told) for told in found
        )
        return Judged(
            run=run, base=base, change=change, is_different=is_different, regressions=regressions
        )

    def _baseline(self, run: PastRun, rule: Application | None) -> tuple[PastRun, ...] | None:
        """The runs that a rule names, but for the run itself; of as many processes and threads.

        Of runs of several applications these are those of its own. None if it names none of its
        size. Raises MissingInputError if it names what there is not, or if it is not clear what.
        """
        if rule is None or not rule.baseline:
            return None
        named, application = self._named(rule.baseline), run.series.application
        own = [each for each in named if each.series.application == application]
        size = (run.series.processes, run.series.threads)
        alike = [
            each for each in own or named if (each.series.processes, each.series.threads) == size
        ]
        others = sorted({each.series.application for each in alike} - {application})
        if len(others) > 1:
            raise MissingInputError(
                f"baseline {rule.baseline}: it names runs of {', '.join(others)}, and none of "
                f"{application}: name runs by their ids"
            )
        return tuple(each for each in alike if each.run_id != run.run_id) if alike else None

    def _named(self, names: str) -> tuple[PastRun, ...]:
        from tracemill.comparison.choosing import choose_runs  # needs SciPy, which starts slowly

        if names not in self._baselines:
            chosen = choose_runs(self.store.path, names)
            self._baselines[names] = frozenset(each.run_id for each in chosen)
        ids = self._baselines[names]
        found = tuple(each for each in self.history if each.run_id in ids)
        if not found:
            raise MissingInputError(f"baseline {names}: the store has lost tables of it")
        return found

    def _longer(
        self, run: PastRun, base: Sequence[PastRun], change: "MetricChange"
    ) -> Iterator[dict[str, Any]]:
        """What is told of a run that takes longer; one that takes less is no regression.

        It is known from run times alone, so that it is also told if nothing can explain it.
        """
        if change.change_value < 0:
            return
        try:
            explained = explain(self._compare(run, base), change.metric)
        except (StoreError, QueryError, MissingInputError) as error:
            finding = Finding("What explains it is not known:", str(error))
            explained = {"explanations": (finding,)}
        yield {
            "condition": f"{RUN_TIME} > +{least_ratio(base):.0%}",
            "reason": "",
            **values_of(change),
            **explained,
        }

    def _held(
        self, run: PastRun, base: Sequence[PastRun], conditions: Sequence[str]
    ) -> Iterator[dict[str, Any]]:
        """What is told of the conditions that hold. Raises UsageError for one that is none."""
        from tracemill.comparison.conditions import holds, parse

        parsed = [parse(each) for each in conditions]
        comparison = self._compare(run, base)
        for verdict in [holds(each, comparison) for each in parsed]:
            if verdict.holds:
                yield {
                    "condition": verdict.expression,
                    "reason": verdict.reason,
                    **values_of(verdict.change),
                    **explain(comparison, verdict.change.metric),
                }

    def _compare(self, run: PastRun, base: Sequence[PastRun]) -> "Comparison":
        from tracemill.comparison import compare

        there = [found for each in base if (found := self._generation(each))]
        new = self._generation(run)
        if new is None or not there:
            raise MissingInputError(f"run {run.run_id} ({run.label}): it was removed meanwhile")
        return compare(there, [new], threads=self.threads, memory_limit=self.memory_limit)

    def _generation(self, run: PastRun) -> Run | None:
        """The generation that the history tells of; None if it is gone."""
        return self.store.generation(run.run_id, run.generation)


def _change(run: PastRun, base: Sequence[PastRun]) -> "MetricChange":
    from tracemill.comparison.run_times import run_time_change  # needs SciPy, which starts slowly

    return run_time_change([each.run_time_ns for each in base], [run.run_time_ns])


def least_ratio(base: Sequence[PastRun]) -> float:
    """The change, as a part of the run time of some runs, that is worth telling."""
    return LEAST_RATIO if len(base) > 1 else LEAST_RATIO_OF_ONE


def is_worth_telling(change: "MetricChange", least: float) -> bool:
    """Whether a change is large enough, and not what chance explains."""
    return abs(change.change_ratio) > least and change.is_beyond_noise is not False


def values_of(change: Any) -> dict[str, Any]:
    """The values of a change as a regression has them."""
    return {
        "metric": change.metric,
        "unit": change.unit,
        "base_value": change.base_value,
        "value": change.other_value,
        "noise_value": change.noise_value,
    }


def explain(comparison: "Comparison", metric: str) -> dict[str, Any]:
    """What explains the change of a metric, as figures and in words."""
    from tracemill.comparison.sentences import describe_cause

    causes = comparison.causes(metric, limit=MOST_CAUSES)
    return {
        "causes": causes,
        "explanations": tuple(describe_cause(cause, comparison) for cause in causes),
        "sql": comparison.sql,
    }
