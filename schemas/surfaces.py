"""Performance surfaces T(p, n): models fitted to campaigns, their scaling limits, and indices."""

from tracemill.schemas.campaigns import (
    APPLICATION,
    CAMPAIGN_RUN_ID,
    COMPUTATION_SIZE,
    PROCESSES,
    SIZE,
)
from tracemill.schemas.columns import CALL_PATH_KEY, nullable, renamed
from tracemill.schemas.table import BOOL, ENUM, FLOAT64, INT32, INT64, STRING, Column, Table

FITTED_MODELS = (
    "two steps",
    "two steps, relative",
    "joint",
    "without overlap",
    "with overlap",
    "Amdahl",
    "normal form",
    "composed",
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

WITHIN_NOISE, NOT_EXPLAINED = "within noise", "not explained by noise"
NOISE_NOT_KNOWN, REJECTED = "noise not known", "rejected"
VERDICTS = (WITHIN_NOISE, NOT_EXPLAINED, NOISE_NOT_KNOWN, REJECTED)
CALL_PATH, OTHERS, OUTSIDE = "call path", "other call paths", "outside of the path"
PARTS = (CALL_PATH, OTHERS, OUTSIDE)
NO_REFERENCE = "none"

_NOT_FITTED = "the model is not fitted"

FITTED_MODEL = Column(
    name="model",
    type=ENUM,
    values=FITTED_MODELS,
    meaning=(
        "Model of T(p, n). Two steps: (c1 n + c2 n^2 + c3 n^3)(alpha/p + beta), one factor fitted "
        "after the other, to times or to relative errors; joint: the same model, both factors "
        "fitted together. Without and with overlap: sum and maximum of computation c n^a/p and "
        "communication (c0 + c1 log2(p) + c2 p) n^b. Amdahl: T_par/p + T_seq for each size. Normal "
        "form: c0 + sum of c p^i log2(p)^j n^k log2(n)^l, where 1 - 1/p may replace the factor of "
        "p. Composed: the sum of a normal form for each call path on the critical path, see "
        "composed_terms. Smooth: a power law with a Gaussian process over log p and log n. All "
        "except the first are fitted to relative errors."
    ),
)
CONSTRAINT = Column(
    name="constraint_kind",
    type=ENUM,
    values=CONSTRAINTS,
    meaning=(
        "Curve through the plane of processes and amounts of computation: constant amount, "
        "constant processes, or an amount that grows with the processes."
    ),
)
SHARE = Column(
    name="largest_share_ratio",
    type=FLOAT64,
    unit="ratio",
    minimum=0,
    maximum=1,
    meaning=(
        "Share of the time of all locations in counted call paths, in the configuration with the "
        "largest share. If only communication call sites are available: share of the time of all "
        "processes."
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


NOISE = Column(
    name="noise_ratio",
    type=FLOAT64,
    unit="ratio",
    minimum=0,
    null_means="no configuration has repetitions",
    meaning=(
        "Relative standard deviation of repetitions over all configurations: sqrt(sum (n - 1) "
        "(s/m)^2 / sum (n - 1)), with n repetitions of mean m and standard deviation s."
    ),
)
VERDICT = Column(
    name="verdict",
    type=ENUM,
    values=VERDICTS,
    null_means="there is no cross-validated error",
    meaning=(
        "Within noise: the cross-validated error is at most twice the noise, or 2 %. Not explained "
        "by noise: it is larger, but at most 25 %; the model can interpolate, and no limits are "
        "extrapolated. Rejected: it is larger than both. Noise not known: there are no "
        "repetitions, and the error is at most 25 %."
    ),
)

REPRESENTATIVE_RUNS = Table(
    name="representative_runs",
    meaning=(
        "Measured runs that represent their processes and size. If runs differ in threads or other "
        "parameters, these are the repetitions of the launch with the shortest median time."
    ),
    grain="one row per measured run of the fastest launch of its processes and size",
    key=("campaign_run_id",),
    columns=(
        CAMPAIGN_RUN_ID,
        APPLICATION,
        PROCESSES,
        SIZE,
        COMPUTATION_SIZE,
        _time("time_ns", "Elapsed time of the measured part of the run."),
        _time(
            "serial_ns",
            "Time of the run in which exactly one thread computes.",
            null_means="not measured",
        ),
    ),
)

PATH_PARTS = Table(
    name="path_parts",
    meaning="Parts of the critical path of representative runs, which sum to the time of the run.",
    grain="one row per representative run with a critical path, and part",
    key=("campaign_run_id", "part", "call_path_key"),
    columns=(
        CAMPAIGN_RUN_ID,
        Column(
            name="part",
            type=ENUM,
            values=PARTS,
            meaning=(
                "A call path with at least `least_path_share` of the path in the median of some "
                "configuration; all other call paths; or the time outside of the critical path."
            ),
        ),
        renamed(CALL_PATH_KEY, "call_path_key", "Call path; 0 for other parts."),
        Column(name="time_ns", type=INT64, unit="ns", meaning="Time of the path in this part."),
    ),
    is_transient=True,
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
            "Seconds as an expression of p and the size, with four significant digits.",
            null_means=_NOT_FITTED,
        ),
        _count(
            "parameter_count",
            "Number of fitted parameters; for a smooth model, the effective number.",
            null_means=_NOT_FITTED,
        ),
        _count("configuration_count", "Measured combinations of processes and size."),
        _count("run_count", "Runs that the model is fitted to."),
        ERROR,
        renamed(
            ERROR,
            "cross_validated_error",
            "The same error for configurations that are left out with all their repetitions, with "
            "the model fitted to the others. With more than 24 configurations, several are left "
            "out at once.",
            null_means="it could not be computed; see reason",
        ),
        _count(
            "rank",
            "Rank by cross-validated error, from 1. Among models within 2 % of the smallest error, "
            "the model with the fewest parameters is first. A formula with an error of at most "
            "0.25 precedes a smooth model with half that error or more.",
            minimum=1,
            null_means="there is no cross-validated error",
        ),
        Column(
            name="is_chosen", type=BOOL, meaning="Whether the model has rank 1 and is not rejected."
        ),
        NOISE,
        VERDICT,
        _text("reason", "Missing values and the reason.", null_means="nothing is missing"),
    ),
)

SURFACE_PARAMETERS = Table(
    name="surface_parameters",
    meaning="Parameters of fitted models, for times in seconds.",
    grain="one row per application, model and parameter",
    key=("application", "model", "ordinal"),
    columns=(
        APPLICATION,
        FITTED_MODEL,
        _count("ordinal", "Position among the parameters of the model."),
        _text("parameter", "Name as in the formula; c0, c1 and so on for sums of terms."),
        _figure("value", "Value of the parameter."),
    ),
)

COMPOSED_TERMS = Table(
    name="composed_terms",
    meaning="Terms of the composed model: a normal form for each part of the critical path.",
    grain="one row per application with a composed model, and part of the path",
    key=("application", "ordinal"),
    columns=(
        APPLICATION,
        _count("ordinal", "Position by share, largest first."),
        Column(name="part", type=ENUM, values=PARTS, meaning="What the term is of."),
        nullable(CALL_PATH_KEY, "the part is no single call path"),
        _text("formula", "Seconds as an expression of p and the size."),
        PROCESSES,
        SIZE,
        _figure(
            "share_ratio",
            "Fitted share of the time with the most processes and, of these, the largest size.",
            unit="ratio",
        ),
        _figure(
            "cross_validated_error",
            "Mean of 2 |fitted - measured|/(fitted + measured) over configurations, with "
            "coefficients fitted to the others.",
            unit="ratio",
        ),
    ),
)

SURFACE_POINTS = Table(
    name="surface_points",
    meaning=(
        "Measured and fitted times for every combination of a measured process count and a "
        "measured size; with more than 4096 combinations, only for measured configurations."
    ),
    grain="one row per application, fitted model, size and number of processes",
    key=("application", "model", "size", "processes"),
    columns=(
        APPLICATION,
        FITTED_MODEL,
        PROCESSES,
        SIZE,
        _time(
            "measured_ns", "Median over repetitions.", null_means="the configuration was not run"
        ),
        _time(
            "fitted_ns",
            "Time according to the model.",
            null_means="the model gives no positive time",
        ),
        _time(
            "lower_ns",
            "Lower end of the interval that is expected to contain 95 % of further runs.",
            null_means="the model has no interval",
        ),
        _time("upper_ns", "Upper end of this interval.", null_means="the model has no interval"),
        _figure(
            "measured_rate",
            "V = s/T: amount of computation per second, from the measured time.",
            null_means="the configuration was not run, or the amount is not positive",
        ),
        _figure(
            "fitted_rate",
            "V from the fitted time.",
            null_means="there is no fitted time, or the amount is not positive",
        ),
    ),
)

PERFORMANCE_INDICES = Table(
    name="performance_indices",
    meaning=(
        "Indices P(U, B, M, O) of each configuration, from its shortest representative run: "
        "measure, constraint, model and reference point. Do not rank indices of different blocks "
        "together: they differ in constraint, definition or reference point, and a slower "
        "reference gives a larger speed-up."
    ),
    grain="one row per application, block, measure, model, size and number of processes",
    key=("application", "block", "measure", "model", "size", "processes"),
    columns=(
        APPLICATION,
        _count("block", "Number of a constraint and reference point, from 1.", minimum=1),
        Column(
            name="measure",
            type=ENUM,
            values=MEASURES,
            meaning=(
                "U. General speed-up: (s1/T1)/(s2/T2) against the reference; sequential speed-up: "
                "T(1)/T(p) of the same size; mean speed-up: general speed-up per process; "
                "efficiency: time of the model divided by measured time. s is the amount of "
                "computation. Without a reference point, general speed-up is s/T per second, and "
                "size-relative efficiency s(p)/T per second and process."
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
                "M. Measured: a ratio of measurements only. Linear: p T of the reference divided "
                "by p. Size-relative: s(p), the size that falls to one process; s/p unless the "
                "campaign declares another. Gustafson: p (1 - a) + a with a = T_seq/T, the median "
                "over repetitions, and T_seq the time in which one thread computes; of Amdahl's "
                "model where this is not measured. Others: see surface_fits."
            ),
        ),
        _text("reference_point", "O, as text."),
        nullable(
            renamed(PROCESSES, "reference_processes", "Processes of the reference point."),
            "the reference is a fit, or there is none",
        ),
        nullable(
            renamed(SIZE, "reference_size", "Size of the reference point."),
            "the reference is a fit over several sizes, or there is none",
        ),
        PROCESSES,
        SIZE,
        _figure(
            "value",
            "Value of the index: a ratio, or a rate if there is no reference point.",
            null_means="see note",
        ),
        _text("note", "Note on the value, or reason for a missing value.", null_means="no note"),
    ),
)

SCALABILITY_FUNCTIONS = Table(
    name="scalability_functions",
    meaning=(
        "Change of the mean speed-up R = s/(p T) along a constraint, by the fitted models. S = "
        "dR/dt > 0: still gaining; 0: perfectly scalable at this point; < 0: losing. R is the mean "
        "speed-up except for the constant factor of a reference point, which does not change "
        "signs."
    ),
    grain=(
        "one row per application, fitted model, constraint, size and number of processes with a "
        "value of the model"
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
            "S: change of R per process; for fixed processes, per unit of the amount of "
            "computation.",
        ),
        _figure("elasticity", "S t/R: change of R in percent if t grows by one percent."),
    ),
)

