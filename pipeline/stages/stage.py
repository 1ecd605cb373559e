"""A stage written in Python: its function, the tables it reads and makes, and its parameters."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, signature
from typing import Any

from tracemill.schemas import Table
from tracemill.sql.query_files import Value


@dataclass(frozen=True, kw_only=True)
class PythonStage:
    """A pure function from tables to tables.

    `compute` takes a DuckDB relation per input under the table's name, and a value per parameter,
    by keyword only. `inputs` and `parameters` with defaults follow from its signature.
    `walked` inputs, which are stored ones, come as StoredRows instead. It returns one Arrow table
    or record batch reader per output, in order; a single one as such.
    If all inputs of one of the groups in `needed_rows` are empty, all outputs are empty. A stage
    that `skips_empty` gets only inputs with rows. The memory of a stage that `is_bounded` does not
    grow with its inputs, so that it may run beside others. What a stage that `is_long` needs is
    made first. Tables are computed again if the source text of `modules` changes; a package stands
    for all its modules.
    """

    name: str
    outputs: tuple[Table, ...]
    compute: Callable[..., Any]
    inputs: tuple[str, ...] = ()
    parameters: Mapping[str, Value] = field(default_factory=dict)
    walked: tuple[str, ...] = ()
    needed_rows: tuple[tuple[str, ...], ...] = ()
    skips_empty: bool = False
    is_bounded: bool = False
    is_long: bool = False
    modules: tuple[str, ...] = (
        "tracemill.stages", "tracemill.kernels", "tracemill.patterns", "tracemill.schemas",
        "tracemill.store.walking",
    )  # fmt: skip

    def __post_init__(self) -> None:
        declared = signature(self.compute).parameters.values()
        if not self.inputs:
            inputs = (
                each.name for each in declared if each.kind is Parameter.POSITIONAL_OR_KEYWORD
            )
            object.__setattr__(self, "inputs", tuple(inputs))
        if not self.parameters:
            defaults = {
                each.name: each.default for each in declared if each.kind is Parameter.KEYWORD_ONLY
            }
            object.__setattr__(self, "parameters", defaults)
