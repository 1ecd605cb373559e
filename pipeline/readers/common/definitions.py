"""Definitions of a trace in the form of OTF2."""

from dataclasses import dataclass, field
from typing import Any

UNDEFINED_32, UNDEFINED_64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF

KINDS = (
    "String", "Attribute", "SystemTreeNode", "LocationGroup", "Location",
    "Region", "Group", "MetricMember", "MetricClass", "MetricInstance",
    "Comm", "InterComm", "CartDimension", "CartTopology", "Parameter", "RmaWin",
    "SourceCodeLocation", "CallingContext", "IoRegularFile", "IoDirectory", "IoHandle",
    "IoParadigm",
)  # fmt: skip
"""Kinds of definitions; their values are the arguments of the OTF2 callbacks."""


@dataclass
class Definitions:
    """Definitions by kind and identifier, in the order of the trace.

    `repeated` counts repeated identifiers, whose first definition is used, `invalid_text` strings
    that are not UTF-8, `unknown` definitions of kinds that the OTF2 library does not support.
    """

    clock: tuple[int, int, int, int] = (1_000_000_000, 0, 0, UNDEFINED_64)
    by_kind: dict[str, dict[int, tuple[Any, ...]]] = field(
        default_factory=lambda: {kind: {} for kind in KINDS}
    )
    repeated: int = 0
    invalid_text: int = 0
    unknown: int = 0

    def __getitem__(self, kind: str) -> dict[int, tuple[Any, ...]]:
        return self.by_kind[kind]

    def text(self, ref: int) -> str:
        """The string of a reference; empty if undefined."""
        found: tuple[str] | None = self.by_kind["String"].get(ref)
        return found[0] if found else ""
