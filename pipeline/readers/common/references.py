"""Counts references to definitions that do not exist."""

from collections.abc import Iterable, Iterator

from tracemill.readers.common.definitions import UNDEFINED_32, UNDEFINED_64, Definitions

_NONE = frozenset({UNDEFINED_32, UNDEFINED_64})
_NO_PARADIGM = 0xFF

# Kinds of definitions that values refer to, by position after the identifier.
_REFERENCES: dict[str, dict[int, str]] = {
    "Attribute": {0: "String", 1: "String"},
    "SystemTreeNode": {0: "String", 1: "String", 2: "SystemTreeNode"},
    "LocationGroup": {0: "String", 2: "SystemTreeNode", 3: "LocationGroup"},
    "Location": {0: "String", 3: "LocationGroup"},
    "Region": {0: "String", 1: "String", 2: "String", 6: "String"},
    "Group": {0: "String"},
    "MetricMember": {0: "String", 1: "String", 7: "String"},
    "MetricInstance": {0: "MetricClass", 1: "Location"},
    "Comm": {0: "String", 1: "Group", 2: "Comm"},
    "InterComm": {0: "String", 1: "Group", 2: "Group", 3: "Comm"},
    "Parameter": {0: "String"},
    "RmaWin": {0: "String", 1: "Comm"},
    "SourceCodeLocation": {0: "String"},
    "CallingContext": {0: "Region", 1: "SourceCodeLocation", 2: "CallingContext"},
    "IoRegularFile": {0: "String"},
    "IoDirectory": {0: "String"},
    "IoHandle": {0: "String", 1: "IoFile", 2: "IoParadigm", 4: "Comm", 5: "IoHandle"},
}
_UNITED = {"Comm": ("Comm", "InterComm"), "IoFile": ("IoRegularFile", "IoDirectory")}
# Members of groups by type. Groups of other types contain ranks of one of these groups.
_MEMBERS = {1: "Location", 2: "Region", 4: "Location", 7: "LocationGroup"}


def count_undefined(definitions: Definitions) -> int:
    """Number of references to definitions that the trace does not contain."""
    return sum(_count_missing(definitions, *references) for references in _references(definitions))


def _references(definitions: Definitions) -> Iterator[tuple[str, Iterable[int]]]:
    for kind, places in _REFERENCES.items():
        for place, target in places.items():
            yield target, [values[place] for values in definitions[kind].values()]
    for _, kind, _, _, members in definitions["Group"].values():
        if kind in _MEMBERS:
            yield _MEMBERS[kind], members
    for members, *_ in definitions["MetricClass"].values():
        yield "MetricMember", members


def _count_missing(definitions: Definitions, target: str, refs: Iterable[int]) -> int:
    """Number of references to missing definitions of a kind, without undefined references."""
    for kind in _UNITED.get(target, (target,)):
        known = definitions[kind]
        refs = [ref for ref in refs if ref not in known]
    none = _NONE | {_NO_PARADIGM} if target == "IoParadigm" else _NONE
    return sum(ref not in none for ref in refs)
