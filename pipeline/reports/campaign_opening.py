"""What the page of a campaign says first: where scaling ends, and what decides there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from tracemill.reports.campaign_sections import causes, critical_path, efficiencies, efficiency
from tracemill.reports.material import Material
from tracemill.reports.model import Opening, Picture, Section, Table
from tracemill.reports.pictures.curves import Curve
from tracemill.reports.pivots import by_size
from tracemill.reports.plain_plots import draw_speed_up, draw_stacks
from tracemill.reports.units import FAIR
from tracemill.reports.wording import (
    Row,
    count_of,
    group_by,
    name_path,
    number,
    share_of,
    size_of,
    start,
    time_of,
    unprefixed,
)

MOST_NAMED = 3
"""Programs with a sentence in the verdict."""
MOST_CURVES = 6
_MAP = "map-"
_SINGLE = "How the program scales is not known: no size was measured with several process counts."
LEAST_GAIN = 0.02
"""A smaller gain of speed-up is none."""
KEPT = 0.95
"""A program that keeps this share of its first efficiency scales evenly."""


@dataclass(frozen=True)
class Point:
    """A configuration of a series: its name, number of processes, efficiency and speed-up.

    The speed-up is 0 if it is unknown.
    """

    name: str
    processes: int
    size: float
    efficiency: float
    speed_up: float


@dataclass(frozen=True, kw_only=True)
class Series:
    """The configurations of a program that are compared, fewest processes first.

    If it `is_weak`, the size grows with processes. `size_count` is that of the program.
    """

    application: str
    points: tuple[Point, ...]
    size_name: str
    size_count: int
    is_weak: bool = False

    @property
    def last(self) -> Point:
        return self.points[-1]

    @property
    def turn(self) -> Point:
        """The point beyond which scaling ends: with the highest speed-up, if it falls again.

        Else, or if no speed-up is known, the last one with good efficiency before the first
        without.
        """
        highest = max(point.speed_up for point in self.points)
        first = next(p for p in self.points if p.speed_up * (1 + LEAST_GAIN) >= highest)
        if highest and first is not self.last:
            return first
        worse = next(at for at, p in enumerate(self.points) if at and p.efficiency < FAIR)
        return self.points[worse - 1]


def opening_of(material: Material) -> Opening:
    """The verdict, and the pictures of the program that scales worst."""
    found = _worst_first(material)
    if not found:
        return Opening(verdict=describe_verdict(material))
    is_alone = material.overview["application_count"] == 1
    return Opening(
        verdict=describe_verdict(material),
        tables=efficiency_map(material, found[0], is_alone=is_alone),
        figures=tuple(_figures(material, found[0])),
    )


def describe_verdict(material: Material) -> str:
    """Where the scaling of each program ends and what decides there, worst program first."""
    found = _worst_first(material)
    if not found:
        single = efficiencies.describe_scaling(_pop_rows(material)) or (_SINGLE,)
        return " ".join(unprefixed(material.overview, single))
    known = Knowledge.read(material)
    is_alone = material.overview["application_count"] == 1
    sentences = [
        _prefixed("" if is_alone else f"{each.application}: ", " ".join(known.describe(each)))
        for each in found[:MOST_NAMED]
    ]
    more = len(found) - MOST_NAMED
    sentences += [f"{count_of(more, 'more program')} below."] if more > 0 else []
    return " ".join(sentences)


def without_shown(section: Section, opening: Opening) -> Section:
    """The section with pictures and tables marked that the opening shows, too."""
    names = {figure.name for figure in opening.figures}
    names |= {f"grid-{table.name.removeprefix(_MAP)}" for table in opening.tables}
    queries = {table.sql for table in opening.tables}
    return replace(
        section,
        pictures=tuple(
            replace(each, is_in_opening=each.name in names) for each in section.pictures
        ),
        tables=tuple(replace(each, is_in_opening=each.sql in queries) for each in section.tables),
    )


# --- Series --------------------------------------------------------------------------------------


def _worst_first(material: Material) -> list[Series]:
    return sorted(series_of(material), key=lambda series: series.last.efficiency)


def series_of(material: Material) -> list[Series]:
    """The largest size of each program with several process counts; all sizes if they grow."""
    rows_of = group_by("application", material.table(efficiency.EFFICIENCIES).as_dicts())
    pop = {series.application: series for series in _pop_series(_pop_rows(material))}
    made = [
        pop.get(name) or _measured_series(name, rows, material.overview)
        for name, rows in rows_of.items()
    ]
    return [
        replace(each, size_count=len({row["size"] for row in rows_of[each.application]}))
        for each in made
        if each
    ]


def _pop_rows(material: Material) -> Sequence[Row]:
    return material.rows(efficiencies.QUERY)


def _pop_series(rows: Sequence[Row]) -> Iterator[Series]:
    """Global efficiency and speed-up as POP defines them, if the runs are traces."""
    seen = set()
    for own in efficiencies.series_of(rows):
        values = {
            (row["metric"], efficiencies.configuration_of(row)): number(row["value"]) for row in own
        }
        places = sorted({place for metric, place in values if metric == "global_efficiency"})
        application = str(own[0]["application"])
        if len({place[0] for place in places}) < 2 or application in seen:
            continue
        seen.add(application)
        has_threads = any(place[2] > 1 for place in places)
        yield Series(
            application=application,
            size_name=str(own[0]["size_name"]),
            size_count=1,
            is_weak=own[0]["scaling"] == "weak",
            points=tuple(
                Point(
                    name=f"{place[1]:.0f}×{place[2]:.0f}" if has_threads else f"{place[1]:.0f}",
                    processes=int(place[1]),
                    size=place[3],
                    efficiency=values["global_efficiency", place],
                    speed_up=values.get(("speed_up", place), 0.0),
                )
                for place in places
            ),
        )


def _measured_series(name: str, rows: Sequence[Row], overview: Row) -> Series | None:
    """Efficiency of the largest size with several process counts, of runs without traces."""
    known = [row for row in rows if row["efficiency_ratio"] is not None]
    several = [own for own in group_by("size", known).values() if len(own) > 1]
    if not several:
        return None
    own = max(several, key=lambda own: number(own[0]["size"]))
    return Series(
        application=name,
        size_name=str(overview["size_names"]) if overview["application_count"] == 1 else "size",
        size_count=1,
        points=tuple(
            Point(
                name=str(row["processes"]),
                processes=int(number(row["processes"])),
                size=number(row["size"]),
                efficiency=number(row["efficiency_ratio"]),
                speed_up=number(row["efficiency_ratio"]) * number(row["processes"]),
            )
            for row in sorted(own, key=lambda row: number(row["processes"]))
        ),
    )


# --- Verdict -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Knowledge:
    """Changes of the critical path, and how many threads take part in code, by application."""

    changes: dict[str, list[Row]]
    losses: dict[str, list[Row]]

    @classmethod
    def read(cls, material: Material) -> "Knowledge":
        tables = map(material.table, (critical_path.CHANGES, causes.LOSSES))
        changes, losses = (group_by("application", table.as_dicts()) for table in tables)
        return cls(changes, losses)

    def describe(self, series: Series) -> tuple[str, ...]:
        """Where scaling ends and what decides there; then how much of the loss that is."""
        first, last = series.points[0], series.last
        where, ends = _name_size(series), f"from {first.name} to {last.name} processes"
        if last.efficiency >= FAIR:
            value = f"efficiency is {share_of(last.efficiency)} with {last.name}"
            return (start(f"{where}the program scales well {ends}: {value}."),)
        if last.efficiency >= KEPT * first.efficiency:
            value = share_of(last.efficiency)
            return (start(f"{where}efficiency is {value}, but does not fall {ends}."),)
        turn = series.turn
        values = ", ".join(f"{share_of(each.efficiency)} at {each.name}" for each in (turn, last))
        beyond = f"{where}beyond {turn.name} {'process' if turn.name == '1' else 'processes'}"
        costs = _lost(self.changes.get(series.application, ()), last)
        if costs and costs[0].lost_ns > 0:
            decides = self._name(costs[0], last)
            return (
                start(f"{beyond}, {decides} decides: efficiency {values}."),
                _describe_costs(costs, first, series.is_weak),
            )
        if turn.speed_up and turn.speed_up * (1 + LEAST_GAIN) >= last.speed_up:
            return (start(f"{beyond}, more of them bring nothing: efficiency {values}."),)
        return (start(f"{beyond}, efficiency falls: {values}."),)

    def _name(self, cost: "_Cost", last: Point) -> str:
        """The call path, and why it does not scale."""
        if cost.is_communication:
            return cost.name
        taking_part = next(
            (
                number(row["participant_count"])
                for row in self.losses.get(cost.application, ())
                if (row["call_path"], row["processes"], row["size"])
                == (cost.call_path, last.processes, last.size)
            ),
            None,
        )
        if taking_part == 1:
            return f"the unparallelized {cost.name}"
        if taking_part is not None:
            return f"the partially parallelized {cost.name}"
        return f"the growing {cost.name}" if cost.verdict == critical_path.GROWS else cost.name


@dataclass(frozen=True)
class _Cost:
    """Time on the critical path beyond an even division, of a call path or all communication."""

    application: str
    call_path: str
    name: str
    verdict: str
    lost_ns: float
    total_ns: float
    run_count: int
    is_communication: bool = False


def _lost(changes: Sequence[Row], last: Point) -> list[_Cost]:
    """What the critical path loses against an even division, by call path, largest first.

    If the size grows with processes, against no change. Nothing for another configuration.
    """
    if not changes or changes[0]["largest_processes"] != last.processes:
        return []
    first = changes[0]
    is_scaled = first["smallest_size"] != first["largest_size"]
    ratio = 1.0 if is_scaled else number(first["smallest_processes"]) / last.processes
    total = number(first["largest_total_ns"]) - ratio * number(first["smallest_total_ns"])
    runs = int(number(first["run_count"]))

    def lost(row: Row) -> float:
        return number(row["most_ns"]) - ratio * number(row["fewest_ns"])

    costs = [
        _Cost(
            str(row["application"]), str(row["call_path"]), name_path(row["call_path"]),
            str(row["verdict"]), lost(row), total, runs,
        )
        for row in changes if not row["is_communication"]
    ]  # fmt: skip
    calls = [row for row in changes if row["is_communication"]]
    if calls:
        callers = group_by("caller_call_path", calls)
        most = max(callers, key=lambda name: sum(map(lost, callers[name])))
        where = f" in calls from {name_path(most)}" if most != "None" else ""
        costs.append(
            _Cost(
                str(first["application"]), most, f"communication{where}", "",
                sum(map(lost, calls)), total, runs, is_communication=True,
            )
        )  # fmt: skip
    return sorted(costs, key=lambda cost: -cost.lost_ns)


def _describe_costs(costs: Sequence[_Cost], first: Point, is_weak: bool) -> str:
    """How much of the loss the first call path is, and the next one."""
    worst, *others = costs
    if worst.total_ns <= 0:
        return ""
    against = f"the run with {first.name}" if is_weak else "an even division"
    median = f" (median of {worst.run_count} runs)" if worst.run_count > 1 else ""
    named = [
        f"{cost.name} takes {_amount(cost)}"
        for cost in (worst, *islice(others, 1))
        if cost is worst or cost.lost_ns >= LEAST_GAIN * cost.total_ns
    ]
    return (
        f"Of the {time_of(worst.total_ns)} lost against {against}{median}, {' and '.join(named)}."
    )


def _amount(cost: _Cost) -> str:
    return f"{time_of(cost.lost_ns)} ({share_of(cost.lost_ns / cost.total_ns)})"


def _name_size(series: Series) -> str:
    if series.is_weak:
        return "with weak scaling, "
    return f"at {series.size_name} = {size_of(series.last.size)}, " if series.size_count > 1 else ""


def _prefixed(prefix: str, text: str) -> str:
    return f"{prefix}{text[:1].lower()}{text[1:]}" if prefix else text


# --- Pictures ------------------------------------------------------------------------------------


def efficiency_map(material: Material, series: Series, *, is_alone: bool) -> tuple[Table, ...]:
    """The efficiencies of a program: processes across, sizes down."""
    found = _of(material.table(efficiency.EFFICIENCIES), series.application)
    note = "Against the fewest processes of each size. Cells lead to their runs."
    if series.is_weak:
        note = "With weak scaling, as POP defines it. Cells lead to their runs."
        known = {(point.size, point.processes): point.efficiency for point in series.points}
        found = _with(found, "efficiency_ratio", known)
    of = "" if is_alone else f" of {series.application}"
    table = by_size(
        found, "efficiency_ratio", f"Efficiency{of} by size and processes", is_heat=True
    )
    is_whole = is_alone and not series.is_weak
    return (
        replace(
            table, name=f"{_MAP}{series.application}", note=note, sql=table.sql if is_whole else ""
        ),
    )


def _with(table: Table, column: str, values: Mapping[tuple[float, int], float]) -> Table:
    """The table with other values of a column, by size and processes."""
    names = [each.name for each in table.columns]
    at, size, processes = (names.index(name) for name in (column, "size", "processes"))
    rows = (
        (*row[:at], values.get((number(row[size]), int(number(row[processes])))), *row[at + 1 :])
        for row in table.rows
    )
    return replace(table, rows=tuple(rows))


def _of(table: Table, application: str) -> Table:
    """The rows of one application, whose name the table then hides."""
    at = [column.name for column in table.columns].index("application")
    rows = tuple(row for row in table.rows if row[at] == application)
    return replace(table, rows=rows, hidden=table.hidden | {"application"})


def _figures(material: Material, series: Series) -> Iterator[Picture]:
    """The speed-up of every size, if times are known, and the critical path by processes."""
    name = series.application
    rows = group_by("application", material.table(efficiency.SPEED_UPS).as_dicts()).get(name, [])
    curves = [_curve_of(series)]
    if not series.is_weak:
        curves = efficiency.speed_up_curves(rows, MOST_CURVES)
    if curves:
        highest = max(value for curve in curves for value in curve.values)
        yield Picture(
            name=f"scaling-{name}",
            title="Speed-up by processes",
            draw=partial(draw_speed_up, curves, f"Speed-up of {name}"),
            description=f"At most {highest:.3g}.",
            of="",
        )
    paths = group_by("application", material.table(critical_path.BY_CONFIGURATION).as_dicts())
    own = [_of_series(row, series) for row in paths.get(name, [])]
    for each in critical_path.pictures_of(
        own, material.table(critical_path.CHANGES).as_dicts(), draw_stacks
    ):
        yield replace(each, title="Critical path by processes", of="")


def _of_series(row: Row, series: Series) -> Row:
    """The row; with weak scaling, as one of the last size if its configuration is compared."""
    places = {(point.size, point.processes) for point in series.points}
    is_compared = (row["size"], row["processes"]) in places
    return {**row, "size": series.last.size} if series.is_weak and is_compared else row


def _curve_of(series: Series) -> Curve:
    """The speed-up of a series as others count it: that of the first run is its processes."""
    first = series.points[0].processes
    return Curve(
        "weak scaling",
        tuple(point.processes for point in series.points),
        tuple(point.speed_up * first for point in series.points),
    )
