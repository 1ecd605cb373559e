"""The summary as JSON, and conditions on its figures that make an analysis fail.

rank 0  main 0–10000 ns; MPI_Send 6000–6500
rank 1  main 0–10000 ns; MPI_Recv 2000–7000, which waits 6000 - 2000 = 4000 ns
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from tests.doc_pages import ROOT
from tracemill import cli
from tracemill.base.errors import MissingInputError, RegressionError, UsageError
from tracemill.reports.document import Document, Efficiencies
from tracemill.reports.limits import figure_units
from tracemill.sql.query_files import load_query

TRACE = """\
Timestamp (ns),Event Type,Name,Process,Partner,Tag,Bytes
0,Enter,main,0,,,
0,Enter,main,1,,,
2000,Enter,MPI_Recv,1,,,
6000,Enter,MPI_Send,0,,,
6100,Instant,MpiSend,0,1,7,4096
6500,Leave,MPI_Send,0,,,
6600,Instant,MpiRecv,1,0,7,4096
7000,Leave,MPI_Recv,1,,,
10000,Leave,main,0,,,
10000,Leave,main,1,,,
"""
REFERENCE = ROOT / "docs" / "reference" / "summary.md"
Output = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the trace, and a store in which it is analyzed."""
    folder = tmp_path_factory.mktemp("summary")
    (folder / "halo.csv").write_text(TRACE)
    assert analyze(folder, "--no-report") == 0
    return folder


def analyze(folder: Path, *arguments: str) -> int:
    return cli.main(
        ["analyze", str(folder / "halo.csv"), "--store", str(folder / "store"), *arguments]
    )


def document_of(folder: Path, capsys: Output, *arguments: str) -> dict[str, Any]:
    capsys.readouterr()
    analyze(folder, "--format", "json", *arguments)
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_figures_are_exact_and_in_seconds(folder: Path, capsys: Output) -> None:
    """Of 2 × 10000 ns, 500 + 5000 are in MPI; useful are 9500 and 5000, 7250 on average."""
    document = document_of(folder, capsys, "--no-report")
    assert document["figures"] == {
        "run_time": 10_000e-9, "whole_time": 10_000e-9, "all_time": 20_000e-9,
        "mpi": 5_500 / 20_000, "waiting": 4_000 / 20_000, "extended_waiting": 0,
        "processes": 2, "threads": 2,
        "messages": 1, "records": 10,
    }  # fmt: skip
    ratios = document["efficiencies"]
    assert ratios["parallel_efficiency"] == pytest.approx(7_250 / 10_000)
    assert ratios["load_balance"] == pytest.approx(7_250 / 9_500)
    assert ratios["communication_efficiency"] == pytest.approx(9_500 / 10_000)
    assert ratios["openmp_efficiency"] is None
    assert document["warnings"] == []


def test_causes_waits_and_gains_are_those_of_the_report(folder: Path, capsys: Output) -> None:
    """Rank 0 computes 6000 ns before its send, and rank 1 only 2000 before its receive."""
    document = document_of(folder, capsys, "--no-report")
    cause = document["root_causes"][0]
    assert (cause["call_path"], cause["worst_rank"], cause["caused_ratio"]) == ("main", 0, 1)
    assert cause["caused_s"] == cause["direct_s"] == cause["worst_s"] == 4_000e-9
    (waiting,) = document["wait_states"]
    assert (waiting["metric"], waiting["title"]) == ("mpi_latesender", "Late Sender")
    assert (waiting["wait_s"], waiting["wait_ratio"]) == (4_000e-9, 4_000 / 20_000)
    assert (waiting["wait_count"], waiting["worst_rank"]) == (1, 1)
    assert waiting["advice"]
    assert document["gains"][0]["call_path"] == "main"
    assert any("20.0% waiting" in each for each in document["sentences"])


def test_files_are_those_that_were_written(folder: Path, capsys: Output) -> None:
    without = document_of(folder, capsys, "--no-report")["files"]
    assert (without["report"], without["text"]) == (None, None)
    assert Path(without["tables"], "manifest.json").exists()
    files = document_of(folder, capsys)["files"]
    assert Path(files["report"]).name == "index.html"
    assert all(Path(path).exists() for path in files.values())


@pytest.mark.parametrize("options", [["--no-report"], []])
def test_standard_output_is_one_document(
    options: Sequence[str], folder: Path, capsys: Output
) -> None:
    capsys.readouterr()
    assert analyze(folder, "--format", "json", "--force", *options) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["run"]["label"] == "halo"
    assert "tables computed" in printed.err


