"""Which columns of tables a reader can filter by."""

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
    """What a column holds: region, rank, partner, tag, or of a message from and to; else empty."""
    if column.is_path or column.name == "region" or column.name.endswith("_region"):
        return "region"
    return _KINDS.get(column.name, "")
