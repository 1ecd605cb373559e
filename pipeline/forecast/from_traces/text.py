"""Tables of a program's description as TOML text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Field = str | float | bool | Sequence["Field"]


@dataclass(frozen=True)
class Table:
    """A phase: its fields, comments on it, and the phases in it."""

    fields: Mapping[str, Field]
    comments: tuple[str, ...] = ()
    phases: tuple["Table", ...] = field(default=())


def render_program(
    fields: Mapping[str, Field],
    arrays: Iterable[Table],
    phases: Iterable[Table],
    comments: Iterable[str],
) -> str:
    """The text of a description, with `comments` at its top."""
    lines = [*(f"# {comment}" for comment in comments), *_fields(fields)]
    for array in arrays:
        lines += _phase(array, "array")
    for phase in phases:
        lines += _phase(phase, "phase")
    return "\n".join(lines) + "\n"


def _phase(table: Table, name: str) -> Iterator[str]:
    indent = "  " * name.count(".")
    yield ""
    for comment in table.comments:
        yield f"{indent}# {comment}"
    yield f"{indent}[[{name}]]"
    for line in _fields(table.fields):
        yield indent + line
    for phase in table.phases:
        yield from _phase(phase, f"{name}.phase")


def _fields(fields: Mapping[str, Field]) -> Iterator[str]:
    return (f"{name} = {value_text(value)}" for name, value in fields.items())


def value_text(value: Field) -> str:
    """A value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int | float):
        return number_text(value, grouping="_")
    return f"[{', '.join(map(value_text, value))}]"


def number_text(number: float, grouping: str = "") -> str:
    """A number with at least six significant digits; whole from 100,000 on."""
    if number == int(number) or abs(number) >= 100_000:
        return f"{round(number):_}" if grouping else str(round(number))
    if abs(number) >= 1:
        return f"{number:.4f}".rstrip("0").rstrip(".")
    return f"{number:.6g}"


def _quoted(text: str) -> str:
    escapes = {'"': '\\"', "\\": "\\\\"}
    safe = "".join(
        escapes.get(sign, sign if sign.isprintable() else f"\\u{ord(sign):04x}") for sign in text
    )
    return f'"{safe}"'
