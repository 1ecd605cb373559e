"""The operations of a run, and where each process takes part in them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2

import numpy as np
import polars as pl

from tracemill.base.errors import ProgramError
from tracemill.forecast.from_traces.recording import ADVICE, Recording
from tracemill.forecast.from_traces.steps import Pattern
from tracemill.forecast.from_traces.wavefronts import (
    computing_between,
    cut_wavefronts,
    find_wavefronts,
    noticeable,
)

# A process in an operation: the end of its last call that posts, the first that completes. Of
# messages also the first receive and the last send. Visits order calls at the same time.
_PARTS = {
    "operation": pl.Int64, "rank": pl.Int32, "start_ns": pl.Int64, "start_visit_id": pl.Int64,
    "end_ns": pl.Int64, "end_visit_id": pl.Int64, "receive_ns": pl.Int64, "send_ns": pl.Int64,
    "send_visit_id": pl.Int64,
}  # fmt: skip
_ALLREDUCES = ("scan", "exscan", "reduce_scatter", "reduce_scatter_block")
_ROOTED = ("bcast", "scatter", "gather", "reduce")


@dataclass(frozen=True, kw_only=True)
class Operations:
    """Operations by number.

    `cuts` has for each process, in its order, where an operation separates its computing: token
    2 i is the start of operation i (or all of it), 2 i + 1 its completion. `signatures` are the
    numbers of `patterns`.
    """

    cuts: pl.DataFrame
    signatures: Sequence[int]
    patterns: Sequence[Pattern]
    channel_bytes: Mapping[int, tuple[float, ...]]

    @property
    def token_count(self) -> int:
        """Number of tokens, used or not."""
        return 2 * len(self.signatures)

    def describe(self, token: int) -> str:
        """Operation and call path of a token."""
        pattern = self.patterns[self.signatures[token // 2]]
        return f"{pattern.operation or 'messages'} of {pattern.call_path}"


def find_operations(recording: Recording) -> Operations:
    """The collectives, messages and file accesses of a run."""
    found: list[tuple[Pattern, tuple[float, ...]]] = []
    parts = [_collective_parts(recording, found)]
    anchors = parts[0].select("rank", anchor=pl.col("end_visit_id")).sort("rank", "anchor")
    parts.append(_message_parts(recording, anchors, found))
    parts.append(_file_parts(recording, anchors, found))
    joined = pl.concat(parts)
    wavefronts = find_wavefronts(recording, joined, [pattern for pattern, _ in found])
    joined = cut_wavefronts(recording, joined, wavefronts)
    nonblocking = _nonblocking(recording, joined, found)
    changed = [
        (replace(pattern, is_wavefront=number in wavefronts), sizes)
        for number, (pattern, sizes) in enumerate(found)
    ]
    return _assembled(joined, changed, nonblocking)


def _assembled(
    parts: pl.DataFrame, found: Sequence[tuple[Pattern, tuple[float, ...]]], nonblocking: set[str]
) -> Operations:
    numbers: dict[Pattern, int] = {}
    signatures = []
    for pattern, _ in found:
        if pattern.call_path in nonblocking:
            pattern = replace(pattern, is_nonblocking=True)
        signatures.append(numbers.setdefault(pattern, len(numbers)))
    patterns = list(numbers)
    is_split = np.array([patterns[each].is_nonblocking for each in signatures], bool)
    own = parts.with_columns(is_split=pl.Series(is_split[parts["operation"].to_numpy()]))
    waits = own.filter("is_split").select(
        "rank",
        token=2 * pl.col("operation") + 1,
        cut_ns=pl.max_horizontal("start_ns", "end_ns"),
        visit_id=pl.max_horizontal("start_visit_id", "end_visit_id"),
    )
    starts = own.select(
        "rank",
        token=2 * pl.col("operation"),
        cut_ns=pl.when("is_split").then(pl.coalesce("start_ns", "end_ns")).otherwise("end_ns"),
        visit_id=pl.when("is_split")
        .then(pl.coalesce("start_visit_id", "end_visit_id"))
        .otherwise("end_visit_id"),
    )
    return Operations(
        cuts=pl.concat([starts, waits]).sort("rank", "cut_ns", "visit_id", "token"),
        signatures=signatures,
        patterns=patterns,
        channel_bytes=dict(enumerate(sizes for _, sizes in found)),
    )


def _class(size: float) -> int:
    return int(log2(size) + 0.5) if size >= 1 else 0


def _collective_parts(
    recording: Recording, found: list[tuple[Pattern, tuple[float, ...]]]
) -> pl.DataFrame:
    """Collectives of all processes: `start_ns` of those that another call completes."""
    rows = recording.collectives
    if not rows.height:
        return pl.DataFrame(schema=_PARTS)
    instances = rows.group_by("collective_id", maintain_order=True).agg(
        pl.col("operation", "root", "call_path_id", "is_neighborhood", "communicator_id").first(),
        pl.col("start_ns").is_not_null().any().alias("is_started"),
        most_received=pl.col("bytes_received").max(),
        received=pl.col("bytes_received").mean(),
        sent=pl.col("bytes_sent").filter(pl.col("rank") != pl.col("root")).mean(),
    )
    first = len(found)
    for row in instances.iter_rows(named=True):
        make = _neighborhood if row["is_neighborhood"] else _collective
        found.append(make(recording, row))
    numbered = instances.select("collective_id").with_columns(
        operation_number=pl.int_range(first, first + instances.height, dtype=pl.Int64)
    )
    return (
        rows.join(numbered, on="collective_id")
        .select(
            "rank",
            "start_ns",
            "start_visit_id",
            operation="operation_number",
            end_ns="enter_ns",
            end_visit_id="visit_id",
        )
        .pipe(_as_parts)
    )


def _collective(
    recording: Recording, row: Mapping[str, object]
) -> tuple[Pattern, tuple[float, ...]]:
    """Pattern of a collective, and the bytes that one member gives or gets."""
    name, count = str(row["operation"]), recording.process_count
    name = name if name in _ALLREDUCES else name.removesuffix("w").removesuffix("v")
    received, sent = float(str(row["received"])), float(str(row["sent"] or 0))
    size = received / count
    if name in ("bcast", "scatter"):
        size = received
    elif name in ("gather", "reduce"):
        size = sent
    elif name in ("scan", "exscan"):
        size = float(str(row["most_received"])) / max(count - 1, 1)
    if name == "barrier":
        size = 0.0
    pattern = Pattern(
        "collective",
        recording.path(int(str(row["call_path_id"]))),
        "allreduce" if name in _ALLREDUCES else name,
        int(str(row["root"])) if name in _ROOTED else 0,
        size_class=_class(size),
        is_nonblocking=bool(row["is_started"]),
    )
    return pattern, (size,)


def _neighborhood(
    recording: Recording, row: Mapping[str, object]
) -> tuple[Pattern, tuple[float, ...]]:
    """A neighborhood collective as messages to neighbors on the recorded grid."""
    path = recording.path(int(str(row["call_path_id"])))
    pairs = recording.neighbors.get(int(str(row["communicator_id"])), ())
    if not pairs:
        raise ProgramError(
            f"{recording.label}: the neighbors of {row['operation']} in {path} are not recorded: "
            f"{ADVICE}"
        )
    size = float(str(row["received"])) * recording.process_count / len(pairs)
    pattern = Pattern(
        "neighbours",
        path,
        pairs=pairs,
        size_class=_class(size),
        is_nonblocking=bool(row["is_started"]),
    )
    return pattern, (size,) * len(pairs)


def _message_parts(
    recording: Recording, anchors: pl.DataFrame, found: list[tuple[Pattern, tuple[float, ...]]]
) -> pl.DataFrame:
    """Messages: `start_ns` is the end of the last call that posts, `end_ns` the first wait."""
    if not recording.messages.height:
        return pl.DataFrame(schema=_PARTS)
    rows = _with_rounds(recording.messages, anchors)
    operation = pl.struct("interval", "call_path_id", "round").rank("dense") - 1 + len(found)
    rows = rows.with_columns(operation=operation.cast(pl.Int64))
    found += _exchanges(recording, rows)
    return (
        pl.concat(_as_parts(side) for side in _sides(rows))
        .group_by("operation", "rank", maintain_order=True)
        .agg(
            pl.col("start_ns", "start_visit_id", "send_ns", "send_visit_id").max(),
            pl.col("end_ns", "end_visit_id", "receive_ns").min(),
        )
        .select(list(_PARTS))
    )


def _exchanges(
    recording: Recording, rows: pl.DataFrame
) -> Iterator[tuple[Pattern, tuple[float, ...]]]:
    """The pattern of each operation of messages, with the bytes of its pairs."""
    channels = (
        rows.group_by("operation", "call_path_id", "sender", "receiver")
        .agg(pl.len().alias("count"), pl.col("bytes").sum())
        .sort("operation", "sender", "receiver")
        .group_by("operation", "call_path_id", maintain_order=True)
        .agg("sender", "receiver", "count", "bytes")
    )
    interned: dict[tuple[tuple[int, int, int], ...], tuple[tuple[int, int, int], ...]] = {}
    for _, path, senders, receivers, counts, sizes in channels.iter_rows():
        pairs = tuple(zip(senders, receivers, counts, strict=True))
        mean = sum(sizes) / sum(counts)
        pattern = Pattern(
            "neighbours",
            recording.path(path),
            pairs=interned.setdefault(pairs, pairs),
            size_class=_class(mean),
        )
        yield pattern, tuple(map(float, sizes))


def _sides(rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Messages as their senders and as their receivers see them."""
    sends = rows.select(
        "operation", "send_ns", "send_visit_id", rank="sender", start_ns="send_start_ns",
        start_visit_id="send_visit_id", end_ns="send_end_ns", end_visit_id="send_end_visit_id",
    )  # fmt: skip
    receives = rows.select(
        "operation", rank="receiver", start_ns="receive_start_ns",
        start_visit_id="receive_visit_id", end_ns="receive_end_ns",
        end_visit_id="receive_end_visit_id", receive_ns="receive_end_ns",
    )  # fmt: skip
    return sends, receives


