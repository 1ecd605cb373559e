"""Rankings of programs and their variants, each on its best grid, over clusters."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from tracemill.base.errors import ProgramError
from tracemill.base.text import hash_of
from tracemill.forecast.grids import Grid
from tracemill.forecast.search import Candidate
from tracemill.forecast.search_programs import (
    Contender,
    Evaluator,
    Limits,
    ProgramSearch,
    search_program,
)
from tracemill.programs.clusters.cluster import Cluster
from tracemill.reports.wording import count_of

NEARLY = 0.05
"""Times up to this share above the best count as nearly best."""


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """A contender on its best grid: its rank on a cluster, and its time / that of the first.

    `nearly_best_processes` is the fewest processes of an evaluated grid that is nearly as fast.
    """

    search: ProgramSearch
    best: Candidate
    rank: int
    of_best: float
    nearly_best_processes: int

    @property
    def name(self) -> str:
        """Program and variant."""
        return self.search.contender.name

    @property
    def time_ns(self) -> float:
        """Run time on the best grid."""
        return self.best.time_ns or 0.0


@dataclass(frozen=True)
class Order:
    """The ranking of contenders on a cluster with at most `max_processes`, fastest first.

    `unranked` have no grid that is efficient enough.
    """

    cluster: str
    max_processes: int
    ranked: tuple[Ranked, ...]
    unranked: tuple[ProgramSearch, ...]


@dataclass(frozen=True)
class OrderChange:
    """Two contenders, of which the first is faster on some clusters and slower on others."""

    max_processes: int
    first: str
    second: str
    faster_on: tuple[str, ...]
    slower_on: tuple[str, ...]


@dataclass(frozen=True)
class Ranking:
    """Orders of all clusters and limits of processes, cluster by cluster."""

    orders: tuple[Order, ...]

    @property
    def searches(self) -> list[ProgramSearch]:
        """All searches, ranked ones first in each order."""
        return [
            search
            for order in self.orders
            for search in (*(each.search for each in order.ranked), *order.unranked)
        ]

    @cached_property
    def ranking_id(self) -> str:
        """The hash of the searches."""
        return hash_of("\n".join(each.search_id for each in self.searches))

    @cached_property
    def changes(self) -> list[OrderChange]:
        """Pairs whose order differs between clusters."""
        counts = dict.fromkeys(order.max_processes for order in self.orders)
        return [
            change
            for count in counts
            for change in _changes([each for each in self.orders if each.max_processes == count])
        ]


def rank_contenders(
    contenders: Sequence[Contender],
    clusters: Sequence[Cluster],
    counts: Sequence[int],
    limits: Limits,
    *,
    is_evaluated: Callable[[Grid], None] = lambda _: None,
) -> Ranking:
    """Search the best grid of all contenders on all clusters, and order them by time.

    Raises ProgramError, also if no grid of any contender is efficient enough on a cluster.
    """
    _refuse_equal_names("programs or variants", [each.name for each in contenders])
    _refuse_equal_names("clusters", [each.name for each in clusters])
    orders = []
    for cluster in clusters:
        evaluators = [Evaluator(each, cluster, is_evaluated) for each in contenders]
        done: list[list[ProgramSearch]] = [[] for _ in contenders]
        for count in counts:
            for evaluator, searches in zip(evaluators, done, strict=True):
                searches.append(search_program(evaluator, count, limits))
            orders.append(_order(cluster.name, count, done))
    return Ranking(tuple(orders))


def _refuse_equal_names(kind: str, names: Sequence[str]) -> None:
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise ProgramError(f"several {kind} are named {repeated[0]}: give each a name of its own")


def _order(cluster: str, count: int, done: Sequence[Sequence[ProgramSearch]]) -> Order:
    """The order by the last search of each contender; earlier ones had other limits."""
    found = [(searches[-1], searches[-1].search.best, searches) for searches in done]
    unranked = [last for last, best, _ in found if best is None]
    if len(unranked) == len(found):
        raise ProgramError(describe_inefficient(unranked))
    times = sorted(best.time_ns or 0.0 for _, best, _ in found if best is not None)
    ranked = [
        Ranked(
            search=last,
            best=best,
            rank=times.index(best.time_ns or 0.0) + 1,
            of_best=(best.time_ns or 0.0) / times[0] if times[0] else 1.0,
            nearly_best_processes=_nearly_best(best, count, searches),
        )
        for last, best, searches in found
        if best is not None
    ]
    return Order(cluster, count, tuple(sorted(ranked, key=lambda each: each.rank)), tuple(unranked))


def _nearly_best(best: Candidate, count: int, searches: Iterable[ProgramSearch]) -> int:
    """Fewest processes, up to `count`, of evaluated grids that are nearly as fast as the best."""
    limit = (1 + NEARLY) * (best.time_ns or 0.0)
    return min(
        each.processes
        for search in searches
        for each in search.search.efficient
        if each.processes <= count and (each.time_ns or 0.0) <= limit
    )


def describe_inefficient(searches: Sequence[ProgramSearch]) -> str:
    """The message that no grid is efficient enough, with the best efficiency found."""
    closest = max(searches, key=lambda each: each.search.best_efficiency)
    several = f" and {len(searches) - 1:,} more" if len(searches) > 1 else ""
    start = (
        f"{closest.contender.name}{several} on {closest.cluster.name}: no grid of "
        f"{describe_limit(closest)}"
    )
    if not closest.search.evaluated:
        return f"{start} leaves every process a part of the largest array: give another number"
    return (
        f"{start} has an efficiency of {closest.limits.min_efficiency:g}: the best efficiency "
        f"found is {closest.search.best_efficiency:.3g}: give a smaller --min-efficiency"
    )


def describe_limit(search: ProgramSearch) -> str:
    """The limit of processes in words: "at most 8 processes"."""
    exactly = "exactly" if search.limits.is_exact else "at most"
    return f"{exactly} {count_of(search.max_processes, 'process', 'processes')}"


def _changes(orders: Sequence[Order]) -> Iterator[OrderChange]:
    """Pairs whose order differs between clusters, for one limit of processes."""
    times = {order.cluster: {each.name: each.time_ns for each in order.ranked} for order in orders}
    names = dict.fromkeys(name for found in times.values() for name in found)
    for first, second in combinations(names, 2):
        both = {
            cluster: found[first] - found[second]
            for cluster, found in times.items()
            if first in found and second in found
        }
        faster = tuple(cluster for cluster, difference in both.items() if difference < 0)
        slower = tuple(cluster for cluster, difference in both.items() if difference > 0)
        if faster and slower:
            yield OrderChange(orders[0].max_processes, first, second, faster, slower)
