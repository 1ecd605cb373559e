"""The summary of a forecast: run time, efficiency, and where time is lost."""

from tracemill.base.names import make_visible
from tracemill.base.text import join_words
from tracemill.reports.forecast_sections.material import (
    BUSY,
    PARTS,
    ForecastMaterial,
    Row,
    describe_operations,
)
from tracemill.reports.forecast_sections.tables import part_table, worst_intervals
from tracemill.reports.model import Fact, Section
from tracemill.reports.units import Unit, format_share, format_share_change, format_time, with_sign
from tracemill.reports.wording import count_of, name_path, nonempty

MOST_ROWS, MOST_SKIPPED, MOST_MEASURED = 15, 5, 3


def build(material: ForecastMaterial) -> Section:
    """The summary of the page."""
    program, forecast = material.intervals[0], material.forecast
    return Section(
        key="summary",
        title="Summary",
        facts=(
            Fact("run time", forecast["time_ns"], Unit.TIME),
            Fact("efficiency", program["efficiency_ratio"], Unit.SHARE, _EFFICIENCY),
            Fact("speed-up", forecast["speed_up_ratio"], Unit.NUMBER, _SPEED_UP),
            Fact("processes", forecast["processes"], Unit.COUNT),
            Fact("grid", forecast["grid"]),
        ),
        sentences=sentences(material),
        tables=(part_table(program),),
    )


_EFFICIENCY = "Productive time divided by the time of all processes"
_SPEED_UP = "Run time with a single process divided by the run time"


def build_short(material: ForecastMaterial) -> Section:
    """The summary for a terminal, with the worst intervals."""
    return Section(
        key="summary",
        title="Summary",
        sentences=sentences(material),
        tables=(worst_intervals(material, limit=MOST_ROWS),),
    )


def sentences(material: ForecastMaterial) -> tuple[str, ...]:
    """The forecast in few sentences."""
    return nonempty(
        _describe_time(material),
        _describe_loss(material.intervals[0]),
        _describe_worst_class(material),
        _describe_channels(material),
        describe_skipped(material),
        _describe_full(material),
        *_first_measurements(material),
    )


def _describe_time(material: ForecastMaterial) -> str:
    forecast, program = material.forecast, material.intervals[0]
    processes = count_of(forecast["processes"], "process", "processes")
    speed_up = forecast["speed_up_ratio"]
    text = f"Run time {format_time(forecast['time_ns'])} with {processes}"
    if speed_up is not None and forecast["processes"] > 1:
        text += f"; speed-up {speed_up:,.4g}"
    return f"{text}; efficiency {format_share(program['efficiency_ratio'])}."


def _describe_loss(program: Row) -> str:
    if not program["lost_ns"]:
        return "No time is lost." if program["total_ns"] else ""
    parts = sorted(list(PARTS.items())[1:], key=lambda part: -program[part[1]])
    shares = [
        f"{format_share(program[column] / program['total_ns'])} {part}"
        for part, column in parts
        if program[column]
    ]
    lost = format_share(program["lost_ns"] / program["total_ns"])
    return f"Of the time of all processes, {lost} is lost: {join_words(shares)}."


def _describe_worst_class(material: ForecastMaterial) -> str:
    """The class of operations with the most communication time."""
    own = [row for row in material.operations if row["interval_id"] == 0 and row["time_ns"]]
    if not own:
        return ""
    worst, total = own[0], material.intervals[0]["communication_ns"]
    count = describe_operations(worst["operation_count"])
    share = f", {format_share(worst['time_ns'] / total)} of all communication" if total else ""
    return (
        f"The class of operations that costs most is {worst['class']}: "
        f"{format_time(worst['time_ns'])} in {count}{share}."
    )


def _describe_channels(material: ForecastMaterial) -> str:
    busy = [
        f"{make_visible(row['level'])} ({format_share(row['busy_ratio'])})"
        for row in material.channels
        if row["busy_ratio"] > BUSY
    ]
    if not busy:
        return ""
    return f"Channels that are busy more than {BUSY:.0%} of the run time: {join_words(busy)}."


def describe_skipped(material: ForecastMaterial) -> str:
    """The parts of the simulation that shortcuts left out."""
    named = [make_visible(each) for each in material.skipped[:MOST_SKIPPED]]
    more = len(material.skipped) - len(named)
    parts = [*named, f"{more} more"] if more else named
    return f"Not simulated: {'; '.join(parts)}." if parts else ""


def _describe_full(material: ForecastMaterial) -> str:
    """The comparison with the simulation without shortcuts."""
    if not material.full_times:
        return ""
    pairs = [
        (row["time_ns"], full)
        for row, full in zip(material.intervals, material.full_times, strict=True)
    ]
    worst = max(range(len(pairs)), key=lambda at: abs(pairs[at][0] - pairs[at][1]))
    if pairs[worst][0] == pairs[worst][1]:
        return "The full simulation gives the same times."
    time_ns, full_ns = material.forecast["time_ns"], material.forecast["full_time_ns"]
    text = f"The full simulation takes {format_time(full_ns)}"
    if time_ns != full_ns:
        text += f"; shortcuts change the run time by {_describe_change(time_ns, full_ns)}"
    name = name_path(material.intervals[worst]["interval"])
    return (
        f"{text}. The largest change of an interval is {_describe_change(*pairs[worst])}: {name}."
    )


def _describe_change(time_ns: int, full_ns: int) -> str:
    """A difference of times: '+20 ns (+7.1%)'."""
    share = f" ({format_share_change(time_ns / full_ns - 1)})" if full_ns else ""
    return f"{with_sign(time_ns - full_ns, format_time)}{share}"


def _first_measurements(material: ForecastMaterial) -> tuple[str, ...]:
    """Some measurements beside the forecast."""
    more = len(material.measured) - MOST_MEASURED
    if more <= 0:
        return tuple(material.measured)
    rest = f"{count_of(more, 'more measurement')}: see the table forecast_errors."
    return (*material.measured[:MOST_MEASURED], rest)
