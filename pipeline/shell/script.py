"""Scripts: statements of SQL, and commands, which begin with a dot and take a line each."""

from collections.abc import Iterator, Sequence

import duckdb

from tracemill.base.errors import QueryError
from tracemill.base.interrupting import interruptibly
from tracemill.shell.commands import run_command
from tracemill.shell.formats import OF_ONE_RESULT, Output, write_parquet, write_rows
from tracemill.shell.session import Session, is_query
from tracemill.sql.mistakes import statement_errors

ENDINGS = (".quit", ".exit", "quit", "exit")


def run_script(session: Session, script: str, output: Output) -> None:
    """Run the statements and commands of a script and write their results.

    Formats for programs contain only rows. Raises QueryError; for JSON and Parquet also, before
    anything runs, if there would be several results.
    """
    parts = list(_parts(script))
    with statement_errors(session.connection, script):
        _refuse_several_results(session, parts, output)
        for part in parts:
            if part.startswith("."):
                sql = run_command(session, part, output)
                _run_statements(session, sql, output)
            else:
                _run_statements(session, part, output)


def run_interruptibly(session: Session, script: str, output: Output) -> None:
    """The same, such that Ctrl-C stops it: KeyboardInterrupt is raised then."""
    interruptibly(lambda: run_script(session, script, output), session.connection.interrupt)


def is_ended(sql: str) -> bool:
    """True for statements up to a ';', which comments may follow, and for nothing."""
    tokens = [at for at, kind in duckdb.tokenize(sql) if kind != duckdb.token_type.comment]
    return not tokens or sql.encode()[tokens[-1] :].startswith(b";")


def _parts(script: str) -> Iterator[str]:
    """Commands, a line each, and the SQL between them; `.quit` ends the script."""
    sql = ""
    for line in script.splitlines(keepends=True):
        if not line.lstrip().startswith(".") or not is_ended(sql):
            sql += line
            continue
        if sql.strip():
            yield sql
        sql = ""
        if line.strip() in ENDINGS:
            return
        yield line.strip()
    if sql.strip():
        yield sql


def _refuse_several_results(session: Session, parts: Sequence[str], output: Output) -> None:
    if output.format not in OF_ONE_RESULT:
        return
    count = 0
    for part in parts:
        if part.startswith("."):
            count += 1
        else:
            count += sum(map(is_query, session.connection.extract_statements(part)))
    if count > 1:
        raise QueryError(
            f"--format {output.format} takes one statement that returns rows, not {count}: ask "
            "for each by itself, or use csv"
        )
    if count == 0 and output.format == "parquet":
        raise QueryError("--format parquet takes a statement that returns rows: there is none")


def _run_statements(session: Session, sql: str, output: Output) -> None:
    for statement in session.connection.extract_statements(sql):
        if output.format == "parquet" and is_query(statement):
            write_parquet(session.connection.sql(statement), output)
            continue
        cursor = session.execute(statement)
        if cursor is not None and (is_query(statement) or output.is_for_people):
            write_rows(cursor, output)
