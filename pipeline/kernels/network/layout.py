"""Tables of the channels of a cluster. Times are nanoseconds."""

from collections import namedtuple
from typing import Any, Final

STORAGE: Any = -1
"""The storage as sender or receiver; others are numbers of processes."""

(CONTENTION, LINKS, FIRST_UNIT, FIRST_OUT, FIRST_IN) = range(5)
LEVEL_WIDTH: Final = 5
"""A level: whether channels can be taken, links of each unit below, its first row of `units`, its
first links. The last row is the storage."""

(FIRST_GROUP, GROUP_COUNT) = range(2)
(FIRST_CHANNEL, CHANNEL_COUNT) = range(2)
(LATENCY, NS_PER_BYTE) = range(2)
(TRANSFERS, BYTES, BUSY) = range(3)

Network = namedtuple(
    "Network",
    ("levels", "units", "groups", "unit_of", "free", "channels", "links", "costs", "used"),
)  # fmt: skip
"""`unit_of` (level, process) numbers units in use. A unit has groups of channels alike, whose costs
are in `costs` (latency, ns per byte). `free` is when channels become free, `channels` their
numbers: both in the order of that time within a group, of equals the highest number first. `links`
is when links become free. `used` (level) counts transfers, bytes and busy time."""
