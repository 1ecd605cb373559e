"""Query files: their headers, their parameters, and values.

A header names the inputs without which the result is empty:

    -- Needs rows: messages or framing_calls

The query has rows only if there are messages or framing calls.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from graphlib import TopologicalSorter
from itertools import takewhile
from pathlib import Path

import duckdb

from tracemill.base.errors import QueryError
from tracemill.sql.folders import QUERIES
from tracemill.sql.pattern_declaration import FIELDS as PATTERN_FIELDS
from tracemill.sql.pattern_declaration import Pattern, read_pattern
from tracemill.sql.refusals import wrong

# Folder of queries that other queries read as tables; DuckDB computes them at each use.
VIEWS = "views"
# Folders whose queries answer a question instead of making a table of the store.
ANSWERING = (
    "checks", "export", "reports", "gathering", "comparison", "focus", "from_traces", "patterns",
    "campaign_reports", "cookbook", "campaign_cookbook", VIEWS,
)  # fmt: skip
# Folder of the queries that make tables of a campaign, and not of a run.
CAMPAIGN = "campaign"

Value = int | float | bool | str | None

_FIELDS = (
    "Grain", "Inputs", "Needs rows", "Output", "Parameters", *PATTERN_FIELDS, "Source", "Assumes",
)  # fmt: skip
_NEEDED_FIELDS = ("Grain", "Inputs", "Output", "Parameters")
_FIELD = re.compile(rf"({'|'.join(_FIELDS)}):\s*(.*)")
_PARAMETER = re.compile(
    r"\$(?P<name>\w+)\s+(?P<meaning>.*?)"
    r"(?:\s*\((?P<type>[A-Z]+)(?:,\s*default\s+(?P<default>.*?))?\))?$"
)
_PRESENT = """
SELECT view_name FROM duckdb_views()
WHERE NOT internal AND database_name IN (current_database(), 'temp')
UNION ALL
SELECT table_name FROM duckdb_tables() WHERE database_name IN (current_database(), 'temp')
"""
_PARAMETER_FORM = "$name  meaning (BIGINT, default 5)"
_TYPES: dict[str, type[int] | type[float] | type[bool] | type[str]] = {
    "BIGINT": int,
    "INTEGER": int,
    "DOUBLE": float,
    "BOOLEAN": bool,
    "VARCHAR": str,
}


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A named value a query takes; without default it must be given."""

    name: str
    meaning: str
    type: str = ""
    default: Value = None

    @property
    def has_default(self) -> bool:
        return self.default is not None


