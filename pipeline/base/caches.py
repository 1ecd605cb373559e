"""Folders for what can be made again, such as machine code.

They are in `.cache` of the checkout, the cache folder of the user, or a temporary folder: the first
that can be written to.
"""

import os
import stat
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

FOLDER_VARIABLE = "TRACEMILL_CACHE"
_CHECKOUT = Path(__file__).resolve().parents[2]


@cache
def cache_folders(kind: str) -> list[Path]:
    """Folders with things of a kind: the one to write to, then others to read from."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    places = [Path(chosen)] if chosen else _usual_places()
    places = [place / kind for place in places]
    written = _first_writable(places) or _first_writable([_temporary() / kind])
    assert written
    return [written, *(place for place in places if place != written)]


def _usual_places() -> list[Path]:
    user_cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    is_checkout = (_CHECKOUT / "pyproject.toml").exists()
    return [*([_CHECKOUT / ".cache"] if is_checkout else []), user_cache / "tracemill"]


def _first_writable(places: list[Path]) -> Path | None:
    for place in places:
        with suppress(OSError):
            place.mkdir(parents=True, exist_ok=True)
            if os.access(place, os.W_OK):
                return place
    return None


def _temporary() -> Path:
    """A folder that only the user can write to, the same one each time if possible."""
    place = Path(tempfile.gettempdir()) / f"tracemill-{os.getuid()}"
    with suppress(FileExistsError):
        place.mkdir(mode=0o700)
    found = place.lstat()
    if found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) == 0o700:
        return place
    return Path(tempfile.mkdtemp(prefix="tracemill-"))
