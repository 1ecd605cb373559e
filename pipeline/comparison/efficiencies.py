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
    """Efficiencies of runs by run id and metric; runs without computation have none.

    `titles` are those of the metrics, in the order of reports.
    """

    ratios: Mapping[str, Mapping[str, float]]
    titles: Mapping[str, str]

    def change(self, base: Sequence[str], other: Sequence[str]) -> tuple[EfficiencyChange, ...]:
        """Every efficiency that a run of either side has; sides are ids of runs."""
        found = {metric for run_id in (*base, *other) for metric in self.ratios.get(run_id, ())}
        return tuple(
            EfficiencyChange(
                metric=metric,
                title=title,
                base_ratio=self._mean(base, metric),
                other_ratio=self._mean(other, metric),
            )
            for metric, title in self.titles.items()
            if metric in found
        )

    def _mean(self, run_ids: Sequence[str], metric: str) -> float | None:
        own = [self.ratios.get(run_id, {}).get(metric) for run_id in run_ids]
        ratios = [ratio for ratio in own if ratio is not None]
        return mean(ratios) if ratios else None


def read_efficiencies(
    runs: Iterable[Run], *, threads: int | None, memory_limit: str
) -> Efficiencies:
    """The efficiencies of runs; those of an earlier version have none. Raises StoreError."""
    ratios: dict[str, dict[str, float]] = {}
    titles: dict[int, tuple[str, str]] = {}
    for batch in in_batches(run for run in runs if not lacks(run, [QUERY])):
        (rows,) = query_runs(batch, [QUERY], {}, threads=threads, memory_limit=memory_limit)
        for row in rows.to_pylist():
            ratios.setdefault(row["run_id"], {})[row["metric"]] = row["ratio"]
            titles[row["place"]] = row["metric"], row["efficiency"]
    return Efficiencies(ratios, dict(titles[place] for place in sorted(titles)))
