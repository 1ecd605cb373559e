"""A forecast of a run of a store on a cluster."""

from typing import Literal

from tracemill.forecast.replayed.outcome import make_outcome, measure
from tracemill.forecast.replayed.reading import read_run
from tracemill.forecast.replayed.running import replay_on
from tracemill.forecast.replayed.storing import RunForecast
from tracemill.programs.clusters.cluster import Cluster
from tracemill.store.runs import Run


def forecast_on(
    run: Run, cluster: Cluster, parameters: Literal["given", "fitted"] = "given"
) -> RunForecast:
    """The forecast of a run; raises MissingInputError without records, or ProgramError."""
    recorded = read_run(run)
    outcome = make_outcome(recorded, cluster, replay_on(recorded, cluster))
    return RunForecast(run, cluster, parameters, outcome, measure(recorded), recorded.call_paths)
