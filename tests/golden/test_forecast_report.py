"""The report of a forecast: its sentences, its tables and the way from interval to interval."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tests.helpers.forecasts import make_forecast, make_outcome, times
from tracemill.base.console import plain
from tracemill.forecast.forecasting import Forecast
from tracemill.forecast.outcome import IntervalOutcome, LevelOutcome, Outcome
from tracemill.forecast.tables import tables_of
from tracemill.reports.build_forecast import build_forecast_report, build_forecast_summary
from tracemill.reports.forecast_sections import intervals, summary
from tracemill.reports.forecast_sections.material import ForecastMaterial
from tracemill.reports.html import render_html
from tracemill.reports.model import Report, Table
from tracemill.reports.pictures.process_bars import draw_process_bars
from tracemill.reports.terminal import print_report


def material_of(forecast: Forecast) -> ForecastMaterial:
    full = forecast.full.intervals if forecast.full else ()
    full_times = [each.time_ns for each in full]
    return ForecastMaterial(tables_of(forecast), forecast.outcome.skipped, full_times)


def table_of(report: Report, section: str, name: str) -> Table:
    return next(table for table in report.section(section).tables if table.name == name)


def interval(path: str, parent: int | None, own: Sequence[int]) -> IntervalOutcome:
    """An interval of communication alone."""
    none = times(*(0 for _ in own))
    return IntervalOutcome(path, parent, times(*own), none, none, times(*own))


def with_intervals(*made: IntervalOutcome) -> Forecast:
    count = len(made[0].own_ns)
    outcome = Outcome(made[0].own_ns, made, ())
    forecast = make_forecast(outcome=outcome)
    return replace(forecast, program=replace(forecast.program, grid=(count,)))


def test_the_summary_says_time_efficiency_and_what_costs_most() -> None:
    # 596 of 1596 ns are lost, all to communication: 320 in the exchange, 276 in the reduction.
    assert summary.sentences(material_of(make_forecast())) == (
        "Run time 532 ns with 3 processes; speed-up 1.88; efficiency 62.7%.",
        "Of the time of all processes, 37.3% is lost: 37.3% communication.",
        "The class of operations that costs most is exchange: 320 ns in 1 operation, 53.7% of all "
        "communication.",
    )


def test_busy_channels_and_skipped_parts_are_named() -> None:
    levels = (
        LevelOutcome("node", 1.0, 1.0, 400.0, 0.8),
        LevelOutcome("rack", 1.0, 1.0, 450.0, 0.8456),
    )
    outcome = replace(make_outcome(skipped=("8 of 10 iterations of steps",)), levels=levels)
    found = summary.sentences(material_of(make_forecast(outcome=outcome)))
    assert found[-2:] == (
        "Channels that are busy more than 80% of the run time: rack (84.6%).",
        "Not simulated: 8 of 10 iterations of steps.",
    )


def test_the_comparison_names_the_largest_difference() -> None:
    slower = replace(make_outcome().intervals[1], own_ns=times(40, 20, 280))
    full = replace(make_outcome(slower_ns=-1), intervals=(make_outcome().intervals[0], slower))
    found = summary.sentences(material_of(make_forecast(full=full)))
    # The run times are 532 and 531 ns, those of the interval 260 and 280 ns.
    assert found[-1] == (
        "The full simulation takes 531 ns; shortcuts change the run time by +1.00 ns (+0.19%). The "
        'largest change of an interval is -20.0 ns (-7.1%): "program/edges".'
    )
    same = summary.sentences(material_of(make_forecast(full=make_outcome())))
    assert same[-1] == "The full simulation gives the same times."


def test_measurements_stand_in_the_summary() -> None:
    material = replace(material_of(make_forecast()), measured=["First.", "Second."])
    assert summary.sentences(material)[-2:] == ("First.", "Second.")
    many = replace(material, measured=["One.", "Two.", "Three.", "Four.", "Five."])
    assert summary.sentences(many)[-2:] == (
        "Three.", "2 more measurements: see the table forecast_errors.",
    )  # fmt: skip


def test_a_program_without_time_has_a_summary() -> None:
    found = summary.sentences(material_of(with_intervals(interval("program", None, [0, 0]))))
    assert found == ("Run time 0 s with 2 processes; efficiency 100.0%.",)


def test_the_worst_intervals_come_first_in_a_terminal() -> None:
    console = plain(100)
    print_report(build_forecast_summary(material_of(make_forecast())), console)
    lines = [line.split() for line in console.export_text().splitlines()]
    at = next(number for number, line in enumerate(lines) if line[:1] == ["Interval"])
    # 780 ns are lost in the edges, 596 in the program, which includes less idle time.
    assert [line[:3] for line in lines[at + 1 : at + 3]] == [
        ["program/edges", "780", "ns"],
        ["program", "596", "ns"],
    ]


def test_intervals_are_colored_by_the_share_of_lost_time() -> None:
    report = build_forecast_report(material_of(make_forecast()))
    table = table_of(report, "intervals", "intervals")
    assert table.row_shades == (1.0, 596 / 1596)
    page = render_html(report)
    assert '<tr id="row-1" class="shaded" style="--h:100.0%">' in page
    assert '<tr id="row-0" class="shaded" style="--h:37.3%">' in page


def test_an_interval_leads_to_those_around_it() -> None:
    report = build_forecast_report(
        material_of(
            with_intervals(
                interval("program", None, [9, 9]),
                interval("program/first", 0, [1, 1]),
                interval("program/second", 0, [2, 2]),
                interval("program/second/inner", 2, [1, 1]),
                interval("program/third", 0, [3, 3]),
            )
        )
    )
    table = table_of(report, "interval-2", "intervals")
    relations = [str(row[0]) for row in table.rows]
    assert list(zip(relations, table.row_links, strict=True)) == [
        ("above", "interval-0"),
        ("before", "interval-1"),
        ("this interval", ""),
        ("after", "interval-4"),
        ("below", "interval-3"),
    ]
    top = table_of(report, "interval-0", "intervals")
    assert [row[0] for row in top.rows] == ["this interval", "below", "below", "below"]


def test_of_many_intervals_only_the_worst_have_sections() -> None:
    parts = [interval(f"program/part {at}", 0, [at, at]) for at in range(1, 51)]
    material = material_of(with_intervals(interval("program", None, [99, 99]), *parts))
    first, *details = intervals.build(material)
    assert first.remarks == ("Sections follow for the 40 of 51 intervals with the most lost time.",)
    assert [each.key for each in details] == [
        "interval-0",
        *(f"interval-{n}" for n in range(12, 51)),
    ]
    # Part 11 has no section: the link leads to its row in the table of all.
    table = details[1].tables[0]
    assert [str(row[1]) for row in table.rows][:2] == ["program", "program/part 11"]
    assert table.row_links[:2] == ("interval-0", "row-11")


def test_operations_of_an_interval_are_listed_by_class() -> None:
    report = build_forecast_report(material_of(make_forecast()))
    table = table_of(report, "interval-0", "operations")
    assert [row[:3] for row in table.rows] == [("exchange", 1.0, 320), ("reduction", 1.0, 276)]


def test_the_page_compares_intervals_with_the_full_simulation() -> None:
    full = make_outcome(slower_ns=8)
    report = build_forecast_report(material_of(make_forecast(full=full)))
    table = table_of(report, "method", "comparison")
    assert table.rows == (("program", 532, 540, -8), ("program/edges", 260, 260, 0))


def test_bars_of_processes_are_stacked_to_the_longest() -> None:
    svg = draw_process_bars({"productive": times(50, 100), "idle": times(50, 0)})
    # Two bars, 450 wide with a quarter left free; 100 ns are 150 high.
    assert 'd="M0.0 75.0h337.5v75.0h-337.5zM450.0 0.0h337.5v150.0h-337.5z"' in svg
    assert 'd="M0.0 0.0h337.5v75.0h-337.5z"' in svg
    assert "process 1</text>" in svg


def test_many_processes_are_drawn_as_means() -> None:
    svg = draw_process_bars({"productive": np.repeat(times(10, 30), 200)})
    assert svg.count("M") == 200
    # Means of 2 processes: the first 100 bars are a third as high as the last 100.
    assert svg.count("v50.0h") == 100
    assert svg.count("v150.0h") == 100


def test_names_cannot_control_a_terminal_or_rearrange_a_page() -> None:
    made = with_intervals(interval("program", None, [1]), interval("program/\u202e\x1b[2J", 0, [1]))
    made = replace(made, outcome=replace(made.outcome, skipped=("1 of 3 of \x1b[2J",)))
    page = render_html(build_forecast_report(material_of(made)))
    console = plain(100)
    print_report(build_forecast_summary(material_of(made)), console)
    for text in (page, console.export_text()):
        assert "\u202e" not in text
        assert "\x1b" not in text


def test_the_page_escapes_names_of_the_program() -> None:
    forecast = with_intervals(interval("program", None, [1]), interval("program/<b>", 0, [1]))
    page = render_html(build_forecast_report(material_of(forecast)))
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
