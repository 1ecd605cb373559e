"""How the efficiency of programs grows over their grid of processes and problem sizes."""

import pyarrow as pa
import pyarrow.compute as pc

from schemas.campaigns import (
    APPLICATION,
    CAMPAIGN_RUN_ID,
    COMPUTATION_SIZE,
    EFFICIENCIES,
    PROCESSES,
    SIZE,
    time_column,
)
from schemas.columns import nullable, renamed
from schemas.table import BOOL, ENUM, FLOAT64, INT32, INT64, STRING, Column, Rule, Table

NOTHING_MEASURED = "no run of the configuration was measured"
NO_CELL = "the region has no cell; see reason"

GRID_STATES = ("measured", "failed", "out of memory", "missing")
SIZE_AXES = ("size", "computation size")
SPLITS = ("nothing", "growth with processes", "growth with size", "growth with both")
GROWTHS = ("negative", "none", "positive")
CRITERIA = ("MarkProcs", "MarkData", "MarkAll")
ORDERS = (*CRITERIA, "min E", "max E")
WHOLE = "whole"


def _ratio(name: str, meaning: str, null_means: str = "", minimum: float | None = None) -> Column:
    return Column(
        name=name,
        type=FLOAT64,
        unit="ratio",
        minimum=minimum,
        null_means=null_means,
        meaning=meaning,
    )


def _count(name: str, meaning: str) -> Column:
    return Column(name=name, type=INT64, minimum=0, meaning=meaning)


def _value(name: str, meaning: str, null_means: str = "", unit: str = "") -> Column:
    return Column(name=name, type=FLOAT64, unit=unit, null_means=null_means, meaning=meaning)


def _text(name: str, meaning: str, null_means: str = "") -> Column:
    return Column(name=name, type=STRING, null_means=null_means, meaning=meaning)


SPEARMAN = Column(
    name="spearman",
    type=FLOAT64,
    minimum=-1,
    maximum=1,
    null_means="see reason",
    meaning="Rank correlation by Spearman, with mean ranks of equal values.",
)
EFFICIENCY_DEFINITION = Column(
    name="efficiency_definition",
    type=ENUM,
    values=EFFICIENCIES,
    meaning=(
        "What the efficiency means: as it was given; computation size / (time × processes × what a "
        "process attains per second); or (reference time / time) / (processes / reference "
        "processes), the reference being the best run on the fewest processes of the same size."
    ),
)
SIZE_AXIS = Column(
    name="size_axis",
    type=ENUM,
    values=SIZE_AXES,
    meaning="What the size of the grid is: the problem size, or the amount of computation.",
)
_PARTS = (
    Column(
        name=f"part_by_{kind}",
        type=INT32,
        minimum=1,
        meaning=f"Part of the region that the cell belongs to where it is split by {text}.",
    )
    for kind, text in zip(("processes", "size", "both"), SPLITS[1:], strict=True)
)


def _has_reason_where_null(column: str) -> Rule:
    """The rule that a reason stands where there is no value, and only there."""

    def holds(table: pa.Table) -> pa.ChunkedArray:
        return pc.xor(pc.is_null(table[column]), pc.is_null(table["reason"]))

    return Rule(f"a_reason_stands_where_{column}_is_null", holds)


def _is_above(upper: str, lower: str) -> Rule:
    return Rule(f"{upper}_is_above_{lower}", lambda table: pc.greater(table[upper], table[lower]))


