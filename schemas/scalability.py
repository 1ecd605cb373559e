"""Growth of the efficiency of programs over a grid of processes and problem sizes."""

import pyarrow as pa
import pyarrow.compute as pc

from tracemill.schemas.campaigns import (
    APPLICATION,
    CAMPAIGN_RUN_ID,
    COMPUTATION_SIZE,
    EFFICIENCIES,
    PROCESSES,
    SIZE,
    time_column,
)
from tracemill.schemas.columns import nullable, renamed
from tracemill.schemas.table import BOOL, ENUM, FLOAT64, INT32, INT64, STRING, Column, Rule, Table

NOTHING_MEASURED = "no run of the configuration was measured"
NO_CELL = "the region has no cell; see reason"

GRID_STATES = ("measured", "failed", "out of memory", "missing")
SIZE_AXES = ("size", "computation size")
SPLITS = ("nothing", "growth with processes", "growth with size", "growth with both")
GROWTHS = ("negative", "none", "positive")
WHOLE = "whole"


def ratio(name: str, meaning: str, null_means: str = "", minimum: float | None = None) -> Column:
    """A ratio, such as an efficiency or its growth."""
    return Column(
        name=name,
        type=FLOAT64,
        unit="ratio",
        minimum=minimum,
        null_means=null_means,
        meaning=meaning,
    )


def count(name: str, meaning: str) -> Column:
    """A number of things."""
    return Column(name=name, type=INT64, minimum=0, meaning=meaning)


def value(name: str, meaning: str, null_means: str = "", unit: str = "") -> Column:
    """A number with or without a unit."""
    return Column(name=name, type=FLOAT64, unit=unit, null_means=null_means, meaning=meaning)


def text(name: str, meaning: str, null_means: str = "") -> Column:
    """A text."""
    return Column(name=name, type=STRING, null_means=null_means, meaning=meaning)


EFFICIENCY_DEFINITION = Column(
    name="efficiency_definition",
    type=ENUM,
    values=EFFICIENCIES,
    meaning=(
        "Definition of efficiency: as given; or computation size / (time × processes × attainable "
        "performance of a process per second); or (reference time / time) / (processes / reference "
        "processes). The reference is the best run with the fewest processes of the same size."
    ),
)
SIZE_AXIS = Column(
    name="size_axis",
    type=ENUM,
    values=SIZE_AXES,
    meaning="Size axis of the grid: the problem size, or the amount of computation.",
)
_PARTS = (
    Column(
        name=f"part_by_{kind}",
        type=INT32,
        minimum=1,
        meaning=f"Part that the cell belongs to if the region is split by {text}.",
    )
    for kind, text in zip(("processes", "size", "both"), SPLITS[1:], strict=True)
)


def has_reason_where_null(column: str) -> Rule:
    """The rule that there is either a value or a reason, never both."""

    def holds(table: pa.Table) -> pa.ChunkedArray:
        return pc.xor(pc.is_null(table[column]), pc.is_null(table["reason"]))

    return Rule(f"reason_given_exactly_if_{column}_is_null", holds)


def _is_above(upper: str, lower: str) -> Rule:
    return Rule(f"{upper}_is_above_{lower}", lambda table: pc.greater(table[upper], table[lower]))


