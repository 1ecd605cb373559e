"""The list of patterns in the terminal."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tracemill.patterns.catalog import catalog, metrics_of, pattern_of
from tracemill.reports.explanation import WIDEST, print_wrapped
from tracemill.sql.folders import QUERIES
from tracemill.sql.query_files import Query

_INDENT = "  "


def print_patterns(own: Sequence[Query], console: Console) -> None:
    """List the patterns by folder, the user's last, with descriptions and metrics."""
    patterns = (*catalog(), *own)
    for folder, found in groupby(sorted(patterns, key=_place), key=lambda query: query.path.parent):
        console.print(Text(_relative(folder), style="section"), soft_wrap=True)
        console.print()
        for query in found:
            _print_pattern(query, patterns, console)


def _print_pattern(query: Query, patterns: Sequence[Query], console: Console) -> None:
    width = min(console.width, WIDEST)
    metrics = ", ".join(metric.name for metric in metrics_of(query, patterns))
    kind = pattern_of(query).kind
    print_wrapped(Text.assemble((query.relation, "title"), f" ({kind})"), console, width)
    print_wrapped(Text(query.description), console, width, _INDENT)
    print_wrapped(Text(f"Metrics: {metrics}", style="muted"), console, width, _INDENT)
    console.print()


def _place(query: Query) -> tuple[bool, Path, str]:
    return QUERIES not in query.path.parents, query.path.parent, query.relation


def _relative(folder: Path) -> str:
    """The folder, relative to the root of the checkout if it is inside."""
    root = QUERIES.parent
    return str(folder.relative_to(root) if QUERIES in folder.parents else folder)
