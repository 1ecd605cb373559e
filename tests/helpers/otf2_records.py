"""The records of an archive as a reader hands them on, in a form that can be compared."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels import records as rec
from tracemill.kernels.otf2_layout import layout_of
from tracemill.readers.common.reading import LocationRead
from tracemill.readers.otf2.archive import read_archive
from tracemill.readers.otf2.checking import check_files
from tracemill.readers.otf2.events import Block, EventDecoder
from tracemill.readers.otf2.records import open_reader

GROUPS = frozenset(record.needs for record in rec.RECORDS if record.needs) | {
    "metrics",
    "attributes",
}
"""All groups of records: every record is stored."""
_METRIC_WIDTH, _ATTRIBUTE_WIDTH = 5, 3
_WIDTHS = np.zeros(256, np.int64)
for _record in rec.RECORDS:
    _WIDTHS[_record.kind] = len(_record.arguments) if _record.kind > rec.LEAVE else 0
_WIDTHS[[rec.METRIC, rec.ATTRIBUTE]] = _METRIC_WIDTH, _ATTRIBUTE_WIDTH
# Bits of the value of an attribute by its type; those of references follow.
_BITS = dict(zip(range(1, 11), (8, 16, 32, 64) * 2 + (32, 64), strict=True)) | {13: 64}


@dataclass
class Records:
    """The records of a location, the regions of its visits, and the arguments of all others."""

    times: NDArray[np.uint64]
    kinds: NDArray[np.uint8]
    regions: NDArray[np.uint32]
    values: NDArray[np.uint64]
    end: LocationRead

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Records)
            and self.end == other.end
            and all(
                np.array_equal(mine, its)
                for mine, its in zip(self._columns(), other._columns(), strict=True)
            )
        )

    def _columns(self) -> tuple[NDArray[np.generic], ...]:
        return self.times, self.kinds, self.regions, self.values


def read_records(
    anchor: Path, *, uses_library: bool, groups: frozenset[str] = GROUPS,
    only_structure: bool = False, allow_damaged: bool = False, rows: int = 0,
) -> Iterator[tuple[int, Records]]:  # fmt: skip
    """Each location that can be read, with its records; in blocks of so many `rows` if given."""
    archive = read_archive(anchor, uses_library=uses_library)
    limits = check_files(archive, allow_damaged=allow_damaged, threads=1)
    refs = list(archive.definitions["Location"])
    with open_reader(archive, refs, groups, only_structure=only_structure) as reader:
        if rows:
            layout, size = layout_of(groups), archive.event_chunk_bytes
            reader.decoder = EventDecoder(layout, size, rows=rows)  # type: ignore[attr-defined]
        for ref, limit in zip(refs, limits, strict=True):
            blocks = list(
                reader_blocks(reader.read(ref, limit.readable_count, is_all=not limit.problem))
            )
            yield ref, _together(blocks)


def reader_blocks(steps: Iterator[Block | LocationRead]) -> Iterator[Records | LocationRead]:
    for step in steps:
        yield step if isinstance(step, LocationRead) else _comparable(step)


def _together(steps: list[Records | LocationRead]) -> Records:
    *blocks, end = steps
    assert isinstance(end, LocationRead)
    none = Records(
        np.empty(0, np.uint64), np.empty(0, np.uint8), np.empty(0, np.uint32),
        np.empty(0, np.uint64), end,
    )  # fmt: skip
    columns = zip(none._columns(), *(block._columns() for block in blocks), strict=True)
    return Records(*map(np.concatenate, columns), end)  # type: ignore[arg-type]


def _comparable(block: Block) -> Records:
    kinds, refs, side = block.kinds, block.refs.astype(np.int64), block.side
    counts = (_WIDTHS[kinds] > 0).astype(np.int64)
    is_metric = kinds == rec.METRIC
    counts[is_metric] = side[refs[is_metric], 4].astype(np.int64)
    rows = (
        np.repeat(refs, counts)
        + np.arange(counts.sum())
        - np.repeat(counts.cumsum() - counts, counts)
    )
    used = np.repeat(kinds, counts)
    chosen = side[rows].copy()
    chosen[used == rec.ATTRIBUTE] = _without_rest(chosen[used == rec.ATTRIBUTE])
    values = chosen[np.arange(rec.SIDE_WIDTH) < _WIDTHS[used][:, None]]
    regions = block.refs[kinds <= rec.LEAVE].copy()
    return Records(block.times.copy(), kinds.copy(), regions, values, LocationRead(0))


def _without_rest(attributes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Attributes without the bytes behind their values, which the library does not set."""
    bits = np.array([_BITS.get(int(kind), 32) for kind in attributes[:, 1]], np.uint64)
    unused = np.uint64(64) - bits
    attributes[:, 2] = attributes[:, 2] << unused >> unused
    return attributes


def same_records(anchor: Path, **options: object) -> int:
    """Compare the records of our decoder and of the library; returns their number."""
    count = 0
    ours = read_records(anchor, uses_library=False, **options)  # type: ignore[arg-type]
    theirs = read_records(anchor, uses_library=True, **options)  # type: ignore[arg-type]
    for (ref, mine), (other, its) in zip(ours, theirs, strict=True):
        assert ref == other
        assert mine == its, f"{anchor}: location {ref}"
        count += mine.end.record_count
    return count
