"""Programs of data: defaults of every kind, values of expressions, and variants."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tracemill.programs.language.checks import all_phases
from tracemill.programs.language.data_kinds import DATA_KINDS
from tracemill.programs.language.data_program import DataProgram
from tracemill.programs.language.process_kinds import Spec
from tracemill.programs.language.reading import parse_program, read_program
from tracemill.programs.placed import (
    Alternative,
    Array,
    Branch,
    Collective,
    Copy,
    Exchange,
    Interval,
    Io,
    Loop,
    Neighbours,
    Parallel,
    Phase,
    Pipelined,
    PlacedProgram,
    Reduction,
    Remote,
    Serial,
    Wait,
    Work,
)

DATA = Path(__file__).parents[2] / "data" / "programs"
HEAD = """
[parameters]
n = 6
[[array]]
name = "A"
extent = ["n", 4]
distribution = ["block", "whole"]
[[array]]
name = "V"
extent = ["2 * n"]
element_bytes = 4
shadow = [2, 1]
"""
ALL_A, ALL_V = ((0, 5), (0, 3)), ((0, 11),)


def read(text: str) -> DataProgram:
    program = parse_program(tomllib.loads(text), "a.toml", "a")
    assert isinstance(program, DataProgram)
    return program


def place(phases: str, grid: tuple[int, ...] = (2,)) -> PlacedProgram:
    """A program with the arrays above on a grid of one dimension."""
    return read(f"grid = [2]\n{HEAD}\n{phases}").place(grid)


def only(phase: str, grid: tuple[int, ...] = (2,)) -> Phase:
    """The only phase of a program, written as `field = value; …`."""
    text = "\n".join(phase.split("; "))
    (found,) = place(f"[[phase]]\n{text}", grid).phases
    return found


@pytest.mark.parametrize("path", sorted(DATA.glob("*.toml")), ids=lambda path: path.stem)
def test_shipped_programs_are_read(path: Path) -> None:
    program = read_program(path)
    if isinstance(program, Spec):
        assert program.processes > 1
        return
    for variant in (None, *program.variants):
        placed = program.place(None, variant)
        assert (placed.name, placed.variant) == (path.stem, variant or "")


def test_the_shipped_flow_uses_most_kinds() -> None:
    program = read_program(DATA / "cfd.toml")
    assert isinstance(program, DataProgram)
    used = {type(each) for each in all_phases(program.table.phases)}
    missing = {name for name, kind in DATA_KINDS.items() if kind not in used}
    assert missing == {"remote", "neighbours", "loop"}


def test_a_program_has_defaults() -> None:
    program = read("grid = [2]\n[[phase]]\nkind = 'serial'\ntime_ns = 1")
    assert (program.name, program.speed, program.grid, program.variants) == ("a", 1, (2,), ())
    placed = program.place()
    assert placed == PlacedProgram("a", "", (2,), 1, {}, (Serial(name="serial", work=Work(1)),))


def test_arrays_have_defaults() -> None:
    """A has elements of 8 bytes and shadows of 1, V is whole on every process."""
    arrays = place("[[phase]]\nkind = 'reduction'").arrays
    assert arrays == {
        "A": Array("A", (6, 4), 8, (0, None), ((1, 1), (1, 1))),
        "V": Array("V", (12,), 4, (None,), ((2, 1),)),
    }


@pytest.mark.parametrize(
    ("phase", "expected"),
    [
        ("kind = 'serial'; time_ns = 1.5", Serial(name="serial", work=Work(1.5), on="all")),
        ("kind = 'parallel'; time_ns = 5", Parallel(name="parallel", work=Work(5))),
        (
            "kind = 'exchange'; arrays = ['A', 'V']",
            Exchange(
                name="exchange", arrays=("A", "V"), widths=(((1, 1), (1, 1)), ((2, 1),)),
                corners=False, nonblocking=False,
            ),
        ),
        ("kind = 'reduction'", Reduction(name="reduction", bytes=8, array=None)),
        (
            "kind = 'copy'; from = 'A'; to = 'A'",
            Copy(
                name="copy", source="A", target="A", from_section=ALL_A, to_section=ALL_A,
                order=(0, 1),
            ),
        ),
        ("kind = 'remote'; array = 'A'", Remote(name="remote", array="A", section=ALL_A, by="A")),
        (
            "kind = 'io'; operation = 'read'; array = 'V'",
            Io(name="io", operation="read", array="V", section=ALL_V, bytes=None, mode="one"),
        ),
        (
            "kind = 'pipelined'; array = 'A'; time_ns = 7; width = [[1, 0], [0, 2]]",
            Pipelined(
                name="pipelined", work=Work(7), array="A", over=ALL_A, widths=((1, 0), (0, 2)),
                along=None, quantum=None,
            ),
        ),
        (
            "kind = 'neighbours'; offsets = [[-1], [1]]; bytes = 10",
            Neighbours(name="neighbours", offsets=((-1,), (1,)), bytes=10, periodic=False),
        ),
        (
            "kind = 'collective'; operation = 'barrier'",
            Collective(name="collective", operation="barrier", bytes=0, root=0),
        ),
        (
            "kind = 'loop'; iterations = 3; phase = [{kind = 'reduction'}]",
            Loop(name="loop", iterations=3, phases=(Reduction(name="reduction"),)),
        ),
        (
            "kind = 'branch'; alternative = "
            "[{probability = 0.25, phase = [{kind = 'reduction'}]}]",
            Branch(
                name="branch",
                alternatives=(Alternative(0.25, (Reduction(name="reduction"),)),),
            ),
        ),
        (
            "kind = 'interval'; phase = [{kind = 'reduction'}]",
            Interval(name="interval", phases=(Reduction(name="reduction"),)),
        ),
    ],
)  # fmt: skip
def test_kinds_have_defaults(phase: str, expected: Phase) -> None:
    assert only(phase) == expected


@pytest.mark.parametrize(
    ("phase", "expected"),
    [
        (
            "kind = 'serial'; name = 's'; operations = 8; on = 'first'",
            Serial(name="s", work=Work(8, is_operations=True), on="first"),
        ),
        # The middle of A has 4 x 2 elements of 2.5 ns each.
        (
            "kind = 'serial'; iteration_ns = 2.5; array = 'A'; over = [[1, 'n - 2'], [1, 2]]",
            Serial(
                name="serial", work=Work(20), on="section", array="A", over=((1, 4), (1, 2))
            ),
        ),
        (
            "kind = 'parallel'; operations = 8; array = 'V'",
            Parallel(
                name="parallel", work=Work(8, is_operations=True), array="V", over=ALL_V
            ),
        ),
        # One extent: a pair alone is enough.
        (
            "kind = 'parallel'; iteration_ns = 3; array = 'V'; over = [2, 5]",
            Parallel(name="parallel", work=Work(12), array="V", over=((2, 5),)),
        ),
        (
            "kind = 'exchange'; arrays = 'V'; width = [0, 'n / p']; corners = true",
            Exchange(name="exchange", arrays=("V",), widths=(((0, 3),),), corners=True),
        ),
        (
            "kind = 'reduction'; bytes = 'n / 4'; array = 'V'",  # 1.5 bytes are rounded
            Reduction(name="reduction", bytes=2, array="V"),
        ),
        # Row 2 of A (4 elements) to a part of V; the extent of 1 is left out.
        (
            "kind = 'copy'; from = 'A'; to = 'V'; from_section = [[2, 2], [0, 3]]; "
            "to_section = [[8, 11]]",
            Copy(
                name="copy", source="A", target="V", from_section=((2, 2), (0, 3)),
                to_section=((8, 11),), order=(0,),
            ),
        ),
        # A square of A is transposed: the first extent of the target is the second of the source.
        (
            "kind = 'copy'; from = 'A'; to = 'A'; from_section = [[0, 3], [0, 2]]; "
            "to_section = [[0, 2], [0, 3]]; order = [1, 0]",
            Copy(
                name="copy", source="A", target="A", from_section=((0, 3), (0, 2)),
                to_section=((0, 2), (0, 3)), order=(1, 0),
            ),
        ),
        (
            "kind = 'remote'; array = 'V'; section = ['own']; by = 'V'",
            Remote(name="remote", array="V", section=(None,), by="V"),
        ),
        (
            "kind = 'remote'; array = 'A'; section = ['own', [0, 1]]",
            Remote(name="remote", array="A", section=(None, (0, 1)), by="A"),
        ),
        (
            "kind = 'io'; operation = 'write'; bytes = '100 * p'; mode = 'each'",
            Io(name="io", operation="write", bytes=200, mode="each"),
        ),
        (
            "kind = 'pipelined'; array = 'V'; iteration_ns = 1; width = [0, 1]; along = 0; "
            "quantum = 'ceil(n / 4)'",
            Pipelined(
                name="pipelined", work=Work(12), array="V", over=ALL_V, widths=((0, 1),), along=0,
                quantum=2,
            ),
        ),
        (
            "kind = 'neighbours'; offsets = [-1, 1]; bytes = 1; periodic = true",
            Neighbours(name="neighbours", offsets=((-1,), (1,)), bytes=1, periodic=True),
        ),
        (
            "kind = 'collective'; operation = 'bcast'; bytes = 80; root = 'p1 - 1'",
            Collective(name="collective", operation="bcast", bytes=80, root=1),
        ),
    ],
)  # fmt: skip
def test_fields_are_read(phase: str, expected: Phase) -> None:
    assert only(phase) == expected


def test_a_wait_completes_an_operation_of_its_list() -> None:
    """Two operations of one name are completed in their order."""
    started = "[[phase]]\nkind = 'reduction'\nnonblocking = true\n"
    wait = "[[phase]]\nkind = 'wait'\nfor = 'reduction'\n"
    reduction, waiting = (
        Reduction(name="reduction", nonblocking=True),
        Wait(name="wait", of="reduction"),
    )
    assert place(started + started + wait + wait).phases == (
        reduction, reduction, waiting, waiting,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "grid", "value"),
    [
        ("n // 4 + 0.5", (3, 4), 1.5),  # 6 // 4 = 1
        ("max(p1, p2) - min(p1, p2, n)", (3, 4), 1),
        ("p", (3, 4), 12),
        ("ceil(n / p2) * 10 + floor(n / p2)", (3, 4), 21),  # 6/4 = 1.5
        ("log2(p1 * p2 + 4) * sqrt(9)", (3, 4), 12),  # log2(16) = 4
        ("exp(0) + log(1) + 2 ** p1", (3, 4), 9),
    ],
)
def test_times_are_expressions(text: str, grid: tuple[int, int], value: float) -> None:
    program = read(f"grid = [1, 1]\nparameters = {{n = 6}}\n{SERIAL}time_ns = '{text}'")
    (phase,) = program.place(grid).phases
    assert phase == Serial(name="serial", work=Work(value))


SERIAL = "[[phase]]\nkind = 'serial'\n"


def test_iterations_are_a_loop_around_all_phases() -> None:
    text = f"grid = [2]\niterations = 'p'\n{SERIAL}time_ns = 1"
    (loop,) = read(text).place((5,)).phases
    assert loop == Loop(
        name="iterations", iterations=5, phases=(Serial(name="serial", work=Work(1)),)
    )


@pytest.mark.parametrize(
    ("words", "on"),
    [
        (["block", "block"], (0, 1)),
        (["whole", "block"], (None, 0)),
        (["block 1", "block 0"], (1, 0)),
        (["block 1", "block"], (1, 0)),
        (["block 0", "block"], (0, 1)),
        (["whole", "block 1"], (None, 1)),
    ],
)
def test_extents_lie_on_dimensions_of_the_grid(words: list[str], on: tuple[int | None]) -> None:
    given: dict[str, Any] = {
        "grid": [2, 3],
        "array": [{"name": "A", "extent": [4, 4], "distribution": words}],
        "phase": [{"kind": "reduction"}],
    }
    program = parse_program(given)
    assert isinstance(program, DataProgram)
    assert program.place().arrays["A"].distribution == on


def test_a_variant_changes_grid_distribution_and_loops() -> None:
    program = read(
        f"grid = [2]\nspeed = 2.5\n{HEAD}"
        """
        [[phase]]
        kind = "loop"
        iterations = 2
        [[phase.phase]]
        kind = "parallel"
        name = "sweep"
        array = "A"
        iteration_ns = 2
        [[phase.phase]]
        kind = "pipelined"
        name = "solve"
        array = "A"
        width = [[1, 0], [0, 0]]
        time_ns = "100 * p2"
        [[phase.phase]]
        kind = "parallel"
        name = "rest"
        time_ns = 9
        [[variant]]
        name = "both"
        grid = [2, 3]
        distribution = { A = ["block 1", "block 0"] }
        serial = ["sweep", "solve"]
        """
    )
    assert program.variants == ("both",)
    assert (program.dimensions(), program.dimensions("both")) == (1, 2)
    placed = program.place((4, 5), "both")
    assert (placed.variant, placed.grid, placed.speed) == ("both", (4, 5), 2.5)
    assert placed.arrays["A"].distribution == (1, 0)
    (loop,) = placed.phases
    assert isinstance(loop, Loop)
    assert loop.phases == (
        Serial(name="sweep", work=Work(6 * 4 * 2), on="all"),
        Serial(name="solve", work=Work(500), on="all"),
        Parallel(name="rest", work=Work(9)),
    )
    assert program.place(None, "both").grid == (2, 3)


def test_a_variant_without_differences_equals_its_program() -> None:
    program = read_program(DATA / "jacobi.toml")
    assert isinstance(program, DataProgram)
    placed, blocks = program.place((3, 5)), program.place((3, 5), "blocks")
    assert (placed.arrays, placed.phases) == (blocks.arrays, blocks.phases)


def test_the_shipped_jacobi_has_the_published_size() -> None:
    """9,998 x 9,998 inner points of 1.65 ns."""
    program = read_program(DATA / "jacobi.toml")
    assert isinstance(program, DataProgram)
    placed = program.place((110,), "rows")
    (loop,) = placed.phases
    assert isinstance(loop, Loop)
    edges, sweep, change = loop.phases
    assert loop.iterations == 10
    assert placed.arrays["A"].distribution == (0, None)
    assert isinstance(sweep, Parallel)
    assert sweep.over == ((1, 9998), (1, 9998))
    assert sweep.work.amount == pytest.approx(1.65 * 9998 * 9998)
    assert edges == Exchange(name="edges", arrays=("A",), widths=(((1, 1), (1, 1)),))
    assert change == Reduction(name="largest change", bytes=8)