def _as_parts(rows: pl.DataFrame) -> pl.DataFrame:
    """All columns of parts, those that are missing without values."""
    missing = [pl.lit(None).alias(name) for name in _PARTS if name not in rows.columns]
    return rows.with_columns(missing).select(list(_PARTS)).cast(_PARTS)  # type: ignore[arg-type]


def _with_rounds(messages: pl.DataFrame, anchors: pl.DataFrame) -> pl.DataFrame:
    """Messages with the number of anchors before they are sent, and their round since then."""
    rows = _with_interval(messages, anchors, "sender", "send_visit_id")
    channel = ["interval", "call_path_id", "sender", "receiver"]
    group = ["interval", "call_path_id"]
    rows = rows.sort("sender", "send_ns", "send_visit_id", maintain_order=True).with_columns(
        ordinal=pl.int_range(pl.len()).over(channel), count=pl.len().over(channel)
    )
    rounds = (
        rows.select(*channel, "count")
        .unique(maintain_order=True)
        .group_by(group)
        .agg(pl.col("count").unique())
        .with_columns(
            rounds=pl.col("count").map_elements(
                lambda counts: int(np.gcd.reduce(counts.to_numpy())), return_dtype=pl.Int64
            )
        )
        .select(*group, "rounds")
    )
    return rows.join(rounds, on=group, maintain_order="left").with_columns(
        round=pl.col("ordinal") // (pl.col("count") // pl.col("rounds"))
    )


