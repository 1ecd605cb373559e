"""Overheads and their rules, found by walking up from every visit and trying every rule."""

import csv
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import cache
from typing import Any

from tests.oracle.stored_runs import Tables, c_name
from tests.oracle.teams import find_fork_join_times
from tracemill.schemas.overheads import TAXONOMY, overhead_id
from tracemill.stages.overhead_classes import SHIPPED_RULES

Row = dict[str, Any]
Spent = Counter[tuple[int, int]]
"""Time by call path or region, and class of overhead."""


# --- Rules --------------------------------------------------------------------------------------


def overhead_rules(tables: Tables) -> list[Row]:
    """The rules of the file in their order, whatever the trace."""
    lines = SHIPPED_RULES.read_text(encoding="utf-8").splitlines()
    numbers = {(each.name, each.part): number for number, each in enumerate(TAXONOMY)}
    written = [
        (number, line)
        for number, line in enumerate(lines, 1)
        if line and not line.startswith(("#", "paradigm,"))
    ]
    rows = []
    for rule, (number, line) in enumerate(written):
        ((paradigm, role, name, overhead, part),) = csv.reader([line])
        rows.append(
            {"rule_id": rule, "line": number, "paradigm": paradigm, "role": role, "name": name}
            | {"overhead_id": numbers[overhead, part]}
        )
    return rows


def region_classes(tables: Tables) -> list[Row]:
    """The class of every region: that of the first rule that fits."""
    rows = []
    for region in tables["regions"]:
        name = c_name(region["name"]) or region["name"]
        fitting = [
            rule
            for rule in tables["overhead_rules"]
            if _fits(rule["paradigm"], region["paradigm"])
            and _fits(rule["role"], region["role"])
            and _fits(rule["name"], name)
        ]
        first = fitting[0] if fitting else {"overhead_id": overhead_id("no rule"), "rule_id": None}
        names = ("overhead_id", "rule_id")
        rows.append({"region_id": region["region_id"]} | {key: first[key] for key in names})
    return rows


@cache
def _fits(pattern: str, text: str) -> bool:
    """Whether one of the alternatives fits; only * is special."""
    plain = pattern.lower().replace("[", "[[]").replace("?", "[?]")
    return any(fnmatchcase(text.lower(), each.strip()) for each in plain.split("|"))


# --- Time ---------------------------------------------------------------------------------------


def call_path_overheads(tables: Tables) -> list[Row]:
    """Time of call paths by class, with and without what they call."""
    spent, paths, overhead = _classified(tables)
    own = Counter[tuple[int, int]]()
    for row in spent:
        own[row["call_path_id"], overhead[row["region_id"]]] += row["exclusive_ns"]
    return _rows("call_path_id", own, sum_call_paths(spent, paths, overhead))


def region_overheads(tables: Tables) -> list[Row]:
    """The same of regions, wherever they are called."""
    spent, paths, overhead = _classified(tables)
    own = Counter[tuple[int, int]]()
    for row in spent:
        region = paths[row["call_path_id"]]["region_id"]
        own[region, overhead[row["region_id"]]] += row["exclusive_ns"]
    return _rows("region_id", own, sum_regions(spent, paths, overhead))


def _rows(key: str, own: Spent, inclusive: Spent) -> list[Row]:
    return [
        {key: at, "overhead_id": overhead, "inclusive_ns": time}
        | {"exclusive_ns": own[at, overhead]}
        for (at, overhead), time in inclusive.items()
    ]


def _classified(tables: Tables) -> tuple[list[Row], dict[int, Row], dict[int, int]]:
    """Stretches of time, call paths, and classes; from fork to join a region of its own works."""
    paths = {row["call_path_id"]: row for row in tables["call_paths"]}
    overhead = {row["region_id"]: row["overhead_id"] for row in tables["region_classes"]}
    fork_join = -1
    overhead[fork_join] = overhead_id("fork/join")
    names = ("call_path_id", "region_id", "exclusive_ns")
    spent = [{name: visit[name] for name in names} for visit in tables["visits"]]
    for (path, _), time in find_fork_join_times(tables).items():
        region = paths[path]["region_id"]
        spent.append({"call_path_id": path, "region_id": fork_join, "exclusive_ns": time})
        spent.append({"call_path_id": path, "region_id": region, "exclusive_ns": -time})
    return spent, paths, overhead


def sum_call_paths(
    visits: Iterable[Row], call_paths: Mapping[int, Row], overhead: Mapping[int, int]
) -> Spent:
    """Inclusive time of call paths: `overhead` gives the class of each region."""
    spent: Spent = Counter()
    for visit in visits:
        for path in _line(visit["call_path_id"], call_paths):
            spent[path, overhead[visit["region_id"]]] += visit["exclusive_ns"]
    return +spent


def sum_regions(
    visits: Collection[Row], call_paths: Mapping[int, Row], overhead: Mapping[int, int]
) -> Spent:
    """Inclusive time of regions: that of every visit counts once for each region it lies in."""
    spent: Spent = Counter()
    visited = {visit["call_path_id"] for visit in visits}
    for visit in visits:
        line = [path for path in _line(visit["call_path_id"], call_paths) if path in visited]
        for region in {call_paths[path]["region_id"] for path in line}:
            spent[region, overhead[visit["region_id"]]] += visit["exclusive_ns"]
    return +spent


def _line(path: int | None, call_paths: Mapping[int, Row]) -> list[int]:
    """A call path and all above it."""
    line = []
    while path is not None:
        line.append(path)
        path = call_paths[path]["parent_call_path_id"]
    return line


def find_deviations(times: Mapping[int, int], could: Collection[int]) -> dict[int, int]:
    """Time above the mean, negative if below, of each location that could take part or does.

    `times` are those of the locations that visit a call path. The mean is rounded.
    """
    locations = set(could) | set(times)
    mean = (Fraction(sum(times.values()), len(locations)) + Fraction(1, 2)).__floor__()
    return {place: times.get(place, 0) - mean for place in locations}
