"""Frozen dataclasses of ours are what those of the standard library are."""

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field, replace
from functools import cached_property
from typing import Any

import pytest

from tracemill.base.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Record:
    name: str
    count: int = 2
    draw: Callable[[], str] = field(default=str, compare=False, repr=False)
    of_all: tuple[int, ...] = field(default_factory=tuple)

    @cached_property
    def twice(self) -> int:
        return 2 * self.count


@dataclass(frozen=True)
class Sub(Record):
    more: int


@dataclass(frozen=True, eq=False)
class Identical:
    name: str


@dataclass(frozen=True)
class Empty:
    pass


def test_equal_fields_make_equal_records_with_equal_hashes() -> None:
    record, other = Record(name="a"), Record(name="a", draw=repr)
    assert record.twice == 4
    assert record == other
    assert hash(record) == hash(other)
    assert record != Record(name="b")
    assert len({record, other, Record(name="a", count=3)}) == 2
    assert Empty() == Empty()
    assert len({Empty(), Empty()}) == 1


def test_records_of_other_classes_differ() -> None:
    assert Record(name="a") != Sub(1, name="a")
    assert Record(name="a") != ("a", 2, ())


def test_records_that_do_not_compare_are_equal_to_themselves_only() -> None:
    record = Identical("a")
    assert record == record
    assert record != Identical("a")


def test_fields_are_neither_assigned_nor_deleted() -> None:
    record: Any = Record(name="a")
    for name in ("name", "count", "other"):
        with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
            setattr(record, name, 1)
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'name'"):
        del record.name


def test_printing_replacing_and_copying_are_those_of_the_library() -> None:
    record = Sub(1, name="a")
    standard = dataclasses.make_dataclass("Sub", ["name", "count", "of_all", "more"], frozen=True)
    assert repr(record) == repr(standard("a", 2, (), 1))
    assert replace(record, count=3) == Sub(1, name="a", count=3)
    assert copy.deepcopy(record) == record
    assert pickle.loads(pickle.dumps(record)) == record


def test_other_dataclasses_are_those_of_the_library() -> None:
    @dataclass(frozen=True, order=True)
    class Ordered:
        count: int

    @dataclass
    class Open:
        count: int = 1

    assert sorted([Ordered(2), Ordered(1)]) == [Ordered(1), Ordered(2)]
    opened = Open()
    opened.count = 2
    assert opened == Open(2)