EFFICIENCY_GRID = Table(
    name="efficiency_grid",
    meaning=(
        "Best run of every configuration, and configurations within the grid that failed or are "
        "missing. Runs that differ in threads or other parameters are one configuration."
    ),
    grain="one row per application, number of processes and problem size",
    key=("application", "processes", "size"),
    columns=(
        APPLICATION,
        PROCESSES,
        SIZE,
        COMPUTATION_SIZE,
        Column(
            name="state",
            type=ENUM,
            values=GRID_STATES,
            meaning="Measured if any run was; missing if there was no run.",
        ),
        _text("reason", "Why there is no efficiency.", "there is one"),
        nullable(
            CAMPAIGN_RUN_ID,
            NOTHING_MEASURED,
            meaning="The best run: of the highest efficiency, then of the shortest time.",
        ),
        Column(
            name="threads",
            type=INT32,
            minimum=1,
            null_means=NOTHING_MEASURED,
            meaning="Threads per process of the best run.",
        ),
        _text("variant", "Other parameters of the best run as name=value.", NOTHING_MEASURED),
        _count("run_count", "Runs that were measured, whatever their other parameters."),
        _count("repetition_count", "Those with the threads and other parameters of the best run."),
        _count("failed_count", "Runs that failed."),
        nullable(time_column("time_ns", "Elapsed time of the best run."), NOTHING_MEASURED),
        nullable(
            time_column("median_ns", "Median time of its repetitions, rounded down."),
            NOTHING_MEASURED,
        ),
        nullable(time_column("longest_ns", "Longest time of its repetitions."), NOTHING_MEASURED),
        _ratio("efficiency", "Efficiency of the best run.", "see reason", minimum=0),
        EFFICIENCY_DEFINITION,
        renamed(
            PROCESSES,
            "reference_processes",
            "Processes of the run that speed-up refers to: the fewest measured with this size.",
            null_means="the efficiency is no speed-up, or no run of this size was measured",
        ),
    ),
    rules=(_has_reason_where_null("efficiency"),),
)

GRID_CELLS = Table(
    name="grid_cells",
    meaning=(
        "Cells between four configurations, and how efficiency grows over them. They do not "
        "overlap. A cell reaches over configurations without efficiency to the next ones with: to "
        "those with which it has the fewest squares of the grid, then the fewest steps of "
        "processes. Cells are taken by processes, then size, of the lower corner. Of two cells as "
        "large from the same corner only one can be, as they overlap: by the order of the method "
        "that with fewer steps of processes, though the other would reach over as much."
    ),
    grain="one row per application and cell",
    key=("application", "lower_processes", "lower_size"),
    columns=(
        APPLICATION,
        renamed(PROCESSES, "lower_processes", "Fewer processes, p1."),
        renamed(PROCESSES, "upper_processes", "More processes, p2."),
        _value("lower_size", "Smaller size, d1, on the size axis."),
        _value("upper_size", "Larger size, d2, on the size axis."),
        SIZE_AXIS,
        _count("skipped_processes", "Numbers of processes of the grid reached over."),
        _count("skipped_sizes", "Sizes of the grid reached over."),
        _ratio("efficiency_11", "Efficiency at (p1, d1).", minimum=0),
        _ratio("efficiency_12", "Efficiency at (p2, d1).", minimum=0),
        _ratio("efficiency_21", "Efficiency at (p1, d2).", minimum=0),
        _ratio("efficiency_22", "Efficiency at (p2, d2).", minimum=0),
        _ratio("growth_processes", "Mean growth of efficiency from p1 to p2."),
        _ratio("growth_size", "Mean growth of efficiency from d1 to d2."),
        _ratio("growth_both", "Mean of both growths."),
        _ratio("mark_procs", "Growth with processes × (p2 − p1) / (max p − min p) of all cells."),
        _ratio("mark_data", "Growth with size × (d2 − d1) / (max d − min d) of all cells."),
        _ratio("mark_all", "Mean growth × both fractions, the cell's share of the box around all."),
        *_PARTS,
    ),
    rules=(
        _is_above("upper_processes", "lower_processes"),
        _is_above("upper_size", "lower_size"),
    ),
)


def _measures(suffix: str, how: str) -> tuple[Column, ...]:
    meanings = ("processes", "size", "both")
    names = ("mark_procs", "mark_data", "mark_all")
    return tuple(
        _ratio(f"{name}{suffix}", f"{how}: growth with {what}.", NO_CELL)
        for name, what in zip(names, meanings, strict=True)
    )


