"""Classes of overhead, found by trying every rule, and deviations from the mean."""

import csv
from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import cache
from typing import Any

from tests.oracle.stored_runs import Tables, c_name
from tracemill.schemas.overheads import TAXONOMY, overhead_id
from tracemill.stages.overhead_classes import SHIPPED_RULES

Row = dict[str, Any]


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


def find_deviations(times: Mapping[int, int], could: Collection[int]) -> dict[int, int]:
    """Time above the mean, negative if below, of each location that could take part or does.

    `times` are those of the locations that visit a call path. The mean is rounded.
    """
    locations = set(could) | set(times)
    mean = (Fraction(sum(times.values()), len(locations)) + Fraction(1, 2)).__floor__()
    return {place: times.get(place, 0) - mean for place in locations}
