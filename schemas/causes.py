"""Causes of waiting in a campaign: their cost in each configuration, and which of them grow."""

from dataclasses import replace

from tracemill.schemas.call_sites import CALL_SITE_RANKING, ratio
from tracemill.schemas.campaign_costs import CAUSED_NS, PARTICIPANT_COUNT
from tracemill.schemas.campaigns import (
    APPLICATION,
    CAMPAIGN_RUN_ID,
    PROCESSES,
    RANK,
    SIZE,
    time_column,
)
from tracemill.schemas.columns import CALL_PATH_KEY, nullable, renamed
from tracemill.schemas.delays import DELAY_KIND
from tracemill.schemas.table import FLOAT64, INT32, Column, Table

_WHOLE = "all waiting whose causes are analyzed"
_MAIN_RANK = nullable(RANK, "several processes share it", meaning="Process with 2/3 of the cost.")
_SHARE = ratio("waiting_share", f"Share of {_WHOLE}.", maximum=1)


def _nanoseconds(name: str, meaning: str) -> Column:
    return Column(name=name, type=FLOAT64, unit="ns", minimum=0, meaning=meaning)


def _of_causes(column: Column) -> Column:
    """A column of the ranking of call sites, with what it means for causes."""
    meanings = {
        "operation": "Name of its last region.",
        "q_value": column.meaning.replace("call site", "cause"),
        "mean_share": f"Share of {_WHOLE}, mean over the runs.",
        "largest_share": column.meaning.replace("communication", _WHOLE),
        "largest_imbalance": (
            "Most waiting that a process causes, divided by the mean over all processes, in the "
            "largest run: 1 if all cause the same. Mean over the repetitions with the cause."
        ),
    }
    return replace(column, meaning=meanings.get(column.name, column.meaning))


ANALYZED_WAITS = Table(
    name="analyzed_waits",
    meaning="Waiting of a run whose causes are analyzed.",
    grain="one row per run, kind of waiting and waiting call path",
    key=("campaign_run_id", "kind", "call_path_key"),
    columns=(
        CAMPAIGN_RUN_ID,
        replace(DELAY_KIND, meaning="Kind of the waiting."),
        CALL_PATH_KEY,
        time_column("wait_ns", "Waiting over all locations."),
    ),
    is_transient=True,
)

CAUSE_TIMES = Table(
    name="cause_times",
    meaning="Waiting that each call path of a run caused. A cause takes longer than others wait.",
    grain="one row per run and call path that caused waiting",
    key=("campaign_run_id", "call_path_key"),
    columns=(
        CAMPAIGN_RUN_ID,
        CALL_PATH_KEY,
        time_column("caused_ns", "Waiting that it caused, over all locations."),
        *CAUSED_NS,
        time_column("longest_ns", "Most waiting that one process caused here."),
        _SHARE,
    ),
)

CONFIGURATION_CAUSES = Table(
    name="configuration_causes",
    meaning=(
        "Causes of waiting by configuration: medians over the repetitions of its fastest launch. "
        "Repetitions without the cause count as 0."
    ),
    grain="one row per application, processes, size, and call path that caused waiting",
    key=("application", "processes", "size", "call_path_key"),
    columns=(
        APPLICATION,
        PROCESSES,
        SIZE,
        CALL_PATH_KEY,
        _MAIN_RANK,
        _nanoseconds("caused_ns", "Waiting that it caused, over all locations."),
        _nanoseconds("direct_ns", "Part of it that waits for the call path itself."),
        _SHARE,
        Column(name="run_count", type=INT32, minimum=1, meaning="Repetitions with known causes."),
    ),
)

CAUSE_RANKING = Table(
    name="cause_ranking",
    meaning=(
        "Causes of waiting ranked by scaling, as call sites are: Spearman's rank correlation "
        f"between their share of {_WHOLE} and the number of processes. A call path has the share 0 "
        "in runs where it causes nothing. Runs without known causes, and runs with fewer than "
        "`min_processes` processes (default 2), are left out."
    ),
    grain="one row per application, size or all sizes, and call path that causes waiting",
    key=CALL_SITE_RANKING.key,
    columns=tuple(_of_causes(column) for column in CALL_SITE_RANKING.columns),
)

WAITING_CAUSES = Table(
    name="waiting_causes",
    meaning=(
        "Cause of the waiting in a call path, where one call path is certain to cause at least 2/3 "
        "of it. The certain part is the waiting that remains if all waiting of the same kind with "
        "other causes lies there."
    ),
    grain="one row per application, processes, size, and waiting call path with a certain cause",
    key=("application", "processes", "size", "call_path_key"),
    columns=(
        APPLICATION,
        PROCESSES,
        SIZE,
        CALL_PATH_KEY,
        renamed(CALL_PATH_KEY, "cause_call_path_key", "Call path that causes the waiting."),
        renamed(
            RANK, "cause_rank", "Process with 2/3 of its cost.", null_means=_MAIN_RANK.null_means
        ),
        ratio(
            "certain_share", "Part of the waiting that is certain to have this cause.", maximum=1
        ),
    ),
)

CONFIGURATION_LOSSES = Table(
    name="configuration_losses",
    meaning=(
        "Lost parallelism by configuration: time that threads lose while code computes that not "
        "all of them take part in. Medians over the repetitions of its fastest launch; repetitions "
        "without the loss count as 0."
    ),
    grain="one row per application, processes, size, and call path with a loss",
    key=("application", "processes", "size", "call_path_key"),
    columns=(
        APPLICATION,
        PROCESSES,
        SIZE,
        CALL_PATH_KEY,
        nullable(
            RANK,
            "several processes visit it",
            meaning="The only process that visits the call path.",
        ),
        PARTICIPANT_COUNT,
        _nanoseconds("lost_ns", "Time that the other threads lose."),
        _nanoseconds("alone_ns", "Part of it while only this call path computes."),
        ratio(
            "lost_share",
            "Share of the time of all locations in counted call paths.",
            null_means="this time is 0",
        ),
        Column(name="run_count", type=INT32, minimum=1, meaning="Repetitions with a trace."),
    ),
)

TABLES = (
    ANALYZED_WAITS, CAUSE_TIMES, CONFIGURATION_CAUSES, CAUSE_RANKING, WAITING_CAUSES,
    CONFIGURATION_LOSSES,
)  # fmt: skip
