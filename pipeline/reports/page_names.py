"""Names of a trace in a page: short to see, and whole in its text, to find and copy."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from markupsafe import Markup, escape

from tracemill.base.names import drop_arguments, make_visible, shorten, site_of
from tracemill.reports.model import NamedPath
from tracemill.reports.wording import quoted_among

LONGEST_WHOLE = 1_000
_MOST_KEPT = 1_000
"""Drawn names that are kept: most tables repeat them."""
LONGEST_SITE = 28
CUT = "…"
JOINT = "\u2060"
"""Stands where a path is one word but two boxes; copied text is without it."""
Pieces = Sequence[tuple[str, str]]
"""What is seen, each with what is hidden after it."""
_UNIT = re.compile(r"(?<=\d) (?=(?:s|ms|µs|ns|bytes|[KMGT]iB)\b)")
"""The space between a number and its unit, where no line ends."""
_SITE = r"(?: \(([^()\s]+:\d+)\))?"


def whole_of(name: str) -> str:
    """The name as it is copied and shown on hover."""
    return shorten(make_visible(name), LONGEST_WHOLE)


@lru_cache(_MOST_KEPT)
def show_path(path: str, mark: str = "") -> Markup:
    """A call path without argument lists that drops names after the first where space is short."""
    whole = whole_of(path)
    first, rest = _split(_align(whole, drop_arguments(whole)))
    start = f"<span>{_draw(first)}{JOINT}</span>" if first else ""
    return Markup(f"{start}<span><bdi>{_draw(rest)}{escape(mark)}</bdi></span>")


@lru_cache(_MOST_KEPT)
def show_region(name: str) -> Markup:
    """A region without its argument list."""
    whole = whole_of(name)
    return _draw(_align(whole, shorten(drop_arguments(whole))))


def show_sentence(text: str, paths: Mapping[str, NamedPath]) -> Markup:
    """A sentence whose call paths show the whole path on hover, with their source lines small.

    Lines do not end between a number and its unit.
    """

    def show(found: re.Match[str]) -> Markup:
        path = paths.get(found[1])
        if path is None:
            return _with_breaks(found[0])
        whole = whole_of(path.call_path)
        title = f"{whole}\n{make_visible(path.source)}" if path.source else whole
        name = _draw(_align(whole, found[1]), _with_breaks)
        site = show_site(f"({found[2]})") if found[2] else ""
        return Markup(f'"<bdi class="said" title="{escape(title)}">{name}</bdi>"{site}')

    shown, at = Markup(), 0
    for found in re.finditer(quoted_among(paths).pattern + _SITE, text):
        shown += _with_breaks(_joined(text[at : found.start()])) + show(found)
        at = found.end()
    return shown + _with_breaks(_joined(text[at:]))


def show_site(site: str) -> Markup:
    """A file with its line, small and after a space."""
    return Markup(f' <small class="site">{escape(site)}</small>')


def short_site(source: str) -> str:
    """File and line without folders, and short."""
    return shorten(site_of(source), LONGEST_SITE)


def _joined(text: str) -> str:
    return _UNIT.sub("\N{NO-BREAK SPACE}", text)


def _with_breaks(text: str) -> Markup:
    """Lines may end after slashes."""
    return escape(text).replace("/", Markup("/<wbr>"))


def _draw(pieces: Pieces, draw: Callable[[str], Markup] = escape) -> Markup:
    drawn = (
        f"{draw(seen)}<i>{escape(hidden)}</i>" if hidden else draw(seen) for seen, hidden in pieces
    )
    return Markup("".join(drawn))


def _align(whole: str, shown: str) -> Pieces:
    """What is seen and hidden of a name that is shown with parts left out as `…`.

    A name so long that its whole is shortened may lack what is seen; then nothing is hidden.
    """
    pieces = list(_pieces(whole, shown.split(CUT)))
    is_whole = "".join(seen + hidden for seen, hidden in pieces) == whole
    return pieces if is_whole else [(shown, "")]


def _pieces(whole: str, seen: Sequence[str]) -> Iterator[tuple[str, str]]:
    at, last = 0, len(seen) - 1
    for place, piece in enumerate(seen):
        at += len(piece)
        if place == last:
            end = len(whole)
        elif place + 1 == last:
            end = len(whole) - len(seen[last])
        else:
            end = whole.find(seen[place + 1], at)
        yield piece, whole[at:end]
        at = end


def _split(pieces: Pieces) -> tuple[Pieces, Pieces]:
    """The pieces up to the first slash that is seen, and those after it; none, if there is none."""
    for place, (seen, hidden) in enumerate(pieces):
        head, slash, tail = seen.partition("/")
        if slash:
            return [*pieces[:place], (head + slash, "")], [(tail, hidden), *pieces[place + 1 :]]
    return [], pieces
