"""The reference of metrics: their place in the hierarchy and their texts."""

from collections.abc import Iterator, Sequence

from tracemill.reports.explanation import all_metrics, describe_metric
from tracemill.reports.wording import start
from tracemill.sql.metric_texts import Metric

_INTRODUCTION = """\
# Metrics

Generated from `queries/metrics` by `make docs`; do not edit.

`tracemill explain METRIC` prints the text about one metric. Times are in nanoseconds in the tables
and in seconds in reports and in `tracemill export severities`."""


def describe_metrics() -> str:
    """The document as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    metrics = all_metrics()
    yield _INTRODUCTION
    kinds = dict.fromkeys(metric.kind for metric in metrics)
    for kind in kinds:
        yield ""
        yield from _contents(kind, [metric for metric in metrics if metric.kind == kind])
    for kind in kinds:
        yield ""
        yield f"## {start(kind)}"
        for metric in metrics:
            if metric.kind == kind:
                yield ""
                yield f"### {metric.name}"
                yield from _text(describe_metric(metric, metrics))


def _contents(kind: str, metrics: Sequence[Metric]) -> Iterator[str]:
    yield f"**{start(kind)}**"
    yield ""
    yield from (f"- [{each.name}](#{each.name}): {each.meaning}" for each in metrics)


def _text(text: str) -> Iterator[str]:
    """The text below its title, as part of a larger document: headings two levels lower."""
    title, *lines = text.splitlines()
    yield ""
    yield f"**{title.removeprefix('# ')}**"
    is_verbatim = False
    for line in lines:
        is_verbatim ^= line.startswith("```")
        yield f"##{line}" if line.startswith("#") and not is_verbatim else line