def test_a_report_prints_the_same_document(folder: Path, tmp_path: Path, capsys: Output) -> None:
    analyzed = document_of(folder, capsys, "--no-report")
    store = ["--store", str(folder / "store")]
    assert cli.main(["report", "halo", *store, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document == analyzed
    output = tmp_path / "halo.json"
    assert cli.main(["report", "halo", *store, "--output", str(output)]) == 0
    assert json.loads(output.read_text()) == document
    capsys.readouterr()


def test_a_focus_is_named_and_has_its_own_figures(folder: Path, capsys: Output) -> None:
    """From 2000 to 6000 ns, both ranks spend 8000 ns, and rank 1 waits for 4000 of them."""
    store = ["--store", str(folder / "store")]
    focus = ["--window", "2us..6us", "--format", "json"]
    assert cli.main(["report", "halo", *store, *focus]) == 0
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert document["focus"]
    assert document["files"] == {"report": None, "text": None, "tables": None}
    assert document["run"]["label"] == "halo"
    assert document["figures"]["all_time"] == 8_000e-9
    assert document["figures"]["waiting"] == 4_000 / 8_000


# --- Conditions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("waiting > 20%", False),
        ("waiting >= 20%", True),
        ("Waiting > 19.999%", True),
        ("mpi_latesender >= 20%", True),
        ("mpi_latebroadcast > 0%", False),
        ("parallel efficiency < 72.5%", False),
        ("parallel-efficiency <= 72.5%", True),
        ("run_time >= 10us", True),
        ("run_time > 0.01 ms", False),
        ("run_time < 10001ns", True),
        ("messages < 1", False),
        ("messages <= 1", True),
    ],
)
def test_a_condition_is_compared_exactly(
    condition: str, holds: bool, folder: Path, capsys: Output
) -> None:
    code = analyze(folder, "--no-report", "--fail-if", condition)
    assert code == (RegressionError.exit_code if holds else 0)
    printed = capsys.readouterr()
    assert "Parallel efficiency" in printed.out
    assert ("tracemill: " in printed.err) == holds


def test_each_condition_that_holds_has_a_line_with_figure_and_bound(
    folder: Path, capsys: Output
) -> None:
    conditions = ("waiting > 15%", "run_time > 1s", "mpi > 27%", "openmp_efficiency < 50%")
    options = [word for each in conditions for word in ("--fail-if", each)]
    assert analyze(folder, "--format", "json", *options) == 23
    printed = capsys.readouterr()
    assert printed.err.splitlines()[1:] == [
        "halo: openmp_efficiency < 50% was not checked: the run has no openmp_efficiency",
        "tracemill: halo: waiting > 15%: waiting is 20%",
        "tracemill: halo: mpi > 27%: mpi is 27.5%",
    ]
    assert json.loads(printed.out)["conditions"] == [
        {"condition": "waiting > 15%", "figure": "waiting", "value": 0.2, "holds": True},
        {"condition": "run_time > 1s", "figure": "run_time", "value": 1e-5, "holds": False},
        {"condition": "mpi > 27%", "figure": "mpi", "value": 0.275, "holds": True},
        {"condition": "openmp_efficiency < 50%", "figure": "openmp_efficiency", "value": None,
         "holds": False},
    ]  # fmt: skip


def test_run_and_report_are_stored_although_a_condition_holds(tmp_path: Path) -> None:
    (tmp_path / "halo.csv").write_text(TRACE)
    assert analyze(tmp_path, "--fail-if", "waiting > 1%") == 23
    assert len(list((tmp_path / "store").glob("runs/run=*/gen=*/manifest.json"))) == 1
    assert len(list((tmp_path / "store").glob("reports/run=*/index.html"))) == 1


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("wating > 20%", "no figure wating: did you mean waiting?\n"),
        ("waiting", "this is not a condition: write FIGURE > NUMBER"),
        ("nosuch > 20%", "no figure nosuch: docs/reference/summary.md lists figures such as"),
        ("waiting > 20", "waiting is limited in %"),
        ("run_time > 20%", "run_time is limited in s, ms, us or ns"),
        ("messages > 1s", "messages is limited in a plain number"),
        ("run_time > +1s", "a single run has no changes"),
        ("", "this is not a condition"),
    ],
)
def test_a_wrong_condition_is_refused_before_the_analysis(
    condition: str, message: str, tmp_path: Path, capsys: Output
) -> None:
    (tmp_path / "halo.csv").write_text(TRACE)
    assert analyze(tmp_path, f"--fail-if={condition}") == UsageError.exit_code
    error = capsys.readouterr().err
    assert error.startswith("tracemill: --fail-if ")
    assert error.count("\n") == 1
    assert message in error
    assert not (tmp_path / "store").exists()


def test_what_would_be_computed_has_no_figures(folder: Path, capsys: Output) -> None:
    for options in (["--fail-if", "waiting > 1%"], ["--format", "json"]):
        assert analyze(folder, "--explain", *options) == UsageError.exit_code
        assert "omit --fail-if and --format" in capsys.readouterr().err


