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
        totals = self._nothing()
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
        places, of_caller = self._nothing(), self._nothing()
        places[self.shown] = np.arange(self.shown.size)
        of_caller[ids] = places[callers]
        begins = (places >= 0) | (of_caller >= 0)
        begins[ids[callers < 0]] = True
        latest = np.maximum.accumulate(np.where(begins, np.arange(places.size), 0))
        found = np.where(places >= 0, places, of_caller)[latest]
        found[-1] = -1
        return np.where(found < 0, self.shown.size, found)

    def by_path(self, name: str) -> Ints:
        """A column of the call paths by their ids; -1 where it is null."""
        found = self._nothing()
        found[self.paths["call_path_id"]] = self.paths[name]
        return found

    def _nothing(self) -> Ints:
        return np.full(self.paths["call_path_id"].max(initial=-1) + 2, -1)

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
