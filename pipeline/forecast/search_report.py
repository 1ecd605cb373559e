"""The report of searches for the best grid, and of the ranking that they give."""

from collections.abc import Iterator, Sequence

from tracemill.base.names import make_visible
from tracemill.base.text import join_words
from tracemill.forecast.ranking import NEARLY, Order, OrderChange, Ranked, Ranking, describe_limit
from tracemill.forecast.search import Candidate, Fate, Search
from tracemill.forecast.search_programs import ProgramSearch
from tracemill.programs.language.data_program import format_grid
from tracemill.reports.model import Column, Fact, Layout, Picture, Report, Section, Subject, Table
from tracemill.reports.pictures.grid_maps import Dots, draw_grid_map
from tracemill.reports.units import Unit, Value, format_share, format_time
from tracemill.reports.wording import count_of, nonempty

MOST_CHANGES = 8
MOST_GRIDS = 50
MOST_MAPS = 24

_DROPPED: dict[Fate, str] = {
    "empty process": "with a process that has no part of the largest array",
    "class": "by their class",
    "bound": "by their computing time",
}
_NEARLY = f"{NEARLY:.0%}"
_GRID_COLUMNS = (
    Column(name="grid", title="Grid", unit=Unit.TEXT, is_whole=True),
    Column(name="processes", title="Processes", unit=Unit.COUNT),
    Column(name="time_ns", title="Time", unit=Unit.TIME, has_bar=True),
    Column(name="efficiency_ratio", title="Efficiency", unit=Unit.SHARE),
)
_RANK = Column(name="rank", title="Rank", unit=Unit.COUNT)
_VARIANT = Column(name="variant", title="Variant", unit=Unit.TEXT, is_whole=True)
_RANKED_COLUMNS = (
    _RANK,
    _VARIANT,
    *_GRID_COLUMNS[:2],
    Column(name="time_ns", title="Time", unit=Unit.TIME),
    Column(
        name="of_best",
        title="Of best",
        unit=Unit.TEXT,
        meaning="Time as percent of that of the fastest variant.",
    ),
    Column(name="efficiency_ratio", title="Efficiency", unit=Unit.SHARE),
    Column(
        name="nearly_best_processes",
        title=f"Within {_NEARLY} from",
        unit=Unit.COUNT,
        meaning=(
            f"Fewest processes of an evaluated grid that takes at most {_NEARLY} longer than the "
            "best grid."
        ),
    ),
    Column(name="evaluated_count", title="Evaluated grids", unit=Unit.COUNT),
    Column(
        name="possible_loss_ratio",
        title="Possible loss",
        unit=Unit.SHARE,
        meaning=(
            "Share of the time that a grid dropped by its class can save at most; a loose limit, "
            "because it considers computing alone."
        ),
    ),
)


def build_search_report(ranking: Ranking) -> Report:
    """The report of a search, or of a ranking if there is more than one."""
    searches = ranking.searches
    is_ranking = len(searches) > 1
    summary = _ranking_summary(ranking) if is_ranking else _search_summary(ranking)
    clusters = dict.fromkeys(order.cluster for order in ranking.orders)
    names = dict.fromkeys(each.contender.name for each in searches)
    maps = [_map_section(each, place) for place, each in enumerate(searches[:MOST_MAPS], start=1)]
    return Report(
        title=make_visible(_listed(list(names))),
        subtitle=make_visible(f"Best grids on {join_words(list(clusters))}"),
        name=ranking.ranking_id,
        sections=(*summary, *maps),
        subject=Subject.FORECAST,
    )


def build_search_summary(ranking: Ranking) -> Report:
    """The same without maps and lists of grids, for a terminal."""
    report = build_search_report(ranking)
    kept = tuple(each for each in report.sections if not each.key.startswith("search-"))
    return Report(
        title=report.title,
        subtitle=report.subtitle,
        name=report.name,
        sections=kept,
        subject=report.subject,
    )


def _listed(names: Sequence[str]) -> str:
    shown = list(names[:3])
    return join_words(shown if len(names) <= 3 else [*shown[:2], f"{len(names) - 2} more"])


