"""Efficiencies of every configuration as POP defines them, and what limits their scaling."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

from tracemill.base.text import join_words
from tracemill.reports.material import Material, filled
from tracemill.reports.model import Column, Layout, Section, Table
from tracemill.reports.pivots import pivot_each
from tracemill.reports.run_links import anchor_of
from tracemill.reports.sections.efficiencies import GRADES, TITLE
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.units import Unit
from tracemill.reports.wording import Row, count_of, number, share_of, size_of

PLACE = 11
QUERY = "scaled_efficiencies"
MOST_NAMED = 3
"""Maximum number of efficiencies that the sentence names."""
NOTABLE = 0.95
"""An efficiency that keeps more than this share of its value is not named."""
_NOTE = (
    "Each column is the shortest run of a configuration. Parallel efficiency is the product of its "
    "parts. Global efficiency is parallel efficiency × computation scaling. Computation scaling is "
    "the useful time of all threads with the fewest CPUs (processes × threads), divided by that of "
    "the configuration. With counters, its parts are instructions, instructions per cycle and "
    f"clock frequency. {GRADES}"
)
_LIMITS = {
    "load_balance": ("load balance", "computation is distributed unevenly over processes"),
    "serialization_efficiency": ("serialization", "processes wait for each other in turn"),
    "transfer_efficiency": ("transfer", "the network and MPI itself take time"),
    "openmp_serialization": ("OpenMP serialization", "threads have no work outside of teams"),
    "openmp_load_balance": (
        "OpenMP load balance",
        "work is distributed unevenly over the threads of a team",
    ),
    "openmp_scheduling": ("OpenMP scheduling", "teams of threads take time to start and end"),
    "instruction_scaling": (
        "instruction scaling",
        "all processes together execute more instructions",
    ),
    "ipc_scaling": ("instructions per cycle", "cores complete fewer instructions per cycle"),
    "frequency_scaling": ("clock frequency", "cores run slower"),
    "computation_scaling": ("computation scaling", "the processes compute longer in total"),
}
"""Parts of the global efficiency: name, and what it means if they are low."""

TIMES = TableSpec(
    query="scaled_times",
    title="Times of the efficiencies",
    note=(
        "Ideal run time: MPI takes no time, but waiting for what others compute remains. Useful: "
        "computation of all threads."
    ),
    row_limit=500,
    titles={
        "run_ns": "Run time", "ideal_run_ns": "Ideal run time", "useful_ns": "Useful",
        "cycles_per_ns": "GHz", "instructions_per_cycle": "Per cycle", "speed_up": "Speed-up",
    },
    silent={
        "threads": 1, "instructions": None, "instructions_per_cycle": None, "cycles_per_ns": None,
    },
    hidden_if_equal=("application", "interval"),
)  # fmt: skip


def build(material: Material) -> Section | None:
    """The efficiencies of each size, a column per configuration; None without traces."""
    rows = material.rows(QUERY)
    if not rows:
        return None
    is_alone = rows[0]["application"] == rows[-1]["application"]
    first, *others = (_pivot(each, is_alone) for each in series_of(rows))
    return Section(
        key="efficiencies",
        title=TITLE,
        sentences=describe_scaling(rows),
        tables=(
            replace(first, note=f"{first.note} {_NOTE}"),
            *others,
            *filled(
                *pivot_each(
                    material.table(TIMES), ("ideal_run_ns", "useful_ns"), ("interval", "threads")
                )
            ),
        ),
        sources=(read_source(QUERY),),
    )


def describe_scaling(rows: Sequence[Row]) -> tuple[str, ...]:
    """A sentence on the limits of scaling, for the largest size of each application."""
    return tuple(
        _describe(next((each for each in own if len(_ends(each)) > 1), own[0]))
        for _, own in (
            (name, list(each))
            for name, each in groupby(series_of(rows), key=lambda own: own[0]["application"])
        )
    )


def series_of(rows: Iterable[Row]) -> list[list[Row]]:
    """Rows by application and size of the reference, largest first."""
    return [list(own) for _, own in groupby(rows, key=itemgetter("application", "reference_size"))]


def configuration_of(row: Row) -> tuple[float, ...]:
    """Processor count, processes, threads and size."""
    processes, threads = number(row["processes"]), number(row["threads"])
    return processes * threads, processes, threads, number(row["size"])


def _ends(rows: Sequence[Row]) -> list[tuple[float, ...]]:
    """The configurations with the fewest and with the most CPUs; a single one if equal."""
    found = sorted(set(map(configuration_of, rows)))
    return [found[0], found[-1]] if found[-1][0] > found[0][0] else [found[-1]]


def _describe(rows: Sequence[Row]) -> str:
    """The global efficiency at both ends of a series, and its parts that fall most."""
    ends = _ends(rows)
    first, last = (
        {str(row["metric"]): number(row["value"]) for row in rows if configuration_of(row) == end}
        for end in (ends[0], ends[-1])
    )
    application, where = rows[0]["application"], _name_size(rows)
    if len(ends) == 1:
        return (
            f"{application}: with {_name(ends[0])}{where}, parallel efficiency is "
            f"{share_of(last.get('parallel_efficiency'))}; how it scales is not known, because "
            "all runs have the same number of CPUs."
        )
    start = _name(ends[0], is_start=ends[1][2] == 1)
    parallel, speed_up = (last.get(name, 0.0) for name in ("parallel_efficiency", "speed_up"))
    return (
        f"{application}: from {start} to {_name(ends[1])}{where}, global efficiency "
        f"{_describe_change(first, last)}; parallel efficiency is {share_of(parallel)} and the "
        f"speed-up {speed_up:.3g}."
    )


def _describe_change(first: dict[str, float], last: dict[str, float]) -> str:
    """The change of the global efficiency; if it falls, with its reasons."""
    before, after = (each.get("global_efficiency", 0.0) for each in (first, last))
    if share_of(before) == share_of(after):
        return f"stays at {share_of(after)}"
    values = f"from {share_of(before)} to {share_of(after)}"
    return f"grows {values}" if after > before else f"falls {values}{_describe_parts(first, last)}"


def _describe_parts(first: dict[str, float], last: dict[str, float]) -> str:
    """The parts that fall most, with their meanings."""
    parts = dict(_LIMITS)
    if "instruction_scaling" in last:
        parts.pop("computation_scaling")
    kept = {
        metric: last[metric] / first.get(metric, 1.0)
        for metric in parts
        if metric in last and first.get(metric, 1.0) > 0
    }
    falling = sorted((metric for metric in kept if kept[metric] < NOTABLE), key=kept.__getitem__)
    if not falling:
        return ""
    reasons = [
        f"{meaning} ({name} {share_of(last[metric])})"
        for metric in falling[:MOST_NAMED]
        for name, meaning in (parts[metric],)
    ]
    return f", because {join_words(reasons)}"


def _name(end: tuple[float, ...], *, is_start: bool = False) -> str:
    """'16 processes', '4 processes of 3 threads'; the start without the unit."""
    _, processes, threads, _ = end
    if threads > 1:
        threaded = f"{int(threads)} threads"
        return f"{count_of(int(processes), 'process', 'processes')} of {threaded}"
    return str(int(processes)) if is_start else count_of(int(processes), "process", "processes")


def _name_size(rows: Sequence[Row]) -> str:
    """' at n = 400'; nothing for a single size that was not given."""
    sizes = sorted({number(row["size"]) for row in rows})
    name = rows[0]["size_name"]
    if len(sizes) > 1:
        return f" and {name} = {size_of(sizes[0])} to {size_of(sizes[-1])}"
    at = f" at {name} = {size_of(sizes[0])}" if sizes != [1.0] else ""
    is_weak = rows[0]["scaling"] == "weak" and len(_ends(rows)) > 1
    return f"{at} with weak scaling" if is_weak else at


def _pivot(rows: Sequence[Row], is_alone: bool) -> Table:
    """The efficiencies of a series, a row per efficiency and a column per configuration."""
    program = "" if is_alone else f" of {rows[0]['application']}"
    rows = [row for row in rows if row["depth"] is not None]
    columns = sorted(set(map(configuration_of, rows)))
    values = {(row["metric"], configuration_of(row)): row["value"] for row in rows}
    names = {row["metric"]: (row["efficiency"], row["depth"]) for row in rows}
    cells = tuple(
        (*name, *(values.get((metric, each)) for each in columns)) for metric, name in names.items()
    )
    return Table(
        name=QUERY,
        title=f"{TITLE}{program} by processes{_name_size(rows)}",
        note=_scaling_note(rows[0]),
        columns=(
            Column(name="efficiency", title="Efficiency", unit=Unit.TEXT),
            Column(name="depth", title="Depth", unit=Unit.COUNT),
            *(_column(each) for each in columns),
        ),
        rows=cells,
        sql=_pivot_sql(rows[0], columns),
        layout=Layout.TREE,
        hidden=frozenset({"depth"}),
        cell_links=(
            ("", "", *(f"#{anchor_of(rows[0]['application'], *each[1::2])}" for each in columns)),
        )
        * len(cells),
    )


def _column(configuration: tuple[float, ...]) -> Column:
    _, processes, threads, _ = configuration
    return Column(
        name=_key(configuration),
        title=f"{int(processes)}×{int(threads)}" if threads > 1 else str(int(processes)),
        unit=Unit.SHARE,
        is_efficiency=True,
    )


def _key(configuration: tuple[float, ...]) -> str:
    _, processes, threads, _ = configuration
    return f"p{int(processes)}_t{int(threads)}"


def _scaling_note(row: Row) -> str:
    if row["scaling"] == "weak":
        return "Weak scaling: the problem grows with the number of CPUs."
    return "Strong scaling: the problem is the same for all."


def _pivot_sql(row: Row, columns: Sequence[tuple[float, ...]]) -> str:
    """A query that returns exactly the rows of the table."""
    cells = ",\n    ".join(
        f"max(value) FILTER (WHERE processes = {int(processes)} AND threads = {int(threads)}) "
        f"AS {_key(each)}"
        for each in columns
        for _, processes, threads, _ in (each,)
    )
    application = str(row["application"]).replace("'", "''")
    return (
        f"SELECT efficiency, depth,\n    {cells}\n"
        f"FROM (SELECT *, row_number() OVER () AS place FROM (\n{read_source(QUERY).sql}\n))\n"
        f"WHERE application = '{application}' AND reference_size = {row['reference_size']!r}\n"
        "    AND depth IS NOT NULL\n"
        "GROUP BY efficiency, depth\nORDER BY min(place)"
    )
