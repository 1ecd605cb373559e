"""Characteristics: counters, rates, metrics and monitoring data that go with efficiency."""

from collections.abc import Iterator, Sequence
from functools import partial
from math import nan

import numpy as np

from tracemill.base.text import join_words
from tracemill.reports.campaign_sections.efficiency import MOST_DRAWN
from tracemill.reports.material import Material
from tracemill.reports.model import Picture, Section
from tracemill.reports.pictures.grids import Grid, draw_heat_maps
from tracemill.reports.run_links import anchor_of
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.wording import Row, count_of, group_by, nonempty, number

PLACE = 45
GRIDS = "correlated_grids"
MOST_FALSE = 0.05

CORRELATIONS = TableSpec(
    query="correlated_characteristics",
    title="Efficiency and other characteristics",
    note=(
        "Spearman's rank correlation of efficiency with each characteristic of the best runs, over "
        "all configurations that have both (n). p: probability of a correlation at least as far "
        "from 0 by chance. q: rate of false discoveries among characteristics up to this one "
        "(Benjamini and Hochberg). A correlation is no cause: both may follow the number of "
        "processes."
    ),
    row_limit=100,
    limited_per="application",
    titles={
        "kind": "Source", "spearman": "Spearman", "p_value": "p", "q_value": "q",
        "configuration_count": "n", "reason": "Why none",
    },
    silent={"reason": None},
)  # fmt: skip


def build(material: Material) -> Section | None:
    """Correlations, and maps of efficiency beside the characteristic of each source."""
    table = material.table(CORRELATIONS)
    if not table.rows:
        return None
    return Section(
        key="characteristics",
        title="Efficiency and other characteristics",
        sentences=nonempty(*describe_correlations(table.as_dicts())),
        pictures=tuple(_pictures(material.rows(GRIDS))),
        tables=(table,),
        sources=(read_source(GRIDS),),
    )


def describe_correlations(rows: Sequence[Row]) -> Iterator[str]:
    """The characteristic that goes with efficiency most surely; else why there is none."""
    for application, own in group_by("application", rows).items():
        known = [row for row in own if row["q_value"] is not None]
        sure = [row for row in known if number(row["q_value"]) < MOST_FALSE]
        if sure:
            yield f"{application}: efficiency {_describe(sure[0])}."
        elif known:
            yield f"{application}: efficiency correlates with no characteristic beyond chance."
        else:
            reasons = join_words(sorted({str(row["reason"]) for row in own}))
            yield f"{application}: efficiency cannot be correlated: {reasons}."


def _describe(row: Row) -> str:
    rho = number(row["spearman"])
    return (
        f"is {'higher' if rho > 0 else 'lower'} where {row['characteristic']} is higher (rank "
        f"correlation {rho:.2f} over {count_of(row['configuration_count'], 'configuration')})"
    )


def _pictures(rows: Sequence[Row]) -> Iterator[Picture]:
    for application, of_program in list(group_by("application", rows).items())[:MOST_DRAWN]:
        for place, own in group_by("place", of_program).items():
            first = own[0]
            name = f"characteristic-{application}-{place}"
            efficiency, other = read_maps(own)
            links = {
                (processes, size): anchor_of(application, processes, size)
                for processes in efficiency.processes
                for size in efficiency.sizes
            }
            yield Picture(
                name=name,
                title=f"Efficiency of {application} and {first['characteristic']}",
                draw=partial(draw_heat_maps, efficiency, other, name, links),
                description=f"Efficiency {_describe(first)}.",
                of=f"Drawn from {CORRELATIONS.title}.",
            )


def read_maps(rows: Sequence[Row]) -> tuple[Grid, Grid]:
    """Efficiency, and a characteristic, over the same configurations."""
    processes = tuple(sorted({int(number(row["processes"])) for row in rows}))
    sizes = tuple(sorted({number(row["size"]) for row in rows}))
    values = np.full((2, len(sizes), len(processes)), nan)
    for row in rows:
        place = sizes.index(number(row["size"])), processes.index(int(number(row["processes"])))
        for layer, name in enumerate(("efficiency", "amount")):
            if row[name] is not None:
                values[(layer, *place)] = number(row[name])
    what, unit = str(rows[0]["characteristic"]), rows[0]["unit"]
    is_share = unit == "ratio"
    label = what if is_share or not unit else f"{what} [{unit}]"
    return (
        Grid(processes=processes, sizes=sizes, values=values[0], label="efficiency",
             is_percent=True),
        Grid(processes=processes, sizes=sizes, values=values[1], label=label, is_percent=is_share,
             low=float(np.nanmin(values[1])), high=float(np.nanmax(values[1]))),
    )  # fmt: skip