_NOT_CROSSED = "the bound is not crossed, or only where the model is not used; see note"

SCALABILITY_LIMITS = Table(
    name="scalability_limits",
    meaning=(
        "Points at which quantities of the fitted models cross a bound along a constraint: in the "
        "measured range, or up to 16 times its end."
    ),
    grain=(
        "one row per application, fitted model, constraint, quantity, bound, start of the curve "
        "and crossing; one row if the bound is never crossed"
    ),
    key=(
        "application",
        "model",
        "constraint_kind",
        "quantity",
        "bound",
        "start_size",
        "start_processes",
        "ordinal",
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
                "S: change of the mean speed-up. Change of general speed-up: for a fixed size, the "
                "time is shortest where it becomes negative. Efficiency: the linear model from the "
                "start of the curve divided by the fitted time; for a scaled size, this is the "
                "mean speed-up against the start. Only its first fall below the bound is listed."
            ),
        ),
        _figure("bound", "Bound that is crossed."),
        renamed(PROCESSES, "start_processes", "Start of the curve, with the fewest processes."),
        renamed(SIZE, "start_size", "Start of the curve, with the smallest size."),
        _count("ordinal", "Crossings along the curve, from 1; 0 if there is none."),
        _figure(
            "processes",
            "Number of processes at the crossing; for efficiency, the largest whole number that "
            "satisfies the bound.",
            unit="processes",
            null_means=_NOT_CROSSED,
        ),
        _figure("size", "Size at the crossing.", null_means=_NOT_CROSSED),
        Column(
            name="is_falling",
            type=BOOL,
            null_means=_NOT_CROSSED,
            meaning="Whether the quantity falls below the bound at the crossing.",
        ),
        Column(
            name="is_extrapolated",
            type=BOOL,
            null_means=_NOT_CROSSED,
            meaning="Whether the crossing is outside the measured range.",
        ),
        _text(
            "note",
            "State along the curve if there is no crossing.",
            null_means="the bound is crossed",
        ),
    ),
)

