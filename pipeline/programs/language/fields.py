"""Tables of TOML files as dataclasses: every field is checked against its declaration."""

import dataclasses
import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from tracemill.base.errors import MissingInputError, ProgramError
from tracemill.base.expressions import Expression, ExpressionError

Described = TypeVar("Described")
_MOST = 1e300
_TYPES = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


def declare(default: Any = MISSING, meaning: str = "", *, key: str = "", **limits: Any) -> Any:
    """A field with its meaning; `key` is its name in the file if it differs."""
    metadata = {"meaning": meaning, **({"key": key} if key else {}), **limits}
    if isinstance(default, dict):
        return field(default_factory=default.copy, metadata=metadata)
    return field(default=default, metadata=metadata)


def number(
    default: Any, minimum: float, maximum: float = 10**12, meaning: str = "", *, key: str = ""
) -> Any:
    """A number from minimum to maximum."""
    return declare(default, meaning, key=key, minimum=minimum, maximum=maximum)


def positive(default: Any, meaning: str = "") -> Any:
    """A finite number above 0."""
    return declare(default, meaning, above=0)


def choice(default: Any, *choices: str, meaning: str = "") -> Any:
    """One of several texts."""
    return declare(default, meaning, choices=choices)


def words(default: tuple[str, ...], *choices: str, meaning: str = "") -> Any:
    """A list of some of several texts."""
    return field(
        default_factory=lambda: list(default), metadata={"choices": choices, "meaning": meaning}
    )


def custom(default: Any, read: Callable[[Any, str], Any], form: str, meaning: str = "") -> Any:
    """A field whose value `read` makes of what is given and where; `form` describes the value."""
    return declare(default, meaning, read=read, form=form)


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file. Raises MissingInputError or ProgramError."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise MissingInputError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ProgramError(f"{path}: not a TOML file: {error}") from error


@dataclass(frozen=True)
class Kinds:
    """Tables whose field `kind` determines their class, a subclass of `base`.

    `others` are the kinds of the other language, `reason` says why they do not serve.
    """

    base: type
    classes: Mapping[str, type]
    others: frozenset[str] = frozenset()
    reason: str = ""


@dataclass(frozen=True)
class TableReader:
    """Reads tables as dataclasses; `title` is the field that errors name a table by.

    Errors begin with the place, such as `jacobi.toml: phase 1 (loop)`.
    """

    kinds: Kinds | None = None
    title: str = "name"

    def build(self, kind: type[Described], given: Any, where: str) -> Described:
        """A table as a dataclass. Raises ProgramError."""
        if not isinstance(given, Mapping):
            raise ProgramError(f"{where}: give a table, not {given!r}")
        fields = declared(kind)
        for name in given:
            if name not in fields:
                raise ProgramError(f"{where}: unknown field {name}: fields are {', '.join(fields)}")
        types, values = _types(kind), {}  # type: ignore[arg-type]
        for name, each in fields.items():
            if name in given:
                place = f"{where}: {name}"
                values[each.name] = self._value(types[each.name], each.metadata, given[name], place)
            elif each.default is MISSING and each.default_factory is MISSING:
                raise ProgramError(f"{where}: field {name} is missing")
        return kind(**values)

    def _value(self, kind: Any, limits: Mapping[str, Any], given: Any, where: str) -> Any:
        """The value of a field, with checks of type and limits."""
        if "read" in limits:
            return limits["read"](given, where)
        if get_origin(kind) is tuple:
            if not isinstance(given, list):
                raise ProgramError(f"{where}: give tables, as in [[{where.split()[-1]}]]")
            (inner, _) = get_args(kind)
            return tuple(
                self._element(inner, each, f"{where} {n}") for n, each in enumerate(given, 1)
            )
        if dataclasses.is_dataclass(kind) and kind is not Expression:
            return self.build(kind, given, where)  # type: ignore[arg-type]
        if get_origin(kind) is list:
            if not isinstance(given, list):
                raise ProgramError(f"{where}: give a list, not {given!r}")
            return [self._value(get_args(kind)[0], limits, each, where) for each in given]
        (wanted,) = [each for each in get_args(kind) or (kind,) if each is not type(None)]
        if wanted is Expression:
            return read_expression(given, where)
        return read_scalar(wanted, limits, given, where)

    def _element(self, kind: Any, given: Any, where: str) -> Any:
        """A table of a list of tables."""
        if self.kinds is not None and kind is self.kinds.base:
            return self._of_a_kind(self.kinds, given, where)
        title = given.get(self.title) if isinstance(given, Mapping) else None
        named = f"{where} ({title})" if isinstance(title, str) else where
        return self.build(kind, given, named)

    def _of_a_kind(self, kinds: Kinds, given: Any, where: str) -> Any:
        named = given.get("kind") if isinstance(given, Mapping) else None
        usable = f"kinds are {', '.join(kinds.classes)}"
        if named is None:
            raise ProgramError(f"{where}: field kind is missing: {usable}")
        if isinstance(named, str) and named in kinds.others:
            raise ProgramError(f"{where}: kind {named!r} {kinds.reason}: {usable}")
        if not isinstance(named, str) or named not in kinds.classes:
            raise ProgramError(f"{where}: no kind {named!r}: {usable}")
        own = {name: value for name, value in given.items() if name != "kind"}
        table: Any = self.build(kinds.classes[named], own, f"{where} ({named})")
        return table if table.name else dataclasses.replace(table, name=named)


def declared(kind: type) -> dict[str, "dataclasses.Field[Any]"]:
    """The fields of a table by their names in the file."""
    return {each.metadata.get("key", each.name): each for each in dataclasses.fields(kind)}


@cache
def _types(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def read_scalar(wanted: Any, limits: Mapping[str, Any], given: Any, where: str) -> Any:
    """A number, text or flag, if it has the type and is within the limits."""
    is_number = isinstance(given, int) and not isinstance(given, bool)
    is_right = is_number if wanted is int else isinstance(given, wanted)
    if not is_right and not (wanted is float and is_number):
        raise ProgramError(f"{where}: give {_TYPES[wanted]}, not {given!r}")
    _check_limits(limits, given, where)
    if wanted is float:
        return float(given) if given < _MOST else math.inf
    return given


def read_expression(given: Any, where: str) -> Expression:
    """A number or the text of an expression. Raises ProgramError for what cannot be computed."""
    if isinstance(given, int | float) and not isinstance(given, bool):
        if not (math.isfinite(given) if isinstance(given, float) else abs(given) < 10**300):
            raise ProgramError(f"{where}: {given} is not a finite number")
        return Expression(repr(given))
    if not isinstance(given, str):
        raise ProgramError(f"{where}: give a number or an expression, not {given!r}")
    expression = Expression(given)
    try:
        _ = expression.parsed
    except ExpressionError as error:
        raise ProgramError(f"{where}: {error}") from error
    return expression


def _check_limits(limits: Mapping[str, Any], given: Any, where: str) -> None:
    if "choices" in limits and given not in limits["choices"]:
        raise ProgramError(f"{where}: no {given!r}: one of {', '.join(limits['choices'])}")
    if "above" in limits and not limits["above"] < given <= _MOST:
        raise ProgramError(f"{where}: {given} is out of range: more than {limits['above']}")
    if "minimum" in limits and not limits["minimum"] <= given <= limits["maximum"]:
        most = limits["maximum"]
        allowed = f"{limits['minimum']} {f'to {most}' if most < math.inf else 'or more'}"
        raise ProgramError(f"{where}: {given} is out of range: {allowed}")
