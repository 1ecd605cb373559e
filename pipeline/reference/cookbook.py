"""The cookbook as a document: every question with its query."""

from collections.abc import Iterator

from tracemill.shell.cookbook import Recipe, campaign_recipes, run_recipes

_INTRODUCTION = """\
# Cookbook

Generated from the files in `queries/cookbook` and `queries/campaign_cookbook` by `make docs`; do
not edit.

Questions about a run, each with a query that answers it. They are also at hand in the prompt of
`tracemill sql`, where `.examples` lists them and `.examples N` or `.examples NAME` runs one:

    tracemill sql ".examples waits_by_rank"
    tracemill sql ".examples waits_by_rank" --output waits.csv

Times are in seconds. What tables and columns mean is in [TABLES.md](TABLES.md); in the prompt
`.describe TABLE` says it. A table that a query needs is there in every run, without rows if the
trace has nothing of the kind."""
_OF_CAMPAIGNS = """\
## Campaigns

Questions about many runs at once, for `tracemill sql --campaign NAME`, where they are counted from
1 again."""


def describe_cookbook() -> str:
    """The document as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _INTRODUCTION
    yield ""
    yield "## Runs"
    for recipe in run_recipes():
        yield from _describe(recipe)
    yield ""
    yield _OF_CAMPAIGNS
    for recipe in campaign_recipes():
        yield from _describe(recipe)


def _describe(recipe: Recipe) -> Iterator[str]:
    query = recipe.query
    tables = ", ".join(f"[{name}](TABLES.md#{name})" for name in query.inputs)
    assumed = f" Assumes that {query.assumes}." if query.assumes else ""
    yield ""
    yield f"### {recipe.number}. {recipe.name}"
    yield ""
    yield f"{recipe.question} Answered with {query.grain}.{assumed} From {tables}."
    yield ""
    yield f"```sql\n{recipe.sql}\n```"
