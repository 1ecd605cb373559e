"""Measurements are shown correctly: in the reference, on the terminal, and in the history."""

from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from tests.bench.figures import BEGIN, END, figure_lines, record, with_figures
from tests.bench.history import Change, Entry, compare, last_entries, remember
from tests.bench.measuring import Cost
from tests.bench.places import DOCUMENT, FIGURES
from tests.bench.report import change_table, cost_table, stage_tables
from tests.bench.results import Machine, Measured, Results
from tests.bench.stage_meter import StageCost

MILLION = 1_000_000


def cost(job: str, events: int, seconds: float, *, byte_count: int = 0, threads: int = 1) -> Cost:
    return Cost(
        job=job,
        threads=threads,
        events=events,
        cpu_seconds=seconds,
        wall_seconds=seconds + 0.5,
        start_up_cpu_seconds=0.6,
        peak_bytes=100 * MILLION,
        bytes=byte_count,
    )


def stage(seconds: float, *, rows: int = 0, byte_count: int = 0) -> StageCost:
    return StageCost(
        cpu_seconds=seconds,
        wall_seconds=seconds / 2,
        peak_bytes=200 * MILLION,
        rows=rows,
        bytes=byte_count,
    )


def measured(name: str, *costs: Cost, made_by: str = "a1") -> Measured:
    events = costs[0].events
    return Measured(name=name, events=events, byte_count=0, made_by=made_by, costs=costs)


def results(
    *archives: Measured, texts: tuple[Measured, ...] = (), others: tuple[Cost, ...] = ()
) -> Results:
    """The bare loop deals with 0.2 million events per CPU-second."""
    return Results(
        measured_at="2030-01-02T03:04:05+00:00",
        machine=Machine(system="Linux x86_64", processors=4, processor="Cray 1", load_before=0.0),
        versions={},
        others=(cost("bare_loop", MILLION, 5.0), *others),
        archives=archives,
        texts=texts,
    )


def cells_of(table: Table) -> list[tuple[str, ...]]:
    """The rows of a table as it is printed."""
    console = Console(width=200)
    with console.capture() as capture:
        console.print(table)
    lines = [line for line in capture.get().splitlines() if line.startswith("│")]
    return [tuple(cell.strip() for cell in line.strip("│").split("│")) for line in lines]


# From 1 to 4 million events generating takes four times as long, reading twice: exponents 1, 0.5.
# Reading 4 million in 1 s is 20 times as fast as 0.2 million in one.
SMALL = measured(
    "small",
    cost("generate", MILLION, 2.0, byte_count=12 * MILLION),
    cost("callbacks", MILLION, 0.3),
    cost("read", MILLION, 0.5, byte_count=6 * MILLION),
)
LARGE = measured(
    "large",
    cost("generate", 4 * MILLION, 8.0, byte_count=48 * MILLION),
    cost("read", 4 * MILLION, 1.0, byte_count=22 * MILLION),
    cost("read", 4 * MILLION, 1.25, byte_count=22 * MILLION, threads=2),
)
TEXT = measured("text", cost("read_text", 500_000, 0.25, byte_count=2_500_000))


def test_the_document_has_a_row_for_each_job_and_size() -> None:
    lines = list(figure_lines(results(SMALL, LARGE, texts=(TEXT,))))
    assert lines[0].split(" | ")[3:] == [
        "wall s", "M events/CPU s", "× bare loop", "peak MB", "growth", "bytes/event |",
    ]  # fmt: skip
    assert lines[2:] == [
        "| generating | 1,000,000 | 2.00 | 2.50 | 0.50 |  | 100 |  | 12.0 |",
        "| generating | 4,000,000 | 8.00 | 8.50 | 0.50 |  | 100 | 1.00 | 12.0 |",
        "| archive to Parquet | 1,000,000 | 0.50 | 1.00 | 2.00 | 10.0 | 100 |  | 6.0 |",
        "| archive to Parquet | 4,000,000 | 1.00 | 1.50 | 4.00 | 20.0 | 100 | 0.50 | 5.5 |",
        "| archive to Parquet, 2 threads | 4,000,000 | 1.25 | 1.75 | 3.20 | 16.0 | 100 |  | 5.5 |",
        "| CSV to Parquet | 500,000 | 0.25 | 0.75 | 2.00 |  | 100 |  | 5.0 |",
        "| bare Python loop | 1,000,000 | 5.00 | 5.50 | 0.20 | 1.0 | 100 |  |  |",
        "",
        "Measured on 2030-01-02: Linux x86_64, 4 processors (Cray 1); "
        "otf2-print is not installed there.",
    ]


def test_the_document_shows_otf2_print_where_it_is_installed() -> None:
    lines = list(figure_lines(results(SMALL, others=(cost("otf2_print", MILLION, 2.5),))))
    assert lines[-3] == "| otf2-print | 1,000,000 | 2.50 | 3.00 | 0.40 | 2.0 | 100 |  |  |"
    assert "not installed" not in lines[-1]


def test_figures_are_recorded_between_their_marks(tmp_path: Path) -> None:
    figures, document = tmp_path / "figures.json", tmp_path / "performance.md"
    document.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    found = results(SMALL, LARGE, texts=(TEXT,))
    record(found, figures=figures, document=document)
    text = document.read_text()
    assert text.startswith(f"before\n{BEGIN}\n\n| what |")
    assert text.endswith(f"there.\n\n{END}\nafter\n")
    assert "old" not in text
    assert Results.load(figures.read_text()) == found


def test_figures_in_the_reference_are_those_that_were_measured() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert with_figures(text, Results.load(FIGURES.read_text(encoding="utf-8"))) == text
    assert BEGIN in text


