"""Communication: who sends how much to whom, message sizes, collective operations."""

from pipeline.reports.material import OVERVIEW, Material
from pipeline.reports.model import Layout, Section
from pipeline.reports.tables import TableSpec, read_source
from pipeline.reports.units import format_size
from pipeline.reports.wording import Row, count_of, number, start

PLACE = 100
MATRIX_LIMIT = 64
PAIR_LIMIT = 30

PAIRS = TableSpec(
    query="communication_pairs",
    title="Who sends to whom",
    row_limit=PAIR_LIMIT,
    bars=("bytes",),
    titles={"sender_rank": "From", "receiver_rank": "To"},
)
MATRIX = TableSpec(
    query="communication_pairs",
    title="Who sends how much to whom",
    note="Rows send, columns receive.",
    row_limit=MATRIX_LIMIT * MATRIX_LIMIT,
    layout=Layout.MATRIX,
    titles=PAIRS.titles,
)
MESSAGE_SIZES = TableSpec(
    query="message_size_classes", title="Message sizes", bars=("message_count", "bytes")
)
COLLECTIVES = TableSpec(
    query="collective_totals",
    title="Collective operations",
    note="Time inside the calls, summed over their members.",
    bars=("time_ns",),
    silent={"is_nonblocking": False, "incomplete_count": 0},
)


def build(material: Material) -> Section:
    """What the processes exchanged."""
    is_small = int(material.overview["process_count"] or 0) <= MATRIX_LIMIT
    specs = (*((MATRIX,) if is_small else ()), PAIRS, MESSAGE_SIZES, COLLECTIVES)
    return Section(
        key="communication",
        title="Communication",
        sentences=(describe_traffic(material.overview),),
        tables=material.tables(*specs),
        sources=(read_source(OVERVIEW),),
    )


def describe_traffic(overview: Row) -> str:
    """How much was sent and how many collectives ran."""
    messages, collectives = overview["message_count"], overview["collective_count"]
    if not messages and not collectives:
        return "The processes exchanged no messages and ran no collectives."
    sent = format_size(number(overview["message_bytes"]))
    return (
        f"{start(count_of(messages, 'matched message'))} carried {sent}; "
        f"{count_of(collectives, 'collective instance')} ran."
    )
