"""Scaling of performance surfaces T(p, n): indices, limits and serial fractions."""

from tracemill.schemas.campaigns import APPLICATION, PROCESSES, SIZE
from tracemill.schemas.columns import nullable, renamed
from tracemill.schemas.surfaces import (
    CONSTRAINT,
    CONSTRAINTS,
    FITTED_MODEL,
    MEASURES,
    MODELS,
    QUANTITIES,
    WHOLE_PLANE,
    count,
    figure,
    text,
)
from tracemill.schemas.table import BOOL, ENUM, Column, Table

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
        count("block", "Number of a constraint and reference point, from 1.", minimum=1),
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
        text("reference_point", "O, as text."),
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
        figure(
            "value",
            "Value of the index: a ratio, or a rate if there is no reference point.",
            null_means="see note",
        ),
        text("note", "Note on the value, or reason for a missing value.", null_means="no note"),
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
        figure("mean_speed_up", "R: amount of computation per second and process."),
        figure(
            "value",
            "S: change of R per process; for fixed processes, per unit of the amount of "
            "computation.",
        ),
        figure("elasticity", "S t/R: change of R in percent if t grows by one percent."),
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
        figure("bound", "Bound that is crossed."),
        renamed(PROCESSES, "start_processes", "Start of the curve, with the fewest processes."),
        renamed(SIZE, "start_size", "Start of the curve, with the smallest size."),
        count("ordinal", "Crossings along the curve, from 1; 0 if there is none."),
        figure(
            "processes",
            "Number of processes at the crossing; for efficiency, the largest whole number that "
            "satisfies the bound.",
            unit="processes",
            null_means=_NOT_CROSSED,
        ),
        figure("size", "Size at the crossing.", null_means=_NOT_CROSSED),
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
        text(
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
        figure(
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
        figure(
            "measured_share",
            "Share of the time in which exactly one thread computes, as measured: Gustafson's "
            "alpha, the median over repetitions.",
            unit="ratio",
            null_means="not measured",
        ),
    ),
)

TABLES = (PERFORMANCE_INDICES, SCALABILITY_FUNCTIONS, SCALABILITY_LIMITS, SERIAL_FRACTIONS)
