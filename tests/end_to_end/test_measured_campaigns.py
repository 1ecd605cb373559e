"""Campaigns from measurements without traces: what their files say is what the tables hold."""

from pathlib import Path

import duckdb
import pytest

from tracemill.cli import main
from tracemill.store.runs import Store

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT / "data" / "campaigns"


def make(tmp_path: Path, *arguments: str) -> duckdb.DuckDBPyConnection:
    """The tables of a campaign that the command line makes."""
    place = ["--store", str(tmp_path), "--threads", "1", "--no-report"]
    assert main(["campaign", *arguments, *place]) == 0
    return Store(tmp_path).campaigns.open().connect()


def test_a_table_of_times(tmp_path: Path) -> None:
    """The lines of timings.csv, with the best of two block sizes and a run out of memory."""
    connection = make(tmp_path, str(FILES / "timings.csv"), "--variants", "best")
    rows = connection.sql(
        "SELECT processes, size, state, time_ns, round(efficiency, 6) FROM efficiency_grid "
        "ORDER BY size, processes"
    ).fetchall()
    assert rows == [
        (1, 100.0, "measured", 8_000_000_000, 1.0),
        (2, 100.0, "measured", 4_200_000_000, 0.952381),  # 8.0 / (2 × 4.2)
        (4, 100.0, "measured", 2_300_000_000, 0.869565),  # 8.0 / (4 × 2.3), block=64
        (8, 100.0, "measured", 1_600_000_000, 0.625),
        (1, 200.0, "measured", 32_000_000_000, 1.0),
        (2, 200.0, "measured", 16_400_000_000, 0.97561),
        (4, 200.0, "measured", 8_600_000_000, 0.930233),
        (8, 200.0, "out of memory", None, None),
    ]
    (reason,) = connection.sql(
        "SELECT reason FROM campaign_runs WHERE state = 'out of memory'"
    ).fetchall()
    assert reason == ("killed by the system",)


def test_reports_of_mpip(tmp_path: Path) -> None:
    """Sums over processes of what each report prints for its call sites."""
    connection = make(tmp_path, str(FILES / "mpip"))
    tasks = connection.sql(
        "SELECT processes, sum(run_tasks.communication_ns) FROM run_tasks "
        "JOIN campaign_runs USING (campaign_run_id) GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    sites = connection.sql(
        "SELECT processes, operation, sum(call_count)::BIGINT, sum(total_ns)::BIGINT "
        "FROM call_site_times JOIN campaign_runs USING (campaign_run_id) GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    assert [processes for processes, _ in tasks] == [2, 4, 8]
    assert {operation for _, operation, _, _ in sites} == printed_operations()
    assert {
        (processes, operation): (count, total) for processes, operation, count, total in sites
    } == printed_totals()


def printed_lines(report: Path) -> list[list[str]]:
    """Name, site, rank, count, max, mean, min and so on of every process that calls a site."""
    text = report.read_text(encoding="utf-8").split("Callsite Time statistics")[1]
    words = (line.split() for line in text.splitlines())
    return [each for each in words if len(each) > 6 and each[2].isdigit()]


def printed_operations() -> set[str]:
    (first, *_) = sorted((FILES / "mpip").glob("*.mpiP"))
    return {f"MPI_{words[0]}" for words in printed_lines(first)}


def printed_totals() -> dict[tuple[int, str], tuple[int, int]]:
    """Calls and count × mean in nanoseconds, by processes and operation."""
    totals: dict[tuple[int, str], tuple[int, int]] = {}
    for report in (FILES / "mpip").glob("*.mpiP"):
        processes = int(report.stem.split("_p")[1].split("_")[0])
        for words in printed_lines(report):
            key = processes, f"MPI_{words[0]}"
            count, total = totals.get(key, (0, 0))
            calls = int(words[3])
            totals[key] = count + calls, total + calls * round(float(words[5]) * 1_000_000)
    return totals


def test_files_of_extra_p(tmp_path: Path) -> None:
    connection = make(tmp_path, str(FILES / "extrap.txt"))
    regions = connection.sql("SELECT DISTINCT call_path FROM campaign_call_paths ORDER BY ALL")
    text = (FILES / "extrap.txt").read_text(encoding="utf-8")
    named = {line.split()[1].replace("->", "/") for line in text.splitlines() if "REGION" in line}
    assert {path for (path,) in regions.fetchall()} == named


def test_the_published_surface_comes_back(tmp_path: Path) -> None:
    """The campaign's file holds times of the published surface; the fit is that surface."""
    connection = make(tmp_path, str(FILES / "cm5_surface.csv"))
    parameters = dict(
        connection.sql(
            "SELECT parameter, value FROM surface_parameters WHERE model = 'two steps'"
        ).fetchall()
    )
    # Only products of the two factors are determined.
    for name, published in (("c1", 0.0300746), ("c2", -0.00011629), ("c3", 3.33514e-6)):
        assert parameters[name] * parameters["alpha"] == pytest.approx(
            published * 0.767314, rel=1e-6
        )
        assert parameters[name] * parameters["beta"] == pytest.approx(
            published * 0.00868232, rel=1e-6
        )


def test_published_marks_are_ranked_beside(tmp_path: Path) -> None:
    """By the table of marks, and apart from programs whose efficiency means something else."""
    marks = ROOT / "data" / "published_marks" / "teplov2014.csv"
    arguments = ("--variants", "best", "--published-marks", str(marks))
    connection = make(tmp_path, str(FILES / "timings.csv"), *arguments)
    order = connection.sql(
        "SELECT comparison, application FROM mark_rankings WHERE criterion = 'MarkAll' "
        'ORDER BY comparison, "rank"'
    ).fetchall()
    assert [name.split()[0] for comparison, name in order if comparison.startswith("att")] == [
        "block", "dot", "matrix-vector", "Gauss", "vector", "pairwise", "Linpack", "Cholesky",
    ]  # fmt: skip
    assert [name for comparison, name in order if not comparison.startswith("att")] == ["stencil"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("p,time_s\n2,-1\n", "line 2"),
        ("n,time_s\n2,1\n", "p"),
        ("", "empty"),
        ("p,time_s\n2,nan\n", "line 2"),
    ],
)
def test_bad_tables_are_one_clear_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: str, message: str
) -> None:
    (tmp_path / "bad.csv").write_text(lines)
    assert main(["campaign", str(tmp_path / "bad.csv"), "--store", str(tmp_path / "s")]) == 17
    error = capsys.readouterr().err.strip()
    assert "\n" not in error
    assert message in error


def test_one_process_count_gives_what_can_be_given(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("p,n,time_s\n4,10,2\n4,20,3\n4,20,3.5\n")
    connection = make(tmp_path / "store", str(tmp_path / "one.csv"))
    ((reason,),) = connection.sql(
        "SELECT reason FROM scalability_marks WHERE region = 'whole'"
    ).fetchall()
    assert "processes" in reason
    assert connection.sql("SELECT count(*) FROM efficiency_grid").fetchall() == [(2,)]