EFFICIENCY_GRID = Table(
    name="efficiency_grid",
    meaning=(
        "Best run of every configuration, and configurations of the grid that failed or are "
        "missing. Runs that differ only in threads or other parameters belong to one "
        "configuration."
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
            meaning="Measured if any run was measured; missing if there was no run.",
        ),
        text("reason", "Reason for a missing efficiency.", "there is an efficiency"),
        nullable(
            CAMPAIGN_RUN_ID,
            NOTHING_MEASURED,
            meaning="Best run: highest efficiency, then shortest time.",
        ),
        Column(
            name="threads",
            type=INT32,
            minimum=1,
            null_means=NOTHING_MEASURED,
            meaning="Threads per process of the best run.",
        ),
        text("variant", "Other parameters of the best run as name=value.", NOTHING_MEASURED),
        count("run_count", "Measured runs, with any other parameters."),
        count("repetition_count", "Runs with the threads and other parameters of the best run."),
        count("failed_count", "Runs that failed."),
        nullable(time_column("time_ns", "Elapsed time of the best run."), NOTHING_MEASURED),
        nullable(
            time_column("median_ns", "Median time of its repetitions, rounded down."),
            NOTHING_MEASURED,
        ),
        nullable(time_column("longest_ns", "Longest time of its repetitions."), NOTHING_MEASURED),
        ratio("efficiency", "Efficiency of the best run.", "see reason", minimum=0),
        EFFICIENCY_DEFINITION,
        renamed(
            PROCESSES,
            "reference_processes",
            "Processes of the reference run of the speed-up: the fewest measured with this size.",
            null_means="the efficiency is not a speed-up, or no run of this size was measured",
        ),
    ),
    rules=(has_reason_where_null("efficiency"),),
)

GRID_CELLS = Table(
    name="grid_cells",
    meaning=(
        "Cells between four configurations, and the growth of efficiency over them. Cells do not "
        "overlap. A cell skips configurations without efficiency and extends to the next ones with "
        "efficiency: first those with the fewest grid squares between, then with the fewest "
        "process steps. Cells are built in order of the lower corner, by processes, then size. If "
        "two cells of equal size start at the same corner, only one is possible: the one with "
        "fewer process steps."
    ),
    grain="one row per application and cell",
    key=("application", "lower_processes", "lower_size"),
    columns=(
        APPLICATION,
        renamed(PROCESSES, "lower_processes", "Smaller number of processes, p1."),
        renamed(PROCESSES, "upper_processes", "Larger number of processes, p2."),
        value("lower_size", "Smaller size, d1, on the size axis."),
        value("upper_size", "Larger size, d2, on the size axis."),
        SIZE_AXIS,
        count("skipped_processes", "Number of process counts of the grid that the cell skips."),
        count("skipped_sizes", "Number of sizes of the grid that the cell skips."),
        ratio("efficiency_11", "Efficiency at (p1, d1).", minimum=0),
        ratio("efficiency_12", "Efficiency at (p2, d1).", minimum=0),
        ratio("efficiency_21", "Efficiency at (p1, d2).", minimum=0),
        ratio("efficiency_22", "Efficiency at (p2, d2).", minimum=0),
        ratio("growth_processes", "Mean growth of efficiency from p1 to p2."),
        ratio("growth_size", "Mean growth of efficiency from d1 to d2."),
        ratio("growth_both", "Mean of both growths."),
        ratio("mark_procs", "Growth with processes × (p2 − p1) / (max p − min p) of all cells."),
        ratio("mark_data", "Growth with size × (d2 − d1) / (max d − min d) of all cells."),
        ratio(
            "mark_all",
            "Mean growth × both fractions, that is, the cell's share of the box around all cells.",
        ),
        *_PARTS,
    ),
    rules=(_is_above("upper_processes", "lower_processes"), _is_above("upper_size", "lower_size")),
)


def _measures(suffix: str, how: str) -> tuple[Column, ...]:
    meanings = ("processes", "size", "both")
    names = ("mark_procs", "mark_data", "mark_all")
    return tuple(
        ratio(f"{name}{suffix}", f"{how}: growth with {what}.", NO_CELL)
        for name, what in zip(names, meanings, strict=True)
    )


