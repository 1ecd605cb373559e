"""Time of visits by segment between boundaries and call path."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tracemill.stages.arrays import Numbers, walk_locations
from tracemill.stages.forks import Forks, with_forks

if TYPE_CHECKING:
    from tracemill.store.walking import StoredRows

_WALKED = ("visit_id", "call_path_id", "enter_ns", "leave_ns")
Rows = tuple[NDArray[Any], NDArray[Any], Numbers]
NO_ROWS: Rows = np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64)


def walk_segments(
    boundary: Numbers,
    first_boundary: Numbers,
    locations: Numbers,
    visits: "StoredRows",
    forks: Forks,
    path_count: int,
) -> tuple[Numbers, Numbers, Numbers]:
    """Segment, call path (32 bits) and time of all locations that have boundaries, in this order.

    A location with n boundaries has n + 1 segments; the first lies before the first boundary.
    """
    found = dict(each_location(boundary, first_boundary, locations, visits, forks, path_count))
    kinds = np.int64, np.int32, np.int64
    ordered = [found.pop(number) for number in sorted(found)]
    columns = [[np.zeros(0, kind), *part] for kind, *part in zip(kinds, *ordered, strict=True)]
    del ordered
    segments, paths, times = (np.concatenate(columns.pop(0)) for _ in kinds)
    return segments, paths, times


def each_location(
    boundary: Numbers,
    first_boundary: Numbers,
    locations: Numbers,
    visits: "StoredRows",
    forks: Forks,
    path_count: int,
) -> Iterator[tuple[int, Rows]]:
    """The rows of `walk_segments` by location: from the last with visits to the first, then others.

    A walk needs less memory if rows are reduced as they come.
    """
    from tracemill.kernels.segment_times import SegmentTimes

    numbers = {location: number for number, location in enumerate(locations.tolist())}
    for location, parts in walk_locations(visits, *_WALKED):
        number = numbers.pop(location, None)
        if number is None:
            continue
        bounds = boundary[first_boundary[number] : first_boundary[number + 1]]
        walk = SegmentTimes(bounds, np.iinfo(np.int64).max, path_count)
        for visit, path, enter, leave in parts:
            walk.walk(path, *with_forks(visit, enter, leave, forks))
        segment, paths, time = walk.finish()
        segment += first_boundary[number] + number
        yield number, (segment, paths, time)
    yield from ((number, NO_ROWS) for number in numbers.values())
