"""Descriptions of programs of data: every mistake is explained in one line."""

import tomllib
from pathlib import Path

import pytest

from tracemill.base.errors import ProgramError
from tracemill.cli import main
from tracemill.programs.language.data_kinds import DATA_KINDS
from tracemill.programs.language.data_program import DataProgram
from tracemill.programs.language.process_kinds import KINDS
from tracemill.programs.language.reading import parse_program, read_data_program, read_program

DATA, PROCESSES = ", ".join(DATA_KINDS), ", ".join(KINDS)
HEAD = """
grid = [2, 2]
[parameters]
n = 10
[[array]]
name = "A"
extent = ["n", 20]
distribution = ["block", "block"]
[[array]]
name = "V"
extent = 4
"""


def explain(folder: Path, text: str) -> str:
    """The error of a description, without its folder."""
    path = folder / "a.toml"
    path.write_text(text)
    with pytest.raises(ProgramError) as error:
        read_program(path)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


def phases(*texts: str) -> str:
    """A description with phases, each written as `kind; field = value; …`."""
    return HEAD + "".join(map(phase, texts))


def phase(text: str, table: str = "phase") -> str:
    kind, *fields = text.split("; ")
    return "\n".join((f"[[{table}]]", f"kind = '{kind}'", *fields, ""))


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


SECTION = "no range [{}] in A: indices go from 0 to {}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "exchange; arrays = ['A', 'B']",
            "(exchange): arrays: no array 'B': arrays are A, V",
        ),
        ("reduction; array = 'B'", "(reduction): array: no array 'B': arrays are A, V"),
        (
            "parallel; array = 'A'; time_ns = 1; over = [[0, 10], [0, 19]]",
            "(parallel): over: extent 1: " + SECTION.format("0, 10", 9),
        ),
        (
            "parallel; array = 'A'; time_ns = 1; over = [[0, 9], [5, 4]]",
            "(parallel): over: extent 2: " + SECTION.format("5, 4", 19),
        ),
        (
            "parallel; array = 'A'; time_ns = 1; over = [[0, 9]]",
            "(parallel): over: 1 given, but A has 2 extents: give [first, last] for each",
        ),
        (
            "parallel; array = 'A'; time_ns = 1; over = [[-1, 9], [0, 9]]",
            "(parallel): over: extent 1: -1: it must be 0 or more",
        ),
        (
            "parallel; array = 'A'; time_ns = 1; over = [[0, 9, 1], [0, 9]]",
            "(parallel): over: extent 1: give [first, last], not [0, 9, 1]",
        ),
        (
            "parallel; array = 'A'; time_ns = 1; over = ['own', [0, 9]]",
            '(parallel): over: only the section of a remote access has ranges "own"',
        ),
        (
            "parallel; array = 'A'; time_ns = 1; over = 4",
            "(parallel): over: give [first, last] for each extent, not 4",
        ),
        (
            "exchange; arrays = ['A']; width = [1, 1]",
            "(exchange): width: 1 given, but A has 2 extents: give [low, high] for each",
        ),
        (
            "pipelined; array = 'A'; time_ns = 1; width = [[0, 0], [1, 2]]",
            "(pipelined): width: extent 2: [1, 2], goes both ways: one of them must be 0",
        ),
        (
            "pipelined; array = 'A'; time_ns = 1",
            "(pipelined): width: extent 1: the shadow of A, [1, 1], goes both ways: "
            "one of them must be 0",
        ),
        (
            "copy; from = 'A'; to = 'V'",
            "(copy): to_section: 4 elements, but the source has 10 x 20",
        ),
        (
            "copy; from = 'A'; to = 'V'; from_section = [[0, 2], [3, 3]]",
            "(copy): to_section: 4 elements, but the source has 3",
        ),
        (
            "copy; from = 'A'; to = 'A'; order = [1, 0]",
            "(copy): to_section: 10 x 20 elements, but the source has 20 x 10",
        ),
        (
            "copy; from = 'A'; to = 'A'; order = [0, 2]",
            "(copy): order: give each of 0, 1 once: the source has 2 extents longer than 1",
        ),
        (
            "remote; array = 'V'; by = 'A'; section = ['own']",
            "(remote): section: extent 1: own parts of A lie outside V",
        ),
        (
            "remote; array = 'A'; by = 'V'; section = [[0, 1], 'own']",
            "(remote): section: extent 2: own parts of V lie outside A",
        ),
    ],
)  # fmt: skip
def test_sections_must_fit_their_arrays(tmp_path: Path, text: str, message: str) -> None:
    assert explain(tmp_path, phases(text)) == f"phase 1 {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "distribution = { B = ['block'] }",
            "variant 1 (rows): distribution: no array 'B': arrays are A, V",
        ),
        (
            "distribution = { A = ['block'] }",
            "variant 1 (rows): distribution: A: 1 given, but A has 2 extents: give a word for each",
        ),
        (
            "grid = [4]\ndistribution = { A = ['whole', 'block 1'] }",
            "variant 1 (rows): distribution: A: 'block 1': no dimension 1: the grid has 1, from 0",
        ),
        (
            "grid = [4]",
            "array 1 (A): distribution (of variant rows): 'block': no dimension 1: "
            "the grid has 1, from 0",
        ),
        ("serial = ['norm']",
         "variant 1 (rows): serial: no parallel loop 'norm': parallel loops are sweep"),
        ("distribution = ['block']",
         "variant 1 (rows): distribution: give a table, as in { A = [\"block\", \"whole\"] }"),
        ("[[variant]]\nname = 'rows'", "variant 2 (rows): name: another variant is named rows"),
    ],
)  # fmt: skip
def test_wrong_variants_are_explained(tmp_path: Path, text: str, message: str) -> None:
    sweep = phases("parallel; name = 'sweep'; time_ns = 1", "serial; name = 'norm'; time_ns = 1")
    assert explain(tmp_path, f"{sweep}[[variant]]\nname = 'rows'\n{text}\n") == message