SCALABILITY_MARKS = Table(
    name="scalability_marks",
    meaning=(
        "Scalability metric of a program: the ranges of processes and size, three marks, and the "
        "range of efficiency. It is computed for the whole region and for its parts. A part is a "
        "group of adjacent cells over which efficiency grows, falls or stays constant; it is "
        "bounded by its cells. Ranges and marks cover only the cells: where configurations without "
        "efficiency leave part of the grid uncovered, the growth is unknown. Marks refer to "
        "efficiency as a ratio; multiply by 100 for percent."
    ),
    grain="one row per application and region",
    key=("application", "region"),
    columns=(
        APPLICATION,
        text("region", f"{WHOLE}, or the split and the number of the part."),
        Column(
            name="split_by",
            type=ENUM,
            values=SPLITS,
            meaning="Growth whose sign separates the parts.",
        ),
        Column(
            name="part",
            type=INT32,
            minimum=1,
            null_means="the whole region",
            meaning="Number of the part, in order of its first cell; see `grid_cells`.",
        ),
        Column(
            name="growth",
            type=ENUM,
            values=GROWTHS,
            null_means="the whole region",
            meaning=(
                'Sign of the growth over all cells of the part. "none" allows for rounding: up '
                "to one millionth of the highest efficiency of a cell."
            ),
        ),
        text("reason", "Reason for missing marks.", "there are marks"),
        SIZE_AXIS,
        renamed(
            PROCESSES,
            "min_processes",
            "Fewest processes covered by cells; without cells, of all configurations.",
            null_means="no configuration has an efficiency",
        ),
        value(
            "min_size",
            "Smallest size covered by cells, on the size axis.",
            "no configuration has an efficiency",
        ),
        renamed(
            PROCESSES,
            "max_processes",
            "Most processes covered by cells; without cells, of all configurations.",
            null_means="no configuration has an efficiency",
        ),
        value(
            "max_size",
            "Largest size covered by cells, on the size axis.",
            "no configuration has an efficiency",
        ),
        *_measures("", "Mean over the marks of the cells in this region"),
        ratio(
            "max_efficiency",
            "Highest efficiency of all configurations of the region, inside cells or not.",
            "no configuration has an efficiency",
            minimum=0,
        ),
        ratio(
            "min_efficiency",
            "Lowest efficiency of all configurations of the region, inside cells or not.",
            "no configuration has an efficiency",
            minimum=0,
        ),
        EFFICIENCY_DEFINITION,
        renamed(
            PROCESSES,
            "min_reference_processes",
            "Fewest reference processes of the speed-up; sizes may have different references.",
            null_means="the efficiency is not a speed-up, or there is none",
        ),
        renamed(
            PROCESSES,
            "max_reference_processes",
            "Most reference processes of the speed-up.",
            null_means="the efficiency is not a speed-up, or there is none",
        ),
        count(
            "configuration_count",
            "Configurations with an efficiency, including those counted as 0.",
        ),
        nullable(
            count("missing_count", "Other combinations of a process count and a size of the grid."),
            "the region is a part",
        ),
        count("cell_count", "Number of cells, N. A denser grid has smaller marks."),
        ratio(
            "covered_share",
            "Share of the area between all configurations of the region that cells cover.",
            minimum=0,
        ),
        *_measures("_sum", "Sum over the marks of the cells in this region"),
        ratio(
            "growth_processes",
            "Growth from the fewest to the most processes covered by cells, mean over the covered "
            "sizes: sum of growth with processes × (d2 − d1) / length of the covered sizes. It "
            "does not depend on the density of the grid.",
            NO_CELL,
        ),
        ratio(
            "growth_size",
            "Growth from the smallest to the largest size covered by cells, mean over the covered "
            "processes: sum of growth with size × (p2 − p1) / length of the covered processes. It "
            "does not depend on the density of the grid.",
            NO_CELL,
        ),
        ratio("growth_both", "Mean of growth with processes and growth with size.", NO_CELL),
        Column(
            name="are_memory_failures_zero",
            type=BOOL,
            meaning="Whether runs that ran out of memory count as efficiency 0 instead of missing.",
        ),
    ),
    rules=(has_reason_where_null("mark_all"),),
)

TABLES: tuple[Table, ...] = (EFFICIENCY_GRID, GRID_CELLS, SCALABILITY_MARKS)
"""Tables from runs to the marks of a program (Teplov 2014)."""
