"""Performance surfaces T(p, n): models fitted to campaigns, of whole runs and of call paths."""

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


def figure(name: str, meaning: str, *, unit: str = "", null_means: str = "") -> Column:
    """A number."""
    return Column(name=name, type=FLOAT64, meaning=meaning, unit=unit, null_means=null_means)


def count(name: str, meaning: str, *, minimum: int = 0, null_means: str = "") -> Column:
    """A whole number."""
    return Column(name=name, type=INT32, minimum=minimum, meaning=meaning, null_means=null_means)


def text(name: str, meaning: str, *, null_means: str = "") -> Column:
    """A text."""
    return Column(name=name, type=STRING, meaning=meaning, null_means=null_means)


def time(name: str, meaning: str, *, null_means: str = "") -> Column:
    """A time (ns)."""
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
        time("time_ns", "Elapsed time of the measured part of the run."),
        time(
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
        text(
            "formula",
            "Seconds as an expression of p and the size, with four significant digits.",
            null_means=_NOT_FITTED,
        ),
        count(
            "parameter_count",
            "Number of fitted parameters; for a smooth model, the effective number.",
            null_means=_NOT_FITTED,
        ),
        count("configuration_count", "Measured combinations of processes and size."),
        count("run_count", "Runs that the model is fitted to."),
        ERROR,
        renamed(
            ERROR,
            "cross_validated_error",
            "The same error for configurations that are left out with all their repetitions, with "
            "the model fitted to the others. With more than 24 configurations, several are left "
            "out at once.",
            null_means="it could not be computed; see reason",
        ),
        count(
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
        text("reason", "Missing values and the reason.", null_means="nothing is missing"),
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
        count("ordinal", "Position among the parameters of the model."),
        text("parameter", "Name as in the formula; c0, c1 and so on for sums of terms."),
        figure("value", "Value of the parameter."),
    ),
)

COMPOSED_TERMS = Table(
    name="composed_terms",
    meaning="Terms of the composed model: a normal form for each part of the critical path.",
    grain="one row per application with a composed model, and part of the path",
    key=("application", "ordinal"),
    columns=(
        APPLICATION,
        count("ordinal", "Position by share, largest first."),
        Column(name="part", type=ENUM, values=PARTS, meaning="What the term is of."),
        nullable(CALL_PATH_KEY, "the part is no single call path"),
        text("formula", "Seconds as an expression of p and the size."),
        PROCESSES,
        SIZE,
        figure(
            "share_ratio",
            "Fitted share of the time with the most processes and, of these, the largest size.",
            unit="ratio",
        ),
        figure(
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
        time("measured_ns", "Median over repetitions.", null_means="the configuration was not run"),
        time(
            "fitted_ns",
            "Time according to the model.",
            null_means="the model gives no positive time",
        ),
        time(
            "lower_ns",
            "Lower end of the interval that is expected to contain 95 % of further runs.",
            null_means="the model has no interval",
        ),
        time("upper_ns", "Upper end of this interval.", null_means="the model has no interval"),
        figure(
            "measured_rate",
            "V = s/T: amount of computation per second, from the measured time.",
            null_means="the configuration was not run, or the amount is not positive",
        ),
        figure(
            "fitted_rate",
            "V from the fitted time.",
            null_means="there is no fitted time, or the amount is not positive",
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
        count("configuration_count", "Configurations in which the call path takes time."),
        renamed(
            PROCESSES,
            "smallest_processes",
            "Fewest processes of these configurations; communication with one process is left out.",
        ),
        text(
            "formula",
            "Seconds per process as an expression of p and the size.",
            null_means="there is no model",
        ),
        count("parameter_count", "Coefficients.", null_means="there is no model"),
        text(
            "leading_in_processes",
            "Factor of p that grows fastest, or falls slowest, among the terms.",
            null_means=_GROWTH,
        ),
        figure("processes_power", "Power of p in this factor.", null_means=_GROWTH),
        count("processes_log_power", "Power of log2(p) in this factor.", null_means=_GROWTH),
        text(
            "leading_in_size",
            "Factor of the size that grows fastest among the terms.",
            null_means=_GROWTH,
        ),
        figure("size_power", "Power of the size in this factor.", null_means=_GROWTH),
        count("size_log_power", "Power of log2 of the size in this factor.", null_means=_GROWTH),
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
        text("reason", "Reason for a missing model.", null_means="there is a model"),
    ),
)

TABLES = (
    REPRESENTATIVE_RUNS,
    PATH_PARTS,
    SURFACE_FITS,
    SURFACE_PARAMETERS,
    COMPOSED_TERMS,
    SURFACE_POINTS,
    CALL_PATH_TIMES,
    CALL_PATH_MODELS,
)
