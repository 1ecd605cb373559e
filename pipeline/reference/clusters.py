"""The reference of described clusters, generated from the declared fields."""

from collections.abc import Iterator
from inspect import getdoc

from tracemill.programs.clusters import reading as described
from tracemill.reference.fields import describe_fields

_TABLES = {
    "[[level]]": described.LevelTable,
    "[[level.channel]], [[exception.channel]], [[storage.channel]]": described.ChannelTable,
    "[[exception]]": described.ExceptionTable,
    "[placement]": described.PlacementTable,
    "[[collective]]": described.CollectiveTable,
}

_EXAMPLE = """\
<!-- file: small.toml -->
```toml
name = "small"

[[level]]                # two processors make a node
name = "node"
units = 2
[[level.channel]]
latency_ns = 1_000
ns_per_byte = 1

[[level]]                # 32 nodes make the cluster
name = "cluster"
units = 32
[[level.channel]]
count = 4                # at most four transfers at the same time
latency_ns = 7_000
ns_per_byte = 4

[[exception]]            # nodes 4 and 8 to 15 have half of the speed
level = "node"
units = [4, "8..15"]
speed = 0.5
```"""


def describe_clusters() -> str:
    """The whole document as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Descriptions of clusters"
    yield ""
    yield "Generated from `pipeline/programs/clusters/` by `make docs`; do not edit."
    yield ""
    yield (
        "A cluster is a TOML file. Cores are the units of the lowest level; each `[[level]]` joins "
        "units of the level below, and the last level is the whole cluster. Times are in "
        "nanoseconds and may have fractions. [data/clusters](../../data/clusters) contains "
        "commented examples."
    )
    yield ""
    yield _EXAMPLE
    yield ""
    yield "## Fields"
    yield from describe_fields(described.ClusterTable)
    for title, kind in _TABLES.items():
        yield ""
        yield f"## {title}"
        yield ""
        yield getdoc(kind) or ""
        yield from describe_fields(kind)
    yield from _transfers()


def _transfers() -> Iterator[str]:
    yield ""
    yield "## Transfers and computation"
    yield ""
    for line in (
        "Cores are numbered from 0; unit u of a level with n units of the level below holds those "
        "from u·n to (u + 1)·n − 1.",
        "A transfer between two cores uses one channel of the lowest level that has both in one "
        "unit, and nothing of other levels. It takes latency_ns + ns_per_byte × bytes, rounded "
        "to nanoseconds.",
        "A transfer is ready when its sender has started it and the transfers that it depends on "
        "have ended. Above `eager_limit_bytes` the receiver must have asked for it, too.",
        "Transfers get channels in the order in which they become ready: at the same time the "
        "lower sender first, then the lower receiver. A transfer takes the channel by which it "
        "leaves first, and nothing that comes later is placed before it.",
        "With `links`, a transfer also needs a link out of the unit of its sender while it "
        "leaves, and a link into the unit of its receiver until it ends.",
        "A part that takes t on the measured machine takes t × speed of the program / speed of "
        "the core. A part of n operations takes n / operations_per_s / speed of the core.",
    ):
        yield f"- {line}"