@dataclass(frozen=True, kw_only=True)
class Query:
    """A query file: its header and its text.

    `needed_rows` are groups of inputs: if all inputs of a group are empty, so is the result.
    """

    path: Path
    text: str
    description: str
    grain: str
    inputs: tuple[str, ...]
    output: str
    parameters: tuple[Parameter, ...]
    source: str
    assumes: str
    pattern: Pattern | None = None
    needed_rows: tuple[tuple[str, ...], ...] = ()

    @cached_property
    def relation(self) -> str:
        """Name of what the query computes: that of its file."""
        return self.path.stem

    @cached_property
    def concept(self) -> str:
        """Name of the folder, which groups queries by what they are about."""
        return self.path.parent.name

    @property
    def is_stage(self) -> bool:
        """True if the query makes a table of the store."""
        return self.pattern is not None or self.concept not in ANSWERING

    @property
    def is_of_campaigns(self) -> bool:
        """True if the query is about the tables of a campaign, and not of a run."""
        return self.pattern is None and self.concept.startswith(CAMPAIGN)

    @property
    def statement(self) -> str:
        """The text as it can be put inside another statement."""
        return self.text.strip().removesuffix(";")

    def bind(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """A given or default value for every parameter; raises QueryError without one."""
        given = {each.name: values.get(each.name, each.default) for each in self.parameters}
        missing = [name for name, value in given.items() if value is None]
        if missing:
            what = f"no value for {_dollars(missing)}"
            raise wrong(self.path, what, "give one or declare a default")
        return given


@cache
def all_queries(root: Path = QUERIES) -> tuple[Query, ...]:
    """Every query below `root`, by folder, then by name; raises QueryError for a bad header."""
    return tuple(map(_read_once, _files(root).values()))


@cache
def run_queries() -> tuple[Query, ...]:
    """The shipped queries that make tables of a run; the others, as many, are not even read."""
    folders = {path.parent.name for path in _files().values()}.difference(ANSWERING)
    wanted = {folder for folder in folders if not folder.startswith(CAMPAIGN)}
    return tuple(_read_once(path) for path in _files().values() if path.parent.name in wanted)


def load_query(relation: str) -> Query:
    """The query that computes `relation`; raises QueryError if there is none."""
    files = _files()
    if relation in files:
        return _read_once(files[relation])
    known = ", ".join(files)
    raise QueryError(f"no query {relation}: {QUERIES}: queries present: {known}")


@cache
def _files(root: Path = QUERIES) -> Mapping[str, Path]:
    """The files below `root` by the names of their queries, by folder, then by name."""
    files: dict[str, Path] = {}
    for path in sorted(root.glob("*/*.sql"), key=str):
        if path.stem in files:
            raise wrong(path, "several files have this name", "rename one")
        files[path.stem] = path
    return files


@cache
def _views() -> tuple[Query, ...]:
    """All views, each after the views that it reads."""
    files = _files().items()
    by_name = {name: _read_once(path) for name, path in files if path.parent.name == VIEWS}
    order = TopologicalSorter({name: view.inputs for name, view in by_name.items()})
    return tuple(by_name[name] for name in order.static_order() if name in by_name)


def _with_views_below(names: Iterable[str], given: Container[str] = ()) -> set[str]:
    """The names, and what the views among them read, unless a view is given."""
    found = set(names)
    for view in reversed(_views()):
        if view.relation in found and view.relation not in given:
            found.update(view.inputs)
    return found


def stored_inputs(queries: Iterable[Query]) -> tuple[str, ...]:
    """The tables that some queries read, themselves or by way of views, in a fixed order."""
    names = _with_views_below(name for query in queries for name in query.inputs)
    return tuple(sorted(names - {view.relation for view in _views()}))


def create_views(
    connection: duckdb.DuckDBPyConnection,
    names: Iterable[str],
    *,
    given: Container[str] = (),
    is_lasting: bool = False,
    as_tables: Container[str] = (),
) -> None:
    """Create those of the names that are views, with the views that they read.

    Views that are `given` exist already. The others are temporary unless `is_lasting`; those named
    by `as_tables` are computed once, as tables.
    """
    create = "CREATE OR REPLACE" if is_lasting else "CREATE OR REPLACE TEMP"
    wanted = _with_views_below(names, given)
    for view in _views():
        if view.relation in wanted and view.relation not in given:
            kind = "VIEW"
            if view.relation in as_tables:
                connection.execute(f"DROP VIEW IF EXISTS {view.relation}")
                kind = "TABLE"
            connection.execute(f"{create} {kind} {view.relation} AS {view.statement}")


def create_all_views(connection: duckdb.DuckDBPyConnection, *, is_lasting: bool = False) -> None:
    """Make every view readable whose tables a connection has."""
    listed = connection.execute(_PRESENT).fetchall()
    present = {name for (name,) in listed}
    names: list[str] = []
    for view in _views():
        if present.issuperset(view.inputs):
            names.append(view.relation)
            present.add(view.relation)
    create_views(connection, names, is_lasting=is_lasting)


@cache
def _read_once(path: Path) -> Query:
    return read_query(path)


def read_query(path: Path) -> Query:
    """Read one query file and its header."""
    text = _read_text(path)
    header = _header(text)
    missing = [field for field in _NEEDED_FIELDS if not header.get(field)]
    if missing or not _first_paragraph(header[""]):
        lacking = ", ".join(missing) or "a description"
        raise wrong(path, f"the header lacks {lacking}", "add it to the comment at the top")
    inputs = _names(header["Inputs"])
    return Query(
        path=path,
        text=text,
        description=" ".join(_first_paragraph(header[""])),
        grain=" ".join(header["Grain"]),
        inputs=inputs,
        output=" ".join(header["Output"]),
        parameters=_parameters(path, header["Parameters"]),
        source=" ".join(header.get("Source", [])),
        assumes=" ".join(header.get("Assumes", [])),
        pattern=read_pattern(path, header),
        needed_rows=_needed_rows(path, header.get("Needs rows", ["none"]), inputs),
    )


def known_parameters(queries: Iterable[Query]) -> dict[str, Parameter]:
    """All parameters of some queries by name; raises QueryError if two declarations differ."""
    known: dict[str, Parameter] = {}
    for query in queries:
        for parameter in query.parameters:
            other = known.setdefault(parameter.name, parameter)
            if (other.type, other.default) != (parameter.type, parameter.default):
                what = f"${parameter.name} has another type or default elsewhere"
                raise wrong(query.path, what, "declare it alike everywhere")
    return known


def check_values(values: Mapping[str, Value], known: Mapping[str, Parameter]) -> None:
    """Raise QueryError for a value no query takes, or of another type than declared."""
    for name, value in values.items():
        if name not in known:
            takes = _dollars(sorted(known)) or "none"
            raise QueryError(f"no query takes ${name}: parameters present: {takes}")
        wanted = _TYPES.get(known[name].type)
        fits = wanted is None or type(value) is wanted or (wanted is float and type(value) is int)
        if not fits:
            raise QueryError(f"${name} must be of type {known[name].type}: {value!r} is not")


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        what = f"the file cannot be read ({error.strerror})"
        raise wrong(path, what, "make it readable") from error
    except UnicodeDecodeError as error:
        raise wrong(path, "this is no text in UTF-8", "convert it") from error


def _header(text: str) -> dict[str, list[str]]:
    """Lines of the leading comment by field; those before the first field under ''."""
    fields: dict[str, list[str]] = {"": []}
    current = ""
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        content = line.removeprefix("--").strip()
        match = _FIELD.match(content)
        if match:
            current, content = match[1], match[2].strip()
            fields[current] = []
        if content or not current:
            fields[current].append(content)
    return fields


def _first_paragraph(lines: list[str]) -> list[str]:
    """Lines up to the first empty one; pictures and explanations may follow it."""
    return list(takewhile(bool, lines))


def _names(lines: list[str]) -> tuple[str, ...]:
    listed = " ".join(lines)
    return () if listed == "none" else tuple(name.strip() for name in listed.split(","))


def _needed_rows(
    path: Path, lines: list[str], inputs: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """Groups that are separated by commas, of names that are separated by or."""
    groups = tuple(tuple(group.split(" or ")) for group in _names(lines))
    for name in (name for group in groups for name in group):
        if name not in inputs:
            raise wrong(path, f"Needs rows names {name}", "name only what Inputs lists")
    return groups


def _parameters(path: Path, lines: list[str]) -> tuple[Parameter, ...]:
    """Parameters from lines that start with $name, each perhaps continued on the next."""
    if lines == ["none"]:
        return ()
    if not lines or not lines[0].startswith("$"):
        what = "Parameters is neither none nor a list of $name"
        raise wrong(path, what, f"write none or {_PARAMETER_FORM}")
    joined: list[str] = []
    for line in lines:
        if line.startswith("$"):
            joined.append(line)
        else:
            joined[-1] += f" {line}"
    return tuple(_parameter(path, line) for line in joined)


def _parameter(path: Path, line: str) -> Parameter:
    match = _PARAMETER.match(line)
    if match is None or (match["type"] and match["type"] not in _TYPES):
        raise wrong(path, f"parameter cannot be read: {line}", f"write {_PARAMETER_FORM}")
    default = None if match["default"] is None else _literal(path, match["type"], match["default"])
    return Parameter(
        name=match["name"], meaning=match["meaning"], type=match["type"] or "", default=default
    )


def _literal(path: Path, type_name: str, text: str) -> Value:
    if type_name == "BOOLEAN" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if type_name == "VARCHAR":
        return text.strip("'")
    try:
        return float(text) if type_name == "DOUBLE" else int(text.replace("_", ""))
    except ValueError as error:
        what = f"default {text} is no {type_name}"
        raise wrong(path, what, "write one of that type") from error


def _dollars(names: Iterable[str]) -> str:
    return ", ".join(f"${name}" for name in names)
