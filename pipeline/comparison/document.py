"""A comparison as a JSON document, for other programs."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tracemill.comparison.changes import Change
from tracemill.comparison.comparing import Comparison, Side
from tracemill.comparison.conditions import CheckedCondition

VERSION = 2


def comparison_json(comparison: Comparison, verdicts: Sequence[CheckedCondition] = ()) -> str:
    """The document as text; values are in the unit of their metric, times in nanoseconds."""
    subtree = comparison.holding_subtree
    document = {
        "comparison_format_version": VERSION,
        "base": _side(comparison.base),
        "other": _side(comparison.other),
        "run_time": _change(comparison.run_time),
        "efficiencies": [
            asdict(each) | {"change_ratio": each.change_ratio} for each in comparison.efficiencies
        ],
        "critical_path_subtree": asdict(subtree) if subtree else None,
        "causes": [_change(each) for each in comparison.causes()],
        "metrics": [_change(each) for each in comparison.metrics],
        "call_paths": [_change(each) for each in comparison.call_paths],
        "ranks": [_change(each) for each in comparison.ranks],
        "sql": list(comparison.sql),
        "conditions": [
            {"expression": each.expression, "holds": each.holds, "reason": each.reason}
            for each in verdicts
        ],
    }
    return json.dumps(document, indent=1) + "\n"


def _change(change: Change) -> dict[str, Any]:
    """A change as plain values; an infinite ratio is null."""
    values = vars(change) | {
        "change_value": change.change_value,
        "change_ratio": change.change_ratio if math.isfinite(change.change_ratio) else None,
        "is_beyond_noise": change.is_beyond_noise,
    }
    if "call_path_key" in values:  # too many bits for numbers in JavaScript
        key = values["call_path_key"]
        values["call_path_key"] = None if key is None else str(key)
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in values.items()
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "label": side.label,
        "runs": [
            {"run_id": run.run_id, "generation": run.generation, "label": run.label,
             "trace": run.source.path, "processes": size.processes, "threads": size.threads,
             "run_time_ns": size.run_time_ns,
             "is_incomplete": run.run_id in side.incomplete}
            for run, size in zip(side.runs, side.sizes, strict=True)
        ],
    }  # fmt: skip
