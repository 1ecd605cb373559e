"""Whether a trace is complete: everything that was recorded is in the tables of its run."""

from pipeline.store import Run


def is_complete(run: Run) -> bool:
    """True if no finding about the trace of a run is a loss (trace_quality, `is_loss`)."""
    return not any(run.read("trace_quality", ["is_loss"])["is_loss"].to_pylist())
