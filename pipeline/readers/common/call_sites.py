"""Call sites: the source positions that calls are made from, as far as a trace has them."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray

from tracemill.readers.common.identifiers import UNDEFINED_NUMBER, Identifiers

ARTIFICIAL_REGIONS = ("(undefined region)", "TASKS", "THREADS")
"""Regions that are no code: for undefined ids, and the roots of tasks and of created threads."""

_SOURCE_POSITION = 20
"""Type of attributes in OTF2 that refer to a SourceCodeLocation."""
_MOST_PAIRS = 1 << 22
"""Limit of the pairs of region and position, if attributes may combine any of them."""


@dataclass(frozen=True)
class CallSites:
    """Callees: all regions, the artificial ones, then regions at a known call site.

    Callees with a site are in the order of their regions, and for a region in that of files and
    lines. Equal positions are one site. With `is_merged` there are no sites.
    """

    identifiers: Identifiers
    is_merged: bool = False

    @cached_property
    def region_count(self) -> int:
        """Number of regions, with the artificial ones."""
        return len(self.identifiers["Region"]) + len(ARTIFICIAL_REGIONS)

    @cached_property
    def positions(self) -> list[tuple[str, int]]:
        """File and line of each source location."""
        found = self.identifiers.definitions
        return [(found.text(file), line) for file, line in found["SourceCodeLocation"].values()]

    @cached_property
    def _ranked(self) -> tuple[list[int], list[int]]:
        """The distinct source locations by file and line; the place of each source location there.

        A location without file or line has no place.
        """
        positions = self.positions
        first: dict[tuple[str, int], int] = {}
        for number, position in enumerate(positions):
            if all(position):
                first.setdefault(position, number)
        places = {position: place for place, position in enumerate(sorted(first))}
        sources = [first[position] for position in places]
        return sources, [places.get(position, UNDEFINED_NUMBER) for position in positions]

    @cached_property
    def attributes(self) -> NDArray[np.uint32]:
        """Identifiers of the attributes that give the call site of an enter."""
        found = self.identifiers.definitions["Attribute"]
        refs = [ref for ref, (*_, kind) in found.items() if kind == _SOURCE_POSITION]
        is_used = len(self._ranked[0]) * self.region_count <= _MOST_PAIRS and not self.is_merged
        return np.array(refs if is_used and self._ranked[0] else [], np.uint32)

    @cached_property
    def contexts(self) -> list[tuple[int, int]]:
        """Region and place of the site of each calling context."""
        regions, sources = self.identifiers["Region"], self.identifiers["SourceCodeLocation"]
        undefined, places = len(regions), [*self._ranked[1], UNDEFINED_NUMBER]
        found = []
        for region, source, _ in self.identifiers.definitions["CallingContext"].values():
            number = regions[region]
            place = UNDEFINED_NUMBER if self.is_merged else places[sources[source]]
            found.append((undefined if number < 0 else number, place))
        return found

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """Region and place of the site of each callee with a site, as one number; sorted."""
        if len(self.attributes):
            regions = np.arange(self.region_count, dtype=np.int64) << 32
            return np.ravel(regions[:, None] + np.arange(len(self._ranked[0])))
        return np.array(sorted({_key(*pair) for pair in self.contexts if pair[1] >= 0}), np.int64)

    @cached_property
    def region_of(self) -> NDArray[np.int32]:
        """The region of each callee."""
        regions = np.arange(self.region_count, dtype=np.int32)
        return np.concatenate([regions, (self.keys >> 32).astype(np.int32)])

    def sources_of(self, callees: NDArray[np.int32]) -> NDArray[np.int32]:
        """The source location of each callee; UNDEFINED_NUMBER without a site."""
        sources = np.array([*self._ranked[0], UNDEFINED_NUMBER], np.int32)
        places = np.full(len(self.region_of), UNDEFINED_NUMBER)
        places[self.region_count :] = self.keys & 0xFFFFFFFF
        return sources[places[callees]]

    @cached_property
    def of_contexts(self) -> NDArray[np.int32]:
        """The callee of each calling context."""
        place_of = {key: n for n, key in enumerate(self.keys.tolist(), self.region_count)}
        return np.array([place_of.get(_key(*pair), pair[0]) for pair in self.contexts], np.int32)

    @cached_property
    def of_sources(self) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
        """Sorted identifiers of source locations, and the place of each."""
        refs = np.array(self.identifiers["SourceCodeLocation"].refs, np.uint32)
        order = np.argsort(refs, kind="stable")
        return refs[order], np.array(self._ranked[1], np.int32)[order]

    def name_of(self, region: str, source: int) -> str:
        """The name of a callee: its region, and the last part of the file with the line."""
        if source < 0:
            return region
        file, line = self.positions[source]
        return f"{region} @{PurePosixPath(file).name or file}:{line}"


def _key(region: int, place: int) -> int:
    return region << 32 | place if place >= 0 else UNDEFINED_NUMBER
