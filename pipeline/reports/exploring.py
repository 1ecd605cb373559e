"""Data for the exploration in a page: metrics by call path and location, each with its tree.

Trees are lists of nodes; callers and wholes precede their parts. Each node has the index of its
parent or -1. Cells of a metric exclude its parts, so a metric is the sum of itself and its parts.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.base.names import drop_arguments, make_visible
from tracemill.reports.explored_cells import (
    CLASSES,
    SEVERITIES,
    WORK,
    Cells,
    largest_cells,
    read_cells,
)
from tracemill.reports.explored_tree import CALL_PATHS, CALLEES, TIMES, Ints, read_tree
from tracemill.reports.material import Material, Rows
from tracemill.reports.model import ShownQuery
from tracemill.reports.part_styles import style_of
from tracemill.reports.tables import Columns, read_source
from tracemill.reports.units import Value, format_count

MOST_CELLS = 100_000
_LEAST_SHARE = 1e-3
METRICS = "explored_metrics"
MOST_CALL_PATHS = 5_000
LOCATIONS = "explored_locations"
SYSTEM = "explored_system"

OUTSIDE = "(outside all call paths)"


@dataclass(frozen=True)
class Exploration:
    """Data for widgets, and whether the smallest values were left out."""

    data: dict[str, object]
    is_cut: bool


@dataclass(frozen=True)
class Box:
    """A call path of all locations: its index in the tree, and its time with callees."""

    name: str
    part: str
    depth: int
    begin_ns: float
    time_ns: float


def sources() -> tuple[ShownQuery, ...]:
    """The queries that return the data."""
    names = (SEVERITIES, TIMES, WORK, CALL_PATHS, CALLEES, METRICS, CLASSES, LOCATIONS, SYSTEM)
    return tuple(map(read_source, names))


def explore(
    material: Material, most_cells: int = MOST_CELLS, most_paths: int = MOST_CALL_PATHS
) -> Exploration | None:
    """The data of a run, or None if it is empty."""
    locations = material.rows(LOCATIONS)
    if not locations:
        return None
    tree = read_tree(material, most_paths)
    described = material.rows(METRICS)
    units = {str(row["metric"]): str(row["unit"]) for row in described}
    every = read_cells(material, described, tree, locations)
    cells, is_cut = largest_cells(every, units, most_cells)
    metrics = _kept_metrics(described, cells)
    if not metrics:
        return None
    outside = tree.shown.size * len(locations)
    has_outside = any(each.keys[-1] >= outside for each in cells.values())
    paths = tree.named(material.arrays(CALLEES))
    data = {
        "metrics": _describe_metrics(metrics, cells),
        "paths": _describe_paths(paths, has_outside=has_outside),
        "system": _describe_system(material.rows(SYSTEM), locations),
        "locationCount": len(locations),
    }
    return Exploration(data, is_cut)


def describe_left_out(material: Material) -> str:
    """The call paths that pages do not show because they are too many; else nothing."""
    count = material.call_path_count
    if count <= MOST_CALL_PATHS:
        return ""
    return (
        f"Pages show {format_count(MOST_CALL_PATHS)} of {format_count(count)} call paths, those "
        "with the most time; the values of others count for their callers. All call paths: "
        "tracemill hierarchy --level call-path"
    )


def boxes_of(found: Exploration) -> list[Box]:
    """Call paths by time, as siblings below their callers, without those below a share."""
    paths: Any = found.data["paths"]
    own = _times_of_paths(found)
    parents = paths["parent"].tolist()
    times = own.copy()
    for at in reversed(range(len(parents))):
        if parents[at] >= 0:
            times[parents[at]] += times[at]
    whole = own.sum()
    boxes: list[Box] = []
    begins: list[float] = []
    depths: list[int] = []
    filled: dict[int, float] = {-1: 0.0}
    for at, parent in enumerate(parents):
        begins.append(filled.get(parent, 0.0))
        depths.append(depths[parent] + 1 if parent >= 0 else 0)
        filled[parent] = begins[at] + times[at]
        filled[at] = begins[at]
        if times[at] > whole * _LEAST_SHARE:
            name = paths["shown"][paths["region"][at]]
            part = paths["parts"][paths["part"][at]]
            boxes.append(Box(name, part, depths[at], begins[at], float(times[at])))
    return boxes


def _times_of_paths(found: Exploration) -> NDArray[np.float64]:
    """Exclusive time of call paths, summed over locations."""
    metrics: Any = found.data["metrics"]
    paths: Any = found.data["paths"]
    count: Any = found.data["locationCount"]
    sums = np.zeros(len(paths["parent"]))
    names: list[str] = []
    for metric in metrics:
        is_time = metric["name"] == "time" or (
            metric["parent"] >= 0 and metrics[metric["parent"]]["name"] in names
        )
        if is_time:
            names.append(metric["name"])
            np.add.at(sums, metric["keys"] // count, metric["values"].astype(np.float64))
    return sums


def _kept_metrics(metrics: Rows, cells: dict[str, Cells]) -> Rows:
    """Metrics with cells, and the metrics that include them; wholes precede parts."""
    parents = {metric["metric"]: metric["parent_metric"] for metric in metrics}
    kept: set[Value] = set()
    for name in cells:
        above: Value = name
        while above in parents and above not in kept:
            kept.add(above)
            above = parents[above]
    ordered: Rows = []
    waiting = [metric for metric in reversed(metrics) if metric["parent_metric"] not in kept]
    while waiting:
        whole = waiting.pop()
        ordered.append(whole)
        waiting += [part for part in reversed(metrics) if part["parent_metric"] == whole["metric"]]
    return [metric for metric in ordered if metric["metric"] in kept]


def _describe_metrics(metrics: Rows, cells: dict[str, Cells]) -> list[dict[str, object]]:
    names = [str(metric["metric"]) for metric in metrics]
    nothing = Cells(np.array([], np.int64), np.array([], np.int64))
    own = {name: cells.get(name, nothing) for name in names}
    for metric in metrics:
        whole, name = str(metric["parent_metric"]), str(metric["metric"])
        if whole in own:
            own[whole] = own[whole].without(own[name])
    return [
        {
            "name": metric["metric"],
            "parent": names.index(str(metric["parent_metric"])) if metric["parent_metric"] else -1,
            **{key: metric[key] for key in ("kind", "title", "unit", "meaning")},
            **_pack(own[str(metric["metric"])], str(metric["unit"])),
        }
        for metric in metrics
    ]


def _pack(cells: Cells, unit: str) -> dict[str, object]:
    """Times are rounded to seven digits, more than is shown; counts are exact."""
    is_kept = cells.values != 0
    values = cells.values[is_kept]
    return {
        "keys": cells.keys[is_kept],
        "values": values.astype(np.float32) if unit == "ns" else values,
    }


def _describe_paths(paths: Columns, *, has_outside: bool) -> dict[str, object]:
    # A callee is a region, and its name with the call site.
    callees = list(zip(paths["region_id"].tolist(), paths["region"].tolist(), strict=True))
    last = {callee: at for at, callee in enumerate(callees)}
    places = {callee: place for place, callee in enumerate(last)}
    of_paths = [part or "" for part in paths["part"].tolist()]
    parts = {part: place for place, part in enumerate(sorted(set(of_paths)))}
    ends = [1] if has_outside else []
    names = [*(name for _, name in last), *(OUTSIDE for _ in ends)]
    return {
        "id": np.array([*paths["call_path_id"], *(-1 for _ in ends)], np.int64),
        "parent": np.array([*_parents(paths), *(-1 for _ in ends)], np.int64),
        "region": np.array([places[callee] for callee in callees] + [len(places) for _ in ends]),
        "part": np.array([parts[part] for part in of_paths] + [0 for _ in ends]),
        "parts": list(parts),
        "styles": [style_of(part) for part in parts],
        "regions": names,
        "shown": [drop_arguments(make_visible(name)) for name in names],
        "regionIds": [*(region_id for region_id, _ in last), *(-1 for _ in ends)],
        "sources": [
            *(_place_in_code(paths["file"][at], paths["begin_line"][at]) for at in last.values()),
            *("" for _ in ends),
        ],
    }


def _place_in_code(file: str | None, line: int) -> str:
    return f"{file}:{line}" if file and line > 0 else file or ""


def _parents(paths: Columns) -> Ints:
    """Indices of parents, which precede their children; invalid parents become roots."""
    ids, parents = paths["call_path_id"], paths["parent_call_path_id"]
    places = np.searchsorted(ids, parents)
    is_before = places < np.arange(ids.size)
    return np.where(is_before & (ids[places * is_before] == parents), places, -1)


def _describe_system(nodes: Rows, locations: Rows) -> dict[str, object]:
    """Machines and nodes with processes, then processes, then threads if there are several."""
    tree = _SystemTree()
    above = {row["system_tree_node_id"]: row for row in nodes}
    groups: dict[Value, Rows] = {}
    for row in sorted(
        locations, key=lambda row: (row["rank"], row["location_group_id"], _order(row))
    ):
        groups.setdefault(row["location_group_id"], []).append(row)
    index = {row["location_id"]: place for place, row in enumerate(locations)}
    for members in groups.values():
        first = members[0]
        parent = tree.add_machine(first["system_tree_node_id"], above)
        is_alone = len(members) == 1
        process = tree.add(
            parent,
            str(first["process"]),
            first["rank"],
            index[first["location_id"]] if is_alone else -1,
        )
        for row in members if not is_alone else ():
            tree.add(process, str(row["location"]), row["rank"], index[row["location_id"]])
    return tree.data | {"ids": _numbers(locations, "location_id")}


def _order(row: dict[str, Value]) -> tuple[int, int]:
    """Threads by number before streams, which have names."""
    thread = row["thread"]
    return (0, thread) if isinstance(thread, int) else (1, int(row["location_id"] or 0))


class _SystemTree:
    """Nodes of the system tree; parents are added first."""

    def __init__(self) -> None:
        self._parents: list[int] = []
        self._names: list[str] = []
        self._ranks: list[int] = []
        self._locations: list[int] = []
        self._machines: dict[Value, int] = {None: -1}

    @property
    def data(self) -> dict[str, object]:
        return {
            "parent": np.array(self._parents),
            "names": self._names,
            "rank": np.array(self._ranks),
            "location": np.array(self._locations),
        }

    def add(self, parent: int, name: str, rank: Value, location: int) -> int:
        self._parents.append(parent)
        self._names.append(name)
        self._ranks.append(-1 if rank is None else int(rank))
        self._locations.append(location)
        return len(self._names) - 1

    def add_machine(self, node: Value, above: dict[Value, dict[str, Value]]) -> int:
        """The index of a system tree node, added together with all its ancestors."""
        chain: list[Value] = []
        while node not in self._machines and node in above and node not in chain:
            chain.append(node)
            node = above[node]["parent_system_tree_node_id"]
        parent = self._machines.get(node, -1)
        for each in reversed(chain):
            row = above[each]
            parent = self.add(parent, f"{row['class_name']} {row['name']}".strip(), None, -1)
            self._machines[each] = parent
        return parent


def _numbers(rows: Rows, name: str) -> Ints:
    return np.array([row[name] for row in rows], dtype=np.int64)
