"""The command line. Commands import heavy modules only when they run."""

from tracemill.cli.application import app
from tracemill.cli.running import BROKEN_PIPE, INTERRUPTED, main

__all__ = ["BROKEN_PIPE", "INTERRUPTED", "app", "main"]
