"""The cookbook as a document: every question with its query."""

from collections.abc import Iterator

from tracemill.shell.cookbook import Question, campaign_questions, run_questions

_INTRODUCTION = """\
# Cookbook

Generated from `queries/cookbook` and `queries/campaign_cookbook` by `make docs`; do not edit.

Each entry is a question about a run and the query that answers it. The prompt of `tracemill sql`
lists them with `.examples` and runs one with `.examples NAME` or `.examples NUMBER`. The same works
in scripts:

<!-- setup: tracemill analyze data/m01_late_sender -->
```sh
tracemill sql ".examples waits_by_rank"
tracemill sql ".examples waits_by_rank" --output waits.csv
```

Times are in seconds. [tables.md](tables.md) explains the tables and columns; `.describe TABLE`
prints the same. Every run has all tables. A table is empty if the trace has no such data."""
_OF_CAMPAIGNS = """\
## Campaigns

Questions about several runs, for `tracemill sql --campaign NAME`. Numbers start at 1 again."""


def describe_cookbook() -> str:
    """The document as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _INTRODUCTION
    yield ""
    yield "## Runs"
    for question in run_questions():
        yield from _describe(question)
    yield ""
    yield _OF_CAMPAIGNS
    for question in campaign_questions():
        yield from _describe(question)


def _describe(question: Question) -> Iterator[str]:
    query = question.query
    tables = ", ".join(f"[{name}](tables.md#{name})" for name in query.inputs)
    assumed = f" It assumes: {query.assumes}." if query.assumes else ""
    yield ""
    yield f"### {question.number}. {question.name}"
    yield ""
    yield f"{question.question}{assumed}"
    yield ""
    yield f"Result: {query.grain}. Tables: {tables}."
    yield ""
    yield f"```sql\n{question.sql}\n```"
