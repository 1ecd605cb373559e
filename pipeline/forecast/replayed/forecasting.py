"""A forecast of a run of a store on a cluster."""

from pathlib import Path
from typing import Literal

import numpy as np

from tracemill.base.text import shortest_text
from tracemill.engine.asking import computed_again
from tracemill.engine.progress import Reporter
from tracemill.engine.replayed_clocks import NewTimes, find_clocks
from tracemill.engine.replayed_source import analyze_changed, open_trace
from tracemill.forecast.replayed.lowering import slowdown
from tracemill.forecast.replayed.outcome import make_outcome, measure
from tracemill.forecast.replayed.reading import read_run
from tracemill.forecast.replayed.running import replay_on
from tracemill.forecast.replayed.storing import RunForecast
from tracemill.programs.clusters.cluster import Cluster
from tracemill.stages.activity_ends import NO_MOMENT
from tracemill.store.manifest import ReplayOrigin
from tracemill.store.runs import Run


def forecast_on(
    run: Run, cluster: Cluster, parameters: Literal["given", "fitted"] = "given"
) -> RunForecast:
    """The forecast of a run; raises MissingInputError without records, or ProgramError."""
    recorded = read_run(run)
    replayed = replay_on(recorded, cluster)
    outcome = make_outcome(recorded, cluster, replayed)
    return RunForecast(run, cluster, parameters, recorded, replayed, outcome, measure(recorded))


def keep_forecast(made: RunForecast, store: Path, reporter: Reporter) -> Run:
    """Analyze the trace with the forecast times, into a run of kind forecast.

    Raises UsageError, or MissingInputError or ChangedTraceError if the trace cannot be read again.
    """
    trace, recorded = open_trace(made.run), made.recorded
    moments = np.full(len(recorded.found.end), NO_MOMENT)
    moments[recorded.activity_of] = recorded.moments
    with computed_again(made.run, ("parallel_visits",)) as answer:
        answer.provide("parallel_visits")
        clocks = find_clocks(
            made.run, answer, recorded.found, moments, _new_times(made), len(recorded.call_paths)
        )
    speed = f" at speed {shortest_text(made.cluster.speed)}" if made.cluster.speed != 1 else ""
    description = f"on {made.cluster.name}{speed}"
    origin = ReplayOrigin(kind="forecast", description=description, hashed=repr(made.cluster))
    return analyze_changed(made.run, trace, store, origin, clocks, reporter)


def _new_times(made: RunForecast) -> NewTimes:
    """Times of records: a call is entered before its overhead, and MPI itself takes no time."""
    recorded, replayed = made.recorded, made.replayed
    found, lowered, count = recorded.found, replayed.lowered, len(recorded.found.end)
    is_gone = (recorded.paths.is_mpi & ~recorded.paths.keeps_time)[found.row_path]
    factor = slowdown(recorded, made.cluster, lowered.is_before)[found.row_activity]
    factor[is_gone & ~lowered.is_before[found.row_activity]] = 0.0
    last = replayed.end[:count] - lowered.overhead
    return NewTimes(np.minimum(replayed.ready[:count], last), last, factor)
