"""Commands of the shell: what tables there are, what they mean, and questions to begin with."""

from collections.abc import Iterable, Sequence

from tracemill.base.errors import QueryError
from tracemill.patterns.catalog import known_tables
from tracemill.shell.cookbook import Question, find_question, questions_for
from tracemill.shell.formats import Output
from tracemill.shell.session import Session
from tracemill.shell.table_groups import grouped, named_tables, print_groups
from tracemill.shell.table_reference import describe_column, print_table
from tracemill.sql.mistakes import SEE, hint
from tracemill.store.database import literal

NAMES = (".tables", ".describe", ".schema", ".examples", ".help", ".quit", ".exit")
_ALL = "all"
HELP = """\
A statement ends with ';'. Tab completes names of tables and columns.
.tables           tables to begin with, and all by question
.tables NAME      tables of a question, or with this word in their names; .tables all
.describe TABLE   columns of a table and what they mean; also .schema
.examples         questions that a query answers
.examples N       one of them, by number or name: its query and the answer
.quit             leave (also Ctrl-D)"""


def run_command(session: Session, text: str, output: Output) -> str:
    """Run a command; returns SQL whose rows are still to be written, or None.

    Raises QueryError for an unknown command, table or example.
    """
    command, *arguments = text.removesuffix(";").split()
    if command == ".tables" and len(arguments) <= 1:
        return _tables(session, "".join(arguments), output)
    if command in (".describe", ".schema") and len(arguments) == 1:
        return _describe(session, arguments[0], output)
    if command == ".examples" and len(arguments) <= 1:
        questions = _questions(session)
        return _example(arguments[0], questions, output) if arguments else _examples(questions)
    if command == ".help":
        output.console.print(HELP, markup=False)
        return ""
    raise QueryError(
        f"no command {text}: commands are .tables, .tables NAME, .describe TABLE, .examples, "
        ".examples N, .help, .quit"
    )


def _tables(session: Session, word: str, output: Output) -> str:
    """All tables, or those that a word chooses; people see all by question first."""
    names, known = session.tables(), known_tables()
    if not word and output.is_for_people:
        print_groups(names, output.console)
        return ""
    chosen = names if word in ("", _ALL) else named_tables(word, names)
    if not chosen:
        groups = ", ".join(group.name for group, _ in grouped(names))
        raise QueryError(f"no tables {word}: give a part of a name, {_ALL}, or one of {groups}")
    rows = [
        (name, known[name].grain, known[name].meaning) if name in known else (name, "", "")
        for name in chosen
    ]
    return _rows_of(("table_name", "grain", "meaning"), rows)


def _describe(session: Session, name: str, output: Output) -> str:
    columns = session.columns()
    if name.casefold() not in map(str.casefold, columns):
        names = (*filter(columns.__contains__, known_tables()), *columns)
        declared_first = {each: columns[each] for each in names}
        raise QueryError(f"no table {name}{hint(name, columns, declared_first)} {SEE}")
    if name not in known_tables() or name not in session.given:
        quoted = name.replace('"', '""')
        return f'SELECT column_name, column_type FROM (DESCRIBE "{quoted}")'
    if output.is_for_people:
        print_table(known_tables()[name], output.console)
        return ""
    titles = ("column_name", "column_type", "unit", "meaning", "null_means", "allowed")
    return _rows_of(titles, [describe_column(each) for each in known_tables()[name].columns])


def _questions(session: Session) -> tuple[Question, ...]:
    """The questions these tables answer; raises QueryError if they are those of many runs."""
    if "run_id" in session.columns().get("locations", ()):
        raise QueryError("examples ask about one run: name it with --run instead of --all-runs")
    return questions_for(session.given)


def _examples(questions: Iterable[Question]) -> str:
    rows = [(str(each.number), each.name, each.question) for each in questions]
    return _rows_of(("example", "name", "question"), rows)


def _example(wanted: str, questions: tuple[Question, ...], output: Output) -> str:
    question = find_question(wanted, questions)
    if output.is_for_people:
        output.console.print(question.question, style="heading", markup=False, soft_wrap=True)
        output.console.print(f"{question.sql};\n", markup=False, soft_wrap=True)
    return question.sql


def _rows_of(names: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A query that returns these texts, so that they are written like any other rows."""
    if not rows:
        return "SELECT " + ", ".join(f"'' AS {name}" for name in names) + " LIMIT 0"
    listed = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
    return f"FROM (VALUES {listed}) AS listed ({', '.join(names)})"
