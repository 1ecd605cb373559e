"""Descriptions of programs of data: every mistake is explained in one line."""

from pathlib import Path

import pytest

from tests.helpers.wrong_descriptions import HEAD, explain, phase, phases
from tracemill.base.errors import ProgramError
from tracemill.cli import main
from tracemill.programs.language.data_kinds import DATA_KINDS
from tracemill.programs.language.process_kinds import KINDS
from tracemill.programs.language.reading import read_data_program

DATA, PROCESSES = ", ".join(DATA_KINDS), ", ".join(KINDS)

# --- The two languages ----------------------------------------------------------------------------

WORK = "[[phase]]\nkind = 'work'\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            WORK,
            "neither processes nor grid is given: give processes for a program of processes, "
            "or grid for one of data on a grid",
        ),
        (
            "processes = 4\ngrid = [2, 2]\n" + WORK,
            "processes and grid are given: give processes for a program of processes, "
            "or grid for one of data on a grid",
        ),
        (
            "grid = [2, 2]\n" + WORK,
            "phase 1: kind 'work' is for programs with processes, this one has grid: "
            f"kinds are {DATA}",
        ),
        (
            "processes = 2\n[[phase]]\nkind = 'exchange'",
            "phase 1: kind 'exchange' is for programs with grid, this one has processes: "
            f"kinds are {PROCESSES}",
        ),
        ("grid = [2, 2]\n[[phase]]\nkind = 'x'", f"phase 1: no kind 'x': kinds are {DATA}"),
        ("grid = [2, 2]\n[[phase]]", f"phase 1: field kind is missing: kinds are {DATA}"),
        ("grid = [2, 2]", "field phase is missing"),
        ("grid = [2, 2]\nphase = []", "no phases: give at least one table with its kind"),
        (
            "grid = [2]\nsize = 3\n" + WORK,
            "unknown field size: fields are name, speed, grid, iterations, parameters, array, "
            "variant, phase",
        ),
        ("grid = 4\n" + WORK, "grid: give the processes in each dimension, as in [4, 4]"),
        ("grid = [2, 0]\n" + WORK, "grid: give whole numbers from 1, not 0"),
        ("grid = [2.5]\n" + WORK, "grid: give whole numbers from 1, not 2.5"),
        ("grid = [2]\nspeed = 0\n" + WORK, "speed: 0 is out of range: more than 0"),
        ("grid = [2]\nspeed = nan\n" + WORK, "speed: nan is out of range: more than 0"),
    ],
)
def test_a_program_is_in_one_of_two_languages(tmp_path: Path, text: str, message: str) -> None:
    assert explain(tmp_path, text) == message


def test_a_program_of_the_other_language_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("processes = 2\n" + WORK)
    with pytest.raises(ProgramError, match=r"a.toml: this needs a program of data: give grid, not"):
        read_data_program(path)