# --- The same names in comparisons ----------------------------------------------------------------


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the trace, and with one whose send begins 3500 ns earlier: rank 1 waits 500."""
    folder = tmp_path_factory.mktemp("sides")
    earlier = TRACE.replace("6000,Enter,MPI_Send", "2500,Enter,MPI_Send")
    for name, text in (("slow", TRACE), ("fast", earlier)):
        (folder / f"{name}.csv").write_text(text)
        path = str(folder / f"{name}.csv")
        assert cli.main(["analyze", path, "--store", str(folder), "--no-report"]) == 0
    return folder


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("waiting >= 20%", True),
        ("waiting > 20%", False),
        ("mpi_latesender >= 20%", True),
        ("mpi_latesender > 20%", False),
        ("parallel_efficiency <= 72.5%", True),
        ("parallel_efficiency < 72.5%", False),
        ("run_time >= 10us", True),
        ("run_time > 10us", False),
        ("messages <= 1", True),
    ],
)
def test_a_name_means_the_same_in_a_comparison(
    condition: str, holds: bool, sides: Path, capsys: Output
) -> None:
    """Without a sign, a condition limits the value of the second run."""
    code = RegressionError.exit_code if holds else 0
    limited = ["--fail-if", condition, "--store", str(sides)]
    trace = str(sides / "slow.csv")
    assert cli.main(["analyze", trace, "--no-report", *limited]) == code
    assert cli.main(["compare", "fast", "slow", *limited]) == code
    capsys.readouterr()


@pytest.mark.parametrize(
    ("condition", "code", "reason"),
    [
        # 500 → 4000 of 20000 ns
        ("waiting > +699%", 23, "Waiting: +17.5 points (+700.0%), 2.5% → 20.0%"),
        ("waiting > +700%", 0, "Waiting: +17.5 points (+700.0%), 2.5% → 20.0%"),
        ("mpi_latesender > +3499ns", 23, "Late Sender: +3.50 µs (+700.0%), 500 ns → 4.00 µs"),
        ("messages > +0", 0, "Messages: 0 (0%), 1 → 1"),
    ],
)
def test_a_number_with_a_sign_limits_the_change(
    condition: str, code: int, reason: str, sides: Path, capsys: Output
) -> None:
    capsys.readouterr()
    limited = ["--fail-if", condition, "--store", str(sides)]
    assert cli.main(["compare", "fast", "slow", *limited]) == code
    assert reason in capsys.readouterr().out


# --- Levels of detail -----------------------------------------------------------------------------


def test_a_call_tree_has_no_waiting_to_limit(tmp_path: Path, capsys: Output) -> None:
    for name, size in (("one", "1"), ("two", "2")):
        (tmp_path / f"{name}.csv").write_text(TRACE.replace("4096", size))
        assert analyze_profile(tmp_path, name, "--fail-if", "waiting < 50%") == 0
    printed = capsys.readouterr()
    assert "waiting < 50% was not checked: the run has no waiting" in printed.err
    store = ["--store", str(tmp_path)]
    assert cli.main(["report", "one", *store, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["run"]["detail"] == "profile"
    assert [document["figures"][name] for name in ("waiting", "extended_waiting", "messages")] == [
        None, None, None
    ]  # fmt: skip
    for condition in ("waiting < 50%", "mpi_latesender < 50%", "mpi_latesender < 1s"):
        code = cli.main(["compare", "one", "two", *store, "--fail-if", condition])
        error = capsys.readouterr().err
        assert (code, error.count("\n")) == (MissingInputError.exit_code, 1)
        assert "detail profile" in error


def test_a_call_tree_is_not_compared_with_a_whole_run(tmp_path: Path, capsys: Output) -> None:
    (tmp_path / "tree.csv").write_text(TRACE)
    (tmp_path / "halo.csv").write_text(TRACE.replace("4096", "4097"))
    assert analyze_profile(tmp_path, "tree") == analyze_profile(tmp_path, "halo", "full") == 0
    capsys.readouterr()
    assert cli.main(["compare", "tree", "halo", "--store", str(tmp_path)]) == UsageError.exit_code
    assert capsys.readouterr().err == (
        "tracemill: tree has the detail profile, halo full: their run times, waiting and overheads "
        "cannot be compared: analyze both with the same --detail\n"
    )


def analyze_profile(folder: Path, name: str, *more: str) -> int:
    detail = more[:1] if more == ("full",) else ("profile", *more)
    return cli.main(
        ["analyze", str(folder / f"{name}.csv"), "--store", str(folder), "--no-report",
         "--detail", *detail]
    )  # fmt: skip


# --- Declarations ---------------------------------------------------------------------------------


def keys_of(value: Any, above: str = "") -> set[str]:
    """All keys of a document, as the reference writes them."""
    if isinstance(value, list):
        return {key for each in value for key in keys_of(each, f"{above}[]")}
    if not isinstance(value, dict):
        return set()
    inner = {(f"{above}.{name}" if above else name): each for name, each in value.items()}
    return set(inner).union(*(keys_of(each, name) for name, each in inner.items()))


def test_the_reference_describes_every_key(folder: Path, capsys: Output) -> None:
    document = document_of(folder, capsys, "--fail-if", "waiting > 1%")
    rows = [line.split("`")[1] for line in REFERENCE.read_text().splitlines() if "| `" in line]
    assert set(rows) == keys_of(document)
    assert list(document) == list(get_type_hints(Document))


def test_efficiencies_are_those_of_the_view() -> None:
    listed = load_query("efficiencies").statement.split("placed")[0]
    names = get_type_hints(Efficiencies)
    assert [each.split("'")[1] for each in listed.splitlines() if "('" in each] == list(names)
    assert names.keys() < figure_units().keys()
