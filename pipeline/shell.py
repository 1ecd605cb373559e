"""SQL on a run's tables: one query, a script from standard input, or a prompt."""

import csv
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from pipeline.errors import QueryError
from pipeline.sql_mistakes import told_as_query_error

if TYPE_CHECKING:
    import duckdb
    from rich.console import Console

Format = Literal["table", "csv", "json"]
Row = Sequence[Any]

ROWS_AT_ONCE = 10_000
LONGEST_TABLE = 1_000
_ENDINGS = (".quit", ".exit")
HELP = """\
A statement ends with ';'.
.tables         list the tables
.schema TABLE   columns of a table and what they mean
.quit           leave (also Ctrl-D)"""


def run_script(
    connection: "duckdb.DuckDBPyConnection", script: str, format: Format, console: "Console"
) -> None:
    """Run the statements and commands of a script and print what each returns.

    Raises QueryError with what is wrong in one line; for JSON also, before anything runs, if
    several results would follow each other, which together are not JSON.
    """
    parts = list(_parts(script))
    with told_as_query_error(connection, script):
        _refuse_several_results(connection, parts, format)
        for part in parts:
            if part.startswith("."):
                _run_command(connection, part, format, console)
            else:
                _run_statements(connection, part, format, console)


def _parts(script: str) -> Iterator[str]:
    """Commands, a line each, and the SQL between them; `.quit` ends the script."""
    sql = ""
    for line in script.splitlines(keepends=True):
        is_between = not sql.strip() or sql.rstrip().endswith(";")
        if not is_between or not line.lstrip().startswith("."):
            sql += line
            continue
        if sql.strip():
            yield sql
        sql = ""
        if line.strip() in _ENDINGS:
            return
        yield line.strip()
    if sql.strip():
        yield sql


def _refuse_several_results(
    connection: "duckdb.DuckDBPyConnection", parts: Sequence[str], format: Format
) -> None:
    if format != "json":
        return
    count = 0
    for part in parts:
        if part.startswith("."):
            count += 1
        else:
            count += sum(map(_returns_rows, connection.extract_statements(part)))
    if count > 1:
        raise QueryError(
            f"--format json takes one statement that returns rows, not {count}: ask for each "
            "by itself, or use csv"
        )


def _returns_rows(statement: "duckdb.Statement") -> bool:
    """True for queries; others tell at most how many rows they changed."""
    import duckdb

    return bool(statement.expected_result_type == [duckdb.ExpectedResultType.QUERY_RESULT])


def _run_statements(
    connection: "duckdb.DuckDBPyConnection", sql: str, format: Format, console: "Console"
) -> None:
    for statement in connection.extract_statements(sql):
        cursor = connection.execute(statement)
        if _returns_rows(statement) or (format != "json" and cursor.description):
            print_rows(_names(cursor), _rows(cursor), format, console)


def _names(cursor: "duckdb.DuckDBPyConnection") -> list[str]:
    return [column[0] for column in cursor.description or ()]


def _rows(cursor: "duckdb.DuckDBPyConnection") -> Iterator[Row]:
    while rows := cursor.fetchmany(ROWS_AT_ONCE):
        yield from rows


def print_rows(
    names: Sequence[str], rows: Iterable[Row], format: Format, console: "Console"
) -> None:
    """Print rows in a format; CSV and JSON hold all of them, a table the first ones."""
    if format == "csv":
        _print_csv(names, rows, console.file)
    elif format == "json":
        _print_json(names, rows, console.file)
    else:
        _print_table(names, iter(rows), console)


def _print_csv(names: Sequence[str], rows: Iterable[Row], file: IO[str]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_csv_value(value) for value in row] for row in rows)