# --- A single search -----------------------------------------------------------------------------


def _search_summary(ranking: Ranking) -> list[Section]:
    ranked = ranking.orders[0].ranked[0]
    grid = format_grid(ranked.best.grid)
    facts = (
        Fact("best grid", grid),
        Fact("processes", ranked.best.processes, Unit.COUNT),
        Fact("run time", ranked.time_ns, Unit.TIME),
        Fact("efficiency", ranked.best.efficiency, Unit.SHARE),
    )
    return [
        Section(
            key="summary",
            title="Summary",
            facts=facts,
            sentences=nonempty(
                f"Best grid: {_describe_best(ranked)}.",
                _describe_nearly(ranked),
                *describe_search(ranked.search),
            ),
        )
    ]


def _describe_best(ranked: Ranked) -> str:
    best = ranked.best
    processes = count_of(best.processes, "process", "processes")
    return (
        f"{format_grid(best.grid)} ({processes}) takes {format_time(ranked.time_ns)} with an "
        f"efficiency of {format_share(best.efficiency or 0.0)}"
    )


def _describe_nearly(ranked: Ranked) -> str:
    fewest = ranked.nearly_best_processes
    if fewest == ranked.best.processes:
        return ""
    processes = count_of(fewest, "process", "processes")
    return f"A grid of only {processes} takes at most {_NEARLY} longer."


def describe_search(search: ProgramSearch) -> tuple[str, ...]:
    """How many grids were evaluated and dropped, and what dropping can have cost, in sentences."""
    found = search.search
    counts = {fate: found.count(fate) for fate in _DROPPED}
    dropped = [f"{count:,} {_DROPPED[fate]}" for fate, count in counts.items() if count]
    evaluated = (
        f"Evaluated {found.count('evaluated'):,} of {count_of(len(found.candidates), 'grid')} of "
        f"{describe_limit(search)}"
    )
    return nonempty(
        f"{evaluated}; dropped {join_words(dropped)}." if dropped else f"{evaluated}.",
        _describe_loss(found),
    )


def _describe_loss(search: Search) -> str:
    if not search.count("class"):
        return ""
    if not search.possible_loss:
        return "No grid dropped by its class can be faster."
    return (
        f"A grid dropped by its class can be faster by {format_share(search.possible_loss)} at "
        "most; that limit considers computing alone."
    )


# --- Rankings ------------------------------------------------------------------------------------


def _ranking_summary(ranking: Ranking) -> list[Section]:
    clusters = dict.fromkeys(order.cluster for order in ranking.orders)
    changes = [
        _describe_change(each, is_exact=ranking.searches[0].limits.is_exact)
        for each in ranking.changes[:MOST_CHANGES]
    ]
    more = len(ranking.changes) - MOST_CHANGES
    sentences = nonempty(
        *changes,
        f"{count_of(more, 'more pair')} of variants change order between clusters."
        if more > 0
        else "",
        "The order of the variants is the same on all clusters."
        if len(clusters) > 1 and not changes
        else "",
        *(_describe_unranked(order) for order in ranking.orders),
    )
    tables = tuple(_order_table(order, place) for place, order in enumerate(ranking.orders, 1))
    beside = tuple(_beside(ranking, list(clusters))) if len(clusters) > 1 else ()
    return [Section(key="summary", title="Ranking", sentences=sentences, tables=(*tables, *beside))]


def _describe_change(change: OrderChange, *, is_exact: bool) -> str:
    processes = count_of(change.max_processes, "process", "processes")
    limit = f"With {'exactly' if is_exact else 'at most'} {processes}"
    faster, slower = join_words(change.faster_on), join_words(change.slower_on)
    return make_visible(
        f"{limit}, {change.first} is faster than {change.second} on {faster}, but slower on "
        f"{slower}."
    )


def _describe_unranked(order: Order) -> str:
    if not order.unranked:
        return ""
    names = [
        f"{each.contender.name} ({format_share(each.search.best_efficiency)} at best)"
        for each in order.unranked
    ]
    return make_visible(
        f"Not efficient enough on {order.cluster} with {describe_limit(order.unranked[0])}: "
        f"{join_words(names)}."
    )