# --- Operations that are only started -------------------------------------------------------------

EDGES = "exchange; name = 'edges'; arrays = ['A']; nonblocking = true"
NOT_STARTED = "no operation of that name is started with nonblocking = true"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (
            ("wait; for = 'edges'",),
            f"phase 1 (wait): for: 'edges': {NOT_STARTED}: started operations are none",
        ),
        (
            (EDGES.replace("true", "false"), "wait; for = 'edges'"),
            f"phase 2 (wait): for: 'edges': {NOT_STARTED}: started operations are none",
        ),
        (
            (EDGES, "wait; for = 'edge'", "wait; for = 'edges'"),
            f"phase 2 (wait): for: 'edge': {NOT_STARTED}: started operations are edges",
        ),
        (
            ("wait; for = 'edges'", EDGES),
            "phase 1 (wait): for: 'edges': it is not started earlier in this list: "
            "started operations are none",
        ),
        (
            (EDGES, "wait; for = 'edges'", "wait; for = 'edges'"),
            "phase 3 (wait): for: 'edges': it is completed already: started operations are none",
        ),
        (
            (EDGES, "serial; time_ns = 1"),
            "phase 1 (exchange): nonblocking: nothing waits for 'edges': add a wait to this list",
        ),
        (
            (EDGES, EDGES, "wait; for = 'edges'"),
            "phase 2 (exchange): nonblocking: nothing waits for 'edges': add a wait to this list",
        ),
        (
            (EDGES, "interval; phase = [{kind = 'wait', for = 'edges'}]"),
            "phase 2 (interval): phase 1 (wait): for: 'edges': it is not started earlier in this "
            "list: started operations are none",
        ),
    ],
)
def test_operations_are_completed_once_in_their_list(
    tmp_path: Path, texts: tuple[str, ...], message: str
) -> None:
    assert explain(tmp_path, phases(*texts)) == message


# --- Nested phases --------------------------------------------------------------------------------

SWEEP = "{kind = 'parallel', array = 'A', time_ns = 1, over = [[0, 10], [0, 1]]}"
OUTSIDE = "phase 1 (parallel): over: extent 1: " + SECTION.format("0, 10", 9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"loop; iterations = 2; phase = [{SWEEP}]", f"phase 1 (loop): {OUTSIDE}"),
        (f"interval; phase = [{SWEEP}]", f"phase 1 (interval): {OUTSIDE}"),
        (
            f"branch; alternative = [{{probability = 1, phase = [{SWEEP}]}}]",
            f"phase 1 (branch): alternative 1: {OUTSIDE}",
        ),
        (
            "loop; iterations = 2; phase = [{kind = 'loop', iterations = 2, phase = [{}]}]",
            "phase 1 (loop): phase 1 (loop): phase 1: field kind is missing: kinds are " + DATA,
        ),
    ],
)
def test_nested_phases_are_named(tmp_path: Path, text: str, message: str) -> None:
    assert explain(tmp_path, phases(text)) == message


