"""What the metrics of this run's waiting mean, what usually causes it, and what to try."""

from pipeline.explain import list_metrics, parse, read_text
from pipeline.patterns.metrics import Metric
from pipeline.reports.material import Material
from pipeline.reports.model import Explanation, Section
from pipeline.reports.sections.wait_states import BY_PROPERTY

PLACE = 115
CAUSES, ADVICE = "Usual causes", "What to try"


def build(material: Material) -> Section | None:
    """An explanation of each kind of waiting that the report tells; nothing without any."""
    found = {row["metric"] for row in material.rows(BY_PROPERTY.query, BY_PROPERTY.row_limit)}
    known = [metric for metric in list_metrics() if metric.name in found]
    if not known:
        return None
    return Section(
        key="metrics",
        title="What the wait states mean",
        sentences=("tracemill explain METRIC tells more, also how each is computed.",),
        explanations=tuple(map(explain, known)),
    )


def explain(metric: Metric) -> Explanation:
    """The text about a metric, in short: its meaning, causes and advice."""
    heading = ""
    items: dict[str, list[str]] = {}
    for block in parse(read_text(metric.name)):
        if block.kind == "heading":
            heading = block.text
        else:
            items.setdefault(heading, []).append(block.text.replace("`", ""))
    return Explanation(
        metric=metric.name,
        title=metric.title,
        meaning=" ".join((metric.meaning, *items.get("Definition", ())[:1])),
        causes=tuple(items.get(CAUSES, ())),
        advice=tuple(items.get(ADVICE, ())),
    )