# --- Fields, times and expressions ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "reduction; size = 3",
            "(reduction): unknown field size: fields are name, nonblocking, bytes, array",
        ),
        ("exchange", "(exchange): field arrays is missing"),
        ("exchange; arrays = []", "(exchange): arrays: give at least one array"),
        ("exchange; arrays = 1", "(exchange): arrays: give a list of names, not 1"),
        (
            "serial",
            "(serial): no time is given: give exactly one of time_ns, operations",
        ),
        (
            "serial; time_ns = 1; operations = 2",
            "(serial): time_ns and operations are given: give exactly one of time_ns, operations",
        ),
        (
            "parallel; array = 'A'; time_ns = 1; iteration_ns = 2",
            "(parallel): time_ns and iteration_ns are given: give exactly one of time_ns, "
            "operations, iteration_ns",
        ),
        (
            "parallel; iteration_ns = 1",
            "(parallel): iteration_ns needs an array: or give time_ns",
        ),
        ("parallel; time_ns = 1; over = [[0, 1]]", "(parallel): over needs an array"),
        (
            "serial; time_ns = 1; on = 'first'; array = 'A'",
            "(serial): on and array are given: give one of them",
        ),
        ("serial; time_ns = 1; on = 'one'", "(serial): on: no 'one': one of all, first"),
        ("serial; time_ns = -1", "(serial): time_ns: -1: it must be 0 or more"),
        ("serial; time_ns = '10 ** 19'",
         "(serial): time_ns: '10 ** 19' is 1e+19: it must be 1e+18 or less"),
        (
            "parallel; array = 'A'; iteration_ns = 1e17",
            "(parallel): iteration_ns: all iterations take 2e+19 ns: it must be 1e+18 or less",
        ),
        ("serial; time_ns = inf", "(serial): time_ns: inf is not a finite number"),
        (
            "serial; time_ns = true",
            "(serial): time_ns: give a number or an expression, not True",
        ),
        (
            "serial; time_ns = '3 - n'",
            "(serial): time_ns: '3 - n' with n = 10 is -7: it must be 0 or more",
        ),
        (
            "serial; time_ns = '1 / (n - n)'",
            "(serial): time_ns: '1 / (n - n)' with n = 10 has no value: it is nan",
        ),
        (
            "serial; time_ns = 'm + 1'",
            "(serial): time_ns: 'm + 1': no m: names that can be used are n, p, p1, p2",
        ),
        (
            "serial; time_ns = 'n +'",
            "(serial): time_ns: 'n +' is no expression: write one like n**3",
        ),
        (
            "serial; time_ns = 'min(n)'",
            "(serial): time_ns: 'min(n)': min(n) cannot be computed: write n**3",
        ),
        (
            "loop; iterations = 'n / 4'; phase = [{kind = 'serial', time_ns = 1}]",
            "(loop): iterations: 'n / 4' with n = 10 is 2.5: it must be a whole number",
        ),
        (
            "loop; iterations = 0; phase = [{kind = 'serial', time_ns = 1}]",
            "(loop): iterations: 0: it must be 1 or more",
        ),
        ("loop; iterations = 2; phase = []",
         "(loop): no phases: give at least one table with its kind"),
        (
            "collective; operation = 'sum'",
            "(collective): operation: no 'sum': one of bcast, scatter, gather, reduce, allgather, "
            "allreduce, alltoall, barrier",
        ),
        ("io; operation = 'read'", "(io): no array is given: give exactly one of array, bytes"),
        (
            "io; operation = 'read'; array = 'A'; bytes = 3",
            "(io): array and bytes are given: give exactly one of array, bytes",
        ),
        ("io; operation = 'read'; bytes = 1; section = [[0, 1]]", "(io): section needs an array"),
        (
            "pipelined; array = 'A'; time_ns = 1; width = [[1, 0], [0, 0]]; quantum = 0",
            "(pipelined): quantum: 0: it must be 1 or more",
        ),
        (
            "pipelined; array = 'A'; time_ns = 1; width = [[1, 0], [0, 0]]; along = 2",
            "(pipelined): along: no extent 2: A has 2, from 0",
        ),
        (
            "neighbours; bytes = 1; offsets = [[1]]",
            "(neighbours): offsets: offset 1: 1 given, but the grid has 2 dimensions: "
            "give one for each",
        ),
        (
            "neighbours; bytes = 1; offsets = [[1, 0], [0.5, 0]]",
            "(neighbours): offsets: offset 2: give whole numbers, not [0.5, 0]",
        ),
        (
            "neighbours; bytes = 1; offsets = []",
            "(neighbours): offsets: give a list of offsets in the grid, as in [[-1, 0], [1, 0]]",
        ),
    ],
)  # fmt: skip
def test_wrong_fields_are_explained(tmp_path: Path, text: str, message: str) -> None:
    assert explain(tmp_path, phases("serial; time_ns = 1", text)) == f"phase 2 {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p = 4", "p: p, p1, p2, … are the grid: give another name"),
        ("p2 = 4", "p2: p, p1, p2, … are the grid: give another name"),
        ("'a b' = 4", "a b: it is no name: give another name"),
        ("m = '4'", "m: give a number, not '4'"),
        ("m = inf", "m: inf is not a finite number"),
    ],
)
def test_wrong_parameters_are_explained(tmp_path: Path, text: str, message: str) -> None:
    description = phases("serial; time_ns = 1").replace("n = 10", f"n = 10\n{text}")
    assert explain(tmp_path, description) == f"parameters: {message}"


# --- Arrays, sections and variants ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("extent = ['p']", "extent 1: 'p': no p: names that can be used are n"),
        ("extent = [0]", "extent 1: 0: it must be 1 or more"),
        ("extent = [1e9, 1e9]", "extent: the array has 8e+18 bytes: it must be 1e+18 or less"),
        ("extent = []", "extent: give at least one extent"),
        ("extent = ['n / 4']", "extent 1: 'n / 4' with n = 10 is 2.5: it must be a whole number"),
        ("extent = [2]\nelement_bytes = 0", "element_bytes: 0: it must be 1 or more"),
        (
            "extent = [2]\ndistribution = ['block', 'whole']",
            "distribution: 2 given, but B has 1 extent: give a word for each",
        ),
        (
            "extent = [2]\ndistribution = ['cyclic']",
            "distribution: no 'cyclic': one of block, block 1 (any dimension), whole",
        ),
        (
            "extent = [2]\ndistribution = ['block 2']",
            "distribution: 'block 2': no dimension 2: the grid has 2, from 0",
        ),
        (
            "extent = [2, 2, 2]\ndistribution = ['block', 'block', 'block']",
            "distribution: 'block': no dimension 2: the grid has 2, from 0",
        ),
        (
            "extent = [2, 2]\ndistribution = ['block 1', 'block 1']",
            "distribution: 'block 1': dimension 1 is taken by another extent",
        ),
        (
            "extent = [2, 2]\nshadow = [[1, 1]]",
            "shadow: 1 given, but B has 2 extents: give [low, high] for each",
        ),
        (
            "extent = [2]\nshadow = [1, 'p']",
            "shadow: extent 1: 'p': no p: names that can be used are n",
        ),
        ("extent = [2]\nshadow = [[1]]", "shadow: extent 1: give [low, high], not [1]"),
        ("extent = [2]\nshadow = [[1, -1]]", "shadow: extent 1: -1: it must be 0 or more"),
    ],
)
def test_wrong_arrays_are_explained(tmp_path: Path, text: str, message: str) -> None:
    description = f"{HEAD}[[array]]\nname = 'B'\n{text}\n" + phase("serial; time_ns = 1")
    assert explain(tmp_path, description) == f"array 3 (B): {message}"


def test_arrays_have_names_of_their_own(tmp_path: Path) -> None:
    description = HEAD.replace("'V'", "'A'").replace('"V"', '"A"') + phase("serial; time_ns = 1")
    assert explain(tmp_path, description) == "array 2 (A): name: another array is named A"


def test_wrong_descriptions_have_an_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.toml"
    path.write_text("grid = [2]")
    assert main(["generate", str(path), "--output", str(tmp_path / "out")]) == 16
    assert "a.toml: field phase is missing" in capsys.readouterr().err.replace("\n", "")