SERIAL_FRACTIONS = Table(
    name="serial_fractions",
    meaning=(
        "Karp and Flatt's serial fraction of each configuration, from its shortest representative "
        "run, relative to the fewest processes with the same amount of computation."
    ),
    grain="one row per application, size and number of processes above the reference",
    key=("application", "size", "processes"),
    columns=(
        APPLICATION,
        SIZE,
        PROCESSES,
        renamed(
            PROCESSES,
            "reference_processes",
            "Processes of the reference. With more than one, the fraction satisfies T(1) (alpha + "
            "(1 - alpha)/p) for both runs.",
        ),
        _figure(
            "value",
            "alpha: (T(p)/T(1) - 1/p)/(1 - 1/p).",
            unit="ratio",
            null_means="every value fits: the times scale with 1/p relative to each other",
        ),
        Column(
            name="is_in_range",
            type=BOOL,
            null_means="there is no value",
            meaning=(
                "Whether the value is between 0 and 1. Below 0: faster than linear, so the linear "
                "model does not hold. Above 1: slower than the reference."
            ),
        ),
        _figure(
            "measured_share",
            "Share of the time in which exactly one thread computes, as measured: Gustafson's "
            "alpha, the median over repetitions.",
            unit="ratio",
            null_means="not measured",
        ),
    ),
)

