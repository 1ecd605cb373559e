"""Descriptions of phases of data: every mistake is explained in one line."""

import tomllib
from pathlib import Path

import pytest

from tests.helpers.wrong_descriptions import explain, phases
from tracemill.base.errors import ProgramError
from tracemill.programs.language.data_kinds import DATA_KINDS
from tracemill.programs.language.data_program import DataProgram
from tracemill.programs.language.process_kinds import KINDS
from tracemill.programs.language.reading import parse_program

DATA, PROCESSES = ", ".join(DATA_KINDS), ", ".join(KINDS)

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
