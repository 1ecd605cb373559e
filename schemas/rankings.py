"""Programs ranked by their marks, and characteristics that go with the efficiency of a grid."""

from tracemill.schemas.campaigns import APPLICATION, PROCESSES, SIZE
from tracemill.schemas.scalability import count, has_reason_where_null, ratio, text, value
from tracemill.schemas.table import ENUM, FLOAT64, INT64, STRING, Column, Table

CRITERIA = ("MarkProcs", "MarkData", "MarkAll")
ORDERS = (*CRITERIA, "min E", "max E")

SPEARMAN = Column(
    name="spearman",
    type=FLOAT64,
    minimum=-1,
    maximum=1,
    null_means="see reason",
    meaning="Spearman's rank correlation, with average ranks for ties.",
)
COMPARISON = Column(
    name="comparison",
    type=STRING,
    meaning=(
        "Definition and reference of the efficiencies. Only programs with the same definition and "
        "reference are compared."
    ),
)
MARK_SOURCE = Column(
    name="source",
    type=STRING,
    meaning="Source of the marks: measured in this campaign, or the publication.",
)

MARK_RANKINGS = Table(
    name="mark_rankings",
    meaning=(
        "Programs in ascending order of their marks over the whole region, separately for each "
        "mark. Marks shrink with the number of cells: compare only programs with similar numbers "
        "of cells."
    ),
    grain="one row per comparison, criterion, source and application",
    key=("comparison", "criterion", "source", "application"),
    columns=(
        COMPARISON,
        Column(
            name="criterion", type=ENUM, values=CRITERIA, meaning="Mark that defines the order."
        ),
        Column(
            name="rank",
            type=FLOAT64,
            minimum=1,
            null_means="there is no mark; see reason",
            meaning=(
                "Position in ascending order from 1; programs with equal marks share the mean "
                "position."
            ),
        ),
        APPLICATION,
        MARK_SOURCE,
        ratio("mark", "Value of the mark.", "see reason"),
        Column(
            name="cell_count",
            type=INT64,
            minimum=0,
            null_means="not published",
            meaning="Number of cells in the mean.",
        ),
        text("reason", "Reason for a missing mark.", "there is an efficiency"),
    ),
    rules=(has_reason_where_null("mark"),),
)

MARK_RANKING_CORRELATIONS = Table(
    name="mark_ranking_correlations",
    meaning="Agreement of two criteria on the order of the programs of a comparison.",
    grain="one row per comparison and pair of criteria",
    key=("comparison", "criterion", "other_criterion"),
    columns=(
        COMPARISON,
        Column(name="criterion", type=ENUM, values=ORDERS, meaning="First criterion."),
        Column(name="other_criterion", type=ENUM, values=ORDERS, meaning="Second criterion."),
        count("program_count", "Programs with both values."),
        SPEARMAN,
        text("reason", "Reason for a missing correlation.", "there is an efficiency"),
    ),
    rules=(has_reason_where_null("spearman"),),
)

KINDS = ("times", "metric", "counter", "counter rate", "perturbation", "monitoring")
CHARACTERISTIC_KIND = Column(
    name="kind", type=ENUM, values=KINDS, meaning="Source of the characteristic."
)
CHARACTERISTIC = text(
    "characteristic",
    "times: communication share, the time of all processes in communication calls divided by "
    "their total time; and load balance, mean over maximum of the remaining time of the processes. "
    "metric: its share, see `metric_times`. counter: a derived counter, or the mean of an absolute "
    "one. counter rate: a counter per second of a location. perturbation: the share of the "
    "measurement in the time of all threads. monitoring: mean over the "
    "repetitions, see `run_monitoring`.",
)
UNIT = text("unit", "Unit of the values; may be empty.")

GRID_CHARACTERISTICS = Table(
    name="grid_characteristics",
    meaning=(
        "Further properties of the best run of each configuration, over the same grid; from runs "
        "with call sites or monitoring data."
    ),
    grain="one row per application, configuration with a best run, and characteristic",
    key=("application", "processes", "size", "kind", "characteristic"),
    columns=(
        APPLICATION,
        PROCESSES,
        SIZE,
        CHARACTERISTIC_KIND,
        CHARACTERISTIC,
        UNIT,
        value("value", "Value in the best run; for monitoring, the mean over its repetitions."),
    ),
)


GRID_CORRELATIONS = Table(
    name="grid_correlations",
    meaning="Correlation of efficiency with other characteristics over the grid of a program.",
    grain="one row per application and characteristic",
    key=("application", "kind", "characteristic"),
    columns=(
        APPLICATION,
        CHARACTERISTIC_KIND,
        CHARACTERISTIC,
        UNIT,
        count("configuration_count", "Configurations with both values."),
        SPEARMAN,
        Column(
            name="p_value",
            type=FLOAT64,
            minimum=0,
            maximum=1,
            null_means="see reason",
            meaning=(
                "Probability of a correlation at least as far from 0 if the values were "
                "independent; by permutations for up to 9 configurations, otherwise by Student's "
                "t."
            ),
        ),
        Column(
            name="q_value",
            type=FLOAT64,
            minimum=0,
            maximum=1,
            null_means="see reason",
            meaning=(
                "Rate of false discoveries among the characteristics of the program with p-values "
                "up to this one (Benjamini and Hochberg)."
            ),
        ),
        text("reason", "Reason for a missing correlation.", "there is an efficiency"),
    ),
    rules=(has_reason_where_null("spearman"),),
)

TABLES: tuple[Table, ...] = (
    MARK_RANKINGS,
    MARK_RANKING_CORRELATIONS,
    GRID_CHARACTERISTICS,
    GRID_CORRELATIONS,
)
