"""Explanations of metrics: their place in the hierarchy, and their texts."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from rich.console import Console
from rich.text import Text

from tracemill.base.errors import MissingInputError
from tracemill.base.near import did_you_mean, near_matches
from tracemill.patterns.catalog import pattern_of
from tracemill.patterns.metrics import metrics_with, spelling
from tracemill.reports.terminal import print_grid
from tracemill.reports.wording import start
from tracemill.schemas import BY_NAME, TABLES, VIEWS
from tracemill.schemas.metrics import METRICS
from tracemill.sql.metric_texts import Metric, read_text
from tracemill.sql.query_files import Query

# Texts are for reading, also in a wide terminal or a pipe.
WIDEST = 96
_MOST_NEAR = 12
_UNITS = {
    "ns": "seconds (nanoseconds in the tables)",
    "occurrences": "occurrences",
    "visits": "visits",
    "bytes": "bytes",
}
_OWN_TEXT = """## Definition

{description}
{assumed}
## Query

Yours, in `{path}`:

```sql
{text}
```
"""


def all_metrics(own: Sequence[Query] = ()) -> tuple[Metric, ...]:
    """Every metric: kind by kind, each after the one that includes it; with your own patterns."""
    return _in_order(metrics_with(own))


@cache
def _in_order(metrics: tuple[Metric, ...]) -> tuple[Metric, ...]:
    kinds = next(column for column in METRICS.columns if column.name == "kind").values
    of_kind = {(metric.name, metric.kind) for metric in metrics}
    parts: defaultdict[tuple[str | None, str], list[Metric]] = defaultdict(list)
    for metric in metrics:
        includes = (metric.parent, metric.kind)
        parts[includes if includes in of_kind else (None, metric.kind)].append(metric)
    roots = [metric for (name, _), found in parts.items() if name is None for metric in found]
    roots.sort(key=lambda metric: (kinds.index(metric.kind), metric.unit != "ns", metric.name))
    return tuple(each for root in roots for each in _with_parts(root, parts))


def _with_parts(
    metric: Metric, parts: Mapping[tuple[str | None, str], Sequence[Metric]]
) -> Iterator[Metric]:
    yield metric
    for part in parts.get((metric.name, metric.kind), ()):
        yield from _with_parts(part, parts)


def find_metric(name: str, metrics: Sequence[Metric]) -> Metric:
    """The metric of that name or title, however it is spaced.

    Raises MissingInputError, which names the likeliest ones.
    """
    wanted = spelling(name)
    spellings = {spelling(text): each for each in metrics for text in (each.title, each.name)}
    if wanted in spellings:
        return spellings[wanted]
    raise MissingInputError(f"no metric {name}: {_near(name, spellings)}")


def _near(name: str, spellings: Mapping[str, Metric]) -> str:
    """Metrics and tables with names like the given one, in a sentence."""
    if name in BY_NAME:
        return f"it is a table; tracemill tables {name} explains it"
    close = near_matches(spelling(name), spellings, most=_MOST_NEAR)
    metrics = dict.fromkeys(spellings[each].name for each in close)
    tables = [
        each.name for each in (*TABLES, *VIEWS) if not each.is_transient and name in each.name
    ]
    listed = ("tables with this word: " + ", ".join(tables)) if tables and len(name) > 2 else ""
    advice = " ".join(filter(None, (did_you_mean(list(metrics)), listed)))
    return advice or "tracemill explain, without a name, lists all"


def print_metrics(metrics: Sequence[Metric], console: Console) -> None:
    """List all metrics by kind, in a line each."""
    depths = _depths(metrics)
    width = max(2 * depths[each.name] + len(each.name) for each in metrics)
    for kind in dict.fromkeys(each.kind for each in metrics):
        console.print(Text(start(kind), style="section"))
        rows = [
            ((" " * 2 * depths[each.name] + each.name).ljust(width), each.meaning)
            for each in metrics
            if each.kind == kind
        ]
        print_grid(console, ("metric".ljust(width), "meaning"), rows)
        console.print()
    console.print(Text("For details of one: tracemill explain METRIC.", style="muted"))


def _depths(metrics: Sequence[Metric]) -> dict[str, int]:
    """The number of metrics of its kind that include each one; these come before it."""
    kinds = {each.name: each.kind for each in metrics}
    depths: dict[str, int] = {}
    for each in metrics:
        is_part = each.parent is not None and kinds.get(each.parent) == each.kind
        depths[each.name] = depths[str(each.parent)] + 1 if is_part else 0
    return depths


def print_explanation(
    metric: Metric, metrics: Sequence[Metric], console: Console, own: Sequence[Query] = ()
) -> None:
    """Print what a metric is, its place in the hierarchy, and its text.

    Those of `own` patterns are explained by their header and query.
    """
    from rich.markdown import Markdown  # 0.05 s, and only to explain a metric

    width = min(console.width, WIDEST)
    kind = f"{start(metric.kind)}, in {_UNITS[metric.unit]}."
    print_wrapped(Text.assemble((metric.title, "heading"), f" ({metric.name})"), console, width)
    print_wrapped(Text(metric.meaning), console, width)
    for line in (kind, *_relations(metric, metrics)):
        print_wrapped(Text(line, "muted"), console, width)
    console.print()
    console.print(Markdown(_text_of(metric, own), code_theme="bw"), width=width)


def print_wrapped(text: Text, console: "Console", width: int, mark: str = "") -> None:
    """Text in lines without spaces at their ends, the first after a mark, the others below it."""
    for number, line in enumerate(text.wrap(console, width - len(mark))):
        line.rstrip()
        console.print(" " * len(mark) if number else mark, line, sep="", soft_wrap=True)


def describe_metric(metric: Metric, metrics: Sequence[Metric], own: Sequence[Query] = ()) -> str:
    """The same as Markdown."""
    facts = [
        f"Metric: `{metric.name}`",
        f"Meaning: {metric.meaning}",
        f"Kind: {metric.kind}",
        f"Unit: {_UNITS[metric.unit]}",
        *_relations(metric, metrics),
    ]
    listed = (f"- {fact}" for fact in facts)
    text = _text_of(metric, own).rstrip()
    return "\n".join((f"# {metric.title}", "", *listed, "", text)) + "\n"


def _text_of(metric: Metric, own: Sequence[Query]) -> str:
    for query in own:
        if any(each.name == metric.name for each in pattern_of(query).metrics):
            return _OWN_TEXT.format(
                description=query.description,
                assumed=f"\nIt assumes: {query.assumes}.\n" if query.assumes else "",
                path=query.path,
                text=query.statement,
            )
    return read_text(metric.name)


def _relations(metric: Metric, metrics: Sequence[Metric]) -> list[str]:
    """The metrics that include this one, and those that it includes."""
    parents = [each for each in metrics if each.name == metric.parent]
    parts = [each for each in metrics if each.parent == metric.name]
    named = (("Part of", parents), ("Includes", parts))
    return [
        f"{word}: {', '.join(f'{each.title} ({each.name})' for each in some)}"
        for word, some in named
        if some
    ]
