"""Described programs made from traces: recorded ones, and generated ones of a known structure."""

import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.ring_campaigns import campaign
from tests.reference.cases import DATA
from tracemill.cli import main
from tracemill.engine.analyze import Analysis, Options, analyze
from tracemill.forecast.simulation import simulate
from tracemill.programs.clusters.cluster import Channel, Cluster, Level
from tracemill.programs.clusters.reading import read_cluster
from tracemill.programs.generate import generate
from tracemill.programs.language.process_kinds import parse_spec
from tracemill.programs.language.reading import read_data_program
from tracemill.store.runs import Store

NODE = Cluster("node", (Level("node", 16, (Channel(16, 500, 0.1),)),))


def store_of(analysis: Analysis) -> Path:
    """The folder of the store of an analysis."""
    return analysis.run.path.parents[2]


def described(name: str, store: Path, output: Path, *options: str) -> dict[str, Any]:
    """The program that the command writes; it can be read back."""
    arguments = ["program-from", name, "--store", str(store), "--output", str(output), *options]
    assert main(arguments) == 0
    read_data_program(output)
    return tomllib.loads(output.read_text())


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Exit code and the line of an error."""
    code = main(["program-from", *arguments])
    (line,) = capsys.readouterr().err.splitlines()
    return code, line.removeprefix("tracemill: ")


# --- Recorded runs -------------------------------------------------------------------------------


def test_messages_of_a_recorded_run(
    analysis_of: Callable[[str], Analysis], tmp_path: Path
) -> None:  # fmt: skip
    # Ranks 0 and 2 work 50 ms, then send to 1 and 3: 5 times 100 ms of two processes.
    store = store_of(analysis_of("m01_late_sender"))
    program = described("m01_late_sender", store, tmp_path / "late.toml")
    assert (program["name"], program["speed"], program["grid"]) == ("m01_late_sender", 1, [2, 2])
    barrier, loop = program["phase"]
    work, messages = loop["phase"]
    assert (barrier["operation"], loop["iterations"]) == ("barrier", 5)
    assert work["time_ns"] == pytest.approx(100e6, rel=0.01)
    assert (messages["offsets"], messages["bytes"]) == ([[0, 1]], 4)


def test_what_cannot_be_described_is_refused_in_a_line(
    analysis_of: Callable[[str], Analysis], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = ["--output", str(tmp_path / "program.toml")]
    for name, reason in (
        ("m18_master_worker", "messages of main/MPI_Send are irregular"),
        ("z01_otf2v3_nbc_rma", "one-sided communication (main/MPI_Win_fence)"),
    ):
        store = store_of(analysis_of(name))
        code, line = refused(capsys, name, *output, "--store", str(store))
        assert code == 16
        assert reason in line
        assert line.endswith("replay its trace instead")
    assert not (tmp_path / "program.toml").exists()


def test_wrong_options_are_refused(
    analysis_of: Callable[[str], Analysis], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ["--store", str(store_of(analysis_of("m01_late_sender")))]
    place += ["--output", str(tmp_path / "program.toml")]
    for options, code, reason in (
        (["--grid", "2y2"], 2, "--grid 2y2: give the processes in each dimension"),
        (["--grid", "3x2"], 16, "--grid 3x2: 6 processes, but m01_late_sender has 4"),
        (["--part", "work"], 2, "--part work: give PATH=EXPRESSION"),
        (["--part", "wrk=1"], 2, "--part wrk: no call path"),
        (["--part", "work=1 / q"], 16, "time_ns: '1 / q': no q: names that can be used are p"),
        (["--size", "400"], 2, "m01_late_sender is a run"),
    ):
        found, line = refused(capsys, "m01_late_sender", *place, *options)
        assert (found, reason in line) == (code, True), line


# --- Campaigns -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the campaign of a program with 1 to 8 processes, and its run with 16."""
    traces = tmp_path_factory.mktemp("model")
    campaigns = DATA / "campaigns"
    for folder, count in (("model", 1), ("causes", 2), ("model", 4), ("causes", 8)):
        name = f"model_p{count}_n400"
        os.symlink(campaigns / folder / name, traces / name)
    store = tmp_path_factory.mktemp("model_store")
    campaign(traces, store, name="model")
    trace = campaigns / "model" / "model_p16_n400"
    analyze(trace, store=Store(store), options=Options(threads=1))
    return store


