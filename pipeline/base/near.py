"""Names near one that does not exist, for error messages."""

import os
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

_SHORTEST_PART = 3
"""Shorter names are part of too many others."""
_LEAST_LIKE, _LEAST_LIKE_SHORT = 0.7, 0.6
"""Similarity, from 0 to 1, from which on a name is suggested.

0.67 is too little for long names, such as "nonsense" and "comms_send", but enough for short ones,
such as "gg" and "g".
"""


def near_matches(name: str, known: Iterable[str], most: int = 2) -> list[str]:
    """The known names that a name is part of, its beginning first, or else those most like it."""
    wanted, spelled = name.casefold(), {each.casefold(): each for each in known}
    close = [each for each in spelled if wanted in each]
    close.sort(key=lambda each: (not each.startswith(wanted), len(each)))
    is_short = len(wanted) < _SHORTEST_PART
    if is_short or not close:
        cutoff = _LEAST_LIKE_SHORT if is_short else _LEAST_LIKE
        close = get_close_matches(wanted, spelled, n=most, cutoff=cutoff)
    return [spelled[each] for each in close[:most]]


def did_you_mean(names: Sequence[str]) -> str:
    """'did you mean a, b or c?', or an empty text if there is no name."""
    if not names:
        return ""
    return f"did you mean {' or '.join(filter(None, (', '.join(names[:-1]), names[-1])))}?"


def near_path(path: Path) -> str:
    """'did you mean …?' with a name like the first missing part of a path; empty if none is.

    Folders that cannot be read have no names.
    """
    if path.exists():
        return ""
    missing = path
    while missing != missing.parent and not missing.parent.exists():
        missing = missing.parent
    try:
        names = sorted(os.listdir(missing.parent))
    except OSError:
        return ""
    close = near_matches(missing.name, names, most=1)
    return did_you_mean([str(missing.with_name(each)) for each in close])
