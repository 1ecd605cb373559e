"""The class of overhead that each region belongs to, by a file of rules."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import pyarrow as pa

from tracemill.base.errors import UsageError
from tracemill.base.line_files import parse_lines, read_text
from tracemill.schemas.columns import PARADIGMS
from tracemill.schemas.definitions import REGION_ROLES
from tracemill.schemas.overheads import OVERHEAD_CLASSES, OVERHEAD_RULES, REGION_CLASSES, TAXONOMY
from tracemill.sql.folders import QUERIES
from tracemill.stages.arrays import Relation
from tracemill.stages.stage import PythonStage

SHIPPED_RULES = QUERIES / "overheads" / "overhead_classes.csv"
HEADER = ("paradigm", "role", "name", "class", "subclass")
_KNOWN = {"paradigm": PARADIGMS, "role": REGION_ROLES}
_IDS = {(each.name, each.part): number for number, each in enumerate(TAXONOMY)}
_NO_RULE = _IDS["unidentified", "no rule"]


@dataclass(frozen=True)
class OverheadRule:
    """A line of the rules: regions whose paradigm, role and name fit have a class of overhead."""

    line: int
    paradigm: str
    role: str
    name: str
    overhead_id: int


def read_rules(path: Path) -> str:
    """The text of a file of rules; raises PipelineError if it cannot be read or is wrong."""
    text = read_text(path, "overhead classes")
    parse_rules(text, source=str(path))
    return text


# Runs that are analyzed one after the other have the same rules.
@lru_cache(maxsize=4)
def parse_rules(text: str, *, source: str = "overhead classes") -> tuple[OverheadRule, ...]:
    """The rules of a file, in order; raises UsageError that names the line and what to do."""
    lines = parse_lines(text, HEADER, source=source)
    rules = tuple(_rule(fields, number, source) for number, fields in lines)
    if not rules:
        raise UsageError(f"{source}: no rules: write at least one, such as *,*,*,computation,"
                         "user code")  # fmt: skip
    return rules


def _rule(fields: tuple[str, ...], line: int, source: str) -> OverheadRule:
    def fail(problem: str) -> UsageError:
        return UsageError(f"{source}:{line}: {problem}")

    row = dict(zip(HEADER, fields, strict=True))
    for column, text in row.items():
        if not text:
            raise fail(f"{column} is empty: * stands for any")
    for column, known in _KNOWN.items():
        for part in row[column].split("|"):
            if not any(_pattern(part).fullmatch(value) for value in known):
                raise fail(f"no {column} fits {part!r}: there are {', '.join(known)}")
    named = (row["class"].lower(), row["subclass"])
    parts = [part for name, part in _IDS if name == named[0]]
    if not parts:
        names = ", ".join(dict.fromkeys(name for name, _ in _IDS))
        raise fail(f"no class {row['class']!r}: there are {names}")
    overhead = {part.lower(): _IDS[named[0], part] for part in parts}.get(named[1].lower())
    if overhead is None:
        raise fail(f"{named[0]} has no subclass {named[1]!r}: it has {', '.join(parts)}")
    return OverheadRule(line, row["paradigm"], row["role"], row["name"], overhead)


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """The regular expression of alternatives with * for any text."""
    alternatives = (re.escape(part.strip()).replace(r"\*", ".*") for part in text.split("|"))
    return re.compile("|".join(alternatives), re.IGNORECASE | re.DOTALL)


def classify(
    regions: Iterable[tuple[str, str, str]], rules: tuple[OverheadRule, ...]
) -> list[int | None]:
    """The number of the first rule that fits each region (paradigm, role, name), or None."""

    @cache
    def fitting(paradigm: str, role: str) -> list[tuple[int, re.Pattern[str]]]:
        return [
            (number, _pattern(rule.name))
            for number, rule in enumerate(rules)
            if _pattern(rule.paradigm).fullmatch(paradigm) and _pattern(rule.role).fullmatch(role)
        ]

    return [
        next((number for number, name in fitting(paradigm, role) if name.fullmatch(text)), None)
        for paradigm, role, text in regions
    ]


def name_regions(regions: Relation, mpi_calls: Relation) -> list[tuple[int, str, str, str]]:
    """Number, paradigm, role and name of all regions; MPI calls by their name in C."""
    calls = dict(mpi_calls.select("region_id, call").fetchall())
    ordered = regions.select("region_id, paradigm::VARCHAR, role::VARCHAR, name").order("region_id")
    return [(*row[:3], calls.get(row[0], row[3])) for row in ordered.fetchall()]


def make_overhead_classes(
    regions: Relation, mpi_calls: Relation, *, overhead_classes: str
) -> tuple[pa.Table, pa.Table, pa.Table]:
    """The taxonomy, the rules, and the class of every region; rules as text of a file."""
    rules = parse_rules(overhead_classes)
    rows = name_regions(regions, mpi_calls)
    chosen = classify((row[1:] for row in rows), rules)
    return (
        pa.table(
            {
                "overhead_id": pa.array(range(len(TAXONOMY)), pa.int32()),
                "overhead_class": [each.name for each in TAXONOMY],
                "overhead_subclass": [each.part for each in TAXONOMY],
                "activity": [each.activity for each in TAXONOMY],
                "metric": [each.metric for each in TAXONOMY],
            }
        ),
        pa.table(
            {"rule_id": pa.array(range(len(rules)), pa.int32())}
            | {
                column: [getattr(rule, column) for rule in rules]
                for column in ("line", "paradigm", "role", "name", "overhead_id")
            }
        ),
        pa.table(
            {
                "region_id": pa.array([row[0] for row in rows], pa.int32()),
                "overhead_id": pa.array(
                    [_NO_RULE if rule is None else rules[rule].overhead_id for rule in chosen],
                    pa.int32(),
                ),
                "rule_id": pa.array(chosen, pa.int32()),
            }
        ),
    )


OVERHEAD_CLASSES_STAGE = PythonStage(
    name="overhead_classes",
    outputs=(OVERHEAD_CLASSES, OVERHEAD_RULES, REGION_CLASSES),
    compute=make_overhead_classes,
    parameters={"overhead_classes": SHIPPED_RULES.read_text(encoding="utf-8")},
)
