"""Declarations of patterns in the headers of queries: kind of rows, and metrics."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tracemill.schemas.patterns import PATTERN_KINDS
from tracemill.sql.metric_texts import Metric, shipped_metrics
from tracemill.sql.refusals import refused

WAITING, COMPLETION, FINDING = PATTERN_KINDS
FIELDS = ("Pattern", "Metrics")
UNITS = ("ns", "bytes", "occurrences")
_EXAMPLES = {"Pattern": "-- Pattern: finding", "Metrics": '-- Metrics: name "Title": meaning.'}

_SHARED = re.compile(r"those of (?P<pattern>\w+)")
_ENTRY = re.compile(r'\S+ "')
_METRIC = re.compile(
    r'(?P<name>[a-z]\w*) "(?P<title>[^"]+)"'
    r"(?:, part of (?P<parent>\w+))?(?:, in (?P<unit>\w+))?: (?P<meaning>\S.*)"
)


@dataclass(frozen=True)
class Pattern:
    """The kind of a pattern's rows, and their metrics.

    Times of `wait state` and `completion` do not overlap and add up to lost time; a `finding` may
    overlap with others. A pattern may find the metrics of another one (`shared`).
    """

    kind: str
    metrics: tuple[Metric, ...]
    shared: str = ""


def read_pattern(path: Path, header: Mapping[str, Sequence[str]]) -> Pattern | None:
    """The declaration in the fields of a header, or None; raises PatternError if it is wrong."""
    if not any(field in header for field in FIELDS):
        return None
    for field in FIELDS:
        if not header.get(field):
            example = f"write a line {_EXAMPLES[field]}"
            raise refused(path, f"a pattern's header needs {field}", example)
    kind = " ".join(header["Pattern"])
    if kind not in PATTERN_KINDS:
        raise refused(path, f"{kind} is no kind of pattern", _choice(PATTERN_KINDS))
    listed = " ".join(header["Metrics"])
    if shared := _SHARED.fullmatch(listed):
        return Pattern(kind, (), shared["pattern"])
    shipped, names = shipped_metrics(), listed.split(", ")
    if all(name in shipped for name in names):
        return Pattern(kind, tuple(shipped[name] for name in names))
    entries = _joined(header["Metrics"])
    return Pattern(kind, tuple(_read_metric(path, kind, entry) for entry in entries))


def _joined(lines: Sequence[str]) -> list[str]:
    """One text per metric; all but the first line of each go on with it."""
    joined: list[str] = []
    for line in lines:
        if _ENTRY.match(line) or not joined:
            joined.append(line)
        else:
            joined[-1] += f" {line}"
    return joined


def _read_metric(path: Path, kind: str, entry: str) -> Metric:
    match = _METRIC.fullmatch(entry)
    if match is None:
        raise refused(
            path, f"metric cannot be read: {entry}",
            'write name "Title": meaning, or name "Title", part of other, in bytes: meaning',
        )  # fmt: skip
    unit = match["unit"] or "ns"
    if unit not in UNITS:
        raise refused(path, f"no unit {unit}", _choice(UNITS))
    return Metric(
        name=match["name"],
        title=match["title"],
        parent=match["parent"],
        kind=kind,
        unit=unit,
        meaning=match["meaning"],
    )


def _choice(words: Sequence[str]) -> str:
    return f"write {', '.join(words[:-1])} or {words[-1]}"
