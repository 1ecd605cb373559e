"""Efficiencies as POP defines them, with the run on an ideal network."""

from collections.abc import Iterator, Sequence

from tracemill.base.text import join_words
from tracemill.reports.material import Material
from tracemill.reports.model import Bar, Section
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.wording import Row, nonempty, number, share_of, time_of

PLACE = 18
TITLE = "POP efficiencies"
# Below it, MPI takes long without waiting for anybody.
LITTLE_TRANSFER = 0.5
IN_SUMMARY = (
    "load_balance", "serialization_efficiency", "transfer_efficiency", "openmp_efficiency",
)  # fmt: skip
# The verdict does not name better factors.
GOOD_ENOUGH = 0.95
# With less useful time than this share of the run, efficiencies say little.
LITTLE_COMPUTATION = 0.05
# Nesting of efficiencies if MPI and OpenMP are separate.
_LEVELS = {
    "parallel_efficiency": 0, "mpi_efficiency": 1, "openmp_efficiency": 1,
    "serialization_efficiency": 3, "transfer_efficiency": 3,
}  # fmt: skip
# Factors of the efficiency of MPI.
_FACTORS = ("load_balance", "serialization_efficiency", "transfer_efficiency")
# Conventions that differ less need no explanation.
_ALIKE = 0.005
# Those that matter where MPI loses nothing, as in a run without it.
_OF_TEAMS = ("openmp_serialization", "openmp_load_balance", "openmp_scheduling")
# Those that say nothing then.
_OF_MPI = (
    "mpi_efficiency", "load_balance", "communication_efficiency", "serialization_efficiency",
    "transfer_efficiency", "openmp_efficiency",
)  # fmt: skip

MULTIPLICATIVE = (
    "Parallel efficiency is load balance × serialization × transfer, and × OpenMP with teams of "
    "threads."
)
GRADES = "Below 50% (red) is bad, below 80% (pale) needs attention."

EFFICIENCIES = TableSpec(
    query="pop_efficiencies",
    title="Efficiencies",
    note=(
        f"Multiplicative: {MULTIPLICATIVE[0].lower()}{MULTIPLICATIVE[1:]} Additive: "
        "100% minus the share of the time of all processes that is lost. BasicAnalysis prints the "
        "multiplicative ones, of a simulation whose useful time is up to 0.9% longer. "
        f"{GRADES}"
    ),
    titles={"multiplicative_ratio": "Multiplicative", "additive_ratio": "Additive"},
    hidden=frozenset({"metric", "basic_analysis_ratio"}),
    hidden_if_equal=("interval",),
    efficiencies=("multiplicative_ratio", "additive_ratio"),
)
TIMES = TableSpec(
    query="pop_times",
    title="Times of the efficiencies",
    note="Ideal run time: MPI takes no time, but waiting for what others compute remains. Init to "
    "finalize is from the first exit of MPI_Init to the last call of MPI_Finalize; the main part "
    "is from the last exit to the first call.",
    titles={
        "run_ns": "Run time",
        "ideal_run_ns": "Ideal run time",
        "mean_useful_ns": "Mean useful",
        "longest_useful_ns": "Longest useful",
    },
    hidden=frozenset({"is_valid"}),
    hidden_if_equal=("interval",),
)


def build(material: Material) -> Section | None:
    """The efficiencies of the run or of its focus; None without any computation."""
    if not material.rows_of(EFFICIENCIES):
        return None
    return Section(
        key="efficiencies",
        title=TITLE,
        is_folded=True,  # the bars of the summary show them
        sentences=nonempty(
            *describe_efficiency(material),
            describe_little_computation(material),
            *describe_limits(material),
            *describe_conventions(of_first_interval(material.rows_of(EFFICIENCIES))),
        ),
        tables=material.tables(EFFICIENCIES, TIMES),
        sources=(read_source(EFFICIENCIES.query), read_source(TIMES.query)),
    )


def bars(material: Material) -> tuple[Bar, ...]:
    """The efficiencies of the first interval, each below the one it is a factor of.

    Where MPI loses nothing, as in a run without it, only those of OpenMP.
    """
    rows = of_first_interval(material.rows_of(EFFICIENCIES))
    of_mpi = next((row for row in rows if row["metric"] == "mpi_efficiency"), None)
    is_split = of_mpi is not None and of_mpi["multiplicative_ratio"] != 1
    left_out = () if of_mpi is None or is_split else _OF_MPI
    return tuple(
        Bar(
            title=str(row["efficiency"]),
            ratio=number(row["multiplicative_ratio"]),
            level=max(_LEVELS.get(str(row["metric"]), 2) - (not is_split), 0),
        )
        for row in rows
        if row["multiplicative_ratio"] is not None and row["metric"] not in left_out
    )