CALL_PATH_TIMES = Table(
    name="call_path_times",
    meaning=(
        "Exclusive time per process of call paths with a large enough share of time. For "
        "communication call paths, only with at least `min_processes` processes (default 2)."
    ),
    grain="one row per application, call path and configuration with time",
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
            meaning="Time of all processes divided by their number; median over repetitions.",
        ),
        SHARE,
        NOISE,
    ),
)

_GROWTH = "no term depends on it, or there is no model"

CALL_PATH_MODELS = Table(
    name="call_path_models",
    meaning=(
        "Normal-form models of the exclusive time per process of call paths over processes and "
        "size; see call_path_times."
    ),
    grain="one row per application and call path with a large enough share of time",
    key=("application", "call_path_key"),
    columns=(
        APPLICATION,
        CALL_PATH_KEY,
        SHARE,
        _count("configuration_count", "Configurations in which the call path takes time."),
        renamed(
            PROCESSES,
            "smallest_processes",
            "Fewest processes of these configurations; communication with one process is left out.",
        ),
        _text(
            "formula",
            "Seconds per process as an expression of p and the size.",
            null_means="there is no model",
        ),
        _count("parameter_count", "Coefficients.", null_means="there is no model"),
        _text(
            "leading_in_processes",
            "Factor of p that grows fastest, or falls slowest, among the terms.",
            null_means=_GROWTH,
        ),
        _figure("processes_power", "Power of p in this factor.", null_means=_GROWTH),
        _count("processes_log_power", "Power of log2(p) in this factor.", null_means=_GROWTH),
        _text(
            "leading_in_size",
            "Factor of the size that grows fastest among the terms.",
            null_means=_GROWTH,
        ),
        _figure("size_power", "Power of the size in this factor.", null_means=_GROWTH),
        _count("size_log_power", "Power of log2 of the size in this factor.", null_means=_GROWTH),
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
                "The same error of each configuration with coefficients fitted to the others. It "
                "determines the choice of terms."
            ),
        ),
        NOISE,
        VERDICT,
        Column(
            name="is_describing",
            type=BOOL,
            meaning="Whether there is a model that is not rejected.",
        ),
        _text("reason", "Reason for a missing model.", null_means="there is a model"),
    ),
)

TABLES = (
    REPRESENTATIVE_RUNS,
    PATH_PARTS,
    SURFACE_FITS,
    SURFACE_PARAMETERS,
    COMPOSED_TERMS,
    SURFACE_POINTS,
    PERFORMANCE_INDICES,
    SCALABILITY_FUNCTIONS,
    SCALABILITY_LIMITS,
    SERIAL_FRACTIONS,
    CALL_PATH_TIMES,
    CALL_PATH_MODELS,
)
