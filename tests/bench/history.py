"""Earlier measurements on this kind of machine, and how new ones differ from them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.bench.measuring import Cost
from tests.bench.results import Machine, Results
from tests.bench.stage_meter import StageCost

# A stage is listed only if it changed at least so much, in seconds and as a share.
NOTABLE_SECONDS, NOTABLE_SHARE = 0.1, 0.2

Key = tuple[str, str, int, str]
"""What makes two measurements comparable: name of the trace, job, threads, memory limit."""


@dataclass(frozen=True)
class Entry:
    """A cost, when it was measured, and on a trace made by what."""

    cost: Cost
    measured_at: str
    made_by: str


@dataclass(frozen=True, kw_only=True)
class Change:
    """How a cost, or that of one stage in it, differs from the last one measured before.

    All are shares of the earlier figure, 0.1 for a tenth more; time and bytes are per event. None:
    there was nothing of it before. `is_same_trace`: the trace was made by the same code.
    """

    cost: Cost
    stage: str = ""
    since: str
    is_same_trace: bool
    cpu: float | None
    wall: float | None
    peak: float | None
    bytes: float | None


def remember(results: Results, history: Path) -> None:
    """Append measurements to the history."""
    with history.open("a", encoding="utf-8") as file:
        file.write(results.to_json())


def last_entries(history: Path, machine: Machine) -> tuple[dict[Key, Entry], int]:
    """The last entry of each measurement on this kind of machine.

    And the number of lines that another version wrote, which are left out.
    """
    found: dict[Key, Entry] = {}
    unreadable = 0
    if history.exists():
        with history.open(encoding="utf-8") as lines:
            for line in lines:
                try:
                    results = Results.load(line)
                except (ValueError, KeyError, TypeError):
                    unreadable += 1
                    continue
                if results.machine.kind == machine.kind:
                    found |= dict(_entries(results))
    return found, unreadable


def compare(results: Results, before: dict[Key, Entry]) -> Iterator[Change]:
    """What changed since then: every cost, then the stages of it that changed notably.

    What generating an archive cost is compared when it was generated, not again and again.
    """
    for key, now in _entries(results):
        then = before.get(key)
        if then is None or then.cost == now.cost:
            continue
        yield _change(now, then)
        yield from _stage_changes(now, then)


def _entries(results: Results) -> Iterator[tuple[Key, Entry]]:
    for each in (*results.archives, *results.texts):
        for cost in each.costs:
            yield _key(each.name, cost), Entry(cost, results.measured_at, each.made_by)
    smallest = results.archives[0]
    for cost in results.others:
        yield _key(smallest.name, cost), Entry(cost, results.measured_at, smallest.made_by)


def _key(name: str, cost: Cost) -> Key:
    return name, cost.job, cost.threads, cost.memory_limit


def _stage_changes(now: Entry, then: Entry) -> Iterator[Change]:
    scale = now.cost.events / then.cost.events
    for name, stage in now.cost.stages.items():
        if name in then.cost.stages:
            expected = then.cost.stages[name].cpu_seconds * scale
            added = abs(stage.cpu_seconds - expected)
            if added >= NOTABLE_SECONDS and added >= NOTABLE_SHARE * expected:
                yield _change(now, then, name)


def _change(now: Entry, then: Entry, stage: str = "") -> Change:
    new: Cost | StageCost = now.cost.stages[stage] if stage else now.cost
    old: Cost | StageCost = then.cost.stages[stage] if stage else then.cost
    scale = now.cost.events / then.cost.events
    return Change(
        cost=now.cost,
        stage=stage,
        since=then.measured_at,
        is_same_trace=now.made_by == then.made_by,
        cpu=_share(new.cpu_seconds, old.cpu_seconds * scale),
        wall=_share(new.wall_seconds, old.wall_seconds * scale),
        peak=_share(new.peak_bytes, old.peak_bytes),
        bytes=_share(new.bytes, old.bytes * scale),
    )


def _share(new: float, old: float) -> float | None:
    return new / old - 1 if old else None
