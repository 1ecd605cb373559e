"""Table columns that a reader can filter by."""

from tracemill.reports.model import Column

_KINDS = {
    "rank": "rank",
    "worst_rank": "rank",
    "cause_rank": "partner",
    "partner_rank": "partner",
    "sender_rank": "from",
    "receiver_rank": "to",
    "tag": "tag",
}


def filter_of(column: Column) -> str:
    """The kind of a column: region, rank, partner, tag, from or to of a message; else empty."""
    if column.is_path or column.name == "region" or column.name.endswith("_region"):
        return "region"
    return _KINDS.get(column.name, "")