def test_few_processes_forecast_many(model: Path, tmp_path: Path) -> None:
    program = described("model", model, tmp_path / "model.toml")
    assert program["phase"][1]["iterations"] == 5
    singles = [each["name"] for each in program["phase"][1]["phase"] if each.get("on") == "first"]
    assert singles == ["serial_part", "imbalanced"]
    run = Store(model).open("model_p16_n400")
    (main_part,) = run.read("main_part").to_pylist()
    measured = main_part["end_ns"] - main_part["begin_ns"]
    placed = read_data_program(tmp_path / "model.toml").place((16,))
    assert simulate(placed, NODE).time_ns == pytest.approx(measured, rel=0.2)


def test_a_campaign_is_forecast_at_once(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    cluster = ["--cluster", str(DATA / "clusters" / "numa-node.toml"), "--store", str(model)]
    assert main(["forecast", "model", "--grid", "16", *cluster]) == 0
    assert "with 16 processes" in capsys.readouterr().out
    # Without messages, processes lie on any grid.
    assert main(["forecast", "model", "--grid", "4x2", *cluster]) == 0
    assert "grid 4x2" in capsys.readouterr().out


def test_runs_of_two_sizes_and_counts_are_not_enough(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign(DATA / "campaigns" / "causes", tmp_path / "store", name="causes")
    place = ["--store", str(tmp_path / "store"), "--output", str(tmp_path / "program.toml")]
    code, line = refused(capsys, "causes", *place)
    assert code == 16
    assert line == (
        "campaign causes has runs of several sizes: choose one of 200 and 400 with --size"
    )
    code, line = refused(capsys, "causes", "--size", "300", *place)
    assert (code, line) == (
        16, "campaign causes: no run of --size 300: sizes are 200 and 400",
    )  # fmt: skip
    code, line = refused(capsys, "causes", "--size", "400", *place)
    assert code == 16
    assert "3 numbers of processes or more are needed, its runs with traces have 2 and 8" in line


# --- Generated runs ------------------------------------------------------------------------------


def generated(folder: Path, **fields: Any) -> Path:
    """A store with the analyzed trace of a described program of processes."""
    generate(parse_spec(fields, "made"), folder / "made")
    analyze(folder / "made", store=Store(folder / "store"), options=Options(threads=1))
    return folder / "store"


def test_a_described_stencil_comes_back(tmp_path: Path) -> None:
    stencil = {"kind": "stencil", "dimensions": 2, "bytes": 800}
    agreement = {"kind": "collectives", "operations": ["allreduce"], "cell_ns": 0, "bytes": 8}
    store = generated(
        tmp_path, processes=16, iterations=20, size=10_000, phase=[stencil, agreement]
    )
    program = described("made", store, tmp_path / "program.toml")
    (loop,) = program["phase"]
    compute, exchange, allreduce = loop["phase"]
    assert (program["grid"], loop["iterations"]) == ([4, 4], 20)
    # 16 processes compute 10,000 cells of 10 ns.
    assert compute == {"kind": "parallel", "name": "compute_stencil", "time_ns": 1_600_000}
    assert exchange == {
        "kind": "neighbours", "name": "stencil", "bytes": 800, "periodic": True,
        "offsets": [[-1, 0], [0, -1], [0, 1], [1, 0]],
    }  # fmt: skip
    assert (allreduce["operation"], allreduce["bytes"]) == ("allreduce", 8)


def test_a_described_pipeline_comes_back(tmp_path: Path) -> None:
    pipeline = {"kind": "pipeline", "blocks": 8, "bytes": 800}
    agreement = {"kind": "collectives", "operations": ["allreduce"], "bytes": 8}
    store = generated(tmp_path, processes=4, iterations=6, size=10_000, phase=[pipeline, agreement])
    program = described("made", store, tmp_path / "program.toml")
    (loop,) = program["phase"]
    # 4 processes compute 10,000 cells of 10 ns, in 8 blocks, then as much again; an edge of a
    # block has 100 elements of 8 bytes.
    assert [phase["kind"] for phase in loop["phase"]] == ["pipelined", "parallel", "collective"]
    assert [phase["time_ns"] for phase in loop["phase"][:2]] == [400_000, 400_000]
    assert loop["phase"][0]["along"] == 2
    assert program["array"][0]["extent"][1:] == [100, 8]


def test_neighborhood_collectives_are_messages_on_their_grid(tmp_path: Path) -> None:
    ring = {"kind": "collectives", "operations": ["neighbor_allgather"], "bytes": 80}
    store = generated(tmp_path, processes=4, iterations=5, size=10_000, phase=[ring])
    (loop,) = described("made", store, tmp_path / "program.toml")["phase"]
    assert loop["phase"][1] == {
        "kind": "neighbours", "name": "collectives", "offsets": [[-1], [1]], "bytes": 80,
        "periodic": True,
    }  # fmt: skip


def test_non_blocking_collectives_are_completed_later(tmp_path: Path) -> None:
    phase = {"kind": "collectives", "operations": ["allreduce"], "nonblocking": True, "bytes": 8}
    store = generated(tmp_path, processes=4, iterations=5, size=10_000, phase=[phase])
    (loop,) = described("made", store, tmp_path / "program.toml")["phase"]
    first, start, second, wait = loop["phase"]
    assert start["nonblocking"]
    assert first["time_ns"] + second["time_ns"] == 400_000
    assert wait == {"kind": "wait", "for": start["name"]}


def test_collectives_of_some_processes_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = {"kind": "collectives", "operations": ["allreduce"], "communicator": "rows"}
    store = generated(tmp_path, processes=4, phase=[rows])
    output = ["--output", str(tmp_path / "program.toml"), "--store", str(store)]
    code, line = refused(capsys, "made", *output)
    assert code == 16
    assert "MPI_Allreduce joins 2 of 4 processes (ranks 0, 1)" in line


DATA_PROGRAM = """
grid = [4, 2]
[[array]]
name = "A"
extent = [400, 200]
distribution = ["block", "block"]
[[phase]]
kind = "loop"
iterations = 10
[[phase.phase]]
kind = "exchange"
arrays = ["A"]
nonblocking = true
name = "edges"
[[phase.phase]]
kind = "parallel"
name = "inner"
array = "A"
iteration_ns = 50
[[phase.phase]]
kind = "wait"
for = "edges"
[[phase.phase]]
kind = "serial"
name = "check"
on = "first"
time_ns = 50_000
[[phase.phase]]
kind = "reduction"
[[phase]]
kind = "pipelined"
name = "sweep"
array = "A"
width = [[1, 0], [0, 0]]
time_ns = 8_000_000
quantum = 10
[[phase]]
kind = "io"
operation = "write"
array = "A"
mode = "each"
[[phase]]
kind = "collective"
operation = "bcast"
bytes = 1000
"""


def test_a_program_of_data_comes_back_with_its_forecast(tmp_path: Path) -> None:
    source, cluster = tmp_path / "data.toml", DATA / "clusters" / "numa-node.toml"
    source.write_text(DATA_PROGRAM)
    trace = ["--cluster", str(cluster), "--output", str(tmp_path / "made")]
    assert main(["generate", str(source), *trace]) == 0
    analyze(tmp_path / "made", store=Store(tmp_path / "store"), options=Options(threads=1))
    made = tmp_path / "made.toml"
    program = described("made", tmp_path / "store", made)
    loop, sweep, write, bcast = program["phase"]
    kinds = [phase["kind"] for phase in loop["phase"]]
    assert kinds == ["neighbours", "parallel", "wait", "serial", "collective"]
    # An edge of a process has 100 elements of 8 bytes; it has 10,000 elements of its own.
    assert loop["phase"][0]["bytes"] == 800
    assert [phase.get("time_ns") for phase in loop["phase"]] == [
        None,
        4_000_000,
        None,
        50_000,
        None,
    ]
    assert (sweep["kind"], sweep["time_ns"]) == ("pipelined", 8_000_000)
    assert (write["bytes"], write["mode"]) == (80_000, "each")
    assert (bcast["operation"], bcast["bytes"]) == ("bcast", 1000)
    on = read_cluster(cluster)
    ends = [simulate(read_data_program(each).place((4, 2)), on).time_ns for each in (source, made)]
    assert ends[0] == ends[1]
