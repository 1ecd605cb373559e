"""Stages written in Python: what SQL cannot say well."""

from tracemill.stages.activity_graph import ACTIVITY_GRAPH_STAGE
from tracemill.stages.call_path_keys import CALL_PATH_KEYS_STAGE
from tracemill.stages.clock_corrections import CLOCK_STAGE
from tracemill.stages.counters import COUNTERS_STAGE
from tracemill.stages.critical_path import CRITICAL_PATH_STAGE
from tracemill.stages.critical_path_profile import CRITICAL_PATH_PROFILE_STAGE
from tracemill.stages.delays import DELAYS_STAGE
from tracemill.stages.derived_counters import DERIVED_COUNTERS_STAGE
from tracemill.stages.imbalance import IMBALANCE_STAGE
from tracemill.stages.iterations import ITERATIONS_STAGE, LOOP_STAGE
from tracemill.stages.messages import MESSAGES_STAGE
from tracemill.stages.overhead_classes import OVERHEAD_CLASSES_STAGE
from tracemill.stages.overhead_totals import OVERHEAD_TOTALS_STAGE
from tracemill.stages.parallelism_losses import PARALLELISM_LOSSES_STAGE
from tracemill.stages.region_graph import REGION_GRAPH_STAGE
from tracemill.stages.replays import REPLAY_STAGE
from tracemill.stages.stage import PythonStage
from tracemill.stages.time_profile import TIME_PROFILE_STAGE
from tracemill.stages.timeline import TIMELINE_STAGE
from tracemill.stages.wrong_order import WRONG_ORDER_STAGE

PYTHON_STAGES: tuple[PythonStage, ...] = (
    ACTIVITY_GRAPH_STAGE,
    CALL_PATH_KEYS_STAGE,
    CLOCK_STAGE,
    COUNTERS_STAGE,
    CRITICAL_PATH_PROFILE_STAGE,
    CRITICAL_PATH_STAGE,
    DELAYS_STAGE,
    DERIVED_COUNTERS_STAGE,
    IMBALANCE_STAGE,
    ITERATIONS_STAGE,
    LOOP_STAGE,
    MESSAGES_STAGE,
    OVERHEAD_CLASSES_STAGE,
    OVERHEAD_TOTALS_STAGE,
    PARALLELISM_LOSSES_STAGE,
    REGION_GRAPH_STAGE,
    REPLAY_STAGE,
    TIME_PROFILE_STAGE,
    TIMELINE_STAGE,
    WRONG_ORDER_STAGE,
)
"""All of them. A kernel over tables, such as a critical path, is registered here: with the tables
it reads and makes, and its parameters."""
