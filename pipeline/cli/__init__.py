"""The command line: text into calls. Whatever is heavy is imported when a command runs."""

from tracemill.cli.application import app
from tracemill.cli.running import BROKEN_PIPE, INTERRUPTED, main

__all__ = ["BROKEN_PIPE", "INTERRUPTED", "app", "main"]