SCALABILITY_MARKS = Table(
    name="scalability_marks",
    meaning=(
        "Scalability metric of a program: the ranges of processes and size, three marks, and the "
        "range of efficiency. For the whole region, and for its parts: cells that share borders "
        "and over which efficiency grows, falls or stays. A part is a region of its own, bounded "
        "by its cells. Ranges and marks are of what cells cover: where configurations without "
        "efficiency leave part of the grid uncovered, growth there is not known. "
        "Marks are of efficiency as a ratio; times 100 they are as in percent."
    ),
    grain="one row per application and region",
    key=("application", "region"),
    columns=(
        APPLICATION,
        _text("region", f"{WHOLE}, or by what it is split and the number of the part."),
        Column(
            name="split_by", type=ENUM, values=SPLITS, meaning="Growth whose sign makes the parts."
        ),
        Column(
            name="part",
            type=INT32,
            minimum=1,
            null_means="it is the whole region",
            meaning="Number of the part, by its first cell; see `grid_cells`.",
        ),
        Column(
            name="growth",
            type=ENUM,
            values=GROWTHS,
            null_means="it is the whole region",
            meaning=(
                "Sign of the growth over all cells of the part; none is up to a millionth of a "
                "cell's highest efficiency, which rounding of times can make."
            ),
        ),
        _text("reason", "Why there are no marks.", "there are marks"),
        SIZE_AXIS,
        renamed(
            PROCESSES,
            "min_processes",
            "Fewest processes that cells cover; without cells, of all configurations.",
            null_means="no configuration has an efficiency",
        ),
        _value("min_size", "Smallest such size, on the size axis.", "no configuration has one"),
        renamed(
            PROCESSES,
            "max_processes",
            "Most such processes.",
            null_means="no configuration has an efficiency",
        ),
        _value("max_size", "Largest such size, on the size axis.", "no configuration has one"),
        *_measures("", "Mean over cells of their marks in this region"),
        _ratio(
            "max_efficiency",
            "Highest efficiency, of all configurations of the region, covered or not.",
            "no configuration has one",
            minimum=0,
        ),
        _ratio("min_efficiency", "Lowest of them.", "no configuration has one", minimum=0),
        EFFICIENCY_DEFINITION,
        renamed(
            PROCESSES,
            "min_reference_processes",
            "Fewest processes that speed-up refers to; sizes may have different references.",
            null_means="the efficiency is no speed-up, or there is none",
        ),
        renamed(
            PROCESSES,
            "max_reference_processes",
            "Most processes that speed-up refers to.",
            null_means="the efficiency is no speed-up, or there is none",
        ),
        _count("configuration_count", "Configurations with an efficiency, or counted as 0."),
        nullable(
            _count("missing_count", "Other pairs of a number of processes and a size of the grid."),
            "it is a part",
        ),
        _count("cell_count", "Cells, N. The denser the grid is, the smaller the marks are."),
        _ratio(
            "covered_share",
            "Share that cells cover of the area between all configurations of the region.",
            minimum=0,
        ),
        *_measures("_sum", "Sum over cells of their marks in this region"),
        _ratio(
            "growth_processes",
            "Growth from fewest to most processes that cells cover, in the mean over the sizes "
            "that they cover: sum of growth with processes × (d2 − d1) / length of these sizes. It "
            "does not depend on how dense the grid is.",
            NO_CELL,
        ),
        _ratio(
            "growth_size",
            "Growth from smallest to largest size that cells cover, in the mean over the processes "
            "that they cover: sum of growth with size × (p2 − p1) / length of these processes. It "
            "does not depend on how dense the grid is.",
            NO_CELL,
        ),
        _ratio("growth_both", "Mean of both.", NO_CELL),
        Column(
            name="are_memory_failures_zero",
            type=BOOL,
            meaning="Whether runs that ran out of memory count as efficiency 0, not as missing.",
        ),
    ),
    rules=(_has_reason_where_null("mark_all"),),
)

