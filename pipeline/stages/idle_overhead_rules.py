"""User rules for overhead classes that have no effect in a trace."""

from collections.abc import Sequence

from tracemill.base.text import join_words
from tracemill.stages.overhead_classes import (
    SHIPPED_RULES,
    OverheadRule,
    classify,
    name_regions,
    parse_rules,
)
from tracemill.store.runs import Run

_TABLES = ("regions", "mpi_calls")


def describe_idle_rules(run: Run, text: str) -> str:
    """The rules of a text that change nothing in a run, with reasons; without shipped rules."""
    rules = parse_rules(text)
    shipped = {_key(rule) for rule in parse_rules(SHIPPED_RULES.read_text(encoding="utf-8"))}
    with run.connect(tables=_TABLES) as connection:
        named = name_regions(*map(connection.table, _TABLES))
    regions = [region[1:] for region in named]
    reached = set(classify(regions, rules))
    own = [rule for rule in rules if _key(rule) not in shipped]
    idle = [rule for rule in own if rules.index(rule) not in reached]
    unfit = [rule for rule in idle if classify(regions, (rule,)).count(None) == len(regions)]
    late = [rule for rule in idle if rule not in unfit]
    parts = (
        _say(unfit, "fits", "fit", "no region of this trace"),
        _say(late, "comes", "come", "too late, as earlier rules fit the same regions"),
    )
    return "; ".join(part for part in parts if part)


def _key(rule: OverheadRule) -> tuple[str, str, str, int]:
    """The content of a rule without its line."""
    return rule.paradigm, rule.role, rule.name, rule.overhead_id


def _say(rules: Sequence[OverheadRule], one: str, many: str, what: str) -> str:
    lines = [str(rule.line) for rule in rules]
    if len(lines) == 1:
        return f"line {lines[0]} {one} {what}"
    return f"lines {join_words(lines)} {many} {what}" if lines else ""
