"""Data of a timeline: bins of the whole run, and windows in full detail."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.base.errors import UsageError
from tracemill.base.names import drop_arguments, make_visible
from tracemill.base.text import join_words
from tracemill.reports.material import Material, Rows
from tracemill.reports.model import ShownQuery
from tracemill.reports.part_styles import COMPUTING_STYLES, style_of
from tracemill.reports.tables import Columns, groups_of, largest_of, read_source, rows_at
from tracemill.reports.timeline_counters import MOST_VALUES, QUERY, read_counters
from tracemill.reports.units import format_count
from tracemill.reports.window_details import COLLECTIVES, MOST_WINDOWS, WindowDetails, values_of
from tracemill.reports.windows import Window, choose_windows

MOST_VISITS = 10_000
"""Visits of an automatic window, on average; it shows up to twice as many, a requested one more."""
MOST_REQUESTED_VISITS = 200_000
MOST_PLACES = 8
MOST_WAITS, MOST_SEGMENTS, MOST_ITERATIONS = 10_000, 10_000, 10_000
MOST_PHASES = 10_000
SHARES = 15
"""Times in bins are stored in this many parts of the bin."""
LIMITS = {"window_waits": MOST_WAITS, "window_messages": 10_000, "window_collectives": 20_000}
_DETAILS = {
    "window_visits": "calls",
    "window_messages": "messages",
    "window_collectives": "calls of collectives",
    "window_waits": "waits",
}


class Timeline:
    """The timeline of a run; `windows` are the requested ones."""

    def __init__(self, material: Material) -> None:
        self._material = material
        self._locations = material.rows("timeline_locations")
        self._regions = material.rows("timeline_regions")
        (span,) = material.rows("timeline_span")
        self.run = Window(_int(span["begin_ns"]), _int(span["end_ns"]))
        self.main_part = Window(_int(span["main_begin_ns"]), _int(span["main_end_ns"]))
        self.places = material.rows("timeline_places", MOST_PLACES)
        self.requested = tuple(self._within_run(window) for window in material.windows)
        chosen = choose_windows(
            (Window(_int(row["begin_ns"]), _int(row["end_ns"])) for row in self.places),
            self.run,
            visit_count=_int(material.overview["visit_count"]),
            most_visits=MOST_VISITS,
            most_windows=MOST_WINDOWS,
        )
        self.windows = tuple(dict.fromkeys(self.requested + chosen))
        self._details = WindowDetails(material, self.run, self.windows)
        self._row_of = _places_of(self._locations, "location_id")
        self._region_of = _places_of(self._regions, "region_id")

    def _within_run(self, window: Window) -> Window:
        inside = window.within(self.run)
        if inside.length_ns <= 0:
            first, last = (moment / 1e9 for moment in (self.run.begin_ns, self.run.end_ns))
            raise UsageError(
                f"the window lies outside the run: that goes from {first} s to {last} s"
            )
        return inside

    @cached_property
    def data(self) -> dict[str, Any]:
        """Plain values and arrays; locations are rows, regions are indices."""
        return {
            "begin": self.run.begin_ns,
            "end": self.run.end_ns,
            "main": {
                "begin": self.main_part.begin_ns - self.run.begin_ns,
                "end": self.main_part.end_ns - self.run.begin_ns,
            },
            "locations": _describe_locations(self._locations),
            "regions": _describe_regions(self._regions),
            "levels": self._levels(),
            "path": self._path(),
            "iterations": self._iterations(),
            "phases": self._phases(),
            "counters": read_counters(self._material, self.run.begin_ns),
            "waits": self._waits(self._all_waits[0]),
            "places": [self._place(row) for row in self.places],
            "windows": [self._window(window) for window in self.windows],
        }

    def left_out(self) -> str:
        """Events of the run that are not drawn because they are too many, in words."""
        lacking = [
            f"{_count_cut(name, most)} for the whole run"
            for name, (_, is_cut), most in (
                ("waits", self._all_waits, MOST_WAITS),
                ("stretches of the critical path", self._all_segments, MOST_SEGMENTS),
            )
            if is_cut
        ]
        lacking += [
            f"{detail['leftOut']} from {_bounds(window)}"
            for window, detail in zip(self.windows, self.data["windows"], strict=True)
            if detail["leftOut"]
        ]
        return f"Too many to draw all of them: there are {'; '.join(lacking)}." if lacking else ""

    @cached_property
    def _all_waits(self) -> tuple[Columns, bool]:
        return self._details.longest("window_waits", self.run, MOST_WAITS)

    @cached_property
    def _all_segments(self) -> tuple[Columns, bool]:
        """The longest segments of the critical path, and whether there are more."""
        found = self._material.arrays("timeline_path", row_limit=MOST_SEGMENTS + 1)
        lengths = found["end_ns"] - found["begin_ns"]
        kept = largest_of(lengths, found["ordinal"], MOST_SEGMENTS)
        return rows_at(found, kept), lengths.size > MOST_SEGMENTS

    def sources(self) -> tuple[ShownQuery, ...]:
        """All queries; queries of windows only for the first window."""
        names = ("timeline_locations", "timeline_regions", "timeline_course")
        of_windows = ("window_visits", "window_messages", "window_collectives")
        return (
            *map(read_source, names),
            read_source("timeline_places", row_limit=MOST_PLACES),
            read_source("timeline_path", row_limit=MOST_SEGMENTS),
            read_source("timeline_iterations", row_limit=MOST_ITERATIONS),
            read_source("run_phases", row_limit=MOST_PHASES),
            read_source(QUERY, row_limit=MOST_VALUES),
            read_source("window_waits", **values_of(self.run, MOST_WAITS)),
            *(self._describe_window(name, window) for window in self.windows[:1]
              for name in of_windows),
        )  # fmt: skip

    def _describe_window(self, query: str, window: Window) -> ShownQuery:
        """The query of one window, with the window in its name."""
        source = read_source(query, **values_of(window, self._limit_of(query, window)))
        which = f"-- The window from {_bounds(window)}."
        return ShownQuery(source.name, f"{which}\n{source.sql}")

    def _limit_of(self, query: str, window: Window) -> int:
        is_requested = window in self.requested
        return LIMITS.get(query, MOST_REQUESTED_VISITS if is_requested else 2 * MOST_VISITS)

    def _levels(self) -> list[dict[str, object]]:
        found = self._material.arrays("timeline_course")
        if (found["level"][1:] < found["level"][:-1]).any():
            found = rows_at(found, np.argsort(found["level"], kind="stable"))
        return [self._level(rows) for rows in groups_of(found, "level")]

    def _level(self, rows: Columns) -> dict[str, object]:
        """Regions (1 and up; 0 is none) and shares of all bins of a level, row by row."""
        width = self._width_of(rows)
        count = -(-self.run.length_ns // width)
        place = self._row_of[rows["location_id"]] * count + rows["bin"]
        region = np.zeros(len(self._locations) * count, np.int64)
        region[place] = self._region_of[rows["region_id"]] + 1
        share = np.zeros(len(region), np.int64)
        share[place] = np.ceil(rows["time_ns"] * SHARES / (rows["end_ns"] - rows["begin_ns"]))
        return {"width": width, "count": count, "region": region, "share": share}

    def _width_of(self, rows: Columns) -> int:
        """Bins begin at multiples of their width; only the last one may be shorter.

        The first bin begins with the run: if it is the only one, it is complete or is the whole
        run.
        """
        last = int(np.argmax(rows["bin"]))
        if rows["bin"][last]:
            return int(rows["begin_ns"][last] - self.run.begin_ns) // int(rows["bin"][last])
        return int(rows["end_ns"][last] - rows["begin_ns"][last])

    def _path(self) -> dict[str, object]:
        found, _ = self._all_segments
        return {
            "ordinal": found["ordinal"],
            "row": self._row_of[found["location_id"]],
            "begin": found["begin_ns"] - self.run.begin_ns,
            "length": found["end_ns"] - found["begin_ns"],
        }

    def _iterations(self) -> NDArray[Any]:
        """Begins of the iterations of the main loop, and the end of the last one."""
        found = self._material.arrays("timeline_iterations", row_limit=MOST_ITERATIONS)
        return np.append(found["begin_ns"], found["end_ns"][-1:]) - self.run.begin_ns

    def _phases(self) -> dict[str, object]:
        """Begins of the phases, and the end of the last one; and their kinds."""
        rows = self._material.rows("run_phases", MOST_PHASES)
        edges = [_int(row["begin_ns"]) for row in rows] + [_int(row["end_ns"]) for row in rows[-1:]]
        return {
            "edges": np.array(edges, np.int64) - self.run.begin_ns,
            "kinds": np.array([_int(row["kind"]) for row in rows], np.int64),
        }

    def _waits(self, found: Columns) -> dict[str, object]:
        titles, title = _numbered(found["finding"])
        return {
            "titles": titles,
            "title": title,
            "row": self._row_of[found["location_id"]],
            "cause": self._row_of[found["cause_location_id"]],
            "begin": found["start_ns"] - self.run.begin_ns,
            "length": found["wait_ns"],
        }

    def _place(self, row: Mapping[str, object]) -> dict[str, object]:
        cause = row["cause_location_id"]
        return {
            **{name: row[name] for name in ("kind", "title")},
            "callPath": drop_arguments(make_visible(str(row["call_path"] or ""))),
            "wholePath": row["call_path"] or "",
            "row": int(self._row_of[_int(row["location_id"])]),
            "cause": None if cause is None else int(self._row_of[_int(cause)]),
            "begin": _int(row["begin_ns"]) - self.run.begin_ns,
            "length": _int(row["length_ns"]),
        }

    def _window(self, window: Window) -> dict[str, object]:
        found = {query: self._found(query, window) for query in _DETAILS}
        visits, messages, collectives, waits = (columns for columns, _ in found.values())
        return {
            "begin": window.begin_ns - self.run.begin_ns,
            "end": window.end_ns - self.run.begin_ns,
            "isRequested": window in self.requested,
            "leftOut": _describe_cuts(found),
            "visits": self._visits(visits),
            "messages": self._messages(messages),
            "collectives": self._collectives(collectives),
            "waits": self._waits(waits),
        }

    def _found(self, query: str, window: Window) -> tuple[Columns, bool]:
        """The longest details of a window, and whether it has more of them."""
        most = self._limit_of(query, window)
        if query == COLLECTIVES:
            return self._details.collectives(window, most)
        return self._details.longest(query, window, most)

    def _visits(self, found: Columns) -> dict[str, object]:
        """Visits by location, then by time of entry, as differences."""
        enter = found["enter_ns"] - self.run.begin_ns
        return {
            "row": self._row_of[found["location_id"]],
            "region": self._region_of[found["region_id"]],
            "step": np.diff(enter, prepend=0),
            "length": found["leave_ns"] - found["enter_ns"],
        }

    def _messages(self, found: Columns) -> dict[str, object]:
        return {
            "from": self._row_of[found["sender_location_id"]],
            "to": self._row_of[found["receiver_location_id"]],
            "begin": found["send_ns"] - self.run.begin_ns,
            "length": found["receive_ns"] - found["send_ns"],
            "bytes": found["bytes"],
            "tag": found["tag"],
        }

    def _collectives(self, found: Columns) -> dict[str, object]:
        names, name = _numbered(found["operation"])
        return {
            "names": names,
            "name": name,
            "instance": found["collective_id"],
            "row": self._row_of[found["location_id"]],
            "begin": found["begin_ns"] - self.run.begin_ns,
            "length": found["end_ns"] - found["begin_ns"],
        }


def _numbered(texts: NDArray[Any]) -> tuple[list[str], NDArray[np.int64]]:
    """Different texts, sorted, and the place of each text among them."""
    listed = texts.tolist()
    different = sorted(set(listed))
    places = {text: place for place, text in enumerate(different)}
    return different, np.array([places[text] for text in listed], np.int64)


def _describe_cuts(found: Mapping[str, tuple[Columns, bool]]) -> str:
    """Details of which a window has too many; it contains the longest of them."""
    return join_words(
        [
            _count_cut(_DETAILS[query], _row_count(columns))
            for query, (columns, is_cut) in found.items()
            if is_cut
        ]
    )


def _row_count(columns: Columns) -> int:
    return len(next(iter(columns.values())))


def _count_cut(name: str, count: int) -> str:
    return f"only the {format_count(count)} longest {name}"


def _bounds(window: Window) -> str:
    """The times of a window since the zero of the trace, to a thousandth of its length."""
    places = min(max(12 - len(str(window.length_ns)), 0), 9)
    begin, end = (f"{time_ns / 1e9:.{places}f} s" for time_ns in (window.begin_ns, window.end_ns))
    return f"{begin} to {end}"


def _places_of(rows: Rows, name: str) -> NDArray[np.int64]:
    """The place of each id in the rows; ids are numbers from 0."""
    ids = [_int(row[name]) for row in rows]
    places = np.zeros(1 + max(ids, default=0), np.int64)
    places[ids] = np.arange(len(ids))
    return places


def _describe_locations(locations: Rows) -> dict[str, object]:
    named = [(row, row["thread"] if isinstance(row["thread"], str) else "") for row in locations]
    nodes = list(dict.fromkeys(str(row["node"] or "") for row in locations))
    return {
        "nodes": nodes,
        "node": np.array([nodes.index(str(row["node"] or "")) for row in locations], np.int64),
        "id": np.array([row["location_id"] for row in locations], np.int64),
        "group": np.array([row["location_group_id"] for row in locations], np.int64),
        "rank": np.array([row["rank"] for row in locations], np.int64),
        "thread": np.array([0 if stream else row["thread"] for row, stream in named], np.int64),
        "stream": [stream for _, stream in named],
        "name": [str(row["location"]) for row in locations],
        "process": [str(row["process"]) for row in locations],
    }


def _describe_regions(regions: Rows) -> dict[str, object]:
    parts = sorted({str(row["part"]) for row in regions})
    return {
        "id": np.array([row["region_id"] for row in regions], np.int64),
        "name": [str(row["region"]) for row in regions],
        "shown": [drop_arguments(make_visible(str(row["region"]))) for row in regions],
        "source": [_describe_source(row) for row in regions],
        "parts": parts,
        "styles": [style_of(part) for part in parts],
        "shades": list(COMPUTING_STYLES),
        "part": np.array([parts.index(str(row["part"])) for row in regions], np.int64),
    }


def _describe_source(region: Mapping[str, object]) -> str:
    """File and line; a file without lines, such as MPI, is not a source position."""
    return f"{region['file']}:{region['begin_line']}" if region["begin_line"] else ""


def _int(value: object) -> int:
    return int(str(value))