COMPARISON = Column(
    name="comparison",
    type=STRING,
    meaning=(
        "What the efficiencies mean and refer to. Only programs that have this in common are "
        "compared."
    ),
)
MARK_SOURCE = Column(
    name="source",
    type=STRING,
    meaning="Where the marks come from: measured in this campaign, or who published them.",
)

MARK_RANKINGS = Table(
    name="mark_rankings",
    meaning=(
        "Programs in ascending order of their marks over the whole region, once by each mark. "
        "Marks shrink with the number of cells, which should be alike where they are compared."
    ),
    grain="one row per comparison, criterion, source and application",
    key=("comparison", "criterion", "source", "application"),
    columns=(
        COMPARISON,
        Column(
            name="criterion", type=ENUM, values=CRITERIA, meaning="The mark that gives the order."
        ),
        Column(
            name="rank",
            type=FLOAT64,
            minimum=1,
            null_means="it has no mark; see reason",
            meaning="Position in ascending order from 1; programs with equal marks share the mean.",
        ),
        APPLICATION,
        MARK_SOURCE,
        _ratio("mark", "The mark.", "see reason"),
        Column(
            name="cell_count",
            type=INT64,
            minimum=0,
            null_means="not published",
            meaning="Cells that the mark is a mean over.",
        ),
        _text("reason", "Why there is no mark.", "there is one"),
    ),
    rules=(_has_reason_where_null("mark"),),
)

MARK_RANKING_CORRELATIONS = Table(
    name="mark_ranking_correlations",
    meaning="How far two criteria put the programs of a comparison into the same order.",
    grain="one row per comparison and pair of criteria",
    key=("comparison", "criterion", "other_criterion"),
    columns=(
        COMPARISON,
        Column(name="criterion", type=ENUM, values=ORDERS, meaning="One criterion."),
        Column(name="other_criterion", type=ENUM, values=ORDERS, meaning="A later one."),
        _count("program_count", "Programs that have both values."),
        SPEARMAN,
        _text("reason", "Why there is no correlation.", "there is one"),
    ),
    rules=(_has_reason_where_null("spearman"),),
)

CHARACTERISTIC = _text(
    "characteristic",
    "communication share: time of all processes in calls of communication over their time; load "
    "balance: mean over maximum of the rest of the time of a process; or a metric: its share, see "
    "`metric_times`.",
)

GRID_CHARACTERISTICS = Table(
    name="grid_characteristics",
    meaning=(
        "What else is known of the best run of a configuration: other values over the same grid, "
        "from runs with call sites."
    ),
    grain="one row per application, configuration with a best run, and characteristic",
    key=("application", "processes", "size", "characteristic"),
    columns=(
        APPLICATION,
        PROCESSES,
        SIZE,
        CHARACTERISTIC,
        _ratio("value", "Its value in the best run."),
    ),
)


GRID_CORRELATIONS = Table(
    name="grid_correlations",
    meaning="How far efficiency goes with another characteristic over the grid of a program.",
    grain="one row per application and characteristic",
    key=("application", "characteristic"),
    columns=(
        APPLICATION,
        CHARACTERISTIC,
        _count("configuration_count", "Configurations that have both."),
        SPEARMAN,
        Column(
            name="p_value",
            type=FLOAT64,
            minimum=0,
            maximum=1,
            null_means="see reason",
            meaning=(
                "Chance that a correlation is at least as far from 0 if neither depends on the "
                "other; by permutations for up to 9 configurations, else by Student's t."
            ),
        ),
        _text("reason", "Why there is no correlation.", "there is one"),
    ),
    rules=(_has_reason_where_null("spearman"),),
)

TABLES: tuple[Table, ...] = (
    EFFICIENCY_GRID,
    GRID_CELLS,
    SCALABILITY_MARKS,
    MARK_RANKINGS,
    MARK_RANKING_CORRELATIONS,
    GRID_CHARACTERISTICS,
    GRID_CORRELATIONS,
)
"""From runs to the comparison of programs (Teplov 2014)."""
