"""The part of `tracemill forecast` that replays recorded runs."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tracemill.base.console import messages, print_places, results
from tracemill.base.errors import UsageError

if TYPE_CHECKING:
    from tracemill.forecast.replayed.fitted import Fitted
    from tracemill.forecast.replayed.storing import RunForecast
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
    *,
    cluster: Path | None,
    fit: Path | None,
    speed: float,
    html: Path | None,
    csv: Path | None,
    json: Path | None,
    store: Path,
) -> None:
    """Replay a run on a cluster, or on the one fitted to its own messages."""
    from dataclasses import replace

    from tracemill.forecast.replayed.fitted import fit_cluster, write_fitted
    from tracemill.forecast.replayed.forecasting import forecast_on
    from tracemill.forecast.replayed.storing import record_error, store_run_forecast
    from tracemill.programs.clusters.reading import read_cluster

    fitted = fit_cluster(run) if cluster is None else None
    if fitted is not None:
        _print_fit(fitted)
        if fit is not None:
            write_fitted(fitted, fit)
    described = (
        read_cluster(cluster, speed=speed)
        if cluster is not None
        else replace(fitted.cluster, speed=speed) if fitted else None
    )  # fmt: skip
    if described is None:
        raise AssertionError("neither given nor fitted")
    made = forecast_on(run, described, "given" if fitted is None else "fitted")
    folder = store_run_forecast(store, made)
    if speed == 1.0:
        record_error(store, made)
    else:
        messages().print(
            "With --speed, the error of the forecast is not recorded.",
            style="muted", markup=False, soft_wrap=True,
        )  # fmt: skip
    _write(made, html=html, csv=csv, json=json, places=[("tables", folder), ("cluster", fit)])


def _print_fit(fitted: "Fitted") -> None:
    from tracemill.forecast.replayed.report import build_fit_section
    from tracemill.reports.terminal import print_section

    print_section(build_fit_section(fitted), results())
    results().print()


def _write(
    made: "RunForecast",
    *,
    html: Path | None,
    csv: Path | None,
    json: Path | None,
    places: list[tuple[str, Path | None]],
) -> None:
    """Write the wanted files, print the summary, and then where all is."""
    from tracemill.base.files import write_text
    from tracemill.forecast.exporting import write_csv, write_json
    from tracemill.forecast.replayed.report import build_run_report
    from tracemill.forecast.replayed.storing import tables_of_run
    from tracemill.reports.html import render_html
    from tracemill.reports.terminal import print_heading, print_section

    report = build_run_report(made)
    if html is not None:
        write_text(html, render_html(report))
    if csv is not None:
        write_csv(tables_of_run(made), csv)
    if json is not None:
        write_json(tables_of_run(made), json)
    print_heading(report, results())
    print_section(report.section("summary"), results())
    places += [("page", html), ("csv", csv), ("json", json)]
    print_places([(name, path) for name, path in places if path is not None])
