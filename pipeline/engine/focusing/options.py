"""The parts of a focus, as users write them."""

import re
import shlex
from dataclasses import dataclass, fields
from pathlib import Path

from tracemill.base.errors import UsageError
from tracemill.base.near import did_you_mean, near_matches

LONGEST_NAME = 80


@dataclass(frozen=True, kw_only=True)
class FocusOptions:
    """The parts of a focus, which intersect; None: not given."""

    window: str | None = None
    iteration: str | None = None
    phase: str | None = None
    threshold: str | None = None
    region: str | None = None
    ranks: str | None = None
    nodes: str | None = None
    threads: str | None = None

    @property
    def given(self) -> dict[str, str]:
        """The parts that are given, by name."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: text for name, text in found.items() if text is not None}

    @property
    def words(self) -> list[str]:
        """The options of a command, in words of a command line."""
        return [f"--{name} {shlex.quote(text)}" for name, text in self.given.items()]

    @property
    def name(self) -> str:
        """A name for files: iteration-3..7+ranks-0-3."""
        parts = (f"{name}-{text}" for name, text in self.given.items())
        return re.sub(r"[^A-Za-z0-9._+,-]+", "_", "+".join(parts))[:LONGEST_NAME]


EVERYTHING = FocusOptions()
_PARTS = tuple(each.name for each in fields(FocusOptions))
_SUFFIX = re.compile(rf"@({'|'.join(_PARTS)})=")


def check_parts(name: str) -> None:
    """Raise UsageError if a part behind the name of a run, such as @iteration=3, is unknown."""
    for part in re.findall(r"@([\w-]+)=", name):
        if part not in _PARTS:
            near = did_you_mean(near_matches(part, _PARTS))
            known = f"a focus has {', '.join(_PARTS)}"
            raise UsageError(f"{name}: no part {part} of a focus: {near or known}")


def split_name(name: str) -> tuple[str, FocusOptions]:
    """The name of a run, and the focus behind it, as in l01@iteration=3@ranks=0-3.

    Raises UsageError for an empty or repeated part.
    """
    run, *parts = _SUFFIX.split(name)
    if Path(name).exists() or not parts:
        return name, EVERYTHING
    given = dict(zip(parts[::2], parts[1::2], strict=True))
    if 2 * len(given) < len(parts) or not all(given.values()):
        raise UsageError(f"{name}: give each part of a focus once, such as l01@iteration=3")
    return run, FocusOptions(**given)


def read_ranges(text: str, *, option: str) -> list[tuple[int, int]]:
    """First and last number of ranges such as 0-7,12 or 3..7. Raises UsageError."""
    found = [
        re.fullmatch(r"\s*(\d+)(?:\s*(?:-|\.\.)\s*(\d+))?\s*", part) for part in text.split(",")
    ]
    ranges = [(int(each[1]), int(each[2] or each[1])) for each in found if each]
    if len(ranges) < len(found):
        raise UsageError(f"--{option} {text}: write numbers and ranges, such as 0-7,12")
    if any(last < first for first, last in ranges):
        raise UsageError(f"--{option} {text}: write the smaller number of a range first")
    return ranges
