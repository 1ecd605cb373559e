"""Small helpers for texts: the first line of a message, and a text's hash."""

import hashlib


def first_line(error: BaseException) -> str:
    """The line of an error's message that says what happened; the rest are details."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def hash_of(text: str) -> str:
    """A short hash that identifies a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]
