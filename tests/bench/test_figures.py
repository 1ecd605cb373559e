"""The figures in the reference are those that were measured."""

from pathlib import Path

from tests.bench.figures import BEGIN, END, figure_lines, record, with_figures
from tests.bench.measuring import Cost
from tests.bench.places import DOCUMENT, FIGURES
from tests.bench.results import Machine, Measured, Results

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


def measured(name: str, *costs: Cost, made_by: str = "a1") -> Measured:
    events = costs[0].events
    return Measured(name=name, events=events, byte_count=0, made_by=made_by, costs=costs)


def results(
    *archives: Measured, texts: tuple[Measured, ...] = (), real: tuple[Measured, ...] = ()
) -> Results:
    """The bare loop deals with 0.2 million events per CPU-second; the fixed loop takes 0.8 s."""
    return Results(
        measured_at="2030-01-02T03:04:05+00:00",
        machine=Machine(system="Linux x86_64", processors=4, processor="Cray 1", load_before=0.0),
        versions={},
        others=(cost("bare_loop", MILLION, 5.0),),
        archives=archives,
        texts=texts,
        real=real,
        fixed_loop_seconds=0.8,
    )


# From 1 to 4 million events generating takes four times as long, reading twice: exponents 1, 0.5.
# Reading 4 million in 1 s is 20 times as fast as 0.2 million in one.
SMALL = measured(
    "small",
    cost("generate", MILLION, 2.0, byte_count=12 * MILLION),
    cost("replay", MILLION, 0.08),
    cost("read", MILLION, 0.5, byte_count=6 * MILLION),
)
LARGE = measured(
    "large",
    cost("generate", 4 * MILLION, 8.0, byte_count=48 * MILLION),
    cost("read", 4 * MILLION, 1.0, byte_count=22 * MILLION),
    cost("read", 4 * MILLION, 1.25, byte_count=22 * MILLION, threads=2),
)
TEXT = measured("text", cost("read_text", 500_000, 0.25, byte_count=2_500_000))


# 3 s for 1.2 million events, of which the bare loop does 0.2 million in one.
REAL = measured("lulesh", cost("command", 1_200_000, 3.0, byte_count=6 * MILLION, threads=2))


def test_the_document_has_a_row_for_each_job_and_size() -> None:
    lines = list(figure_lines(results(SMALL, LARGE, texts=(TEXT,))))
    assert lines[0].split(" | ")[2:] == [
        "CPU s", "loops", "wall s", "M events/CPU s", "× bare loop", "peak MB", "growth",
        "bytes/event |",
    ]  # fmt: skip
    assert lines[2:] == [
        "| generating | 1,000,000 | 2.00 | 2.50 | 2.50 | 0.50 |  | 100 |  | 12.0 |",
        "| generating | 4,000,000 | 8.00 | 10.00 | 8.50 | 0.50 |  | 100 | 1.00 | 12.0 |",
        "| archive to Parquet | 1,000,000 | 0.50 | 0.62 | 1.00 | 2.00 | 10.0 | 100 |  | 6.0 |",
        "| archive to Parquet | 4,000,000 | 1.00 | 1.25 | 1.50 | 4.00 | 20.0 | 100 | 0.50 | 5.5 |",
        "| archive to Parquet, 2 threads | 4,000,000 | 1.25 | 1.56 | 1.75 | 3.20 | 16.0 | 100 |  "
        "| 5.5 |",
        "| replay of activities | 1,000,000 | 0.08 | 0.10 | 0.58 | 12.50 |  | 100 |  |  |",
        "| CSV to Parquet | 500,000 | 0.25 | 0.31 | 0.75 | 2.00 |  | 100 |  | 5.0 |",
        "| official Python reader, bare loop | 1,000,000 | 5.00 | 6.25 | 5.50 | 0.20 | 1.0 | 100 "
        "|  |  |",
        "",
        "Measured on 2030-01-02: Linux x86_64, 4 processors (Cray 1); the fixed loop takes 0.80 s.",
    ]


def test_traces_of_real_programs_have_a_table_with_their_names() -> None:
    lines = list(figure_lines(results(SMALL, real=(REAL,))))
    begin = lines.index("") + 1
    assert lines[begin].startswith("| trace | what | events | CPU s |")
    assert lines[begin + 2] == (
        "| lulesh | tracemill analyze, from start to end, 2 threads | 1,200,000 | 3.00 | 3.75 "
        "| 3.50 | 0.40 | 2.0 | 100 |  | 5.0 |"
    )


def test_figures_are_recorded_between_their_marks(tmp_path: Path) -> None:
    figures, document = tmp_path / "figures.json", tmp_path / "performance.md"
    document.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    found = results(SMALL, LARGE, texts=(TEXT,))
    record(found, figures=figures, document=document)
    text = document.read_text()
    assert text.startswith(f"before\n{BEGIN}\n\n| what |")
    assert text.endswith(f"the fixed loop takes 0.80 s.\n\n{END}\nafter\n")
    assert "old" not in text
    assert Results.load(figures.read_text()) == found


def test_figures_in_the_reference_are_those_that_were_measured() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert with_figures(text, Results.load(FIGURES.read_text(encoding="utf-8"))) == text
    assert BEGIN in text
