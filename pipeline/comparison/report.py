"""The report of a comparison."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tracemill.comparison import differences
from tracemill.comparison.changes import CallPathChange, Change
from tracemill.comparison.comparing import Comparison
from tracemill.comparison.conditions import CheckedCondition
from tracemill.comparison.efficiencies import QUERY
from tracemill.comparison.naming import describe_sides, title_of
from tracemill.comparison.opening import describe_verdict, main_changes, opening_of, split_parts
from tracemill.comparison.sentences import (
    OUTSIDE,
    describe_cause,
    describe_efficiency,
    describe_subtree,
    describe_time,
)
from tracemill.reports.explanation import all_metrics
from tracemill.reports.material import filled
from tracemill.reports.model import Column, Fact, Report, Section, ShownQuery, Subject, Table
from tracemill.reports.sections.efficiencies import GRADES, MULTIPLICATIVE, TITLE
from tracemill.reports.sections.metrics import explain_metric
from tracemill.reports.tables import read_source
from tracemill.reports.units import Unit, Value
from tracemill.reports.wording import nonempty

MOST_CAUSES = 5
MOST_CALL_PATHS = 30
MOST_RANKS = 40
_OF_MEANS = "Means over several runs only nearly multiply."
_BEYOND_ON_PATH = (
    "First what changed beyond the noise on the critical path, then what did over all processes, "
    "as Noise shows it."
)
_NOISE = (
    "Largest difference of the means of both sides explained by chance: half of Welch's confidence "
    "interval (95 %)."
)


@dataclass(frozen=True)
class ValueKind:
    """Metrics of one kind of unit, and the formats of their values and changes."""

    title: str
    units: tuple[str, ...]
    value: Unit
    change: Unit


KINDS = (
    ValueKind("time", ("ns",), Unit.TIME, Unit.TIME_CHANGE),
    ValueKind("counts", ("visits", "occurrences"), Unit.AMOUNT, Unit.AMOUNT_CHANGE),
    ValueKind("bytes", ("bytes",), Unit.SIZE, Unit.SIZE_CHANGE),
)


def build_comparison_report(
    comparison: Comparison, verdicts: Sequence[CheckedCondition] = ()
) -> Report:
    """The report of a comparison, with the results of conditions."""
    sides = (comparison.base, comparison.other)
    return Report(
        title=title_of(comparison),
        subtitle=describe_sides(comparison),
        name="..".join("+".join(side.run_ids) for side in sides),
        sections=tuple(
            section
            for section in (
                _summary(comparison, verdicts),
                _largest_changes(comparison),
                *map(
                    _folded,
                    (
                        _efficiencies(comparison),
                        _metrics(comparison),
                        _call_paths(comparison),
                        _ranks(comparison),
                        _meanings(comparison),
                    ),
                ),
            )
            if section
        ),
        subject=Subject.COMPARISON,
    )


def _summary(comparison: Comparison, verdicts: Sequence[CheckedCondition]) -> Section:
    run_time = comparison.run_time
    causes = main_changes(comparison, MOST_CAUSES)
    return Section(
        key="summary",
        title="Summary",
        opening=opening_of(comparison, verdicts),
        facts=(
            Fact("run time of A", run_time.base_value, Unit.TIME),
            Fact("run time of B", run_time.other_value, Unit.TIME),
            Fact("change", run_time.change_value, Unit.TIME_CHANGE),
            Fact("noise", run_time.noise_value, Unit.TIME, _NOISE),
        ),
        sentences=nonempty(
            *(f"Passes: {each.expression}. {each.reason}." for each in verdicts if not each.holds),
            *describe_verdict(comparison, verdicts),
            describe_efficiency(comparison),
            describe_time(comparison),
            describe_subtree(comparison),
            "Main changes:" if causes else "",
        ),
        findings=tuple(describe_cause(each, comparison) for each in causes),
        sources=tuple(map(ShownQuery, ("changes", "changes by rank"), comparison.sql)),
    )


def _folded(section: Section | None) -> Section | None:
    return section and replace(section, is_folded=True)


def _largest_changes(comparison: Comparison) -> Section | None:
    """The changes beyond the noise; all changes if there are no repetitions."""
    first = main_changes(comparison, MOST_CALL_PATHS)
    is_known = comparison.run_time.noise_value is not None
    tables = filled(
        _table("call_paths_by_metric", "Time by call path and metric", KINDS[0], first,
               (_CALL_PATH, _METRIC), is_beyond=True,
               more=(_ON_PATH,) if any(each.critical_path_ns for each in first) else ())
    )  # fmt: skip
    nothing = "Nothing changed beyond the noise." if is_known else "No time changed."
    if is_known and any(each.is_decisive for each in first):
        tables = tuple(replace(each, note=_BEYOND_ON_PATH) for each in tables)
    sentences = nonempty(*differences.describe(comparison), "" if tables else nothing)
    return Section(
        key="changes",
        title="Beyond noise" if is_known else "Largest changes",
        sentences=sentences,
        tables=tables,
    )


def _efficiencies(comparison: Comparison) -> Section | None:
    """The efficiencies of both sides; None if no run computes."""
    if not comparison.efficiencies:
        return None
    is_mean = any(len(side.runs) > 1 for side in (comparison.base, comparison.other))
    table = Table(
        name="efficiencies",
        title="Efficiencies",
        columns=(
            Column(name="efficiency", title="Efficiency", unit=Unit.TEXT),
            Column(name="base_ratio", title="A", unit=Unit.SHARE, is_efficiency=True),
            Column(name="other_ratio", title="B", unit=Unit.SHARE, is_efficiency=True),
            Column(name="change_ratio", title="Change (percentage points)", unit=Unit.POINTS),
        ),
        rows=tuple(
            (each.title, each.base_ratio, each.other_ratio, each.change_ratio)
            for each in comparison.efficiencies
        ),
        sql="",
        note=" ".join(nonempty(MULTIPLICATIVE, _OF_MEANS if is_mean else "", GRADES)),
    )
    return Section(
        key="efficiencies",
        title=TITLE,
        sentences=nonempty(describe_efficiency(comparison)),
        tables=(table,),
        sources=(read_source(QUERY),) if comparison.sql else (),
    )


def _metrics(comparison: Comparison) -> Section | None:
    changed = [row for row in comparison.metrics if row.change_value]
    tables = filled(
        *(
            _table(f"metrics_{kind.title}", kind.title.capitalize(), kind, own, (_METRIC,))
            for kind in KINDS
            if (own := [row for row in changed if row.unit in kind.units])
        )
    )
    same = [row.title for row in comparison.metrics if not row.change_value]
    if not (tables or same):
        return None
    return Section(
        key="metrics-changed",
        title="By metric",
        sentences=nonempty(
            "Values are sums over all processes, except those of the critical path, and include "
            "MPI setup. A metric includes its parts.",
            f"Unchanged: {'; '.join(same)}." if same else "",
        ),
        tables=tables,
    )


def _call_paths(comparison: Comparison) -> Section | None:
    time = comparison.call_paths_of("time", MOST_CALL_PATHS)
    _, parts = split_parts(comparison, MOST_CALL_PATHS)
    tables = filled(
        _table("call_paths", "Time", KINDS[0], time, (_CALL_PATH,)),
        _table(
            "call_paths_within_noise", "Time within noise, or outside of the run time", KINDS[0],
            parts, (_METRIC, _CALL_PATH),
        ),
        *(
            _table(f"call_paths_{kind.title}", kind.title.capitalize(), kind, own,
                   (_METRIC, _CALL_PATH))
            for kind in KINDS[1:]
            if (own := _largest(comparison.call_paths, kind))
        ),
    )  # fmt: skip
    if not tables:
        return None
    return Section(
        key="call-paths-changed",
        title="By call path",
        sentences=("Values of a call path exclude its callees.",),
        tables=tables,
    )


def _largest(rows: Iterable[CallPathChange], kind: ValueKind) -> list[CallPathChange]:
    own = [row for row in rows if row.unit in kind.units]
    return sorted(own, key=lambda row: (row.metric, -abs(row.change_value)))[:MOST_CALL_PATHS]


def _ranks(comparison: Comparison) -> Section | None:
    wanted = {(each.metric, each.call_path_key) for each in main_changes(comparison, MOST_CAUSES)}
    rows = [row for row in comparison.ranks if (row.metric, row.call_path_key) in wanted]
    if not rows:
        return None
    return Section(
        key="ranks-changed",
        title="By rank",
        sentences=("Largest changes of the metrics in the summary. Ranks are matched by number.",),
        tables=(
            _table("ranks", "Processes with the largest changes", KINDS[0], rows[:MOST_RANKS],
                   (_METRIC, _CALL_PATH, _RANK)),
        ),
    )  # fmt: skip


def _meanings(comparison: Comparison) -> Section | None:
    """Explanations of the metrics that the summary names."""
    named = {cause.metric for cause in main_changes(comparison, MOST_CAUSES)}
    metrics = [metric for metric in all_metrics() if metric.name in named]
    if not metrics:
        return None
    return Section(
        key="metrics",
        title="What the metrics mean",
        explanations=tuple(map(explain_metric, metrics)),
    )


# --- Tables --------------------------------------------------------------------------------------

Named = tuple[Column, str]
"""A column and the attribute of a change with its values."""
_METRIC: Named = (Column(name="metric", title="Metric", unit=Unit.TEXT), "title")
_CALL_PATH: Named = (
    Column(name="call_path", title="Call path", unit=Unit.TEXT, is_path=True),
    "call_path",
)
_ON_PATH: Named = (
    Column(
        name="critical_path_ns",
        title="Critical path change",
        unit=Unit.TIME_CHANGE,
        meaning="Change of the time on the critical path, which determines the run time.",
    ),
    "critical_path_ns",
)
_RANK: Named = (Column(name="rank", title="Rank", unit=Unit.NUMBER), "rank")


def _table(
    name: str, title: str, kind: ValueKind, changes: Sequence[Change], named: Sequence[Named],
    *, is_beyond: bool = False, more: Sequence[Named] = (),
) -> Table:  # fmt: skip
    """Changes of one kind, one per row; the columns `named` come first, `more` last.

    If `is_beyond`, the title says that all are beyond the noise.
    """
    columns = (
        *(each for each, _ in named),
        Column(name="base_value", title="A", unit=kind.value),
        Column(name="other_value", title="B", unit=kind.value),
        Column(name="change_value", title="Change", unit=kind.change, has_bar=True),
        Column(name="change_ratio", title="Change in %", unit=Unit.SHARE_CHANGE),
        Column(name="noise_value", title="Noise", unit=kind.value, meaning=_NOISE),
        Column(name="is_beyond_noise", title="Beyond noise", unit=Unit.TEXT,
               meaning="Whether the change is larger than the noise."),
        *(each for each, _ in more),
    )  # fmt: skip
    rows = tuple(
        (
            *(_named(each, attribute) for _, attribute in named),
            *_values(each, kind),
            *(getattr(each, attribute) for _, attribute in more),
        )
        for each in changes
    )
    is_noise_known = any(each.noise_value is not None for each in changes)
    hidden = {"is_beyond_noise"} if is_beyond or not is_noise_known else set()
    return Table(
        name=name,
        title=title,
        columns=columns,
        rows=rows,
        sql="",
        hidden=frozenset(hidden if is_noise_known else hidden | {"noise_value"}),
    )


def _named(change: Change, attribute: str) -> Value:
    value: Value = getattr(change, attribute)
    return OUTSIDE if value == "" else value


def _values(change: Change, kind: ValueKind) -> tuple[Value, ...]:
    digits = 0 if kind.value is Unit.TIME else 2
    amounts = (change.base_value, change.other_value, change.change_value)
    return (
        *(round(each, digits) for each in amounts),
        change.change_ratio,
        None if change.noise_value is None else round(change.noise_value, digits),
        change.is_beyond_noise,
    )
