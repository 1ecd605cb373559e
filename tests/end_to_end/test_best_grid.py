"""The best grids of Jacobi's method on MVS-15K, and the command that finds and ranks them."""

import csv
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tracemill import cli
from tracemill.api import open_store
from tracemill.forecast.search import Search
from tracemill.forecast.search_programs import Evaluator, Limits, contenders_of, search_program
from tracemill.programs.clusters.reading import read_cluster
from tracemill.programs.language.reading import read_data_program

DATA = Path(__file__).parents[2] / "data"
JACOBI = DATA / "programs" / "jacobi.toml"
MVS = DATA / "clusters" / "mvs-15k.toml"
Searching = Callable[..., Search]

TWO_PROGRAMS = """
grid = [1]
[[phase]]
kind = "parallel"
time_ns = 1000
[[phase]]
kind = "serial"
time_ns = {serial}
"""
CLUSTER = """
speed = {speed}
[[level]]
name = "node"
units = 8
[[level.channel]]
"""


@pytest.fixture(scope="module")
def searching() -> Searching:
    """Searches for a variant of Jacobi's method; grids are simulated once."""
    program, cluster = read_data_program(JACOBI), read_cluster(MVS)
    evaluators = {
        each.variant: Evaluator(each, cluster) for each in contenders_of([program])
    }  # fmt: skip

    @cache
    def search(variant: str, most: int, **options: object) -> Search:
        return search_program(evaluators[variant], most, Limits(**options)).search  # type: ignore[arg-type]

    return search


# --- Jacobi's method -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variant", "most", "evaluated", "grid", "time_ns"),
    [
        ("rows", 8, 3, (8,), 216_510_990),
        ("rows", 64, 13, (64,), 42_108_940),
        ("rows", 256, 14, (110,), 36_600_480),
        ("blocks", 8, 8, (2, 4), 211_851_310),
        ("blocks", 64, 86, (4, 16), 36_818_380),
        ("blocks", 256, 101, (9, 12), 31_702_440),
    ],
)
def test_best_grids_of_jacobi(
    searching: Searching, variant: str, most: int, evaluated: int, grid: tuple[int], time_ns: int
) -> None:
    search = searching(variant, most, mode="search")
    assert search.best is not None
    assert (search.best.grid, search.best.time_ns) == (grid, time_ns)
    assert search.count("evaluated") == evaluated


@pytest.mark.parametrize(("most", "evaluated"), [(8, (4, 13)), (64, (13, 86)), (256, (14, 101))])
def test_evaluated_grids_of_jacobi_without_bounds(most: int, evaluated: tuple[int, int]) -> None:
    from tracemill.forecast.grids import grids_within
    from tracemill.forecast.search import search_grids

    program, cluster = read_data_program(JACOBI), read_cluster(MVS)
    for contender, expected in zip(contenders_of([program]), evaluated, strict=True):
        evaluator = Evaluator(contender, cluster)
        search = search_grids(
            grids_within(contender.dimensions, most),
            evenness=evaluator.evenness,
            evaluate=evaluator.evaluate,
            mode="search",
        )
        assert search.count("evaluated") == expected


def test_a_full_scan_of_rows_agrees(searching: Searching) -> None:
    """160 of 256 grids leave nobody without rows: all are simulated by default."""
    search = searching("rows", 256)
    assert search.is_exhaustive
    assert (search.count("evaluated"), search.count("empty process")) == (160, 96)
    assert search.best is not None
    assert search.best.grid == (110,)


def test_no_other_grid_of_blocks_with_96_to_130_processes_is_better(searching: Searching) -> None:
    """62 others near the best one, 9x12, among them 7x16, the published find."""
    search = searching("blocks", 256, mode="exhaustive")
    times = {each.grid: each.time_ns for each in search.evaluated}
    assert len(times) == 1260
    assert times[7, 16] == 31_807_070
    near = [grid for grid in times if 96 <= grid[0] * grid[1] <= 130]
    assert len(near) > 62
    assert min(near, key=lambda grid: times[grid] or 0) == (9, 12)


# --- The command ---------------------------------------------------------------------------------


def run(*arguments: object) -> int:
    return cli.main(["best-grid", *map(str, arguments)])


