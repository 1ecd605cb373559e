"""Call sites: growth of communication with the number of processes."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

from tracemill.reports.campaign_sections.causes import name_cause
from tracemill.reports.material import Material
from tracemill.reports.model import Picture, Section, Table
from tracemill.reports.pictures.curves import Curve, draw_curves
from tracemill.reports.pivots import pivot_each
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.wording import Row, count_of, group_by, name_site, nonempty, number, share_of

PLACE = 50
WORST = "worst_call_sites"
MOST_DRAWN = 4
MOST_CURVES = 7
# Largest false discovery rate of a significant growth; the query `worst_call_sites` uses the same.
MOST_FALSE = 0.05

_TITLES = {
    "place": "Place", "source": "Source", "spearman": "Spearman", "p_value": "p",
    "perfect_p_value": "Least p", "q_value": "q", "spearman_low": "95% interval from",
    "spearman_high": "95% interval to", "course": "Share by processes",
    "largest_share_ratio": "Share in largest run", "mean_share_ratio": "Mean share",
    "is_above_guard": "Matters", "largest_imbalance": "Max/mean", "run_count": "Runs",
    "smallest_processes": "From processes", "largest_processes": "To",
}  # fmt: skip
_HIDDEN = ("application", "run_count", "smallest_processes", "largest_processes")
RANKING = TableSpec(
    query="ranked_call_sites",
    title="Call sites that scale worst",
    note=(
        "Spearman's rank correlation between a call site's share of all communication and the "
        "number of processes, over all runs. q controls the false discovery rate over the call "
        "sites (Benjamini and Hochberg). Least p is the p-value of a perfect correlation over "
        "these runs; p and q cannot be smaller. The 95% interval of the coefficient is from "
        "resampled runs (bootstrap); with few runs it is too narrow, because few orders are "
        "possible. A call site matters if its share in the largest run is at least 1%, or the "
        "share_guard of a campaign file; others may correlate perfectly and still be unimportant "
        "(Vetter and McCracken 2001)."
    ),
    row_limit=100,
    limited_per="application",
    titles=_TITLES,
    silent={"reason": None, "source": None},
    hidden_if_equal=_HIDDEN,
)
OF_SIZES = TableSpec(
    query="ranked_call_sites_of_sizes",
    title="Call sites that scale worst, by size",
    note=(
        "The same over the runs of one problem size, for every size with at least three process "
        "counts. It shows effects that sizes growing with the processes may hide."
    ),
    row_limit=60,
    limited_per="application",
    is_ranked=False,
    titles=_TITLES,
    silent={"reason": None, "source": None},
    hidden_if_equal=_HIDDEN,
)
BY_PROCESSES = TableSpec(
    query="communication_by_processes",
    title="Communication",
    note="Sum over all processes, mean over repetitions; and least and most per process.",
    row_limit=500,
    bars=("communication_ns",),
    titles={
        "communication_ns": "All processes", "communication_ratio": "Of all time",
        "shortest_ns": "Least per process", "longest_ns": "Most per process",
    },
)  # fmt: skip
_IN_TOTAL = ("communication_ns", "communication_ratio", "shortest_ns", "longest_ns")
BY_OPERATION = TableSpec(
    query="operations_by_processes",
    title="Operations by number of processes",
    note="Mean over the runs with this number of processes. Cells lead to their largest size.",
    row_limit=500,
    bars=("total_ns",),
    titles={"communication_ratio": "Of communication", "application_ratio": "Of all time",
            "longest_to_mean": "Max/mean"},
)  # fmt: skip
BY_CALL_SITE = TableSpec(
    query="call_sites_by_processes",
    title="Call sites by number of processes",
    note="Mean over the runs with this number of processes; least, mean and most per process. "
    "Cells lead to their largest size.",
    row_limit=500,
    bars=("total_ns",),
    titles={"communication_ratio": "Of communication", "application_ratio": "Of all time",
            "shortest_ns": "Least", "mean_ns": "Mean", "longest_ns": "Most", "source": "Source",
            "call_count": "Calls"},
    silent={"source": None},
)  # fmt: skip


def build(material: Material) -> Section | None:
    """The ranking of call sites, and communication by operation and call site."""
    views = material.tables(BY_PROCESSES, BY_OPERATION, BY_CALL_SITE)
    if not views:
        return None
    keys = ("operation", "call_path", "source")
    pivoted = (
        each
        for view in views
        for each in pivot_each(
            view, _IN_TOTAL if view.name == BY_PROCESSES.query else ("total_ns",), keys
        )
    )
    return Section(
        key="call-sites",
        title="Call sites that scale worst",
        sentences=nonempty(*describe_worst(material.rows(WORST))),
        pictures=tuple(_pictures(views)),
        tables=(*material.tables(RANKING, OF_SIZES), *pivoted),
        sources=(read_source(WORST),),
    )


def describe_worst(ranking: Sequence[Row]) -> Iterator[str]:
    """The worst important call site of each application, and a worse unimportant one.

    `ranking` needs only the first call site of every kind.
    """
    for application, own in group_by("application", ranking).items():
        rated = [row for row in own if row["spearman"] is not None]
        if not rated:
            yield (
                f"{application}: no call site can be ranked: {own[0]['reason']}. The comparison "
                "includes runs with communication and at least 2 processes (default)."
            )
            continue
        growing = [row for row in rated if row["is_above_guard"] and _grows(row)]
        if growing:
            yield f"{application}: {_describe(growing[0])}."
        elif number(rated[0]["perfect_p_value"]) >= MOST_FALSE:
            yield f"{application}: {_describe_too_few(rated)}"
        else:
            yield (
                f"{application}: no call site that matters takes a share of communication that "
                "grows significantly with the number of processes."
            )
        if _grows(rated[0]) and not rated[0]["is_above_guard"]:
            yield (
                f"The share of {name_site(rated[0])} grows most steadily (rank correlation "
                f"{number(rated[0]['spearman']):.2f}), but is only "
                f"{share_of(rated[0]['largest_share_ratio'])} of communication in the largest run."
            )


def _describe_too_few(rated: Sequence[Row]) -> str:
    """A sentence that there are too few runs, with the largest important coefficient."""
    few = (
        f"{count_of(rated[0]['run_count'], 'run')} are too few to test whether the share of a call "
        "site grows with the number of processes: even a perfect trend comes by chance with a "
        f"probability of {share_of(rated[0]['perfect_p_value'])}, and at most "
        f"{share_of(MOST_FALSE)} is accepted."
    )
    best = next((row for row in rated if row["is_above_guard"]), None)
    if best is None or number(best["spearman"]) <= 0:
        return few
    return (
        f"{few} Among call sites that matter, the share of {name_site(best)} grows most steadily "
        f"(rank correlation {number(best['spearman']):.2f}); it is "
        f"{share_of(best['largest_share_ratio'])} of communication in the largest run."
    )


def _grows(row: Row) -> bool:
    return number(row["spearman"]) > 0 and number(row["q_value"]) < MOST_FALSE


def _describe(row: Row) -> str:
    return (
        f"the share of {name_site(row)} grows most steadily with the number of processes "
        f"(rank correlation {number(row['spearman']):.2f}); it is "
        f"{share_of(row['largest_share_ratio'])} of communication in the largest run"
        f"{_describe_cause(row)}"
    )


def _describe_cause(row: Row) -> str:
    cause = name_cause(row)
    return f", where it waits for {cause}" if cause else ""


def _pictures(views: Sequence[Table]) -> Iterator[Picture]:
    table = next((view for view in views if view.name == BY_OPERATION.query), None)
    rows = table.as_dicts() if table else ()
    for application, own in islice(group_by("application", rows).items(), MOST_DRAWN):
        operations = group_by("operation", own)
        curves = [
            Curve(
                operation,
                tuple(int(number(row["processes"])) for row in points),
                tuple(number(row["application_ratio"]) for row in points),
            )
            for operation, points in islice(operations.items(), MOST_CURVES)
        ]
        yield Picture(
            name=f"operations-{application}",
            title=f"Communication of {application} by operation",
            draw=partial(draw_curves, curves, f"operations-{application}", "of all time"),
            description="Shares of the time of all processes. Largest in total: "
            f"{next(iter(operations))}.",
            of=f"Drawn from {BY_OPERATION.title}.",
        )
