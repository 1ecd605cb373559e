"""Timeline: what every location did when, with messages, collectives, waiting, critical path."""

from tracemill.reports.material import Material
from tracemill.reports.model import Section, Widget
from tracemill.reports.timelines import Timeline
from tracemill.reports.wording import count_of, said, time_of

PLACE = 16


def build(material: Material) -> Section | None:
    """The whole run in bins, and what matters most in full detail; nothing without visits."""
    timeline = Timeline(material)
    data = timeline.data
    if not data["levels"]:
        return None
    widget = Widget(
        name="timeline",
        title="What every location did when",
        description="Each row is a process or thread, time runs to the right. Zoomed out, a "
        "stretch has the colour of the region with most time in it; where windows in full detail "
        "are marked on the ruler, single calls, messages and collectives are drawn.",
        data=data,
        of=timeline.sources(),
    )
    return Section(
        key="timeline",
        title="Timeline",
        sentences=said(describe_windows(timeline), timeline.left_out()),
        widgets=(widget,),
    )


def describe_windows(timeline: Timeline) -> str:
    """How much of the run is there in full detail."""
    if any(window == timeline.run for window in timeline.windows):
        return ""
    other = "tracemill report --window BEGIN..END, in seconds, shows any other so."
    if not timeline.windows:
        return f"No part of the run can be seen in full detail; {other}"
    detailed = time_of(sum(window.length_ns for window in timeline.windows))
    together = f"{detailed} together" if len(timeline.windows) > 1 else detailed
    return (
        f"{count_of(len(timeline.windows), 'window')} of {together} can be seen "
        f"in full detail; {other}"
    )
