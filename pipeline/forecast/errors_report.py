"""The report of forecasts beside measurements."""

from collections.abc import Sequence

from tracemill.base.names import make_visible
from tracemill.base.text import hash_of, join_words
from tracemill.forecast.errors import LEAST_POINTS, Comparison, ErrorRecord, Inversion
from tracemill.reports.model import Column, Report, Section, Subject, Table
from tracemill.reports.units import Unit, Value, format_time
from tracemill.reports.wording import count_of

MOST_PAIRS = 5

_VARIANT = Column(name="variant", title="Variant", unit=Unit.TEXT, is_whole=True)
_COLUMNS = (
    Column(name="measured_ns", title="Measured", unit=Unit.TIME),
    Column(name="forecast_ns", title="Forecast", unit=Unit.TIME),
    Column(
        name="error",
        title="Error",
        unit=Unit.TEXT,
        meaning="Forecast divided by measured time, minus 1.",
    ),
    Column(
        name="measured_of_best",
        title="Measured, of best",
        unit=Unit.TEXT,
        meaning="Measured time as percent of that of the variant measured fastest.",
    ),
    Column(
        name="forecast_of_best",
        title="Forecast, of best",
        unit=Unit.TEXT,
        meaning="Forecast time as percent of that of the variant forecast fastest.",
    ),
    Column(
        name="measured_efficiency",
        title="Measured efficiency",
        unit=Unit.TEXT,
        meaning="Measured time on one process divided by time and number of processes.",
    ),
    Column(
        name="forecast_efficiency",
        title="Forecast efficiency",
        unit=Unit.TEXT,
        meaning="Forecast time on one process divided by time and number of processes.",
    ),
)


def build_errors_report(comparisons: Sequence[Comparison], name: str) -> Report:
    """A section for each program, cluster and number of processes."""
    records = sum(len(each.rows) for each in comparisons)
    return Report(
        title=make_visible(name),
        subtitle=f"Forecasts beside measurements: {count_of(records, 'record')}",
        name=hash_of(repr([each.rows for each in comparisons])),
        sections=tuple(_section(each, place) for place, each in enumerate(comparisons, start=1)),
        subject=Subject.FORECAST,
    )


def _section(comparison: Comparison, place: int) -> Section:
    processes = count_of(comparison.processes, "process", "processes")
    title = make_visible(f"{comparison.program} on {comparison.cluster}, {processes}")
    return Section(
        key="summary" if place == 1 else f"errors-{place}",
        title=title,
        sentences=describe_order(comparison),
        tables=(_table(comparison, f"errors_{place}"),),
    )


def _table(comparison: Comparison, name: str) -> Table:
    has_efficiency = comparison.processes > 1
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (
            row.variant or "–",
            row.record.measured_ns,
            row.record.forecast_ns,
            f"{100 * row.record.error:+.1f}%",
            f"{row.measured_percent:.1f}%",
            f"{row.forecast_percent:.1f}%",
            _percent(row.measured_efficiency if has_efficiency else None),
            _percent(row.forecast_efficiency if has_efficiency else None),
        )
        for row in comparison.rows
    )
    hidden = {
        column.name
        for at, column in enumerate(_COLUMNS, start=1)
        if all(row[at] is None for row in rows)
    }
    columns = (_VARIANT, *_COLUMNS)
    return Table(
        name=name, title="Times", columns=columns, rows=rows, sql="", hidden=frozenset(hidden)
    )


def _percent(ratio: float | None) -> str | None:
    return None if ratio is None else f"{100 * ratio:.1f}%"


def describe_record(record: ErrorRecord) -> str:
    """A forecast beside its measurement, in a sentence."""
    return make_visible(
        f"Measured {format_time(record.measured_ns)} ({record.source}), forecast "
        f"{format_time(record.forecast_ns)}: error {100 * record.error:+.1f}%."
    )


def describe_order(comparison: Comparison) -> tuple[str, ...]:
    """Whether forecast and measurement rank the variants alike, in sentences."""
    if len(comparison.variants) < 2:
        return ()
    taken = comparison.to_take_out
    names = join_words([make_visible(name) for name in taken])
    without = f"Without variant{'s' * (len(taken) > 1)} {names}, f" if taken else "F"
    order = f"{without}orecast and measurement rank the variants alike."
    pairs = comparison.inversions
    if len(comparison.variants) < len(comparison.rows):
        order += " Of several records of a variant, the medians are compared."
    if not pairs:
        return (order,)
    shown = join_words([_describe(each) for each in pairs[:MOST_PAIRS]])
    more = f" and {len(pairs) - MOST_PAIRS:,} more pairs" if len(pairs) > MOST_PAIRS else ""
    points = f"points of percent of the best, sum of both differences, each {LEAST_POINTS} or more"
    return (order, f"Ranked in opposite order: {shown}{more} ({points}).")


def _describe(pair: Inversion) -> str:
    names = make_visible(f"{pair.first} and {pair.second}")
    return f"{names} by {pair.points:.1f}"
