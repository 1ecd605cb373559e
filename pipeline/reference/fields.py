"""Tables of declared fields, for the references of described programs and clusters."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from tracemill.base.expressions import Expression
from tracemill.programs.language.fields import declared

_TYPES = {
    str: "text", bool: "`true` or `false`", Expression: "expression",
    int: "whole number", float: "number",
}  # fmt: skip


def describe_fields(kind: type, *, without: type | None = None) -> Iterator[str]:
    """A table of the fields of a declared table; those of the class `without` are left out."""
    left_out = declared(without) if without else {}
    fields = {name: each for name, each in declared(kind).items() if name not in left_out}
    if not fields:
        return
    types = get_type_hints(kind)
    yield ""
    yield "| field | value | default | meaning |"
    yield "| --- | --- | --- | --- |"
    for name, each in fields.items():
        value = _value(types[each.name], each.metadata)
        yield f"| `{name}` | {value} | {_default(each)} | {each.metadata['meaning']} |"


def _value(kind: Any, limits: Mapping[str, Any]) -> str:
    """The values that a field accepts."""
    if "form" in limits:
        return str(limits["form"])
    if "choices" in limits:
        words = ", ".join(f"`{each}`" for each in limits["choices"])
        return f"list of {words}" if get_origin(kind) is list else words
    if get_origin(kind) is tuple:
        return "tables"
    (wanted,) = [each for each in get_args(kind) or (kind,) if each is not type(None)]
    if is_dataclass(wanted) and wanted is not Expression:
        return "table"
    text = _TYPES[wanted]
    if "above" in limits:
        return f"{text} above {limits['above']}"
    if "minimum" in limits:
        most = limits["maximum"]
        upper = f"to {most:,}" if most < math.inf else "or more"
        return f"{text}, {limits['minimum']} {upper}"
    return text


def _default(field: "Field[Any]") -> str:
    """The default of a field; empty where its meaning describes it."""
    default = field.default if field.default_factory is MISSING else field.default_factory()
    match default:
        case _ if default is MISSING:
            return "required"
        case Expression(text=text):
            return text
        case bool():
            return f"`{str(default).lower()}`"
        case int() | float() if math.isfinite(default):
            return f"{default:,g}" if default >= 1e6 else f"{default:,}"
        case str() if default:
            return f"`{default}`"
        case [*words] if words:
            return ", ".join(f"`{each}`" for each in words)
    return ""
