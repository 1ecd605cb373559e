"""Which application an archive is of, by where it lies."""

import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from tracemill.nightly.outcome import Application
from tracemill.store import SourceRecord

UNNAMED = "program"
# What any trace is called, and what stands before the number of a run.
_SAY_NOTHING = {
    "scorep", "trace", "traces", "otf", "otf2", "csv", "run", "runs", "r", "rep", "job", "jobid",
    "p", "np", "ranks", "t", "threads", "at", "gz",
}  # fmt: skip
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_SEPARATORS = re.compile(r"([\s_.,:+=@~-]+)")
# A number, also one of a run as in r7 or p64, or a moment as 20250301T1405Z.
_NUMBER = re.compile(r"([a-z]*)\d+(?:[tTzZ]\d*)*")


def application_of(
    source: SourceRecord, root: Path, applications: Sequence[Application] = ()
) -> str:
    """The application that the archive at `source` is of.

    That is the first whose pattern the archive's folder, relative to `root`, fits. Else it is that
    path without dates, times, running numbers and what any trace is called: `lulesh` for
    `lulesh/2025-03-01/scorep-20250301_0312_99`. Numbers that follow a letter, such as n400, stay:
    they may say what was computed. Archives outside of `root` are seen from the folder that both
    lie in, and fit a pattern with any end of their path.
    """
    parts, is_inside = _seen_from(_folder_of(source), root)
    ends = ["/".join(parts[first:]) for first in range(1 if is_inside else max(len(parts), 1))]
    for each in applications:
        if each.pattern and any(fnmatchcase(end, each.pattern) for end in ends):
            return each.name
    said = "/".join(said for part in parts if (said := _what_it_says(part)))
    return said or _what_it_says(root.absolute().name) or UNNAMED


def rule_of(application: str, applications: Sequence[Application]) -> Application | None:
    """What the configuration says of an application, if anything."""
    return next((each for each in applications if each.name == application), None)


def _folder_of(source: SourceRecord) -> str:
    """The folder that tells archives apart; of a trace in one file, the file without suffixes."""
    path = Path(source.path)
    if source.format == "csv" and path.suffix:
        return str(path.with_name(path.name.removesuffix(path.suffix).removesuffix(".csv")))
    return str(path.parent if path.suffix else path)


def _seen_from(folder: str, root: Path) -> tuple[list[str], bool]:
    """Names on the way from `root`, or from what both lie in, to `folder`; whether it is inside."""
    absolute = str(root.absolute())
    roots = (absolute, os.path.realpath(absolute))
    inside = next((each for each in roots if _is_below(folder, each)), None)
    base = inside if inside is not None else os.path.commonpath((folder, roots[0]))
    relative = os.path.relpath(folder, base)
    return ([] if relative == "." else relative.split(os.sep)), inside is not None


def _is_below(folder: str, root: str) -> bool:
    return folder == root or folder.startswith(root.rstrip(os.sep) + os.sep)


def _what_it_says(name: str) -> str:
    """What is left of a folder's name without words that only tell runs apart."""
    words = _SEPARATORS.split(name)
    kept = list(_kept(words[::2], ["", *words[1::2]]))
    return "".join(kept[1:]) if kept else ""


def _kept(words: Sequence[str], separators: Sequence[str]) -> Iterator[str]:
    """Words that say something, each after what stands before it."""
    for word, separator in zip(words, separators, strict=True):
        if word and not _says_nothing(word):
            yield separator
            yield word


def _says_nothing(word: str) -> bool:
    lower = word.lower()
    number = _NUMBER.fullmatch(lower)
    is_number = number is not None and (not number[1] or number[1] in _SAY_NOTHING)
    return is_number or lower in _SAY_NOTHING or lower in _MONTHS
