"""A pattern as a user writes it, and the form of its error messages."""

import re
from pathlib import Path

from tracemill.base.errors import PipelineError

PATTERN = """\
-- Sends of at most a kilobyte that took longer than 15 µs.
--
-- Grain:      one row per message
-- Inputs:     messages
-- Output:     slow_small_sends
-- Parameters: none
-- Pattern:    finding
-- Metrics:    slow_small_sends "Slow Small Sends": Time in sends of little data.
SELECT
    send_completion_call_path_id AS call_path_id,
    sender_location_id AS location_id,
    send_completion_leave_ns - send_completion_enter_ns AS value
FROM messages
WHERE bytes <= 1024 AND value > 15_000
"""
HEADER = PATTERN[: PATTERN.index("SELECT")]


def assert_one_line(error: PipelineError, file: Path) -> None:
    """The message gives the mistake, the place and the remedy, in this order."""
    assert re.fullmatch(rf"{file.stem}: .+: {re.escape(str(file))}: .+", str(error))
