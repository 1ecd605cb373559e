"""Commands about many forecasts: the best grid, and forecasts beside measurements."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tracemill.base.console import ProgressReporter, messages, print_places, results
from tracemill.base.errors import UsageError
from tracemill.cli.parameters import Flag, StorePath

if TYPE_CHECKING:
    from tracemill.forecast.ranking import Ranking
    from tracemill.forecast.search import Mode
    from tracemill.forecast.search_programs import Contender, Limits

_STAGE = "grids"
_LARGEST_COUNT = 2**31 - 1


def _check_efficiency(_: object, efficiency: float) -> None:
    if not 0 <= efficiency <= 1:
        raise ValueError("must be between 0 and 1")


def best_grid(
    *programs: Annotated[Path, Parameter(help="TOML files that describe programs of data.")],
    cluster: Annotated[list[Path], Parameter(consume_multiple=True, negative="")],
    max_processes: str,
    variant: Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")] = None,
    min_efficiency: Annotated[float, Parameter(validator=_check_efficiency)] = 0.0,
    exhaustive: Annotated[bool, Flag] = False,
    search: Annotated[bool, Flag] = False,
    exactly: Annotated[bool, Flag] = False,
    html: Path | None = None,
    csv: Path | None = None,
    json: Path | None = None,
    store: StorePath = Path("store"),
) -> None:
    """Find the grid of processes on which a program is fastest, and rank variants.

    Grids are simulated on the described cluster. Several programs, variants or clusters are
    ranked, each program and variant on its own best grid.

    Examples:
      tracemill best-grid jacobi.toml --cluster mvs-15k.toml --max-processes 256 --variant rows
      tracemill best-grid jacobi.toml --cluster mvs-15k.toml fat-tree.toml --max-processes 8,64,256

    Parameters
    ----------
    cluster
        TOML files that describe clusters; see data/clusters for examples.
    max_processes
        Most processes of a grid, or several such numbers, such as 1,8,64.
    variant
        Variants to consider. [default: all; a program without variants itself]
    min_efficiency
        Least efficiency of the best grid, 0 to 1: productive time divided by run time and number
        of processes.
    exhaustive
        Simulate all grids that leave no process without a part of the largest array. This is the
        default if there are at most 200 of them.
    search
        Simulate few grids even if there are at most 200.
    exactly
        Consider only grids of exactly MAX-PROCESSES processes.
    html
        Page to write: self-contained, with a map of the grids of each search.
    csv
        Folder to write: a CSV file for each table.
    json
        File to write: all tables as one object.
    """
    from tracemill.base.files import check_folder
    from tracemill.forecast.exporting import check_csv_folder
    from tracemill.forecast.search_programs import Limits, contenders_of
    from tracemill.programs.language.reading import read_data_program

    if not programs:
        raise UsageError("best-grid needs PROGRAMS: TOML files that describe programs of data")
    if exhaustive and search:
        raise UsageError("give --exhaustive or --search, not both")
    for path in (html, json):
        if path is not None:
            check_folder(path)
    if csv is not None:
        check_csv_folder(csv)
    counts = _counts(max_processes)
    mode: Mode = "exhaustive" if exhaustive else "search" if search else "auto"
    limits = Limits(min_efficiency=min_efficiency, is_exact=exactly, mode=mode)
    described = [read_data_program(each) for each in programs]
    ranking = _rank(contenders_of(described, variant or ()), cluster, counts, limits)
    _write(ranking, html=html, csv=csv, json=json, store=store)


def _counts(text: str) -> list[int]:
    """The numbers of processes, ascending. Raises UsageError."""
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdecimal() and 0 < int(word) <= _LARGEST_COUNT for word in words):
        raise UsageError(
            f"--max-processes {text}: give whole numbers of at least 1, joined by commas, such as "
            "1,8,64"
        )
    return sorted({int(word) for word in words})


def _rank(
    contenders: Sequence["Contender"],
    clusters: Sequence[Path],
    counts: Sequence[int],
    limits: "Limits",
) -> "Ranking":
    """Search all best grids, with progress."""
    from tracemill.forecast.ranking import rank_contenders
    from tracemill.programs.clusters.reading import read_cluster

    described = [read_cluster(path) for path in clusters]
    with ProgressReporter(titles={_STAGE: "simulating grids"}) as reporter:
        reporter.stage_started(_STAGE, None)
        return rank_contenders(
            contenders,
            described,
            counts,
            limits,
            is_evaluated=lambda _: reporter.stage_advanced(_STAGE, 1),
        )


def _write(
    ranking: "Ranking", *, html: Path | None, csv: Path | None, json: Path | None, store: Path
) -> None:
    """Store the tables, write the wanted files, and print the summary."""
    from tracemill.base.files import write_text
    from tracemill.forecast.exporting import write_csv, write_json
    from tracemill.forecast.search_report import build_search_report, build_search_summary
    from tracemill.forecast.search_tables import ranking_tables, search_tables, store_ranking
    from tracemill.reports.html import render_html
    from tracemill.reports.terminal import print_report
    from tracemill.store.forecasts import FOLDER

    is_ranking = len(ranking.searches) > 1
    tables = ranking_tables(ranking) if is_ranking else search_tables(ranking.searches)
    store_ranking(store, ranking)
    places = [("tables", store / FOLDER)]
    if html is not None:
        write_text(html, render_html(build_search_report(ranking)))
        places.append(("page", html))
    if csv is not None:
        write_csv(tables, csv)
        places.append(("csv", csv))
    if json is not None:
        write_json(tables, json)
        places.append(("json", json))
    print_report(build_search_summary(ranking), results())
    print_places(places)


def forecast_errors(
    file: Annotated[
        Path | None,
        Parameter(
            help="CSV file with columns program, variant, cluster, processes, forecast_s and "
            "measured_s. [default: all records in the store]"
        ),
    ] = None,
    /,
    *,
    store: StorePath = Path("store"),
) -> None:
    """Compare forecasts with measurements, and record them in the store.

    Prints errors and times in percent of the best variant, and the variants that forecast and
    measurement rank in another order. The table forecast_errors of the store keeps all records.
    Without FILE, forecasts in the store are matched to its runs of the same program, cluster and
    number of processes.
    """
    from tracemill.base.errors import MissingInputError
    from tracemill.forecast.errors import compare_records
    from tracemill.forecast.errors_input import read_errors
    from tracemill.forecast.errors_report import build_errors_report
    from tracemill.forecast.errors_storing import match_forecasts, read_records, store_errors_of
    from tracemill.reports.terminal import print_report
    from tracemill.reports.wording import count_of
    from tracemill.store.finding import existing_store

    if file is not None:
        records = read_errors(file)
        new = store_errors_of(store, records)
    else:
        new = match_forecasts(existing_store(store).path)
        records = read_records(store)
    if not records:
        raise MissingInputError(
            f"no measured forecasts: {store}: give a table of them, or forecast --measured"
        )
    name = file.name if file is not None else str(store)
    print_report(build_errors_report(compare_records(records), name), results())
    known = "; the others were there already" if new < len(records) else ""
    text = f"{count_of(new, 'record')} added to forecast_errors in {store}{known}"
    messages().print(text, style="muted", markup=False, soft_wrap=True)