def test_a_single_search(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, tables, folder = tmp_path / "p.html", tmp_path / "t.json", tmp_path / "csv"
    assert run(
        JACOBI, "--cluster", MVS, "--max-processes", 64, "--variant", "blocks",
        "--html", page, "--json", tables, "--csv", folder, "--store", tmp_path / "store",
    ) == 0  # fmt: skip
    printed = capsys.readouterr().out
    assert "Best grid: 4x16 (64 processes) takes 36.8 ms with an efficiency of 70.0%." in printed
    assert (
        "Evaluated 86 of 280 grids of at most 64 processes; dropped 194 by their class." in printed
    )
    # The least bound among them is 1 − 23.8 % of the best time.
    assert "A grid dropped by its class can be faster by 23.8% at most" in printed
    rows = json.loads(tables.read_text())["grid_search"]
    assert len(rows) == 280
    (best,) = (row for row in rows if row["grid"] == "4x16")
    assert (best["fate"], best["time_ns"], best["processes"]) == ("evaluated", 36_818_380, 64)
    with (folder / "grid_search.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 280
    assert "Map of the grids" in page.read_text()
    with open_store(tmp_path / "store").forecasts() as stored:
        assert stored.sql("SELECT count(*) FROM grid_search").rows() == [(280,)]


def test_variants_are_ranked_for_each_number_of_processes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = tmp_path / "t.json"
    arguments = ("--cluster", MVS, "--max-processes", "8,64,256", "--store", tmp_path / "store")
    assert run(JACOBI, *arguments, "--json", tables) == 0
    rows = json.loads(tables.read_text())["variant_ranking"]
    assert [(row["max_processes"], row["rank"], row["variant"], row["grid"]) for row in rows] == [
        (8, 1, "blocks", "2x4"), (8, 2, "rows", "8"),
        (64, 1, "blocks", "4x16"), (64, 2, "rows", "64"),
        (256, 1, "blocks", "9x12"), (256, 2, "rows", "110"),
    ]  # fmt: skip
    assert rows[-1]["of_best_ratio"] == 36_600_480 / 31_702_440
    assert "mvs-15k, at most 256 processes" in capsys.readouterr().out


def test_a_search_is_stored_once(tmp_path: Path) -> None:
    arguments = ("--cluster", MVS, "--variant", "rows", "--store", tmp_path)
    for most in (2, 2, 3):
        assert run(JACOBI, *arguments, "--max-processes", most) == 0
    assert len(list((tmp_path / "forecasts").iterdir())) == 2
    with open_store(tmp_path).forecasts() as stored:
        assert stored.sql("SELECT count(*) FROM grid_search").rows() == [(2 + 3,)]


def test_clusters_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Twice: a program of 1000 + 100 ns and one of 500 + 500 ns, on fast and on slow cores.

    On 1 process 1100 and 1000; on 8, 125 + 100 = 225 and 62 (62.5 rounds to 63) + 500 = 563. The
    order on each cluster is the same; that of few and many processes is not.
    """
    steep, flat = tmp_path / "steep.toml", tmp_path / "flat.toml"
    steep.write_text(TWO_PROGRAMS.format(serial=100))
    flat.write_text(TWO_PROGRAMS.format(serial=500).replace("1000", "500"))
    clusters = []
    for name, speed in (("fast", 2), ("slow", 1)):
        clusters.append(tmp_path / f"{name}.toml")
        clusters[-1].write_text(CLUSTER.format(speed=speed))
    tables = tmp_path / "t.json"
    assert run(
        steep, flat, "--cluster", *clusters, "--max-processes", "1,8", "--json", tables,
        "--store", tmp_path / "store",
    ) == 0  # fmt: skip
    rows = json.loads(tables.read_text())["variant_ranking"]
    found = [(row["cluster"], row["max_processes"], row["program"], row["time_ns"]) for row in rows]
    assert found == [
        ("fast", 1, "flat", 500), ("fast", 1, "steep", 550),
        ("fast", 8, "steep", 113), ("fast", 8, "flat", 281),
        ("slow", 1, "flat", 1000), ("slow", 1, "steep", 1100),
        ("slow", 8, "steep", 225), ("slow", 8, "flat", 563),
    ]  # fmt: skip
    printed = capsys.readouterr().out
    assert "The order of the variants is the same on all clusters." in printed
    assert "Ranks on all clusters, at most 8 processes" in printed


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--max-processes", "257"), 16, "cluster mvs-15k has 256 cores, too few for 257 proc"),
        (("--max-processes", "8,x"), 2, "--max-processes 8,x: give whole numbers of at least 1"),
        (("--max-processes", "0"), 2, "--max-processes 0: give whole numbers of at least 1"),
        (("--max-processes", "8", "--exhaustive", "--search"), 2, "give --exhaustive or --search"),
        (("--max-processes", "8", "--min-efficiency", "1.5"), 2, "must be between 0 and 1"),
        (("--max-processes", "8", "--variant", "row"), 16, "no variant 'row': variants are rows,"),
        (("--max-processes", "8", "--csv", "nowhere/t"), 10, "no folder nowhere: make it first"),
        # rows on 256 processes leave one without a part: no grid at all
        (
            ("--max-processes", "256", "--exactly", "--variant", "rows"), 16,
            "no grid of exactly 256 processes leaves every process a part of the largest array",
        ),
        # 64 processes have at best 70.0 %, with 4x16
        (
            ("--max-processes", "64", "--exactly", "--min-efficiency", "0.75"), 16,
            "no grid of exactly 64 processes has an efficiency of 0.75: the best efficiency found "
            "is 0.7",
        ),
    ],
)  # fmt: skip
def test_wrong_searches(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...], code: int, message: str,
) -> None:  # fmt: skip
    assert run(JACOBI, "--cluster", MVS, *arguments, "--store", tmp_path) == code
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.count("\n") == 1


def test_programs_and_clusters_need_names_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("--max-processes", "2", "--store", tmp_path)
    assert run(JACOBI, JACOBI, "--cluster", MVS, *arguments) == 16
    assert "several programs or variants are named jacobi/rows" in capsys.readouterr().err
    assert run(JACOBI, "--cluster", MVS, MVS, *arguments) == 16
    assert "several clusters are named mvs-15k" in capsys.readouterr().err


def test_programs_are_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--cluster", MVS, "--max-processes", "2") == 2
    assert "best-grid needs PROGRAMS" in capsys.readouterr().err
    processes = DATA / "programs" / "stencil.toml"
    assert run(processes, "--cluster", MVS, "--max-processes", "2") == 16
    assert "a program of data" in capsys.readouterr().err