def _with_interval(
    rows: pl.DataFrame, anchors: pl.DataFrame, rank: str, visit: str
) -> pl.DataFrame:
    """Rows with the number of anchors of their process before a visit."""
    intervals = np.zeros(rows.height, np.int64)
    ranks, visits = rows[rank].to_numpy(), rows[visit].to_numpy()
    for (number,), own in anchors.partition_by("rank", as_dict=True).items():
        found = np.flatnonzero(ranks == number)
        intervals[found] = np.searchsorted(own["anchor"].to_numpy(), visits[found])
    return rows.with_columns(interval=intervals)


def _file_parts(
    recording: Recording, anchors: pl.DataFrame, found: list[tuple[Pattern, tuple[float, ...]]]
) -> pl.DataFrame:
    """Reads and writes: the n-th one of each process in a call path between two anchors."""
    if not recording.files.height:
        return pl.DataFrame(schema=_PARTS)
    rows = _with_interval(recording.files, anchors, "rank", "visit_id")
    group = ["interval", "call_path_id", "operation"]
    rows = rows.with_columns(round=pl.int_range(pl.len()).over([*group, "rank"]))
    first = len(found)
    rows = rows.with_columns(number=pl.struct(*group, "round").rank("dense") - 1 + first)
    instances = (
        rows.group_by("number")
        .agg(
            pl.col("call_path_id", "operation").first(),
            pl.col("bytes").sum(),
            pl.col("rank").n_unique().alias("count"),
        )
        .sort("number")
    )
    for _, path, mode, size, count in instances.iter_rows():
        is_one = count == 1 and recording.process_count > 1
        pattern = Pattern(
            "io", recording.path(path), mode, root=int(not is_one), size_class=_class(size / count)
        )
        found.append((pattern, (float(size if is_one else size / count),)))
    return _as_parts(
        rows.select("rank", operation="number", end_ns="enter_ns", end_visit_id="visit_id")
    )


def _nonblocking(
    recording: Recording, parts: pl.DataFrame, found: Sequence[tuple[Pattern, tuple[float, ...]]]
) -> set[str]:
    """Call paths whose messages have enough computing between their start and completion."""
    started = parts.filter(pl.col("start_ns") < pl.col("end_ns"))
    paths = [found[number][0].call_path for number in started["operation"].to_list()]
    overlap = computing_between(recording.computing, started, "start_ns", "end_ns")
    return noticeable(recording, paths, overlap)
