"""Generated documents: the references in `docs/reference`.

`python -m tracemill.reference` writes them. With `--check` it lists those that are out of date.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType

from tracemill import schemas
from tracemill.base.console import messages, print_error
from tracemill.base.files import write_text
from tracemill.reference.clusters import describe_clusters
from tracemill.reference.commands import describe_commands
from tracemill.reference.cookbook import describe_cookbook
from tracemill.reference.csv_layout import describe_csv
from tracemill.reference.metrics import describe_metrics
from tracemill.reference.programs import describe_programs
from tracemill.reference.summary import describe_summary
from tracemill.reports.markdown import escape
from tracemill.schemas import Table
from tracemill.shell.table_reference import describe_column

ROOT = Path(__file__).resolve().parents[2]
_COLUMN_TITLES = ("column", "type", "unit", "meaning", "null means", "allowed")


def documents(root: Path = ROOT) -> dict[Path, Callable[[], str]]:
    """Every generated document with the function that makes its text."""
    reference = root / "docs" / "reference"
    return {
        reference / "commands.md": describe_commands,
        reference / "tables.md": describe_tables,
        reference / "metrics.md": describe_metrics,
        reference / "csv.md": describe_csv,
        reference / "cookbook.md": describe_cookbook,
        reference / "programs.md": describe_programs,
        reference / "clusters.md": describe_clusters,
        reference / "summary.md": describe_summary,
    }


def stale_documents(root: Path = ROOT) -> list[Path]:
    """Documents whose text differs from the generated one, or that are missing."""
    return [
        path
        for path, make in documents(root).items()
        if not path.exists() or path.read_text(encoding="utf-8") != make()
    ]


def describe_tables() -> str:
    """The reference of all tables as Markdown."""
    return "\n".join(_table_lines()) + "\n"


def _table_lines() -> Iterator[str]:
    yield "# Tables"
    yield ""
    yield "Generated from `schemas/` by `make docs`; do not edit."
    yield ""
    yield (
        "Times are integers: nanoseconds since the start of the trace. A column is never null "
        "unless its row says what null means. Transient tables exist only during an analysis. "
        "The tables of a campaign are stored with the campaign, the history of nightly runs in "
        "`nightly/history`, and the tables of forecasts, the last groups, in `forecasts`."
    )
    for module in schema_modules():
        yield ""
        yield f"**{_title(module)}** " + " · ".join(
            f"[{table.name}](#{table.name})" for table in _declared(module)
        )
    for module in schema_modules():
        yield ""
        yield f"## {_title(module)}"
        for table in _declared(module):
            yield ""
            yield from _describe_table(table)


def schema_modules() -> list[ModuleType]:
    """The modules that declare tables, in the order of their tables."""
    modules = (each for each in vars(schemas).values() if isinstance(each, ModuleType))
    declaring = [module for module in modules if _declared(module)]
    tables = [
        *schemas.TABLES,
        *schemas.VIEWS,
        *schemas.CAMPAIGN_TABLES,
        *schemas.NIGHTLY_TABLES,
        *schemas.FORECAST_TABLES,
    ]
    return sorted(declaring, key=lambda module: tables.index(_declared(module)[0]))


def _declared(module: ModuleType) -> tuple[Table, ...]:
    return (*getattr(module, "TABLES", ()), *getattr(module, "VIEWS", ()))


def _title(module: ModuleType) -> str:
    return (module.__doc__ or "").splitlines()[0].rstrip(".")


def _describe_table(table: Table) -> Iterator[str]:
    yield f"### {table.name}"
    yield ""
    yield escape(table.meaning)
    yield ""
    yield f"- Grain: {escape(table.grain)}"
    yield f"- Key: {', '.join(f'`{name}`' for name in table.key)}"
    if table.is_partitioned:
        yield "- Stored as several files, one per block of locations"
    if table.is_transient:
        yield "- Transient"
    if table in schemas.VIEWS:
        yield "- Not stored: computed when a query reads it"
    for rule in table.rules:
        yield f"- Rule: `{rule.name}`"
    yield ""
    yield f"| {' | '.join(_COLUMN_TITLES)} |"
    yield f"|{' --- |' * len(_COLUMN_TITLES)}"
    for column in table.columns:
        name, *rest = describe_column(column)
        yield f"| `{name}` | {' | '.join(escape(text) for text in rest)} |"


def main(arguments: Sequence[str], *, root: Path = ROOT) -> int:
    """Write the documents, or with --check list stale ones and return 1 if there are any."""
    stale = stale_documents(root)
    if "--check" in arguments:
        for path in stale:
            print_error(f"{path.relative_to(root)} is stale: run `make docs`")
        return 1 if stale else 0
    made = documents(root)
    for path in stale:
        write_text(path, made[path]())
        messages().print(f"{path.relative_to(root)} written")
    return 0
