"""Windows of a run that its timeline shows in full detail."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tracemill.base.periods import read_period

_AFTER = 0.25


@dataclass(frozen=True)
class Window:
    """An interval of the run in nanoseconds since the zero of the trace."""

    begin_ns: int
    end_ns: int

    @property
    def length_ns(self) -> int:
        return self.end_ns - self.begin_ns

    def holds(self, other: "Window") -> bool:
        return self.begin_ns <= other.begin_ns and other.end_ns <= self.end_ns

    def within(self, whole: "Window") -> "Window":
        """The part of this window inside another window."""
        return Window(max(self.begin_ns, whole.begin_ns), min(self.end_ns, whole.end_ns))


def read_window(text: str) -> Window:
    """A window from text such as 1.2s..1.3s or 0.5..0.7, in seconds since the zero of the trace.

    Raises UsageError for anything else, and for a window without length.
    """
    begin, end = read_period(text)
    assert begin is not None
    assert end is not None
    return Window(begin, end)


def choose_windows(
    places: Iterable[Window], run: Window, *, visit_count: int, most_visits: int, most_windows: int
) -> tuple[Window, ...]:
    """Windows around interesting places in order of priority, with `most_visits` on average.

    A place longer than a window is shown at its end, where a wait ends. A place inside an earlier
    window needs no window of its own. A run of up to twice as many visits is one window; a larger
    run without any place is shown at its middle.
    """
    if visit_count <= 2 * most_visits:
        return (run,) if run.length_ns > 0 else ()
    length = max(run.length_ns * most_visits // visit_count, 1)
    chosen: list[Window] = []
    for place in places:
        window = _around(place, length, run)
        if len(chosen) < most_windows and not _is_seen(place, window, chosen):
            chosen.append(window)
    if not chosen and run.length_ns > 0 and most_windows > 0:
        middle = (run.begin_ns + run.end_ns) // 2
        chosen.append(_around(Window(middle, middle), length, run))
    return tuple(chosen)


def _around(place: Window, length: int, run: Window) -> Window:
    """A window with the place in its middle, or with the end of the place; within the run."""
    margin = (length - place.length_ns) // 2
    begin = place.begin_ns - margin if margin >= 0 else place.end_ns - round(length * (1 - _AFTER))
    begin = max(min(begin, run.end_ns - length), run.begin_ns)
    return Window(begin, begin + length).within(run)


def _is_seen(place: Window, window: Window, chosen: Sequence[Window]) -> bool:
    needed = place if window.holds(place) else Window(place.end_ns, place.end_ns)
    return any(other.holds(needed) for other in chosen)