def test_the_terminal_tells_the_costs_of_all_jobs() -> None:
    rows = cells_of(cost_table(results(SMALL, LARGE, texts=(TEXT,))))
    assert len(rows) == 8
    # 3 million events more in 0.5 s more.
    assert rows[4] == (
        "4,000,000", "archive to Parquet", "1", "1.00", "1.50", "4.00", "20.0", "6.00", "0.50",
        "100", "5.50", "0.60",
    )  # fmt: skip


def analysis(events: int, seconds: float, **stages: StageCost) -> Cost:
    return replace(cost("analyze", events, seconds, threads=2), stages=stages)


def test_the_terminal_tells_the_costs_of_stages_for_each_size() -> None:
    small = measured("small", analysis(MILLION, 3.0, read=stage(0.5, rows=7), sends=stage(0.0)))
    late = {f"late_{number:02}": stage(0.02, rows=3, byte_count=2000) for number in range(17)}
    read = stage(2.0, rows=3_000_000, byte_count=24 * MILLION)
    large = measured("large", analysis(4 * MILLION, 9.0, read=read, sends=stage(0.5), **late))
    first, second = map(cells_of, stage_tables(results(small, large)))
    assert first == [
        ("read", "0.50", "2.0", "0.25", "", "7", "", "", "200"),
        ("sends", "0.00", "", "0.00", "", "0", "", "", "200"),
    ]
    # Four times the events in four times the time; sends took no time before.
    assert second[0] == ("read", "2.00", "2.0", "1.00", "1.00", "3,000,000", "24.00", "6.00", "200")
    assert second[1] == ("sends", "0.50", "8.0", "0.25", "", "0", "", "", "200")
    # 16 stages are shown, 14 of them late ones; 3 are left.
    assert len(second) == 17
    assert second[-1][:6] == ("3 others", "0.06", "66.7", "0.03", "", "9")


def test_the_last_measurement_of_each_kind_is_kept_in_mind(tmp_path: Path) -> None:
    history = tmp_path / "history.jsonl"
    assert last_entries(history, results(SMALL).machine) == ({}, 0)
    remember(results(SMALL, LARGE), history)
    later = results(measured("small", cost("read", MILLION, 0.7), made_by="b2"))
    remember(replace(later, measured_at="2030-02-01T00:00:00+00:00"), history)
    elsewhere = replace(later.machine, processor="Cray 2")
    remember(replace(later, machine=elsewhere, measured_at="2030-03-01T00:00:00+00:00"), history)
    with history.open("a") as file:
        file.write('{"written": "by another version"}\nnot even JSON\n')
    busy = replace(later.machine, load_before=3.0)  # the same kind of machine for all that
    found, unreadable = last_entries(history, busy)
    assert unreadable == 2
    read = found["small", "read", 1, ""]
    assert (read.cost.cpu_seconds, read.made_by, read.measured_at[:7]) == (0.7, "b2", "2030-02")
    assert found["large", "read", 2, ""].measured_at[:7] == "2030-01"
    elsewhere_found, _ = last_entries(history, elsewhere)
    assert {key[:2] for key in elsewhere_found} == {("small", "read"), ("small", "bare_loop")}


def changes_between(before: Cost, now: Cost, made_by: str = "a1") -> list[Change]:
    """Of one cost, the first time measured on a trace made by `a1`."""
    known = {("m", now.job, now.threads, ""): Entry(before, "2029-12-31T12:00:00+00:00", "a1")}
    return list(compare(results(measured("m", now, made_by=made_by)), known))


def test_changes_are_shares_of_what_was_before_per_event() -> None:
    before = cost("read", MILLION, 1.0, byte_count=6 * MILLION)
    now = replace(
        before, cpu_seconds=1.1, wall_seconds=1.2, peak_bytes=150 * MILLION, bytes=3 * MILLION
    )
    (change,) = changes_between(before, now)
    assert (change.cpu, change.wall, change.peak, change.bytes) == pytest.approx(
        (0.1, -0.2, 0.5, -0.5)
    )
    # Twice the events in twice the time, with twice the bytes: the same per event.
    twice = replace(
        before, events=2 * MILLION, cpu_seconds=2.0, wall_seconds=3.0, bytes=12 * MILLION
    )
    (change,) = changes_between(before, twice, made_by="b2")
    assert (change.cpu, change.wall, change.bytes) == pytest.approx((0.0, 0.0, 0.0))
    assert not change.is_same_trace
    # Nothing was written before.
    (change,) = changes_between(replace(before, bytes=0), now)
    assert change.bytes is None


def test_what_was_not_measured_anew_is_not_compared() -> None:
    generated = cost("generate", MILLION, 20.0)
    assert changes_between(generated, generated) == []


def test_stages_are_told_of_if_they_changed_notably() -> None:
    before = analysis(
        MILLION, 5.0, read=stage(1.0), sends=stage(1.0), late=stage(0.1), gone=stage(1.0)
    )
    now = analysis(
        MILLION, 6.0, read=stage(1.5), sends=stage(1.15), late=stage(0.19), new=stage(1.0)
    )
    # read: half as much again; sends: by 0.15 s, but less than a fifth; late: by only 0.09 s.
    whole, read = changes_between(before, now)
    assert (whole.stage, read.stage) == ("", "read")
    assert (whole.cpu, read.cpu) == pytest.approx((0.2, 0.5))
    rows = cells_of(change_table([whole, read]))
    since = "2029-12-31 12:00 UTC"
    assert rows[0] == ("1,000,000", "whole analysis", "2", "+20", "+18", "+0", "", since)
    assert rows[1] == ("1,000,000", "stage read", "2", "+50", "+50", "+0", "", since)
    rows = cells_of(change_table([replace(read, is_same_trace=False, cpu=-0.25)]))
    assert (rows[0][3], rows[0][7]) == ("-25", f"{since}, other trace")
