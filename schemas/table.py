"""Columns, rules and tables: schemas, validation and documentation derive from them."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

INT8, INT16, INT32, INT64 = pa.int8(), pa.int16(), pa.int32(), pa.int64()
FLOAT64, BOOL, STRING = pa.float64(), pa.bool_(), pa.string()
ENUM = pa.dictionary(pa.int8(), pa.string())


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column: its type, meaning and allowed values.

    A column is non-null unless `null_means` explains the meaning of null.
    """

    name: str
    type: pa.DataType
    meaning: str
    unit: str = ""
    null_means: str = ""
    minimum: int | float | None = None
    maximum: int | float | None = None
    values: tuple[str, ...] = ()

    @property
    def is_nullable(self) -> bool:
        return bool(self.null_means)

    def arrow_field(self) -> pa.Field:
        described = {"meaning": self.meaning, "unit": self.unit, "null_means": self.null_means}
        metadata = {key: text for key, text in described.items() if text}
        return pa.field(self.name, self.type, nullable=self.is_nullable, metadata=metadata)


@dataclass(frozen=True)
class Rule:
    """A condition that holds for every row of a table. Its name reads as a statement."""

    name: str
    holds: Callable[[pa.Table], pa.ChunkedArray]


@dataclass(frozen=True)
class Violation:
    """A broken rule: table, rule, number of rows, and a few examples."""

    table: str
    rule: str
    count: int
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        shown = f", e.g. {'; '.join(self.examples)}" if self.examples else ""
        return f"{self.table}: {self.rule} fails for {self.count} rows{shown}"


@dataclass(frozen=True, kw_only=True)
class Table:
    """A relation: the meaning of a row, the key, the columns and the rules.

    `is_partitioned` tables are written as several files, one per block of locations.
    `is_transient` tables exist only during the analysis of a run. Integers are stored as
    differences, which are compressed if `are_integers_compressed`.
    """

    name: str
    meaning: str
    grain: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    rules: tuple[Rule, ...] = ()
    is_partitioned: bool = False
    is_transient: bool = False
    are_integers_compressed: bool = True

    def __post_init__(self) -> None:
        missing = set(self.key) - set(self.column_names)
        if missing or len(set(self.column_names)) != len(self.columns):
            raise ValueError(f"table {self.name}: key {missing} or column names are wrong")

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @cached_property
    def arrow_schema(self) -> pa.Schema:
        """Arrow schema with metadata: unit and meaning of fields, key and grain of the table."""
        described = {"table": self.name, "meaning": self.meaning, "grain": self.grain}
        metadata = described | {"key": ",".join(self.key)}
        return pa.schema([column.arrow_field() for column in self.columns], metadata=metadata)

    @cached_property
    def declaration(self) -> str:
        """The whole declaration as one text; rules appear by name."""
        columns = [
            (c.name, str(c.type), c.meaning, c.unit, c.null_means, c.minimum, c.maximum, c.values)
            for c in self.columns
        ]
        rules = [rule.name for rule in self.rules]
        traits = (self.is_partitioned, self.is_transient)
        return json.dumps((self.name, self.meaning, self.grain, self.key, columns, rules, *traits))

    def conform(self, data: pa.Table) -> pa.Table:
        """Return `data` with exactly the declared columns, order and types.

        Raises pyarrow errors for a missing column or a value that does not fit its type.
        """
        fields = [self._conform_column(data, column) for column in self.columns]
        return pa.Table.from_arrays(fields, schema=self.arrow_schema)

    def _conform_column(self, data: pa.Table, column: Column) -> pa.ChunkedArray:
        values = data.column(column.name)
        if values.type != column.type:
            values = _cast(values, column)
        return values

    def empty(self) -> pa.Table:
        return self.arrow_schema.empty_table()

    def violations(self, data: pa.Table) -> list[Violation]:
        """All violations in `data`, which must already have the declared columns."""
        return list(self._broken(data)) if data.num_rows else []

    def _broken(self, data: pa.Table) -> Iterator[Violation]:
        for column in self.columns:
            yield from _column_violations(self.name, column, data.column(column.name))
        for rule in self.rules:
            held = rule.holds(data)
            if not _all_true(held):
                yield self._violation(rule.name, data, pc.invert(pc.fill_null(held, True)))

    def _violation(self, rule: str, data: pa.Table, is_bad: pa.ChunkedArray) -> Violation:
        count = pc.sum(is_bad).as_py()
        rows = data.filter(is_bad).slice(0, 3).to_pylist()
        return Violation(self.name, rule, count, tuple(str(row) for row in rows))


def _cast(values: pa.ChunkedArray, column: Column) -> pa.ChunkedArray:
    if column.type != ENUM:
        return values.cast(column.type)
    codes = pc.index_in(values.cast(STRING), value_set=pa.array(column.values, STRING))
    chunks = [
        pa.DictionaryArray.from_arrays(chunk.cast(INT8), pa.array(column.values, STRING))
        for chunk in codes.chunks
    ]
    encoded = pa.chunked_array(chunks, type=ENUM)
    if encoded.null_count != values.null_count:
        unknown = pc.unique(values.filter(pc.is_null(codes))).to_pylist()
        raise pa.ArrowInvalid(f"column {column.name}: {unknown[:5]} not in {column.values}")
    return encoded


def _column_violations(table: str, column: Column, values: pa.ChunkedArray) -> Iterator[Violation]:
    if values.null_count and not column.is_nullable:
        yield Violation(table, f"{column.name} is never null", values.null_count)
    if column.minimum is None and column.maximum is None:
        return
    extremes = pc.min_max(values).as_py()
    if extremes["min"] is None:
        return
    if column.minimum is not None and extremes["min"] < column.minimum:
        count = pc.sum(pc.less(values, column.minimum)).as_py()
        rule = f"{column.name} is at least {column.minimum}"
        yield Violation(table, rule, count, (str(extremes["min"]),))
    if column.maximum is not None and extremes["max"] > column.maximum:
        count = pc.sum(pc.greater(values, column.maximum)).as_py()
        rule = f"{column.name} is at most {column.maximum}"
        yield Violation(table, rule, count, (str(extremes["max"]),))


def _all_true(held: pa.ChunkedArray) -> bool:
    return pc.all(held, min_count=0).as_py() is not False


def not_before(later: str, earlier: str) -> Rule:
    """The rule `<later>_not_before_<earlier>`; null on either side satisfies it."""
    name = f"{later.removesuffix('_ns')}_not_before_{earlier.removesuffix('_ns')}"
    return Rule(name, lambda table: pc.greater_equal(table[later], table[earlier]))
