"""Runs of one thread per rank that count instructions and cycles at every enter and leave."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.helpers.otf2_archive import TYPES, Event, Trace

Work = tuple[int, int, int]
"""Time (ns), instructions and cycles."""
COUNTERS = ("PAPI_TOT_INS", "PAPI_TOT_CYC")


def write_counted(
    folder: Path, ranks: Sequence[Mapping[str, Work]], *, counters: Sequence[str] = COUNTERS
) -> Path:
    """Each rank calls functions from main, one after the other; main itself takes no time."""
    trace = Trace()
    for number, name in enumerate(counters):
        trace.define("MetricMember", number, name, "", 0, 0, TYPES["uint64"], 0, 0, "#")
    trace.define("MetricClass", 0, list(range(len(counters))), 0, 0)
    for calls in ranks:
        now, *counted = 0, 0, 0
        events = []

        def record(kind: str, region: str, now: int, counted: Sequence[int]) -> list[Event]:
            values = [("uint64", value) for value in counted[: len(counters)]]
            metric = [Event(now, "Metric", (0, values))] if counters else []
            return [*metric, Event(now, kind, (region,))]

        events += record("Enter", "main", now, counted)
        for region, (time, *amounts) in calls.items():
            events += record("Enter", region, now, counted)
            now += time
            counted = [one + other for one, other in zip(counted, amounts, strict=True)]
            events += record("Leave", region, now, counted)
        events += record("Leave", "main", now, counted)
        trace.location(events)
    return trace.write(folder)
