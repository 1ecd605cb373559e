"""Performance surfaces T(p, n): models fitted to campaigns, how far they scale, and indices."""

from schemas.campaigns import (
    APPLICATION,
    CAMPAIGN_RUN_ID,
    COMPUTATION_SIZE,
    PROCESSES,
    SIZE,
)
from schemas.columns import CALL_PATH_KEY, nullable, renamed
from schemas.table import BOOL, ENUM, FLOAT64, INT32, INT64, STRING, Column, Table

FITTED_MODELS = (
    "two steps",
    "two steps, relative",
    "joint",
    "without overlap",
    "with overlap",
    "Amdahl",
    "normal form",
    "smooth",
)
MEASURED, LINEAR, GUSTAFSON, SIZE_RELATIVE = "measured", "linear", "Gustafson", "size-relative"
MODELS = (MEASURED, LINEAR, GUSTAFSON, SIZE_RELATIVE, *FITTED_MODELS)
GENERAL_SPEED_UP, SEQUENTIAL_SPEED_UP = "general speed-up", "sequential speed-up"
MEAN_SPEED_UP, EFFICIENCY = "mean speed-up", "efficiency"
MEASURES = (GENERAL_SPEED_UP, SEQUENTIAL_SPEED_UP, MEAN_SPEED_UP, EFFICIENCY)
FIXED_SIZE, FIXED_PROCESSES, SCALED_SIZE = "fixed size", "fixed processes", "scaled size"
WHOLE_PLANE = "whole plane"
CONSTRAINTS = (FIXED_SIZE, FIXED_PROCESSES, SCALED_SIZE)
QUANTITIES = ("S", "change of general speed-up", EFFICIENCY)

_NOT_FITTED = "the model is not fitted"

FITTED_MODEL = Column(
    name="model",
    type=ENUM,
    values=FITTED_MODELS,
    meaning=(
        "Model of T(p, n). Two steps: (c1 n + c2 n^2 + c3 n^3)(alpha/p + beta), the factors fitted "
        "one after the other, to times or relative to them; joint: the same, both at once. Without "
        "and with overlap: sum and maximum of computation c n^a/p and communication "
        "(c0 + c1 log2(p) + c2 p) n^b. Amdahl: T_par/p + T_seq at each size. Normal form: "
        "c0 + sum of c p^i log2(p)^j n^k log2(n)^l, where 1 - 1/p may stand for the factor of p. "
        "Smooth: a power law with a Gaussian process "
        "over log p and log n. All but the first are fitted to relative errors."
    ),
)
CONSTRAINT = Column(
    name="constraint_kind",
    type=ENUM,
    values=CONSTRAINTS,
    meaning=(
        "Along which curve through the plane of processes and amounts of computation: the amount "
        "stays, the processes stay, or the amount grows with the processes."
    ),
)
SHARE = Column(
    name="largest_share_ratio",
    type=FLOAT64,
    unit="ratio",
    minimum=0,
    maximum=1,
    meaning=(
        "Share of the time of all locations in call paths that count, or of all processes where "
        "only call sites of communication are known, in the configuration where it is largest."
    ),
)
ERROR = Column(
    name="relative_error",
    type=FLOAT64,
    unit="ratio",
    minimum=0,
    null_means=_NOT_FITTED,
    meaning="|fitted/measured - 1|: mean over repetitions, then over configurations.",
)


def _figure(name: str, meaning: str, *, unit: str = "", null_means: str = "") -> Column:
    return Column(name=name, type=FLOAT64, meaning=meaning, unit=unit, null_means=null_means)


def _count(name: str, meaning: str, *, minimum: int = 0, null_means: str = "") -> Column:
    return Column(name=name, type=INT32, minimum=minimum, meaning=meaning, null_means=null_means)


def _text(name: str, meaning: str, *, null_means: str = "") -> Column:
    return Column(name=name, type=STRING, meaning=meaning, null_means=null_means)


def _time(name: str, meaning: str, *, null_means: str = "") -> Column:
    return Column(
        name=name, type=INT64, unit="ns", minimum=0, meaning=meaning, null_means=null_means
    )


