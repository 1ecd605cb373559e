"""The queue of processes by time, and seeded random numbers."""

from typing import Any

import numpy as np

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at

MILLION = 1_000_000
(FOR_WORK, FOR_BEGIN, FOR_COST, FOR_TASK) = np.arange(1, 5)
"""Salts: uses of random bits that must be independent of each other."""


@unchecked
def push(heap: Any, counters: Any, time: Any, process: Any) -> None:
    """Add a process to the queue."""
    place = counters[at.HEAP_SIZE]
    counters[at.HEAP_SIZE] = place + 1
    while place > 0:
        parent = (place - 1) >> 1
        if heap[parent, 0] < time or (heap[parent, 0] == time and heap[parent, 1] <= process):
            break
        heap[place, 0], heap[place, 1] = heap[parent, 0], heap[parent, 1]
        place = parent
    heap[place, 0], heap[place, 1] = time, process


@unchecked
def pop(heap: Any, counters: Any) -> None:
    """Remove the first process, `heap[0]`, from the queue."""
    size = counters[at.HEAP_SIZE] - 1
    counters[at.HEAP_SIZE] = size
    time, process = heap[size, 0], heap[size, 1]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        other = child + 1
        if other < size and (
            heap[other, 0] < heap[child, 0]
            or (heap[other, 0] == heap[child, 0] and heap[other, 1] < heap[child, 1])
        ):
            child = other
        if time < heap[child, 0] or (time == heap[child, 0] and process <= heap[child, 1]):
            break
        heap[place, 0], heap[place, 1] = heap[child, 0], heap[child, 1]
        place = child
    heap[place, 0], heap[place, 1] = time, process


@unchecked
def mix(bits: Any) -> Any:
    """Scatter 64 bits (the finalizer of SplitMix64)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@unchecked
def random_bits(seed: Any, process: Any, place: Any, salt: Any) -> Any:
    """64 random bits for a place in the program of a process."""
    return mix(
        np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15)
        + np.uint64(process) * np.uint64(0xD1342543DE82EF95)
        + np.uint64(place) * np.uint64(0xDA942042E4DD58B5)
        + np.uint64(salt) * np.uint64(0xAF251AF3B0F025B5)
    )


@unchecked
def place_key(counters: Any, processes: Any, process: Any, place: Any, salt: Any) -> Any:
    """Random bits for an instruction of a process in the current iteration of its loops.

    They do not depend on time: a program with a scaled part draws the same numbers.
    """
    rounds = (
        processes[process, at.REGISTER] * 1_000_003
        + processes[process, at.REGISTER + 1] * 10_007
        + processes[process, at.REGISTER + 2] * 101
    )
    return random_bits(counters[at.SEED], process, place + (rounds << 20), salt)


@unchecked
def below(key: Any, count: Any) -> Any:
    """A number from 0 to `count` - 1."""
    return np.int64(key % np.uint64(count))


@unchecked
def noise(counters: Any, key: Any, count: Any) -> Any:
    """Random delay below `count`; 0 on a machine without noise."""
    return below(key, count) if counters[at.HAS_NOISE] != 0 else 0


@unchecked
def varied(amount: Any, ppm: Any, key: Any) -> Any:
    """`amount`, changed by at most `ppm` millionths of it."""
    spread = amount * ppm // MILLION
    return amount - spread + below(key, 2 * spread + 1)


@unchecked
def scaled(amount: Any, ppm: Any) -> Any:
    """`amount` times a factor in millionths, rounded down."""
    if ppm == MILLION:
        return amount
    return amount // MILLION * ppm + amount % MILLION * ppm // MILLION
