"""Timeline: activity of every location, with messages, collectives, waiting and critical path."""

from collections.abc import Mapping
from typing import Any

from tracemill.base.text import join_words
from tracemill.reports.material import Material
from tracemill.reports.model import Section, Widget
from tracemill.reports.timelines import Timeline
from tracemill.reports.wording import count_of, nonempty, time_of

PLACE = 11


def build(material: Material) -> Section | None:
    """The whole run in bins, and selected windows in full detail; nothing without visits."""
    timeline = Timeline(material)
    data = timeline.data
    if not data["levels"]:
        return None
    widget = Widget(
        name="timeline",
        title="Activity of every location over time",
        description=(
            "Each row is a process or thread; time runs from left to right. When zoomed "
            "out, each interval has the color of the region with the most time in it. "
            "Windows that are marked on the ruler show single calls, messages and "
            f"collectives.{describe_lanes(data)}"
        ),
        data=data,
        of=timeline.sources(),
    )
    _ = widget.embedded  # now, while other sections are built
    return Section(
        key="timeline",
        title="Timeline",
        sentences=nonempty(describe_windows(timeline), timeline.left_out()),
        widgets=(widget,),
    )


def describe_lanes(data: Mapping[str, Any]) -> str:
    """The lanes of phases, iterations and counters, if there are any."""
    named = []
    if len(data["phases"]["kinds"]) > 1:
        named.append("phases (with the number of their kind)")
    if len(data["iterations"]):
        named.append("iterations of the main loop (numbered from 0)")
    if data["counters"]:
        named.append("counters of the run, or of the process or node of the selected row")
    return f" Below the times are the {join_words(named)}." if named else ""


def describe_windows(timeline: Timeline) -> str:
    """The windows of the run with full detail."""
    if any(window == timeline.run for window in timeline.windows):
        return ""
    other = "for other windows: tracemill report --window BEGIN..END, in seconds."
    if not timeline.windows:
        return f"No part of the run can be seen in full detail; {other}"
    detailed = time_of(sum(window.length_ns for window in timeline.windows))
    together = f"{detailed} together" if len(timeline.windows) > 1 else detailed
    return (
        f"{count_of(len(timeline.windows), 'window')} of {together} can be seen "
        f"in full detail; {other}"
    )