REPRESENTATIVE_RUNS = Table(
    name="representative_runs",
    meaning=(
        "Measured runs that stand for their processes and size: where launches differ in threads "
        "or other parameters, the repetitions of the one with the shortest median time."
    ),
    grain="one row per measured run of the fastest launch of its processes and size",
    key=("campaign_run_id",),
    columns=(
        CAMPAIGN_RUN_ID,
        APPLICATION,
        PROCESSES,
        SIZE,
        COMPUTATION_SIZE,
        _time("time_ns", "Elapsed time of the part of the run that counts."),
    ),
)

SURFACE_FITS = Table(
    name="surface_fits",
    meaning="Models of the time of representative runs over processes p and size n, in seconds.",
    grain="one row per application and model",
    key=("application", "model"),
    columns=(
        APPLICATION,
        FITTED_MODEL,
        _text(
            "formula",
            "Seconds as an expression of p and the size, with figures to four digits.",
            null_means=_NOT_FITTED,
        ),
        _count(
            "parameter_count",
            "Numbers that were fitted; for a smooth model the effective ones.",
            null_means=_NOT_FITTED,
        ),
        _count("configuration_count", "Pairs of processes and size that were measured."),
        _count("run_count", "Runs that the model is fitted to."),
        ERROR,
        renamed(
            ERROR,
            "cross_validated_error",
            "The same of configurations that are left out, with all their repetitions, and the "
            "model fitted to the others; beyond 24 configurations several at once.",
            null_means="it could not be found; see reason",
        ),
        _count(
            "rank",
            "Order by cross-validated error, from 1; of errors within 2 % of the least the model "
            "of fewest parameters is first. A formula with an error of at most 0.25 is before a "
            "smooth model of half that error or more.",
            minimum=1,
            null_means="there is no cross-validated error",
        ),
        Column(
            name="is_chosen",
            type=BOOL,
            meaning="Whether it is the first, with a cross-validated error of at most 0.25.",
        ),
        _text("reason", "What is missing, and why.", null_means="nothing is missing"),
    ),
)

SURFACE_PARAMETERS = Table(
    name="surface_parameters",
    meaning="Figures of fitted models, for times in seconds.",
    grain="one row per application, model and parameter",
    key=("application", "model", "ordinal"),
    columns=(
        APPLICATION,
        FITTED_MODEL,
        _count("ordinal", "Position among the model's parameters."),
        _text("parameter", "Its name, as in the formula; for sums of terms c0, c1 and so on."),
        _figure("value", "Its value."),
    ),
)

SURFACE_POINTS = Table(
    name="surface_points",
    meaning=(
        "Measured and fitted times at every pair of a number of processes and a size that were "
        "measured; only at configurations that were run if there are more than 4096 pairs."
    ),
    grain="one row per application, fitted model, size and number of processes",
    key=("application", "model", "size", "processes"),
    columns=(
        APPLICATION,
        FITTED_MODEL,
        PROCESSES,
        SIZE,
        _time("measured_ns", "Median over repetitions.", null_means="it was not run"),
        _time(
            "fitted_ns",
            "Time of the model.",
            null_means="the model gives none that is positive",
        ),
        _time(
            "lower_ns",
            "95 % of further runs are expected to take longer than this and less than the upper "
            "time.",
            null_means="the model knows no interval",
        ),
        _time("upper_ns", "See the lower time.", null_means="the model knows no interval"),
    ),
)