PHASES = "phase = [{kind = 'serial', time_ns = 1}]"


@pytest.mark.parametrize(
    ("alternatives", "message"),
    [
        ("", "alternative: give at least one [[phase.alternative]]"),
        (f"{{probability = -0.5, {PHASES}}}",
         "alternative 1: probability: -0.5: it must be 0 or more"),
        (f"{{probability = 1.5, {PHASES}}}",
         "alternative 1: probability: 1.5 is out of range: 0 to 1"),
        (f"{{probability = 0.75, {PHASES}}}, {{probability = 0.5, {PHASES}}}",
         "probability: all together are 1.25: they must be 1 or less"),
        ("{probability = 1}", "alternative 1: field phase is missing"),
    ],
)  # fmt: skip
def test_probabilities_are_one_at_most(tmp_path: Path, alternatives: str, message: str) -> None:
    text = phases(f"branch; alternative = [{alternatives}]")
    assert explain(tmp_path, text) == f"phase 1 (branch): {message}"


# --- Values that depend on the grid ---------------------------------------------------------------


def placed_on(program: str, *grid: int) -> None:
    """Read a program, which must succeed, and place it."""
    read = parse_program(tomllib.loads(program), "a.toml")
    assert isinstance(read, DataProgram)
    read.place(grid)


@pytest.mark.parametrize(
    ("text", "grid", "message"),
    [
        ("serial; time_ns = 1", (2, 2, 2), "grid 2x2x2 has 3 dimensions: the program needs 2"),
        ("serial; time_ns = 1", (4,), "grid 4 has 1 dimension: the program needs 2"),
        ("serial; time_ns = 1", (2, 0), "grid 2x0: give 1 or more each"),
        (
            "serial; time_ns = '1 / (p1 - 3)'",
            (3, 2),
            "phase 1 (serial): time_ns: '1 / (p1 - 3)' with p1 = 3 has no value: it is nan",
        ),
        (
            "collective; operation = 'bcast'; bytes = 8; root = 5",
            (2, 2),
            "phase 1 (collective): root: no process 5: they go from 0 to 3",
        ),
        (
            "collective; operation = 'bcast'; bytes = 8; root = 'p'",
            (2, 2),
            "phase 1 (collective): root: no process 4: they go from 0 to 3",
        ),
        (
            "loop; iterations = 'n / p'; phase = [{kind = 'serial', time_ns = 1}]",
            (2, 2),
            "phase 1 (loop): iterations: 'n / p' with n = 10, p = 4 is 2.5: "
            "it must be a whole number",
        ),
        (
            "parallel; array = 'A'; time_ns = 1; over = [[0, '3 * p1'], [0, 1]]",
            (4, 1),
            "phase 1 (parallel): over: extent 1: " + SECTION.format("0, 12", 9),
        ),
    ],
)
def test_a_grid_can_be_wrong(text: str, grid: tuple[int, ...], message: str) -> None:
    with pytest.raises(ProgramError) as error:
        placed_on(phases(text), *grid)
    assert str(error.value) == f"a.toml: {message}"


def test_a_right_program_may_not_fit_its_default_grid() -> None:
    placed_on(phases("collective; operation = 'bcast'; bytes = 8; root = 5"), 2, 3)
    placed_on(phases("serial; time_ns = '1 / (p1 - 2)'"), 3, 2)


def test_an_unknown_variant_is_named() -> None:
    program = parse_program({"grid": [2], "phase": [{"kind": "serial", "time_ns": 1}]}, "a.toml")
    assert isinstance(program, DataProgram)
    with pytest.raises(ProgramError, match=r"^a.toml: no variant 'rows': variants are none$"):
        program.place(None, "rows")


def test_wrong_descriptions_have_an_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.toml"
    path.write_text("grid = [2]")
    assert main(["generate", str(path), "--output", str(tmp_path / "out")]) == 16
    assert "a.toml: field phase is missing" in capsys.readouterr().err.replace("\n", "")