def _order_table(order: Order, place: int) -> Table:
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (
            each.rank,
            each.name,
            format_grid(each.best.grid),
            each.best.processes,
            each.time_ns,
            f"{100 * each.of_best:.1f}%",
            each.best.efficiency,
            each.nearly_best_processes,
            each.search.search.count("evaluated"),
            each.search.search.possible_loss,
        )
        for each in order.ranked
    )
    return Table(
        name=f"order_{place}",
        title=make_visible(f"{order.cluster}, {describe_limit(order.ranked[0].search)}"),
        columns=_RANKED_COLUMNS,
        rows=rows,
        sql="",
    )


def _beside(ranking: Ranking, clusters: Sequence[str]) -> Iterator[Table]:
    """Ranks on all clusters side by side, for each limit of processes."""
    counts = dict.fromkeys(order.max_processes for order in ranking.orders)
    for count in counts:
        orders = [order for order in ranking.orders if order.max_processes == count]
        places = {order.cluster: {each.name: each for each in order.ranked} for order in orders}
        names = dict.fromkeys(each.name for order in orders for each in order.ranked)
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (name, *(_rank_text(places[cluster].get(name)) for cluster in clusters))
            for name in names
        )
        yield Table(
            name=f"ranks_{count}",
            title=f"Ranks on all clusters, {describe_limit(orders[0].ranked[0].search)}",
            columns=(
                _VARIANT,
                *(
                    Column(name=f"on_{at}", title=make_visible(cluster), unit=Unit.TEXT)
                    for at, cluster in enumerate(clusters)
                ),
            ),
            rows=rows,
            sql="",
        )


def _rank_text(ranked: Ranked | None) -> Value:
    if ranked is None:
        return None
    return f"{ranked.rank}: {format_grid(ranked.best.grid)}, {format_time(ranked.time_ns)}"


# --- Grids of a search ---------------------------------------------------------------------------


def _map_section(search: ProgramSearch, place: int) -> Section:
    """The map of all grids, and the fastest ones."""
    title = f"{search.contender.name} on {search.cluster.name}, {describe_limit(search)}"
    return Section(
        key=f"search-{place}",
        title=make_visible(title),
        sentences=describe_search(search),
        pictures=(_picture(search, place),),
        tables=(_grid_table(search.search, f"grids_{place}"),),
    )


def _picture(search: ProgramSearch, place: int) -> Picture:
    candidates = search.search.candidates
    is_flat = search.contender.dimensions == 2
    fates: tuple[Fate, ...] = ("evaluated", "bound", "class", "empty process")
    kinds = [
        Dots(
            fate,
            tuple(_place(each, is_flat) for each in candidates if each.fate == fate),
            is_main=fate == "evaluated",
        )
        for fate in fates
    ]
    best = search.search.best
    return Picture(
        name=f"grid_map_{place}",
        title="Map of the grids",
        draw=lambda: draw_grid_map(
            kinds,
            _place(best, is_flat) if best else None,
            ("first dimension", "second dimension") if is_flat else ("processes", "evenness"),
            f"grid_map_{place}",
            has_linear_height=not is_flat,
        ),
        description="Evaluated grids, and those dropped, by the reason. A ring marks the best one.",
        of="grid_search",
    )


def _place(candidate: Candidate, is_flat: bool) -> tuple[float, float]:
    if is_flat:
        return candidate.grid[0], candidate.grid[1]
    return candidate.processes, float(candidate.evenness)


def _grid_table(search: Search, name: str) -> Table:
    fastest = sorted(search.evaluated, key=lambda each: (each.time_ns or 0.0, each.processes))
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (format_grid(each.grid), each.processes, each.time_ns, each.efficiency)
        for each in fastest[:MOST_GRIDS]
    )
    return Table(
        name=name,
        title="Fastest evaluated grids",
        columns=_GRID_COLUMNS,
        rows=rows,
        sql="",
        layout=Layout.PLAIN,
        is_cut=len(fastest) > MOST_GRIDS,
    )
