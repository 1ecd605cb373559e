"""The reference of summaries as JSON, generated from the declared keys."""

from collections.abc import Iterator
from dataclasses import is_dataclass
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from tracemill.reports.document import DOCUMENT_VERSION, Document

_TYPES = {str: "text", bool: "`true` or `false`", int: "whole number", float: "number"}
_INTRODUCTION = f"""\
# Summary of a run as JSON

Generated from `pipeline/reports/document.py` by `make docs`; do not edit.

`tracemill analyze TRACE --format json` and `tracemill report RUN --format json` print this
document. Standard output contains nothing else; messages go to standard error. Keys keep their
meaning while `version` is {DOCUMENT_VERSION}; new keys may be added. `[]` stands for each element
of a list. Times are in seconds and exact to the nanosecond; ratios and shares are from 0 to 1. The
names of `figures` and `efficiencies` are those of `tracemill analyze --fail-if`.

| key | value | meaning |
| --- | --- | --- |"""


def describe_summary() -> str:
    """The whole document as Markdown."""
    return "\n".join([_INTRODUCTION, *_keys(Document, "")]) + "\n"


def _keys(declared: type, above: str) -> Iterator[str]:
    for name, hint in get_type_hints(declared, include_extras=True).items():
        kind, meaning = hint.__origin__, hint.__metadata__[-1]
        yield f"| `{above}{name}` | {_value(kind)} | {meaning} |"
        element = get_args(kind)[0] if get_origin(kind) is tuple else kind
        if is_dataclass(element) and isinstance(element, type):
            yield from _keys(element, f"{above}{name}{'[]' if element is not kind else ''}.")


def _value(kind: Any) -> str:
    """The values of a key."""
    if get_origin(kind) is UnionType:
        return " or ".join(_value(each) for each in get_args(kind))
    if get_origin(kind) is tuple:
        return "list"
    return "null" if kind is NoneType else _TYPES.get(kind, "object")
