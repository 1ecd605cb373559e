"""Single pictures of a run, for notebooks and files."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from tracemill.base.errors import MissingInputError, UsageError
from tracemill.base.files import check_free, write_bytes
from tracemill.engine.focusing.run import FocusedRun
from tracemill.reports.build import ReportedRun
from tracemill.reports.material import OVERVIEW, Material
from tracemill.reports.model import Drawn
from tracemill.reports.part_styles import color_of
from tracemill.reports.pictures.drawing import require_matplotlib
from tracemill.reports.pictures.efficiency_bars import draw_efficiency_bars
from tracemill.reports.pictures.timelines import draw_timeline
from tracemill.reports.rank_matrix import draw_pairs
from tracemill.reports.sections import communication, efficiencies, wait_states
from tracemill.reports.tables import Columns, TableSpec
from tracemill.reports.wording import Row, number

Result = TypeVar("Result")
_NANOSECONDS = 1e9
_MOST_BINS = 2_048
_SUFFIXES = (".svg", ".png")


@dataclass(frozen=True)
class Plot:
    """A picture that notebooks show; `png` is empty if there is only an SVG."""

    name: str
    svg: str = field(repr=False)
    png: bytes = field(default=b"", repr=False)

    def _repr_html_(self) -> str:
        return self.svg[self.svg.index("<svg") :]

    def save(self, path: str | Path) -> Path:
        """Write the picture as .svg or .png, by the suffix of the file. Raises UsageError."""
        written = Path(path)
        content = {".svg": self.svg.encode(), ".png": self.png}.get(written.suffix.lower())
        if not content:
            known = ".svg or .png" if self.png else ".svg"
            raise UsageError(f"{written}: the plot {self.name} can be saved as {known}")
        write_bytes(written, content)
        return written


def use_material(
    run: ReportedRun, use: Callable[[Material], Result], overview: str = OVERVIEW
) -> Result:
    """The result of a function on the tables of a run or campaign."""
    connection = run.connect(tables=())
    try:
        provide = partial(run.provide, connection)
        return use(Material(connection, run.manifest, overview, provide=provide))
    finally:
        connection.close()


def chosen_plot(
    what: str, drawers: Mapping[str, Callable[[Material], Drawn]]
) -> Callable[[Material], Drawn]:
    """The drawer with a name. Raises UsageError that lists the names."""
    if what not in drawers:
        raise UsageError(f"no plot {what}: plots are {', '.join(drawers)}")
    return drawers[what]


def plot_run(run: ReportedRun, what: str) -> Plot:
    """A picture of a run. Raises UsageError, MissingInputError or MissingLibraryError."""
    draw = chosen_plot(what, _DRAWERS)
    if what == "timeline" and isinstance(run, FocusedRun):
        draw = partial(_draw_timeline, kept=frozenset(run.focus.times.location.tolist()))
    drawn = use_material(run, draw)
    return Plot(what, drawn.svg, drawn.png)


def export_picture(run: ReportedRun, what: str, output: Path, *, is_overwriting: bool) -> None:
    """Write a picture of a run; the suffix .svg or .png selects the format.

    Raises UsageError, MissingInputError or MissingLibraryError, PipelineError if the file exists or
    cannot be written.
    """
    if output.suffix.lower() not in _SUFFIXES:
        raise UsageError(f"cannot export to {output}: use the suffix {' or '.join(_SUFFIXES)}")
    check_free(output, is_overwriting=is_overwriting)
    require_matplotlib()
    plot_run(run, what).save(output)


def _draw_timeline(material: Material, kept: Collection[int] | None = None) -> Drawn:
    """The part with the most time of every location in at most 2,048 bins of the main part.

    Only of the locations `kept`, if they are given.
    """
    parts = {row["region_id"]: str(row["part"]) for row in material.rows("timeline_regions")}
    locations = material.rows("timeline_locations")
    found = material.arrays("timeline_course")
    if kept is not None:
        locations = [row for row in locations if row["location_id"] in kept]
        is_kept = np.isin(found["location_id"], list(kept))
        found = {name: values[is_kept] for name, values in found.items()}
    if not len(found["bin"]):
        raise MissingInputError("no timeline: no region was visited")
    coarse = _in_main_part(found, material.rows("timeline_span")[0])
    legend = {part: color_of(part) for part in sorted(set(parts.values()))}
    positions = {part: position for position, part in enumerate(legend)}
    rows = {row["location_id"]: place for place, row in enumerate(locations)}
    first = int(coarse["bin"].min())
    stripes = np.full((len(locations), int(coarse["bin"].max()) + 1 - first), -1)
    for location, at, region in zip(
        *(coarse[name].tolist() for name in ("location_id", "bin", "region_id")), strict=True
    ):
        stripes[rows[location], at - first] = positions[parts[region]]
    used = [part for part, position in positions.items() if (stripes == position).any()]
    order = np.array([*(used.index(part) if part in used else -1 for part in positions), -1])
    span = (coarse["begin_ns"].min() / _NANOSECONDS, coarse["end_ns"].max() / _NANOSECONDS)
    names = [_name_of(row) for row in locations]
    shown = {part: legend[part] for part in used}
    return draw_timeline(names, order[stripes], span, shown, "timeline")


def _in_main_part(found: Columns, span: Row) -> Columns:
    """The bins that overlap the main part, as fine as at most 2,048 of them are."""
    begin, end = number(span["main_begin_ns"]), number(span["main_end_ns"])
    is_inside = (found["end_ns"] > begin) & (found["begin_ns"] < end)
    if not is_inside.any():
        is_inside |= True
    chosen = is_inside & (found["level"] == 0)
    for level in np.unique(found["level"]):
        finer = is_inside & (found["level"] == level)
        bins = found["bin"][finer]
        if len(bins) and bins.max() - bins.min() < _MOST_BINS:
            chosen = finer
    return {name: values[chosen] for name, values in found.items()}


def _name_of(location: Row) -> str:
    """'3' for the first thread of a process, '3.1' for others, '3 HIP[0:0]' for a stream."""
    rank, thread = f"{number(location['rank']):.0f}", location["thread"]
    if isinstance(thread, str):
        return f"{rank} {thread.removeprefix('GPU stream ')}"
    return f"{rank}.{thread}" if thread else rank


def _draw_matrix(spec: TableSpec, material: Material) -> Drawn:
    """A matrix of ranks."""
    table = material.table(spec)
    if not table.rows:
        raise MissingInputError(f"no {spec.title[:1].lower()}{spec.title[1:]}: the run has none")
    return draw_pairs(table).draw()


def _draw_efficiencies(material: Material) -> Drawn:
    """The efficiencies of the first interval."""
    bars = efficiencies.bars(material)
    if not bars:
        raise MissingInputError("no efficiencies: the run has no useful computation")
    caveat = efficiencies.describe_little_computation(material)
    return draw_efficiency_bars(bars, "efficiencies", caveat)


_DRAWERS: dict[str, Callable[[Material], Drawn]] = {
    "timeline": _draw_timeline,
    "messages": partial(_draw_matrix, communication.MATRIX),
    "waits": partial(_draw_matrix, wait_states.BETWEEN_RANKS),
    "efficiencies": _draw_efficiencies,
}
