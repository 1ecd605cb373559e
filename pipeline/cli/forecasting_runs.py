"""The part of `tracemill forecast` that replays recorded runs."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tracemill.base.console import ProgressReporter, messages, results
from tracemill.base.errors import UsageError
from tracemill.cli.forecasting_outputs import Outputs
from tracemill.cli.keeping import print_kept

if TYPE_CHECKING:
    from tracemill.programs.clusters.cluster import Cluster
    from tracemill.store.runs import Run


def check_for_run(given: Mapping[str, bool], cluster: Path | None, fit: Path | None) -> None:
    """Raise UsageError for options that do not apply to a replay."""
    for name, is_given in given.items():
        if is_given:
            raise UsageError(
                f"{name} is for described programs: add --grid, such as 4x4, to forecast the "
                "program made from the run"
            )
    if cluster is not None and fit is not None:
        raise UsageError("--fit makes a cluster, --cluster names one: give one of them")


def forecast_run(
    run: "Run",
    outputs: Outputs,
    *,
    cluster: Path | None,
    fit: Path | None,
    speed: float,
    store: Path,
    output: bool,
) -> None:
    """Replay a run on a cluster, or on the one fitted to its own messages."""
    from tracemill.forecast.replayed.forecasting import forecast_on, keep_forecast
    from tracemill.forecast.replayed.report import build_run_report
    from tracemill.forecast.replayed.storing import record_error, store_run_forecast, tables_of_run
    from tracemill.programs.clusters.reading import read_cluster

    if cluster is not None:
        made = forecast_on(run, read_cluster(cluster, speed=speed), "given")
    else:
        made = forecast_on(run, _fit(run, fit, speed), "fitted")
    folder = store_run_forecast(store, made)
    if speed == 1.0 and run.source.is_measured:
        record_error(store, made)
    else:
        reason = "With --speed" if run.source.is_measured else f"{run.label} was not measured"
        messages().print(
            f"{reason}: the error of the forecast is not recorded.",
            style="muted", markup=False, soft_wrap=True,
        )  # fmt: skip
    report = build_run_report(made)
    places = [("tables", folder), ("cluster", fit)]
    outputs.write(lambda: report, report, tables_of_run(made), places)
    if output:
        with ProgressReporter() as reporter:
            kept = keep_forecast(made, store, reporter)
        print_kept(kept)


def _fit(run: "Run", path: Path | None, speed: float) -> "Cluster":
    """The cluster fitted to a run, which is printed, and written to `path`."""
    from dataclasses import replace

    from tracemill.forecast.replayed.fitted import fit_cluster, write_fitted
    from tracemill.forecast.replayed.report import build_fit_section
    from tracemill.reports.terminal import print_section

    fitted = fit_cluster(run)
    print_section(build_fit_section(fitted), results())
    results().print()
    if path is not None:
        write_fitted(fitted, path)
    return replace(fitted.cluster, speed=speed)
