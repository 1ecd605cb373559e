"""Overheads of every configuration against the one of its size with the fewest processes."""

from tracemill.schemas.campaigns import APPLICATION, PROCESSES, SIZE
from tracemill.schemas.columns import CALL_PATH_KEY, renamed
from tracemill.schemas.overhead_comparison import (
    CALL_PATH_COMPARISON,
    NOISE,
    REGION_COMPARISON,
    RUN_COMPARISON,
)
from tracemill.schemas.overheads import OVERHEAD_CLASS, OVERHEAD_SUBCLASS
from tracemill.schemas.table import FLOAT64, INT32, INT64, Column, Table

_CONFIGURATION = (APPLICATION, PROCESSES, SIZE)
_KEY = ("application", "processes", "size")


def _time(name: str, meaning: str) -> Column:
    return Column(name=name, type=INT64, unit="ns", meaning=meaning)


def _count(name: str, meaning: str) -> Column:
    return Column(name=name, type=INT32, minimum=1, meaning=meaning)


CONFIGURATION_COMPARISONS = Table(
    name="configuration_comparisons",
    meaning=(
        "Overhead of each configuration against the one of its size with the fewest processes: "
        "means over repetitions of the fastest launch. Configurations without more threads, or "
        "with less than half of the computing time in common, are left out."
    ),
    grain="one row per application and compared configuration",
    key=_KEY,
    columns=(
        *_CONFIGURATION,
        renamed(PROCESSES, "base_processes", "Fewest processes with this size."),
        _count("thread_count", "Threads of all processes."),
        _count("base_thread_count", "Threads of all processes of the base."),
        _count("run_count", "Runs."),
        _count("base_run_count", "Runs of the base."),
        _time("time_ns", "Elapsed time of the main part."),
        _time("base_ns", "Elapsed time of the main part of the base."),
        _time("overhead_ns", "Time minus its share of the time of the base; per thread."),
        _time("unidentified_ns", "Part of the overhead without an identified cause."),
        NOISE,
        Column(
            name="matched_share",
            type=FLOAT64,
            minimum=0,
            meaning="Share of the computing time of the base in call paths of both.",
        ),
    ),
)

CONFIGURATION_OVERHEADS = Table(
    name="configuration_overheads",
    meaning="Overhead of each compared configuration by class, per thread.",
    grain="one row per application, compared configuration and class with overhead",
    key=(*_KEY, "overhead_id"),
    columns=(*_CONFIGURATION, OVERHEAD_CLASS, OVERHEAD_SUBCLASS, *RUN_COMPARISON.columns),
)

CONFIGURATION_CALL_PATHS = Table(
    name="configuration_call_paths",
    meaning="Overhead of the call paths of each compared configuration, per thread.",
    grain="one row per application, compared configuration, and call path of it or its base",
    key=(*_KEY, "call_path_key"),
    columns=(
        *_CONFIGURATION,
        CALL_PATH_KEY,
        *(
            column
            for column in CALL_PATH_COMPARISON.columns
            if column.name not in ("call_path_key", "call_path")
        ),
        _time(
            "charged_ns",
            "Time that other threads lose while it computes, as unparallelised or partially "
            "parallelised code.",
        ),
    ),
)

CONFIGURATION_REGIONS = Table(
    name="configuration_regions",
    meaning="Inclusive times of regions in each compared configuration and its base, per process.",
    grain="one row per application, compared configuration, and region of it or its base",
    key=(*_KEY, "region"),
    columns=(
        *_CONFIGURATION,
        *(column for column in REGION_COMPARISON.columns if column.name != "noise_ns"),
    ),
)

TABLES = (
    CONFIGURATION_COMPARISONS,
    CONFIGURATION_OVERHEADS,
    CONFIGURATION_CALL_PATHS,
    CONFIGURATION_REGIONS,
)
