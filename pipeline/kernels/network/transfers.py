"""Gives transfers their channels, first come, first served.

A transfer takes the channel by which it leaves first; of equals the one that became free last, then
the first in the description:

    start = max(ready, channel free, out link free)       left = start + duration
    end   = left, or with links max(left, in link free + duration)

Callers ask in the order of ready times.
"""

from typing import Any

import numpy as np

from tracemill.kernels.addressed import getter
from tracemill.kernels.compiled import unchecked
from tracemill.kernels.network.layout import (
    BUSY,
    BYTES,
    CHANNEL_COUNT,
    CONTENTION,
    FIRST_CHANNEL,
    FIRST_GROUP,
    FIRST_IN,
    FIRST_OUT,
    FIRST_UNIT,
    GROUP_COUNT,
    LATENCY,
    LINKS,
    NS_PER_BYTE,
    STORAGE,
    TRANSFERS,
    Network,
)

_NUMBERS = {name: number for number, name in enumerate(Network._fields)}
levels_of = getter(_NUMBERS["levels"], 2)
units_of = getter(_NUMBERS["units"], 2)
groups_of = getter(_NUMBERS["groups"], 2)
unit_numbers_of = getter(_NUMBERS["unit_of"], 2)
free_of = getter(_NUMBERS["free"], 1)
channels_of = getter(_NUMBERS["channels"], 1)
links_of = getter(_NUMBERS["links"], 1)
costs_of = getter(_NUMBERS["costs"], 2, "float64")
used_of = getter(_NUMBERS["used"], 2, "float64")


@unchecked
def rounded(value: Any) -> Any:
    """The nearest whole number; halves are rounded up."""
    return np.int64(np.floor(value + 0.5))


@unchecked
def joining_level(network: Any, sender: Any, receiver: Any) -> Any:
    """The lowest level that has both in one unit; the storage is behind the last one."""
    numbers = unit_numbers_of(network)
    if sender == STORAGE or receiver == STORAGE:
        return numbers.shape[0]
    level = 0
    while numbers[level, sender] != numbers[level, receiver]:
        level += 1
    return level


@unchecked
def unit_below(network: Any, level: Any, process: Any) -> Any:
    """Number of the unit below a level, or of the core, that has the process."""
    return process if level == 0 else unit_numbers_of(network)[level - 1, process]


@unchecked
def first_free(times: Any, first: Any, count: Any) -> Any:
    """The link that is free first."""
    best = first
    for place in range(first + 1, first + count):
        if times[place] < times[best]:
            best = place
    return best


@unchecked
def last_until(times: Any, first: Any, count: Any, time: Any) -> Any:
    """The last place of a sorted range with at most that time; the range begins with one."""
    low, high = first, first + count
    while high - low > 1:
        middle = (low + high) >> 1
        if times[middle] <= time:
            low = middle
        else:
            high = middle
    return low


@unchecked
def duration_of(network: Any, group: Any, size: Any) -> Any:
    """Time of a transfer over a channel of a group."""
    cost = costs_of(network)[group]
    return rounded(cost[LATENCY] + cost[NS_PER_BYTE] * size)


@unchecked
def choose_group(network: Any, unit: Any, size: Any, departure: Any, is_taken: Any) -> Any:
    """The group of the channel by which a transfer leaves first, and the channel's place."""
    free, groups = free_of(network), groups_of(network)
    first = units_of(network)[unit, FIRST_GROUP]
    best, place, best_left = first, np.int64(-1), np.int64(0)
    for group in range(first, first + units_of(network)[unit, GROUP_COUNT]):
        begin, count = groups[group, FIRST_CHANNEL], groups[group, CHANNEL_COUNT]
        # Of channels that are free by then, the one that became free last; else the first free.
        found = last_until(free, begin, count, max(departure, free[begin]))
        start = max(departure, free[found]) if is_taken else departure
        left = start + duration_of(network, group, size)
        if (
            place < 0 or left < best_left
            or (is_taken and left == best_left and free[found] > free[place])
        ):  # fmt: skip
            best, place, best_left = group, found, left
    return best, place


@unchecked
def occupy(network: Any, group: Any, place: Any, until: Any) -> None:
    """Take a channel until that time; the group stays in order."""
    free, channels = free_of(network), channels_of(network)
    channel = channels[place]
    end = groups_of(network)[group, FIRST_CHANNEL] + groups_of(network)[group, CHANNEL_COUNT]
    while place + 1 < end and (
        free[place + 1] < until or (free[place + 1] == until and channels[place + 1] > channel)
    ):
        free[place], channels[place] = free[place + 1], channels[place + 1]
        place += 1
    free[place], channels[place] = until, channel


@unchecked
def transfer(
    network: Any, sender: Any, receiver: Any, size: Any, ready: Any, weight: Any
) -> Any:  # fmt: skip
    """Give a transfer a channel; returns its end. It counts `weight` times in `used`."""
    number = joining_level(network, sender, receiver)
    level = levels_of(network)[number]
    used, links = used_of(network)[number], links_of(network)
    used[TRANSFERS] += weight
    used[BYTES] += weight * size
    if number == unit_numbers_of(network).shape[0]:
        unit = level[FIRST_UNIT]
        if units_of(network)[unit, GROUP_COUNT] == 0:
            return ready
    else:
        unit = level[FIRST_UNIT] + unit_numbers_of(network)[number, sender]
    out, departure = np.int64(0), ready
    if level[LINKS] > 0:
        below = unit_below(network, number, sender)
        out = first_free(links, level[FIRST_OUT] + below * level[LINKS], level[LINKS])
        departure = max(ready, links[out])
    is_taken = level[CONTENTION] != 0
    group, place = choose_group(network, unit, size, departure, is_taken)
    duration = duration_of(network, group, size)
    left = departure + duration
    if is_taken:
        left = max(departure, free_of(network)[place]) + duration
        occupy(network, group, place, left)
    used[BUSY] += weight * duration
    if level[LINKS] == 0:
        return left
    links[out] = left
    below = unit_below(network, number, receiver)
    into = first_free(links, level[FIRST_IN] + below * level[LINKS], level[LINKS])
    end = max(left, links[into] + duration)
    links[into] = end
    return end