def name_worst(material: Material) -> str:
    """Parallel efficiency and its worst factor; empty without any computation.

    No factor is named if processes hardly compute, such as those that wait for accelerators.
    """
    rows = of_first_interval(material.rows_of(EFFICIENCIES))
    values = {str(row["metric"]): row for row in rows if row["multiplicative_ratio"] is not None}
    if "parallel_efficiency" not in values:
        return ""
    whole = number(values["parallel_efficiency"]["multiplicative_ratio"])
    of_teams = [name for name in _OF_TEAMS if name in values]
    split = "openmp_efficiency" if of_teams else ""  # its parts say more
    names = [name for name in (*IN_SUMMARY, *of_teams) if name in values and name != split]
    factors = [values[name] for name in names]
    text = f"Parallel efficiency is {share_of(whole)}"
    worst = min(factors, key=lambda row: number(row["multiplicative_ratio"]), default=None)
    is_little = whole < LITTLE_COMPUTATION
    if worst is None or is_little or number(worst["multiplicative_ratio"]) > GOOD_ENOUGH:
        return f"{text}."
    name = name_inside(str(worst["efficiency"]))
    return f"{text}, limited most by {name} ({share_of(worst['multiplicative_ratio'])})."


def describe_efficiency(material: Material) -> Iterator[str]:
    """Parallel efficiency and its parts in a sentence, of the first interval."""
    rows = of_first_interval(material.rows_of(EFFICIENCIES))
    values = {str(row["metric"]): row for row in rows}
    if "parallel_efficiency" not in values:
        return
    top = values.get("mpi_efficiency", values["parallel_efficiency"])
    is_without_mpi = number(top["multiplicative_ratio"]) == 1
    parts = [
        f"{name_inside(str(values[name]['efficiency']))} "
        f"{share_of(values[name]['multiplicative_ratio'])}"
        for name in (_OF_TEAMS if is_without_mpi else IN_SUMMARY)
        if name in values
    ]
    whole = share_of(values["parallel_efficiency"]["multiplicative_ratio"])
    yield f"Parallel efficiency {whole}{': ' if parts else ''}{join_words(parts)}."


def describe_conventions(rows: Sequence[Row]) -> Iterator[str]:
    """Why the parts of both conventions differ, with their values in an interval."""
    values = {str(row["metric"]): row for row in rows}
    if not values.keys() >= set(_FACTORS):
        return
    top = values.get("mpi_efficiency") or values["parallel_efficiency"]
    factors, shares = (
        [number(values[name][column]) for name in _FACTORS]
        for column in ("multiplicative_ratio", "additive_ratio")
    )
    if max(abs(one - other) for one, other in zip(factors, shares, strict=True)) < _ALIKE:
        return
    product = " × ".join(map(share_of, factors))
    lost = "".join(f" − {share_of(1 - each)}" for each in shares)
    whole = share_of(top["multiplicative_ratio"])
    name = "MPI efficiency" if top["metric"] == "mpi_efficiency" else "parallel efficiency"
    yield (
        f"Both columns split the same {name}: into factors ({product} = {whole}), or into "
        f"shares of the time of all processes that are lost (100%{lost} = {whole})."
    )


def describe_little_computation(material: Material) -> str:
    """A caveat if hardly anything was computed; else nothing."""
    rows = of_first_interval(material.rows_of(EFFICIENCIES))
    values = [row["multiplicative_ratio"] for row in rows if row["metric"] == "parallel_efficiency"]
    is_little = any(number(value) < LITTLE_COMPUTATION for value in values)
    if not is_little:
        return ""
    streams = number(material.overview["stream_ns"])
    who = "GPU streams compute instead of processes" if streams else "Processes hardly compute"
    return f"{who}, so efficiencies say little."


def name_inside(title: str) -> str:
    """The title of an efficiency inside of a sentence."""
    return title if title.startswith("OpenMP") else title[:1].lower() + title[1:]


def of_first_interval(rows: Sequence[Row]) -> list[Row]:
    """The rows of the interval that comes first."""
    return [row for row in rows if row["interval"] == rows[0]["interval"]]


def describe_limits(material: Material) -> Iterator[str]:
    """Reasons why the efficiencies are uncertain, of the first interval."""
    for times in material.rows_of(TIMES)[:1]:
        ideal, longest = number(times["ideal_run_ns"]), number(times["longest_useful_ns"])
        if not times["is_valid"] and ideal >= longest:
            yield (
                "The trace does not show which calls launch the kernels of a GPU stream, or wait "
                "for them. Gains, serialization and transfer are left out."
            )
        elif not times["is_valid"]:
            yield (
                f"The ideal run would take {time_of(times['ideal_run_ns'])}, less than a process "
                "computes: clocks contradict each other, or waiting is hidden. Serialization and "
                "transfer are left out."
            )
        elif number(times["ideal_run_ns"]) < LITTLE_TRANSFER * number(times["run_ns"]):
            yield "MPI calls take long without waiting for anybody."
