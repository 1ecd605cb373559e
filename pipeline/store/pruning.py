"""Decide which runs and generations exceed the limits of a store, and which are kept anyway."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tracemill.base.text import describe_duration
from tracemill.store.clock import now_in
from tracemill.store.holdings import Footprint, Generation, Holding, HoldingKind, find_holdings
from tracemill.store.leases import held, name_of_analysis
from tracemill.store.sweep import is_being_written
from tracemill.store.usage import measure

GRACE_SECONDS = 3600.0


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of a store; None is no limit.

    `older_than`: greatest age of runs in seconds. `keep_generations`: number per run or campaign,
    the current one included. `max_bytes`: size of the store. Changes within the last `grace`
    seconds are kept, since somebody may be reading them.
    """

    older_than: float | None = None
    keep_generations: int | None = None
    max_bytes: float | None = None
    grace: float = GRACE_SECONDS


@dataclass(frozen=True, kw_only=True)
class Uses:
    """The generations that campaigns were made from: names of campaigns by run id and generation.

    If there is a `problem`, the uses are uncertain and no run may be removed.
    """

    names: Mapping[tuple[str, str], str] = field(default_factory=dict)
    problem: str = ""

    def of(self, holding: Holding, generations: Iterable[Generation]) -> str:
        """The campaign that needs any of the generations; empty if none does."""
        if holding.kind == "campaign":
            return ""
        keys = ((holding.name, each.key) for each in generations)
        names = sorted(self.names[key] for key in keys if key in self.names)
        return f"the campaign {names[0]} uses it" if names else self.problem


@dataclass(frozen=True, kw_only=True)
class PruningDecision:
    """The decision about a run (without `generation`), or an earlier generation, with its reason.

    `is_limited` is False if no limit is exceeded. `byte_count` is freed by its removal, after
    earlier decisions.
    """

    holding: Holding
    generation: Generation | None
    is_removed: bool
    reason: str
    is_limited: bool = True
    byte_count: int = 0


@dataclass(frozen=True, kw_only=True)
class Pruning:
    """The decisions on everything above a limit, and on all other runs, which stay.

    `byte_count` is the resulting size of the store; None if no limit depends on it.
    """

    decisions: tuple[PruningDecision, ...]
    byte_count: float | None = None

    @property
    def removed(self) -> list[PruningDecision]:
        return [each for each in self.decisions if each.is_removed]

    @property
    def freed(self) -> int:
        return sum(each.byte_count for each in self.removed)


def plan_campaigns(store: Path, limits: Limits) -> list[PruningDecision]:
    """Decide on the earlier generations of campaigns; the campaigns stay."""
    planner = _Planner(store, limits, "campaign", Uses())
    planner.drop_surplus_generations()
    return planner.decisions


def plan(
    store: Path, limits: Limits, uses: Uses, campaigns: Sequence[PruningDecision] = ()
) -> Pruning:
    """Decide on the runs of a store; `campaigns` were decided before. Raises StoreError."""
    planner = _Planner(store, limits, "run", uses)
    planner.decisions += campaigns
    if limits.older_than is not None:
        planner.drop_old_runs(limits.older_than)
    planner.drop_surplus_generations()
    left = None
    if limits.max_bytes is not None:
        left = planner.shrink(sum(use.byte_count for use in measure(store)), limits.max_bytes)
    planner.keep_the_rest()
    return Pruning(decisions=tuple(planner.decisions), byte_count=left)


class _Planner:
    """Decides on the runs, or campaigns, of a store: a pass over them for each limit."""

    def __init__(self, store: Path, limits: Limits, kind: HoldingKind, uses: Uses) -> None:
        self.decisions: list[PruningDecision] = []
        self._limits = limits
        self._uses = uses
        self._now = now_in(store / f"{kind}s")
        self._leases = set(held(store / "leases"))
        self._left = {each: Footprint(each) for each in find_holdings(store, kind)}

    def drop_old_runs(self, older_than: float) -> None:
        """Decide on runs that are older than so many seconds."""
        reason = f"older than {describe_duration(older_than)}"
        for holding in list(self._left):
            if self._now - holding.created > older_than:
                self._drop_run(holding, reason)

    def drop_surplus_generations(self) -> None:
        """Remove all but the latest `keep_generations` generations of each run."""
        count = self._limits.keep_generations
        if count is None:
            return
        reason = f"superseded, and more than {count} are kept"
        for holding in list(self._left):
            for generation in holding.generations[max(count, 1) :]:
                self._drop_generation(holding, generation, reason)

    def shrink(self, byte_count: float, wanted: float) -> float:
        """Decide on earlier generations, then on the oldest runs; returns the new size."""
        byte_count -= sum(each.byte_count for each in self.decisions if each.is_removed)
        reason = "oldest of a store that is too large"
        done = {(each.holding, each.generation) for each in self.decisions}
        earlier = [(run, each) for run in self._left for each in run.generations[1:]]
        for run, each in sorted(earlier, key=lambda pair: (pair[1].created, pair[1].key)):
            if byte_count > wanted and (run, each) not in done:
                byte_count -= self._drop_generation(run, each, reason)
        for run in sorted(self._left, key=lambda each: (each.created, each.name)):
            if byte_count > wanted and (run, None) not in done:
                byte_count -= self._drop_run(run, reason)
        return byte_count

    def keep_the_rest(self) -> None:
        """Note that all runs stay that were not decided on."""
        decided = {each.holding for each in self.decisions if each.generation is None}
        for holding in self._left:
            if holding not in decided:
                self.decisions.append(
                    PruningDecision(
                        holding=holding,
                        generation=None,
                        is_removed=False,
                        reason="within the limits",
                        is_limited=False,
                    )
                )

    def _drop_run(self, run: Holding, reason: str) -> int:
        """Drop a run unless there is a reason to keep it; returns the freed bytes."""
        against = self._against(run) or self._uses.of(run, run.generations)
        if against:
            return self._note(run, None, f"{against} ({reason})")
        return self._note(run, None, reason, freed=self._left.pop(run).all)

    def _drop_generation(self, holding: Holding, generation: Generation, reason: str) -> int:
        against = self._against(holding) or self._uses.of(holding, [generation])
        if against:
            return self._note(holding, generation, f"{against} ({reason})")
        freed = self._left[holding].remove(generation.key)
        return self._note(holding, generation, reason, freed=freed)

    def _against(self, holding: Holding) -> str:
        """The reason against removal; empty if there is none."""
        if holding.problem:
            return holding.problem
        if is_being_written(holding.folder) or self._is_leased(holding):
            return "being written"
        if self._now - holding.changed < self._limits.grace:
            return f"changed within {describe_duration(self._limits.grace)}, may be being read"
        return ""

    def _is_leased(self, holding: Holding) -> bool:
        return name_of_analysis(holding.place) in self._leases

    def _note(
        self, holding: Holding, generation: Generation | None, reason: str, freed: int | None = None
    ) -> int:
        self.decisions.append(
            PruningDecision(
                holding=holding,
                generation=generation,
                is_removed=freed is not None,
                reason=reason,
                byte_count=freed or 0,
            )
        )
        return freed or 0
