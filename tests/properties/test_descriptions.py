"""Descriptions with arbitrary mistakes are read, or explained by a ProgramError."""

import copy
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracemill.base.errors import ProgramError
from tracemill.programs.clusters.reading import parse_cluster
from tracemill.programs.language.data_program import DataProgram
from tracemill.programs.language.reading import parse_program

DATA = Path(__file__).parents[2] / "data"
Place = tuple[str | int, ...]
WORDS = (
    "", "x", "n", "p", "p2", "nx - 1", "own", "whole", "block", "block 1", "block x", "1 / 0",
    "n **", "(", "2 ** 5000", "(-2) ** 0.5", "9..10", "0..1", "²..³", "flow", "exchange", "core",
)  # fmt: skip
SCALARS = st.one_of(
    st.sampled_from(WORDS),
    st.text(max_size=5),
    st.integers(-3, 5),
    st.sampled_from([10**400, 10**18, 10**9]),
    st.floats(),
    st.booleans(),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["kind", "name", "phase", "flow", "zz"]), inner, max_size=2
        ),
    ),
    max_leaves=6,
)


def places(table: Any, place: Place = ()) -> Iterator[Place]:
    """Every place of a value in nested tables and lists."""
    if place:
        yield place
    keys: Any = ()
    if isinstance(table, dict):
        keys = table
    elif isinstance(table, list):
        keys = range(len(table))
    for key in keys:
        yield from places(table[key], (*place, key))


def read_and_place(given: Any) -> None:
    program = parse_program(given)
    if isinstance(program, DataProgram):
        program.place((2,) * program.dimensions())


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("programs/cfd.toml", read_and_place),
        ("programs/jacobi.toml", read_and_place),
        ("programs/stencil.toml", read_and_place),
        ("clusters/fat-tree.toml", parse_cluster),
        ("clusters/numa-node.toml", parse_cluster),
    ],
)
@given(data=st.data())
def test_mistakes_are_explained(
    name: str, read: Callable[[Any], object], data: st.DataObject
) -> None:
    table = copy.deepcopy(tomllib.loads((DATA / name).read_text()))
    *outer, last = data.draw(st.sampled_from(list(places(table))))
    inner: Any = table
    for key in outer:
        inner = inner[key]
    inner[last] = data.draw(VALUES)
    with suppress(ProgramError):
        read(table)
