"""Meanings, usual causes and advice for the wait states and findings of this run."""

import re

from tracemill.reports.explanation import all_metrics
from tracemill.reports.material import Material
from tracemill.reports.model import Explanation, Section
from tracemill.reports.sections.findings import BY_KIND
from tracemill.reports.sections.wait_states import BY_PROPERTY
from tracemill.reports.wording import Row
from tracemill.sql.metric_texts import Metric, read_text

PLACE = 115


def build(material: Material) -> Section | None:
    """An explanation of each wait state and finding in the report; nothing without any."""
    rows = material.rows(BY_KIND.query)
    found = {row["metric"] for row in material.rows_of(BY_PROPERTY)}
    found |= {row["metric"] for row in rows}
    found_metrics = [metric for metric in all_metrics() if metric.name in found]
    own = [row for row in rows if row["is_own"]]
    if not found_metrics and not own:
        return None
    return Section(
        key="metrics",
        title="Metrics explained",
        sentences=("For details and formulas: tracemill explain METRIC.",),
        explanations=(*map(explain_metric, found_metrics), *map(explain_own, own)),
    )


def explain_own(row: Row) -> Explanation:
    """The meaning of a user metric, from the header of its pattern."""
    return Explanation(
        metric=str(row["metric"]),
        title=str(row["finding"]),
        meaning=str(row["meaning"]),
        causes=(),
        advice=(),
    )


def explain_metric(metric: Metric) -> Explanation:
    """The text of a metric in short: meaning, causes and advice."""
    pieces = re.split(r"^## (.*)\n", read_text(metric.name).replace("`", ""), flags=re.MULTILINE)
    texts = dict(zip(pieces[1::2], pieces[2::2], strict=True))
    definition = texts.get("Definition", "").strip().split("\n\n")[0]
    return Explanation(
        metric=metric.name,
        title=metric.title,
        meaning=" ".join((metric.meaning, *definition.split())),
        causes=_items(texts.get("Usual causes", "")),
        advice=_items(texts.get("What to try", "")),
    )


def _items(text: str) -> tuple[str, ...]:
    return tuple(" ".join(item.split()) for item in f"\n{text}".split("\n- ")[1:])
