"""Commands that forecast how programs would run on a described cluster."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from tracemill.base.console import messages
from tracemill.base.errors import UsageError
from tracemill.cli.forecasting_outputs import Outputs
from tracemill.cli.forecasting_runs import check_for_run, forecast_run
from tracemill.cli.parameters import Flag, StorePath

if TYPE_CHECKING:
    from tracemill.forecast.described import FoundProgram
    from tracemill.forecast.forecasting import Forecast
    from tracemill.reports.forecast_sections.material import ForecastMaterial


def _check_speed(_: object, factor: float | None) -> None:
    if factor is not None and not 0 < factor < float("inf"):
        raise ValueError("must be above 0")


def forecast(
    program: Annotated[
        str, Parameter(help="TOML file that describes the program, or a run or campaign.")
    ],
    /,
    *,
    cluster: Path | None = None,
    fit: Path | None = None,
    grid: str | None = None,
    variant: str | None = None,
    speed: Annotated[float, Parameter(validator=_check_speed)] = 1.0,
    shortcuts: Literal["none", "loops", "all"] = "loops",
    compare_full: Annotated[bool, Flag] = False,
    intervals: Literal["user", "parallel", "serial", "loops"] = "user",
    measured: str | None = None,
    html: Path | None = None,
    csv: Path | None = None,
    json: Path | None = None,
    output: Annotated[bool, Flag] = False,
    store: StorePath = Path("store"),
) -> None:
    """Forecast how long a program would run on a cluster, and where the time would go.

    A described program is simulated on the described cluster, and so is the program made from a
    campaign, or from a run with --grid. A run is replayed: the calls of its processes, with the
    computation between them. Without --cluster, a network fitted to its messages is used. Tables
    are kept in the store.

    Examples:
      tracemill forecast data/programs/jacobi.toml --cluster data/clusters/mvs-15k.toml
      tracemill forecast solver.toml --cluster site.toml --grid 16x8 --html solver.html
      tracemill forecast heat_p16 --cluster site.toml --speed 1.5
      tracemill forecast heat_p16 --fit site.toml
      tracemill forecast heat_p16 --cluster site.toml --output
      tracemill report "heat_p16 forecast on site"
      tracemill sql "FROM forecast_intervals ORDER BY lost_ns DESC"

    Parameters
    ----------
    cluster
        TOML file that describes the cluster; see data/clusters for examples.
    fit
        File to write: the cluster whose network is fitted to the messages of the run.
    grid
        Processes in each dimension, such as 4x4. [default: the grid of the program]
    variant
        Variant of the program. [default: the program as it is described]
    speed
        Factor on the speed of the cluster's cores.
    shortcuts
        Repetitions that are not simulated: none, those of loops, or all, which also skips parts
        of pipelined loops and underestimates waits for channels.
    compare_full
        Also simulate without shortcuts, and show the differences.
    intervals
        Intervals that get times of their own: those of the program (user), also parallel loops,
        also serial loops, or both kinds of loops.
    measured
        Measured run time in seconds, or the measured run, to record the error of the forecast.
    html
        Page to write: self-contained, with all intervals.
    csv
        Folder to write: a CSV file for each table.
    json
        File to write: all tables as one object.
    output
        Keep the forecast of a run in the store as a run of its own, with all tables. Its label is
        that of the run, "forecast on", and the name of the cluster.
    """
    from tracemill.forecast.described import find_program, parse_grid
    from tracemill.store.runs import Run

    outputs = Outputs(html=html, csv=csv, json=json)
    outputs.check(fit)
    wanted = None if grid is None else parse_grid(grid)
    found = find_program(program, store, wanted)
    if isinstance(found, Run):
        options = {
            "--variant": variant is not None,
            "--shortcuts": shortcuts != "loops",
            "--compare-full": compare_full,
            "--intervals": intervals != "user",
            "--measured": measured is not None,
        }
        check_for_run(options, cluster, fit)
        forecast_run(
            found, outputs, cluster=cluster, fit=fit, speed=speed, store=store, output=output
        )
        return
    if output:
        raise UsageError(
            "--output is for recorded runs: leave it out, or name a run without --grid"
        )
    made = _forecast_program(
        found, cluster, fit, speed, grid=wanted, variant=variant, shortcuts=shortcuts,
        intervals=intervals, compare_full=compare_full,
    )  # fmt: skip
    _keep(made, found.note, outputs, measured=measured, store=store)


def _forecast_program(
    found: "FoundProgram", cluster: Path | None, fit: Path | None, speed: float, **options: Any
) -> "Forecast":
    """The forecast of a program. Raises UsageError without a cluster."""
    from tracemill.forecast.forecasting import forecast as make_forecast
    from tracemill.programs.clusters.reading import read_cluster

    if fit is not None:
        raise UsageError("--fit is for recorded runs: leave it out, or name a run without --grid")
    if cluster is None:
        raise UsageError("a forecast of a program needs --cluster: see data/clusters for examples")
    return make_forecast(found.program, read_cluster(cluster, speed=speed), **options)


def _keep(
    made: "Forecast", note: str, outputs: Outputs, *, measured: str | None, store: Path
) -> None:
    """Store the tables and errors of a forecast, and write the wanted files."""
    from tracemill.forecast.storing import store_forecast
    from tracemill.reports.build_forecast import build_forecast_report, build_forecast_summary

    errors = _record_errors(made, store, measured)
    folder = store_forecast(store, made)
    if note:
        messages().print(note, style="muted", markup=False, soft_wrap=True)
    material = _material(made, errors)
    outputs.write(
        partial(build_forecast_report, material), build_forecast_summary(material),
        material.tables, [("tables", folder)],
    )  # fmt: skip


def _record_errors(made: "Forecast", store: Path, measured: str | None) -> list[str]:
    """Record the errors against `measured` and matching runs; returns them as sentences."""
    from tracemill.forecast.errors_report import describe_record
    from tracemill.forecast.errors_storing import record_measurements

    records = record_measurements(
        store,
        program=made.program.name,
        variant=made.program.variant,
        cluster=made.cluster,
        processes=made.program.process_count,
        forecast_ns=made.outcome.time_ns,
        measured=measured,
    )
    return [describe_record(each) for each in records]


def _material(made: "Forecast", measured: Sequence[str]) -> "ForecastMaterial":
    from tracemill.forecast.tables import tables_of
    from tracemill.reports.forecast_sections.material import ForecastMaterial

    full = made.full.intervals if made.full else ()
    return ForecastMaterial(
        tables_of(made),
        skipped=made.outcome.skipped,
        full_times=[interval.time_ns for interval in full],
        measured=measured,
    )
