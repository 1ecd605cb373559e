"""Exploration: all metrics by call path and by process and thread, to select from."""

from tracemill.reports.exploring import Exploration, boxes_of, describe_left_out, explore, sources
from tracemill.reports.material import Material
from tracemill.reports.model import Drawing, Drawn, Section, Widget
from tracemill.reports.part_styles import color_of
from tracemill.reports.pictures.icicles import Rectangle, draw_icicle
from tracemill.reports.sections.efficiencies import describe_little_computation
from tracemill.reports.wording import nonempty

PLACE = 15

_CUT = "The smallest values are left out."
_WHOLE = "Values are those of the whole run, with MPI setup."
_ICICLE = "Time by call path, to scale"
_WIDGETS = (
    (
        "panels",
        "Metric, call path, place",
        "A selection in one column filters the columns to its right. A closed branch shows the sum "
        "of itself and everything below; an open branch shows only itself. Waiting, root causes "
        "and efficiency losses are always sums. Root causes belong to those who make others wait.",
    ),
    (
        "icicle",
        _ICICLE,
        "The width of a call path is its time with all callees; callees are below their callers. "
        "Colors show the kind of time.",
    ),
)


def build(material: Material) -> Section | None:
    """Three linked trees and the call tree to scale, with the same data."""
    found = explore(material)
    if found is None:
        return None
    widgets = tuple(
        Widget(name=name, title=title, description=description, data=found.data, of=sources())
        for name, title, description in _WIDGETS
    )
    _ = widgets[0].embedded  # now, while other sections are built
    return Section(
        key="exploration",
        title="Exploration",
        sentences=nonempty(
            "" if material.is_focused else _WHOLE,
            _CUT if found.is_cut else "",
            describe_little_computation(material),
            describe_left_out(material),
        ),
        widgets=widgets,
        drawings=(Drawing(name="icicle", title=_ICICLE, draw=lambda: _draw(found)),),
    )


def _draw(found: Exploration) -> Drawn:
    boxes = boxes_of(found)
    parts = {box.part: color_of(box.part) for box in boxes}
    drawn = [
        Rectangle(box.name, box.depth, box.begin_ns / 1e9, box.time_ns / 1e9, parts[box.part])
        for box in boxes
    ]
    return draw_icicle(drawn, parts)