PERFORMANCE_INDICES = Table(
    name="performance_indices",
    meaning=(
        "Indices P(U, B, M, O) of each configuration, by the shortest of its representative runs: "
        "measure, constraint, model and reference point. Indices of different blocks differ in "
        "constraint, definition or reference point and must not be ranked together: a speed-up "
        "looks better the slower the reference."
    ),
    grain="one row per application, block, measure, model, size and number of processes",
    key=("application", "block", "measure", "model", "size", "processes"),
    columns=(
        APPLICATION,
        _count("block", "Indices of one constraint and one reference point, from 1.", minimum=1),
        Column(
            name="measure",
            type=ENUM,
            values=MEASURES,
            meaning=(
                "U. General speed-up: (s1/T1)/(s2/T2) against the reference; sequential: T(1)/T(p) "
                "of the same size; mean: general speed-up per process; efficiency: time of the "
                "model over measured time. s is the amount of computation."
            ),
        ),
        Column(
            name="constraint_kind",
            type=ENUM,
            values=(*CONSTRAINTS, WHOLE_PLANE),
            meaning="B. See scalability_functions; or all configurations, without a constraint.",
        ),
        Column(
            name="model",
            type=ENUM,
            values=MODELS,
            meaning=(
                "M. Measured: a ratio of measurements alone. Linear: the reference's p T over p. "
                "Size-relative: the reference's T/s times s. Gustafson: p (1 - a) + a with "
                "a = T_seq/T, T_seq of Amdahl's model. Others: see surface_fits."
            ),
        ),
        _text("reference_point", "O, as text."),
        nullable(
            renamed(PROCESSES, "reference_processes", "Processes of the reference point."),
            "the reference is a fit, not a point",
        ),
        nullable(
            renamed(SIZE, "reference_size", "Size of the reference point."),
            "the reference is a fit over several sizes",
        ),
        PROCESSES,
        SIZE,
        _figure("value", "The index.", unit="ratio", null_means="see note"),
        _text(
            "note", "What to know of the value, or why there is none.", null_means="nothing to say"
        ),
    ),
)

SCALABILITY_FUNCTIONS = Table(
    name="scalability_functions",
    meaning=(
        "How the mean speed-up R = s/(p T) changes along a constraint, by the fitted models: "
        "S = dR/dt > 0 is still gaining, 0 perfectly scalable there, < 0 losing. The measure is "
        "the mean speed-up but for the constant of a reference point, which does not change signs."
    ),
    grain=(
        "one row per application, fitted model, constraint, size and number of processes where the "
        "model has values"
    ),
    key=("application", "model", "constraint_kind", "size", "processes"),
    columns=(
        APPLICATION,
        FITTED_MODEL,
        CONSTRAINT,
        PROCESSES,
        SIZE,
        Column(name="is_measured", type=BOOL, meaning="Whether the configuration was run."),
        _figure("mean_speed_up", "R: amount of computation per second and process."),
        _figure(
            "value",
            "S: change of R per process; for fixed processes per unit of the amount of "
            "computation.",
        ),
        _figure("elasticity", "S t/R: percent that R changes when t grows by one percent."),
    ),
)

SCALABILITY_LIMITS = Table(
    name="scalability_limits",
    meaning=(
        "Where quantities of the fitted models cross a bound along a constraint: in the measured "
        "range, or up to 16 times its end."
    ),
    grain=(
        "one row per application, fitted model, constraint, quantity, bound, start of the curve "
        "and crossing; one if it is never crossed"
    ),
    key=(
        "application", "model", "constraint_kind", "quantity", "bound", "start_size",
        "start_processes", "ordinal",
    ),
    columns=(
        APPLICATION,
        FITTED_MODEL,
        CONSTRAINT,
        Column(
            name="quantity",
            type=ENUM,
            values=QUANTITIES,
            meaning=(
                "S: change of the mean speed-up. Change of general speed-up: where it turns "
                "negative for a fixed size, the time is shortest. Efficiency: the linear model "
                "from the start of the curve over the fitted time, which for a scaled size is the "
                "mean speed-up against the start; only its first fall below the bound is listed."
            ),
        ),
        _figure("bound", "The value that is crossed."),
        renamed(
            PROCESSES, "start_processes", "Where the curve begins, with the fewest processes."
        ),
        renamed(SIZE, "start_size", "Where the curve begins, with the least size."),
        _count("ordinal", "Crossings along the curve, from 1; 0 if there is none."),
        _figure(
            "processes",
            "Number of processes at the crossing; for efficiency the largest whole number that "
            "keeps the bound.",
            unit="processes",
            null_means="it is not crossed",
        ),
        _figure("size", "Size at the crossing.", null_means="it is not crossed"),
        Column(
            name="is_falling",
            type=BOOL,
            null_means="it is not crossed",
            meaning="Whether the quantity falls below the bound there.",
        ),
        Column(
            name="is_extrapolated",
            type=BOOL,
            null_means="it is not crossed",
            meaning="Whether this lies beyond what was measured.",
        ),
        _text("note", "What holds without a crossing.", null_means="it is crossed"),
    ),
)  # fmt: skip

