"""Iterations of the main loop: their times, outliers and trend, or why there is no loop."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tracemill.base.text import join_words
from tracemill.reports.material import Material
from tracemill.reports.model import Drawing, Drawn, Section
from tracemill.reports.pictures.iteration_times import draw_iterations
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.wording import (
    Row,
    count_of,
    name_path,
    name_region,
    nonempty,
    number,
    share_of,
    time_of,
)

PLACE = 62
OVERVIEW, TIMES, MASTERS = "iteration_overview", "iteration_times", "masters"
MOST_NAMED = 5
MOST_BLOCKS = 400
"""Trends of more iterations are those of medians of blocks."""
FEWEST_FOR_TREND = 8
_CONFIDENT = 1.959964
"""Standard deviations of a 95% interval."""

SLOWEST = TableSpec(
    query="slowest_iterations",
    title="Slowest iterations",
    note=(
        "Mean and maximum are over processes. Computing max/mean is the imbalance of first "
        "threads. Computing, waiting, time on the path and bytes are sums over all "
        "processes."
    ),
    row_limit=5,
    bars=("mean_ns",),
    titles={
        "mean_ns": "Mean",
        "max_ns": "Maximum",
        "longest_to_mean": "Computing max/mean",
        "sent_bytes": "Sent",
    },
)
REFUSALS = TableSpec(
    query="iteration_refusals",
    title="Recurring regions that begin no loop",
    note="Visits per process: on the process with the fewest, and with the most.",
    row_limit=10,
    titles={
        "least_count": "Fewest visits",
        "least_rank": "On rank",
        "most_count": "Most visits",
        "most_rank": "On rank",
        "is_run": "First of runs",
    },
    silent={"is_run": False},
    hidden=frozenset({"similarity_ratio", "coverage_ratio"}),
)


def build(material: Material, slowest: TableSpec = SLOWEST) -> Section | None:
    """The iterations, or why there are none; nothing if no region recurs."""
    loops = material.rows(OVERVIEW)
    if not loops:
        return _explain_absence(material)
    rows = material.rows(TIMES)
    return Section(
        key="iterations",
        title="Iterations",
        sentences=nonempty(
            describe_loop(loops[0]),
            describe_rest(loops[0]),
            describe_outliers(rows),
            describe_trend([number(row["mean_ns"]) for row in rows]),
        ),
        tables=material.tables(slowest),
        drawings=(Drawing(name="iterations", title="Time of iterations", draw=_drawer(rows)),),
        sources=(read_source(OVERVIEW), read_source(TIMES)),
    )


def _drawer(rows: Sequence[Row]) -> Callable[[], Drawn]:
    mean = [number(row["mean_ns"]) / 1e9 for row in rows]
    longest = [number(row["max_ns"]) / 1e9 for row in rows]
    outliers = [number(row["iteration"]) for row in rows if row["is_outlier"]]
    return lambda: draw_iterations(mean, longest, list(map(int, outliers)), "iterations")


def _explain_absence(material: Material) -> Section | None:
    refused = material.table(REFUSALS)
    if not refused.rows:
        return None
    worst = refused.as_dicts()[0]
    return Section(
        key="iterations",
        title="Iterations",
        sentences=nonempty(
            f"No main loop was found. {describe_refusal(worst)}",
            describe_masters(material.rows(MASTERS)),
        ),
        tables=(refused,),
    )


def describe_masters(masters: Sequence[Row]) -> str:
    """The rounds of masters and their workers, which replace iterations."""
    texts = [
        f"rank {row['master_rank']} assigns work to {count_of(row['worker_count'], 'worker')} in "
        f"{count_of(row['round_count'], 'round')}"
        for row in masters
    ]
    return f"Processes work in rounds instead: {join_words(texts)}." if texts else ""


def describe_loop(loop: Row) -> str:
    """How many iterations there are, of which loop, and how long they take."""
    head = name_region(loop["region"])
    where = f" in {name_path(loop['call_path'])}" if loop["call_path"] else ""
    start = "The first of several visits in a row of" if loop["is_run"] else "Each visit of"
    return (
        f"The main loop has {count_of(loop['iteration_count'], 'iteration')} of "
        f"{time_of(loop['mean_ns'])} on average (median {time_of(loop['median_ns'])}). {start} "
        f"{head}{where} begins an iteration. They cover {share_of(loop['coverage_ratio'])} of the "
        f"main part of {count_of(loop['process_count'], 'process', 'processes')}."
    )


def describe_rest(loop: Row) -> str:
    """The time before and after the loop, and the left-out visits of the head."""
    text = (
        f"All processes together spend {time_of(loop['before_ns'])} before the loop and "
        f"{time_of(loop['after_ns'])} after it."
    )
    counts = {"before": loop["dropped_before_count"], "after": loop["dropped_after_count"]}
    left = [f"{count_of(count, 'visit')} of it {where}" for where, count in counts.items() if count]
    more = f" Left out: {' and '.join(left)} the loop, with other calls." if left else ""
    return text + more


def describe_outliers(rows: Sequence[Row]) -> str:
    """The iterations that take much longer than the others."""
    outliers = sorted(
        (row for row in rows if row["is_outlier"]), key=lambda row: -number(row["mean_ns"])
    )
    if not outliers:
        return "No iteration takes longer than the median by more than 5 median deviations."
    named = [f"{row['iteration']} ({time_of(row['mean_ns'])})" for row in outliers[:MOST_NAMED]]
    more = f" and {len(outliers) - MOST_NAMED} others" if len(outliers) > MOST_NAMED else ""
    verb, noun = ("is", "an outlier") if len(outliers) == 1 else ("are", "outliers")
    which = "Iteration" if len(outliers) == 1 else "Iterations"
    return f"{which} {', '.join(named)}{more} {verb} {noun}."


def describe_trend(means: Sequence[float]) -> str:
    """The change of the time from iteration to iteration, if it exceeds noise."""
    slope = find_trend(np.array(means))
    if not slope:
        return ""
    verb = "slower" if slope > 0 else "faster"
    change = time_of(abs(slope) * (len(means) - 1))
    return (
        f"Iterations become {verb}: by {time_of(abs(slope))} from one to the next, {change} over "
        "the loop."
    )


def find_trend(means: NDArray[np.float64]) -> float:
    """The Theil-Sen slope in ns per iteration, or 0 if its 95% interval contains 0.

    Source: Sen 1968. Loops of more than 400 iterations are divided into blocks.
    """
    width = -(-len(means) // MOST_BLOCKS)
    starts = range(0, len(means), width)
    values = means if width == 1 else np.array([np.median(means[at : at + width]) for at in starts])
    count = len(values)
    if count < FEWEST_FOR_TREND:
        return 0.0
    first, second = np.triu_indices(count, 1)
    slopes = np.sort((values[second] - values[first]) / (second - first))
    reach = _CONFIDENT * np.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    low = int((len(slopes) - reach) // 2)
    high = len(slopes) - 1 - low
    if low < 0 or slopes[low] <= 0 <= slopes[high]:
        return 0.0
    return float(np.median(slopes)) / width


def describe_refusal(row: Row) -> str:
    """Why a recurring region begins no loop, with its counts."""
    head, reason = name_region(row["region"]), str(row["reason"])
    where = f" in {name_path(row['caller'])}" if row["caller"] != "(root)" else ""
    counts = (
        f"between {row['least_count']} (rank {row['least_rank']}) and {row['most_count']} (rank "
        f"{row['most_rank']}) visits"
    )
    found = f"{head}{where} has {count_of(row['most_count'], 'visit')} on each process"
    texts = {
        "counts differ": f"{head}{where} has {counts}: processes do not iterate together.",
        "ends differ": f"{found}, but processes begin or end with different numbers of unusual "
        "iterations.",
        "too few": f"{found}, but fewer than two begin similar iterations.",
        "twice only": f"{found}, but only two begin similar iterations; a loop needs three.",
        "unlike": f"{found}, but the calls between them differ: {share_of(row['similarity_ratio'])}"
        " in common (80% needed).",
        "uneven": f"{found}, but half of them last less than 20% of the mean.",
        "short": f"{found}, but they cover less than 30% of the main part.",
        "no communication": f"{found}, but fewer than 80% of the iterations synchronize or move "
        "data.",
        "not compared": f"{found}, after 16 other heads with as many visits.",
    }
    return texts[reason]
