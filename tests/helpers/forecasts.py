"""A forecast whose outcome is made by hand: the third worked example, with an interval.

Three processes with 4, 4 and 2 elements of 10 bytes on one level with one channel (10 ns, 1 ns
per byte). They compute 400, 400 and 200 ns in parallel. In the interval "edges" they exchange
shadow edges of one element; then they reduce 8 bytes.

    process 0  [compute 0–400][exchange –440][reduction –532]
    process 1  [compute 0–400][exchange –420][reduction –532]
    process 2  [compute –200][exchange        –460][red. –532]

All edges (4 of 10 bytes, 20 ns each) and all messages of the reduction (4 of 8 bytes, 18 ns each)
take the channel for 4 × 20 + 4 × 18 = 152 ns.
"""

import numpy as np
from numpy.typing import NDArray

from tracemill.forecast.forecasting import Forecast
from tracemill.forecast.outcome import ClassOutcome, IntervalOutcome, LevelOutcome, Outcome
from tracemill.programs.clusters.cluster import Channel, Cluster, Level
from tracemill.programs.placed import PlacedProgram

CLUSTER = Cluster("h", (Level("node", 8, (Channel(1, 10.0, 1.0),)),))
# Starts at 400, 400, 200; ends at 440, 420, 460.
EXCHANGE = ClassOutcome(1.0, 320, 0, before_ns=0 + 0 + 200, after_ns=20 + 40 + 0)
# Starts at 440, 420, 460; ends at 532.
REDUCTION = ClassOutcome(1.0, 92 + 112 + 72, 0, before_ns=20 + 40 + 0, after_ns=0)


def times(*values: int) -> NDArray[np.int64]:
    return np.array(values, np.int64)


def make_outcome(*, slower_ns: int = 0, skipped: tuple[str, ...] = ()) -> Outcome:
    """The outcome; all processes may compute and run longer."""
    computing = times(400, 400, 200)
    program = IntervalOutcome(
        path="program",
        parent=None,
        own_ns=times(532, 532, 532) + slower_ns,
        productive_ns=computing + slower_ns,
        insufficient_ns=times(0, 0, 0),
        communication_ns=times(132, 132, 332),
        classes={"reduction": REDUCTION, "exchange": EXCHANGE},
    )
    edges = IntervalOutcome(
        path="program/edges",
        parent=0,
        own_ns=times(40, 20, 260),
        productive_ns=times(0, 0, 0),
        insufficient_ns=times(0, 0, 0),
        communication_ns=times(40, 20, 260),
        classes={"exchange": EXCHANGE},
    )
    levels = (LevelOutcome("node", 8.0, 4 * 10.0 + 4 * 8.0, 152.0, 152 / 532),)
    return Outcome(program.own_ns, (program, edges), levels, skipped)


def make_forecast(
    *,
    outcome: Outcome | None = None,
    full: Outcome | None = None,
    single_process_ns: int | None = 1000,
    variant: str = "",
) -> Forecast:
    """The forecast with that outcome, on one process 1000 ns."""
    return Forecast(
        program=PlacedProgram("example", variant, (3,), 1.0, {}, ()),
        cluster=CLUSTER,
        shortcuts="loops",
        intervals="user",
        outcome=outcome or make_outcome(),
        full=full,
        single_process_ns=single_process_ns,
    )