def _csv_value(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _print_json(names: Sequence[str], rows: Iterable[Row], file: IO[str]) -> None:
    separator = "[\n"
    for row in rows:
        record = {name: _plain(value) for name, value in zip(names, row, strict=True)}
        file.write(separator + json.dumps(record, ensure_ascii=False, default=str))
        separator = ",\n"
    file.write("[]\n" if separator == "[\n" else "\n]\n")


def _plain(value: Any) -> Any:
    """Numbers that JSON has: no NaN, no decimals with their own type."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _print_table(names: Sequence[str], rows: Iterator[Row], console: "Console") -> None:
    from pipeline.reports.grid import Grid
    from pipeline.reports.terminal import draw

    shown = list(islice(rows, LONGEST_TABLE))
    grid = Grid(
        titles=tuple(names),
        is_numeric=tuple(_is_numeric(shown, at) for at in range(len(names))),
        rows=tuple((0, tuple(_text(value) for value in row)) for row in shown),
    )
    console.print(draw(grid))
    if next(rows, None) is not None:
        from pipeline.console import messages

        messages().print(f"only the first {LONGEST_TABLE:,} rows; --format csv prints all")


def _is_numeric(rows: Sequence[Row], at: int) -> bool:
    values = [row[at] for row in rows if row[at] is not None]
    return bool(values) and all(isinstance(value, int | float | Decimal) for value in values)


def _text(value: Any) -> str:
    from pipeline.reports.units import make_visible

    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else make_visible(str(value))


def run_prompt(
    connection: "duckdb.DuckDBPyConnection",
    format: Format,
    console: "Console",
    *,
    read: Callable[[str], str] = input,
) -> None:
    """Read statements until `.quit` or the end of input; an error does not end the prompt."""
    from pipeline.console import print_error

    with _history():
        for text in _statements(read):
            try:
                run_script(connection, text, format, console)
            except QueryError as error:
                print_error(str(error))
            except KeyboardInterrupt:
                print_error("interrupted")


def _statements(read: Callable[[str], str]) -> Iterator[str]:
    """Commands and statements as they are completed; Ctrl-C forgets a half-typed one."""
    lines: list[str] = []
    while True:
        try:
            line = read("   ...> " if lines else "tracemill> ").rstrip()
        except KeyboardInterrupt:
            lines = []
            sys.stdout.write("\n")
            continue
        except EOFError:
            return
        if not lines and line.strip() in _ENDINGS:
            return
        if not lines and line.lstrip().startswith("."):
            yield line.strip()
        elif line or lines:
            lines.append(line)
            if line.endswith(";"):
                yield "\n".join(lines)
                lines = []


def _run_command(
    connection: "duckdb.DuckDBPyConnection", text: str, format: Format, console: "Console"
) -> None:
    command, *arguments = text.removesuffix(";").split()
    if command == ".tables":
        query = "SELECT table_name FROM (SHOW TABLES) t(table_name)"
        _run_statements(connection, query, format, console)
    elif command == ".schema" and len(arguments) == 1:
        _print_schema(connection, arguments[0], format, console)
    elif command == ".help":
        console.print(HELP, markup=False)
    else:
        raise QueryError(f"no command {text}: commands are .tables, .schema TABLE, .help, .quit")


def _print_schema(
    connection: "duckdb.DuckDBPyConnection", name: str, format: Format, console: "Console"
) -> None:
    from pipeline.reference import print_table
    from schemas import BY_NAME

    if name in BY_NAME and format == "table":
        print_table(BY_NAME[name], console)
        return
    quoted = name.replace('"', '""')
    script = f'SELECT column_name, column_type FROM (DESCRIBE "{quoted}")'
    _run_statements(connection, script, format, console)


@contextmanager
def _history() -> Iterator[None]:
    """Line editing with a history that outlives the session, where the system has it."""
    try:
        import readline
    except ImportError:
        yield
        return
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    path = state / "tracemill" / "history"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        readline.read_history_file(path)
    except OSError:
        pass  # a first session, or no home to write to
    try:
        yield
    finally:
        try:
            readline.set_history_length(1_000)
            readline.write_history_file(path)
        except OSError:
            pass
