"""Names from traces, made safe and short enough for people."""

import re
from collections.abc import Collection
from pathlib import PurePath

LONGEST_NAME = 100
_UNNAMED = "(anonymous namespace)"
_DIRECTION_MARKS = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def make_visible(text: str) -> str:
    """Text without control characters and direction marks.

    Names come from traces; a terminal would execute their escape sequences.
    """
    if text.isprintable():
        return text
    return "".join(char if _is_harmless(char) else _escape(char) for char in text)


def _is_harmless(char: str) -> bool:
    return char == " " or (char.isprintable() and char not in _DIRECTION_MARKS)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def shorten(text: str, longest: int = LONGEST_NAME) -> str:
    """The beginning and the end of a long name, which usually identify it."""
    if len(text) <= longest:
        return text
    head = (longest - 1) // 3
    return f"{text[:head]}…{text[len(text) - (longest - 1 - head) :]}"


def drop_arguments(name: str) -> str:
    """A C++ name without its arguments: 'send(Domain&, void (*)(int))' → 'send(…)'."""
    if "(" not in name:
        return name
    name = name.replace(_UNNAMED, "\0")
    while (shorter := re.sub(r"\([^()]*\)", _seal, name)) != name:
        name = shorter
    return name.replace("\0", _UNNAMED).replace("\1", "(…)").replace("\2", "()")


def _seal(group: re.Match[str]) -> str:
    """Placeholder without parentheses for a group; visible names never contain it."""
    return "\2" if group[0] == "()" else "\1"


def format_path(path: str) -> str:
    """A call path for readers: without argument lists, and without its middle if it is long."""
    return shorten_path(drop_arguments(make_visible(path)))


def site_of(source: str) -> str:
    """File and line without folders: '/src/app/halo.c:12' → 'halo.c:12'."""
    return make_visible(PurePath(source).name)


def site_behind(name: str, source: str) -> str:
    """File and line to show behind a name; empty if unknown or part of the name."""
    site = site_of(source)
    return "" if name.endswith(site) else site


def shorten_path(path: str, longest: int = LONGEST_NAME) -> str:
    """A call path without its middle: 'main/…/exchange/MPI_Waitall'."""
    if len(path) <= longest:
        return path
    first, *rest = path.split("/")
    kept: list[str] = []
    room = longest - len(first) - len("/…")
    for name in reversed(rest):
        room -= len(name) + 1
        if room < 0:
            break
        kept.insert(0, name)
    return "/".join((first, "…", *kept)) if kept and len(first) < longest else shorten(path)


def find_name(name: str, known: Collection[str]) -> str:
    """The known name that a name means, maybe without the arguments of C++ functions.

    The name itself if it is known, or if none or several fit.
    """
    if name in known:
        return name
    fitting = []
    for each in known:
        short = drop_arguments(each)
        if name in (short, short.replace("(…)", "")):
            fitting.append(each)
    return fitting[0] if len(fitting) == 1 else name
