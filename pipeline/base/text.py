"""Small helpers for texts: the first line of a message, a hash, a size, a moment."""

import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime

_LONGEST_CELL = 40
_SECONDS = {"d": 86_400.0, "h": 3600.0, "min": 60.0, "s": 1.0}


def first_line(error: BaseException) -> str:
    """The line of an error's message that says what happened; the rest are details."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def printable(text: str) -> str:
    """The text with '?' for what is none, such as bytes of a file's name."""
    return text.encode("utf-8", "replace").decode()


def quote_cell(text: str) -> str:
    """The beginning of a cell in quotes, with escapes for what a terminal would obey."""
    return repr(text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}…")


def shortest_text(number: float) -> str:
    """The shortest text that reads as exactly this number."""
    return repr(number).removesuffix(".0")


def hash_of(text: str) -> str:
    """A short hash that identifies a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def key_of(text: str) -> int:
    """A hash of a text in 64 bits, from 0 up."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def bytes_of(size: str) -> float:
    """Bytes of a size such as 500MB or 2GiB. Raises ValueError if it is none."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMGT])(i?)B", size, re.IGNORECASE)
    if match is None:
        raise ValueError("give a size such as 500MB or 2GB")
    power = "KMGT".index(match[2].upper()) + 1
    return float(match[1]) * (1024 if match[3] else 1000) ** power


def seconds_of(duration: str) -> float:
    """Seconds of a duration such as 90d, 12h, 30min or 45s. Raises ValueError if it is none."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?(s|min|h|d)", duration)
    if match is None:
        raise ValueError("give a duration such as 90d, 12h, 30min or 45s")
    return float(match[1]) * _SECONDS[match[2]]


def describe_duration(seconds: float) -> str:
    """A duration in the largest unit that it is at least one of: '90d', '1.5h'."""
    unit = next((name for name, size in _SECONDS.items() if seconds >= size), "s")
    return f"{seconds / _SECONDS[unit]:.4g}{unit}"


def describe_moment(timestamp: str) -> str:
    """An ISO timestamp to the minute: '2025-03-01 14:05 UTC'."""
    moment = datetime.fromisoformat(timestamp).astimezone(UTC)
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def counted(number: int, singular: str, plural: str = "") -> str:
    """'1 run', '1,024 runs'; with a plural of its own, '8 processes'."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def join_words(words: Sequence[str]) -> str:
    """'a, b and c'."""
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)
