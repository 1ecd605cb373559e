"""Efficiencies of runs as POP defines them, side by side."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from tracemill.campaign.gathering import in_batches, lacks, query_runs
from tracemill.comparison.changes import EfficiencyChange
from tracemill.store.runs import Run

QUERY, PARALLEL = "compared_efficiencies", "parallel_efficiency"


@dataclass(frozen=True)
class Efficiencies:
    """Efficiencies of runs by run id, interval and metric; runs without computation have none.

    `titles` are those of the metrics, in the order of reports.
    """

    ratios: Mapping[str, Mapping[str, Mapping[str, float]]]
    titles: Mapping[str, str]

    def change(self, base: Sequence[str], other: Sequence[str]) -> tuple[EfficiencyChange, ...]:
        """Every efficiency that a run of either side has; sides are ids of runs."""
        chosen = self._of_one_interval((*base, *other))
        return tuple(
            EfficiencyChange(
                metric=metric,
                title=title,
                base_ratio=_mean(chosen, base, metric),
                other_ratio=_mean(chosen, other, metric),
            )
            for metric, title in self.titles.items()
            if any(metric in own for own in chosen.values())
        )

    def _of_one_interval(self, run_ids: Iterable[str]) -> dict[str, Mapping[str, float]]:
        """Efficiencies of the best interval that all runs have; without any, each has its own.

        That is the focus, else from leaving MPI_Init to entering MPI_Finalize, else the whole run,
        as their names sort.
        """
        found = {run_id: self.ratios[run_id] for run_id in run_ids if run_id in self.ratios}
        common = set.intersection(*map(set, found.values())) if found else set()
        return {run_id: own[min(common or own)] for run_id, own in found.items()}


def _mean(
    ratios: Mapping[str, Mapping[str, float]], run_ids: Iterable[str], metric: str
) -> float | None:
    own = [ratios[run_id][metric] for run_id in run_ids if metric in ratios.get(run_id, ())]
    return mean(own) if own else None


def read_efficiencies(
    runs: Iterable[Run], *, threads: int | None, memory_limit: str
) -> Efficiencies:
    """The efficiencies of runs; those of an earlier version have none. Raises StoreError."""
    ratios: dict[str, dict[str, dict[str, float]]] = {}
    titles: dict[int, tuple[str, str]] = {}
    for batch in in_batches(run for run in runs if not lacks(run, [QUERY])):
        (rows,) = query_runs(batch, [QUERY], {}, threads=threads, memory_limit=memory_limit)
        for row in rows.to_pylist():
            of_run = ratios.setdefault(row["run_id"], {})
            of_run.setdefault(row["interval"], {})[row["metric"]] = row["ratio"]
            titles[row["place"]] = row["metric"], row["efficiency"]
    return Efficiencies(ratios, dict(titles[place] for place in sorted(titles)))
