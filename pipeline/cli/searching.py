"""Commands about many forecasts: the best grid, and forecasts beside measurements."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tracemill.base.console import messages, results
from tracemill.cli.parameters import StorePath


def forecast_errors(
    file: Annotated[
        Path,
        Parameter(
            help="CSV file with columns program, variant, cluster, processes, forecast_s and "
            "measured_s."
        ),
    ],
    /,
    *,
    store: StorePath = Path("store"),
) -> None:
    """Compare forecasts with measurements, and record them in the store.

    Prints errors and times in percent of the best variant, and the variants that forecast and
    measurement rank in another order. The table forecast_errors of the store keeps all records.
    """
    from tracemill.forecast.errors import compare_records
    from tracemill.forecast.errors_input import read_errors
    from tracemill.forecast.errors_report import build_errors_report
    from tracemill.forecast.errors_storing import store_errors_of
    from tracemill.reports.terminal import print_report
    from tracemill.reports.wording import count_of

    records = read_errors(file)
    new = store_errors_of(store, records)
    print_report(build_errors_report(compare_records(records), file.name), results())
    known = f"; {len(records) - new:,} were there already" if new < len(records) else ""
    text = f"{count_of(new, 'record')} added to forecast_errors in {store}{known}"
    messages().print(text, style="muted", markup=False, soft_wrap=True)
