"""Communication: messages between ranks, message sizes, collective operations, files."""

from tracemill.reports.material import OVERVIEW, Material
from tracemill.reports.model import Drawing, Layout, Section, Table
from tracemill.reports.pictures.matrices import draw_bars
from tracemill.reports.rank_matrix import MATRIX_LIMIT, draw_pairs
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.units import format_size
from tracemill.reports.wording import Row, count_of, number, start

PLACE = 100
PAIR_LIMIT = 30

PAIRS = TableSpec(
    query="communication_pairs",
    title="Messages by sender and receiver",
    row_limit=PAIR_LIMIT,
    bars=("bytes",),
    titles={"sender_rank": "From", "receiver_rank": "To"},
)
MATRIX = TableSpec(
    query="communication_pairs",
    title="Messages between ranks",
    note="Rows send, columns receive.",
    row_limit=MATRIX_LIMIT * MATRIX_LIMIT,
    layout=Layout.MATRIX,
    titles=PAIRS.titles,
)
MESSAGE_SIZES = TableSpec(
    query="message_size_classes", title="Message sizes", bars=("message_count", "bytes")
)
MESSAGES_BY_TAG = TableSpec(
    query="tag_totals",
    title="Messages by tag",
    row_limit=PAIR_LIMIT,
    bars=("message_count", "bytes"),
    silent={"communicator": ""},
)
COLLECTIVES = TableSpec(
    query="collective_totals",
    title="Collective operations",
    note="Time inside the calls, summed over their members.",
    bars=("time_ns",),
    silent={"is_nonblocking": False, "incomplete_count": 0},
)
FILES = TableSpec(
    query="file_totals",
    title="Files",
    note="Time from begin to end of operations, summed over locations. If one interface uses "
    "another, such as MPI-IO and POSIX, the same data appears twice.",
    row_limit=PAIR_LIMIT,
    bars=("time_ns",),
    titles={
        "io_paradigm": "Interface",
        "in_flight_ns": "In flight",
        "read_rate_bytes": "Read per second",
        "write_rate_bytes": "Written per second",
    },
    silent={"in_flight_ns": 0},
)


def build(material: Material) -> Section:
    """Messages, collectives and files of the processes."""
    is_small = int(material.overview["process_count"] or 0) <= MATRIX_LIMIT
    matrix = material.tables(MATRIX) if is_small else ()
    sizes = material.tables(MESSAGE_SIZES)
    return Section(
        key="communication",
        title="Communication",
        sentences=(describe_traffic(material.overview),),
        tables=(
            *matrix,
            *material.tables(PAIRS),
            *sizes,
            *material.tables(MESSAGES_BY_TAG, COLLECTIVES, FILES),
        ),
        drawings=(*map(draw_pairs, matrix), *map(_draw_sizes, sizes)),
        sources=(read_source(OVERVIEW),),
    )


def _draw_sizes(table: Table) -> Drawing:
    bars = [
        (format_size(float(row["lower_bytes"] or 0)), float(row["message_count"] or 0))
        for row in table.as_dicts()
    ]
    labels = "message size, from", "messages"
    return Drawing(
        name="message-sizes",
        title=table.title,
        draw=lambda: draw_bars(bars, "message-sizes", labels),
    )


def describe_traffic(overview: Row) -> str:
    """The number and size of messages, and the number of collectives."""
    messages, collectives = overview["message_count"], overview["collective_count"]
    if not messages and not collectives:
        return "The processes exchanged no messages and ran no collectives."
    sent = format_size(number(overview["message_bytes"]))
    return (
        f"{start(count_of(messages, 'matched message'))} carried {sent}; "
        f"{count_of(collectives, 'collective instance')} ran."
    )
