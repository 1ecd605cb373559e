"""The call tree of the exploration: call paths that a page shows, and those hidden in them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tracemill.reports.material import Material
from tracemill.reports.tables import Columns, largest_of, rows_at

CALL_PATHS = "explored_call_paths"
CALLEES = "explored_callees"
TIMES = "explored_times"
NO_MEAN = -1
"""The mean of a call path without one; arrays have it for null."""

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class ExploredTree:
    """All call paths and their times, and up to `most` of them that a page shows.

    Arrays by call path have a last value for what is outside of all call paths, at -1.
    """

    paths: Columns
    times: Columns
    most: int

    @cached_property
    def shown(self) -> Ints:
        """Ids of the call paths with the most inclusive time, of equals those that come first.

        A caller has at least the time of its callees, so that callers of shown ones are shown.
        """
        ids = np.sort(self.paths["call_path_id"])
        totals = self._by_path(-1)
        visited = self.times["call_path_id"]
        totals[visited] = 0
        np.add.at(totals, visited, self.times["inclusive_ns"])
        return ids[largest_of(totals[ids], ids, self.most)]

    @cached_property
    def places(self) -> Ints:
        """The place among the shown ones where values of a call path count; after them: outside.

        Those of a hidden call path count for the closest shown caller. Call paths are numbered
        depth-first: all below a hidden one are hidden, and numbered before the next one that is
        shown or whose caller is.
        """
        ids, callers = self.paths["call_path_id"], self.paths["parent_call_path_id"]
        places, of_caller = self._by_path(-1), self._by_path(-1)
        places[self.shown] = np.arange(self.shown.size)
        of_caller[ids] = places[callers]
        begins = (places >= 0) | (of_caller >= 0)
        begins[ids[callers < 0]] = True
        latest = np.maximum.accumulate(np.where(begins, np.arange(places.size), 0))
        found = np.where(places >= 0, places, of_caller)[latest]
        found[-1] = -1
        return np.where(found < 0, self.shown.size, found)

    @cached_property
    def classes(self) -> Ints:
        """The overhead class of each call path, or -1."""
        classes = self._by_path(-1)
        classes[self.paths["call_path_id"]] = self.paths["overhead_id"]
        return classes

    @cached_property
    def means(self) -> Ints:
        """The mean time of each call path over its locations (ns), or NO_MEAN."""
        means = self._by_path(NO_MEAN)
        means[self.paths["call_path_id"]] = self.paths["mean_ns"]
        return means

    def _by_path(self, value: int) -> Ints:
        return np.full(self.paths["call_path_id"].max(initial=-1) + 2, value)

    def named(self, callees: Columns) -> Columns:
        """The shown call paths in the order of their ids, with the names of their callees."""
        order = np.argsort(self.paths["call_path_id"])
        ids = self.paths["call_path_id"][order]
        shown = rows_at(self.paths, order[np.searchsorted(ids, self.shown)])
        sites = int(callees["source_location_id"].max(initial=-1)) + 2
        keys, wanted = (
            rows["region_id"].astype(np.int64) * sites + rows["source_location_id"] + 1
            for rows in (callees, shown)
        )
        return shown | rows_at(callees, np.searchsorted(keys, wanted))


def read_tree(material: Material, most: int) -> ExploredTree:
    """The call tree of a run, of which up to `most` call paths are shown."""
    return ExploredTree(material.arrays(CALL_PATHS), material.arrays(TIMES), most)
