"""Descriptions of programs: errors of wrong ones, and notes on others."""

import csv
import json
import tomllib
from pathlib import Path

import pytest

from tests.helpers.otf2_reading import read_archive
from tracemill.base.errors import PipelineError, ProgramError
from tracemill.cli import main
from tracemill.programs.generate import generate
from tracemill.programs.language.process_kinds import MachineSpec, parse_spec
from tracemill.programs.language.reading import read_program
from tracemill.programs.process import Process
from tracemill.programs.program import Program
from tracemill.programs.simulation import simulate
from tracemill.programs.timing import of_machine

EXAMPLE = Path(__file__).parents[2] / "data" / "programs" / "stencil.toml"


def test_deadlocked_processes_are_named() -> None:
    program = Program(2)
    for rank in range(2):
        process = Process(program, rank)
        process.begin("main")
        process.receive(1 - rank)
        process.end()
        process.finish()
    with pytest.raises(ProgramError, match="rank 0 in main/MPI_Recv, rank 1 in main/MPI_Recv"):
        simulate(program, of_machine(MachineSpec(), 2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("processes = ", "not a TOML file"),
        ("", "neither processes nor grid is given: give processes for"),
        ("processes = 2", "field phase is missing"),
        ("processes = 2\nphase = []", r"no phases: give at least one \[\[phase\]\]"),
        ("processes = 0\n[[phase]]\nkind = 'work'", "processes: 0 is out of range: 1 to 65536"),
        ("processes = 2.5\n[[phase]]\nkind = 'work'", "processes: give a whole number, not 2.5"),
        ("processes = 2\nranks = 3\n[[phase]]\nkind = 'work'", "unknown field ranks: fields are"),
        ("processes = 2\n[[phase]]\nkind = 'threads'\nteam = 2", "team: a process has 1 thread"),
        ("processes = 2\n[[phase]]\nkind = 'wrok'", "phase 1: no kind 'wrok': kinds are work, st"),
        ("processes = 2\n[[phase]]\nbytes = 3", "phase 1: field kind is missing: kinds are work, "),
        ("processes = 2\n[[phase]]\nkind = 'rma'\ntasks = 1", r"phase 1 \(rma\): unknown field t"),
        (
            "processes = 2\n[[phase]]\nkind = 'collectives'\noperations = ['sum']",
            "operations: no 'sum': one of barrier",
        ),
        (
            "processes = 2\n[[phase]]\nkind = 'work'\n[[what_if]]\nfactor = 2",
            "what_if 1: name a region, a rank or both",
        ),
        (
            "processes = 2\n[[phase]]\nkind = 'work'\n[[what_if]]\nfactor = 2\nrank = 2",
            "what_if 1: no rank 2: ranks go from 0 to 1",
        ),
        (
            "processes = 2\n[[phase]]\nkind = 'work'\n[[phase]]\nkind = 'collectives'\nroot = 2",
            r"phase 2 \(collectives\): root: no rank 2: ranks go from 0 to 1",
        ),
        (
            "processes = 1\n[[phase]]\nkind = 'master_worker'",
            r"phase 1 \(master_worker\): nobody works: give 2 processes or more",
        ),
    ],
)
def test_wrong_descriptions_are_explained(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "program.toml"
    path.write_text(text)
    with pytest.raises(ProgramError, match=message):
        read_program(path)


def test_an_unknown_region_to_scale_is_named_and_no_files_remain(tmp_path: Path) -> None:
    given = {"processes": 1, "phase": [{"kind": "work"}]}
    spec = parse_spec(given | {"what_if": [{"region": "wrok", "factor": 1}]})
    with pytest.raises(ProgramError, match="no region wrok: computation is in compute_work"):
        generate(spec, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_existing_files_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    spec = parse_spec({"processes": 1, "phase": [{"kind": "work"}]})
    with pytest.raises(PipelineError, match="is there already: name another place with --output"):
        generate(spec, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_command_writes_archive_and_truth(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    assert main(["generate", str(EXAMPLE), "--output", str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder / 'traces.otf2'}\n"
    truth = json.loads((folder / "truth.json").read_text())
    assert truth["processes"] == tomllib.loads(EXAMPLE.read_text())["processes"]
    with (folder / "truth_wait_states.csv").open() as file:
        rows = list(csv.DictReader(file))
    late = [int(row["wait_ns"]) for row in rows if row["property"] == "mpi_latesender"]
    assert truth["waits_without_submetrics"]["mpi_latesender"] == {
        "count": len(late),
        "wait_ns": sum(late),
    }


@pytest.mark.parametrize("processes", [1, 2])
def test_a_single_process_without_partners_is_reported(
    processes: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It still computes, like the smallest run of a series."""
    path = tmp_path / "program.toml"
    phases = ("stencil", "work", "pipeline", "stencil", "messages", "collectives")
    kinds = "".join(f"[[phase]]\nkind = '{kind}'\n" for kind in phases)
    path.write_text(f"processes = {processes}\n{kinds}")
    assert main(["generate", str(path), "--output", str(tmp_path / "out")]) == 0
    warning = "a single process has no partner: phases stencil, pipeline, messages only compute\n"
    assert (warning in capsys.readouterr().err) is (processes == 1)
    found = read_archive(tmp_path / "out" / "traces.otf2", tmp_path / "store")
    kinds_found = {kind for (kind,) in found.rows("mpi_operations", "kind")}
    assert ({"send", "isend"} <= kinds_found) is (processes == 2)
    assert "collective" in kinds_found
    computed = [path for (path,) in found.visits("path") if path.endswith("compute_stencil")]
    assert len(computed) == 2 * processes


def test_wrong_descriptions_have_an_exit_code(tmp_path: Path) -> None:
    path = tmp_path / "program.toml"
    assert main(["generate", str(path), "--output", str(tmp_path / "out")]) == 11
    path.write_text("processes = 0")
    assert main(["generate", str(path), "--output", str(tmp_path / "out")]) == 16


JACOBI = EXAMPLE.with_name("jacobi.toml")
MVS_15K = EXAMPLE.parents[1] / "clusters" / "mvs-15k.toml"


def test_the_command_takes_a_cluster_and_a_grid(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    given = ["--cluster", str(MVS_15K), "--grid", "2x3", "--output", str(folder)]
    assert main(["generate", str(JACOBI), *given]) == 0
    truth = json.loads((folder / "truth.json").read_text())
    assert truth["processes"] == 6
    given = ["--cluster", str(MVS_15K), "--grid", "8", "--variant", "rows"]
    assert main(["generate", str(JACOBI), *given, "--output", str(tmp_path / "rows")]) == 0
    truth = json.loads((tmp_path / "rows" / "truth.json").read_text())
    assert truth["processes"] == 8


def test_a_cluster_changes_messages_of_processes(tmp_path: Path) -> None:
    plain, placed = tmp_path / "plain", tmp_path / "placed"
    assert main(["generate", str(EXAMPLE), "--output", str(plain)]) == 0
    given = ["--cluster", str(MVS_15K), "--output", str(placed)]
    assert main(["generate", str(EXAMPLE), *given]) == 0
    truths = [json.loads((each / "truth.json").read_text()) for each in (plain, placed)]
    assert truths[0]["visit_count"] == truths[1]["visit_count"]
    assert truths[0]["run_ns"] != truths[1]["run_ns"]


@pytest.mark.parametrize(
    ("program", "given", "message"),
    [
        (JACOBI, [], "a program with a grid needs a cluster: add --cluster FILE"),
        (JACOBI, ["--cluster", str(MVS_15K), "--grid", "4x"], "--grid 4x: give the processes"),
        (JACOBI, ["--cluster", str(MVS_15K), "--grid", "4"], "grid 4 has 1 dimension:"),
        (JACOBI, ["--cluster", str(MVS_15K), "--grid", "32x32"], "too few for 1,024 processes"),
        (JACOBI, ["--cluster", str(JACOBI)], "unknown field"),
        (EXAMPLE, ["--grid", "4x4"], "--grid and --variant are for programs with a grid"),
        (EXAMPLE, ["--cluster", "missing.toml"], "cannot read missing.toml"),
    ],
)
def test_wrong_clusters_and_grids_are_errors(
    program: Path, given: list[str], message: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert main(["generate", str(program), *given, "--output", str(tmp_path / "out")]) != 0
    error = capsys.readouterr().err
    assert message in " ".join(error.split())
    assert list(tmp_path.iterdir()) == []