SERIAL_FRACTIONS = Table(
    name="serial_fractions",
    meaning=(
        "Karp and Flatt's serial fraction of each configuration, by the shortest of its "
        "representative runs, against the fewest processes of the same amount of computation."
    ),
    grain="one row per application, size and number of processes above the reference's",
    key=("application", "size", "processes"),
    columns=(
        APPLICATION,
        SIZE,
        PROCESSES,
        renamed(
            PROCESSES,
            "reference_processes",
            "Processes of the reference; with more than one the fraction is that with which "
            "T(1) (alpha + (1 - alpha)/p) holds for both runs.",
        ),
        _figure(
            "value",
            "alpha: (T(p)/T(1) - 1/p)/(1 - 1/p).",
            unit="ratio",
            null_means="any value fits: the times behave like 1/p of each other's processes",
        ),
        Column(
            name="is_in_range",
            type=BOOL,
            null_means="there is no value",
            meaning=(
                "Whether it lies in 0..1. Below: faster than linear, so that the linear model does "
                "not hold; above: slower than the reference."
            ),
        ),
    ),
)

CALL_PATH_TIMES = Table(
    name="call_path_times",
    meaning=(
        "Exclusive time per process of call paths with a large enough share of time; of those that "
        "communicate only with `min_processes` processes or more, 2 unless told otherwise."
    ),
    grain="one row per application, call path and configuration in which it takes time",
    key=("application", "call_path_key", "size", "processes"),
    columns=(
        APPLICATION,
        CALL_PATH_KEY,
        PROCESSES,
        SIZE,
        Column(
            name="time_per_process_ns",
            type=FLOAT64,
            unit="ns",
            minimum=0,
            meaning="Time of all processes over their number; median over repetitions.",
        ),
        SHARE,
    ),
)

_GROWTH = "no term depends on it, or there is no model"

CALL_PATH_MODELS = Table(
    name="call_path_models",
    meaning=(
        "Normal forms of the exclusive time per process of call paths over processes and size; see "
        "call_path_times."
    ),
    grain="one row per application and call path with a large enough share of time",
    key=("application", "call_path_key"),
    columns=(
        APPLICATION,
        CALL_PATH_KEY,
        SHARE,
        _count("configuration_count", "Configurations in which it takes time."),
        renamed(
            PROCESSES,
            "smallest_processes",
            "Fewest processes of those; communication of a single process is left out.",
        ),
        _text(
            "formula",
            "Seconds per process as an expression of p and the size.",
            null_means="there is no model",
        ),
        _count("parameter_count", "Coefficients.", null_means="there is no model"),
        _text(
            "leading_in_processes",
            "The factor of p that grows fastest, or falls slowest, of its terms.",
            null_means=_GROWTH,
        ),
        _figure("processes_power", "Its power of p.", null_means=_GROWTH),
        _count("processes_log_power", "Its power of log2(p).", null_means=_GROWTH),
        _text(
            "leading_in_size",
            "The factor of the size that grows fastest of its terms.",
            null_means=_GROWTH,
        ),
        _figure("size_power", "Its power of the size.", null_means=_GROWTH),
        _count("size_log_power", "Its power of log2 of the size.", null_means=_GROWTH),
        Column(
            name="symmetric_error",
            type=FLOAT64,
            unit="ratio",
            minimum=0,
            maximum=2,
            null_means="there is no model",
            meaning="Mean of 2 |fitted - measured|/(fitted + measured) over configurations.",
        ),
        Column(
            name="cross_validated_error",
            type=FLOAT64,
            unit="ratio",
            minimum=0,
            maximum=2,
            null_means="there is no model",
            meaning=(
                "The same of each configuration when the coefficients are fitted to the others; by "
                "it the terms are chosen."
            ),
        ),
        Column(
            name="is_describing",
            type=BOOL,
            meaning="Whether there is a model, with a cross-validated error of at most 0.25.",
        ),
        _text("reason", "Why there is no model.", null_means="there is one"),
    ),
)

TABLES = (
    REPRESENTATIVE_RUNS,
    SURFACE_FITS,
    SURFACE_PARAMETERS,
    SURFACE_POINTS,
    PERFORMANCE_INDICES,
    SCALABILITY_FUNCTIONS,
    SCALABILITY_LIMITS,
    SERIAL_FRACTIONS,
    CALL_PATH_TIMES,
    CALL_PATH_MODELS,
)
