"""Runs of a campaign that are compared: all of an application, or of a size."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from tracemill.schemas.call_sites import NO_RUN, ONE_PROCESS_COUNT, TOO_FEW_RUNS
from tracemill.stages.arrays import Flags, Numbers, Relation, read_columns

_MIN_RUNS = 3
_MIN_PROCESS_COUNTS_OF_A_SIZE = 3


@dataclass(frozen=True, order=True)
class ComparedRun:
    """A run that was measured."""

    run_id: int
    application: str
    processes: int
    size: float


@dataclass(frozen=True)
class Population:
    """Compared runs in ascending order; `size` is None for all sizes together.

    `candidates` also include runs with too few processes.
    """

    application: str
    size: float | None
    candidates: tuple[ComparedRun, ...]
    runs: tuple[ComparedRun, ...]

    @property
    def run_ids(self) -> Numbers:
        """Numbers of the runs, or of the candidates if there are no runs."""
        return np.array([run.run_id for run in self.runs or self.candidates], np.int64)

    @property
    def processes(self) -> Numbers:
        return np.array([run.processes for run in self.runs], np.int64)

    @property
    def size_groups(self) -> Numbers:
        """The number of each run's size among the sizes."""
        sizes = sorted({run.size for run in self.runs})
        return np.array([sizes.index(run.size) for run in self.runs], np.int64)

    @property
    def reason(self) -> str | None:
        """Why no correlation can be had, as the schema words it; None if nothing speaks against."""
        if not self.runs:
            return NO_RUN
        if len(self.runs) < _MIN_RUNS:
            return TOO_FEW_RUNS
        return ONE_PROCESS_COUNT if len(set(self.processes.tolist())) == 1 else None

    def are_largest(self) -> Flags:
        """Marks the runs with most processes and, among those, the largest size."""
        keys = [(run.processes, run.size) for run in self.runs]
        return np.array([key == max(keys) for key in keys], np.bool_)

    def are_smallest(self) -> Flags:
        """Marks the runs with fewest processes and, among those, the largest size."""
        keys = [(-run.processes, run.size) for run in self.runs]
        return np.array([key == max(keys) for key in keys], np.bool_)


def read_runs(campaign_runs: Relation) -> list[ComparedRun]:
    """All runs that were measured, by application, then number."""
    rows = (
        campaign_runs.filter("state = 'measured'")
        .select("campaign_run_id, application, processes, size")
        .fetchall()
    )
    return sorted((ComparedRun(*row) for row in rows), key=lambda run: (run.application, run))


def populations_with(
    known: Relation, campaign_runs: Relation, *, min_processes: int
) -> Iterator[Population]:
    """The populations of runs that have rows in `known`; see `find_populations`."""
    (run_ids,) = read_columns(known, "campaign_run_id::BIGINT")
    ids = set(run_ids.tolist())
    runs = [run for run in read_runs(campaign_runs) if run.run_id in ids]
    return find_populations(runs, min_processes=min_processes)


def find_populations(runs: Iterable[ComparedRun], *, min_processes: int) -> Iterator[Population]:
    """Per application: all its runs, and those of each size if there are several sizes.

    Runs of fewer than `min_processes` processes are left out; a size needs three process counts.
    """
    for application, group in groupby(runs, lambda run: run.application):
        candidates = tuple(group)
        whole = _population(application, None, candidates, min_processes)
        yield whole
        sizes = sorted({run.size for run in whole.runs})
        for size in sizes if len(sizes) > 1 else ():
            of_size = [run for run in candidates if run.size == size]
            part = _population(application, size, of_size, min_processes)
            if len(set(part.processes.tolist())) >= _MIN_PROCESS_COUNTS_OF_A_SIZE:
                yield part


def _population(
    application: str, size: float | None, candidates: Sequence[ComparedRun], min_processes: int
) -> Population:
    large = tuple(run for run in candidates if run.processes >= min_processes)
    return Population(application, size, tuple(candidates), large)
