"""The clock of this host, and that of files, which on shared storage may be another."""

import os
import time
from datetime import UTC, datetime
from pathlib import Path

from tracemill.base.temporary import temporary_name


def timestamp(precision: str = "seconds") -> str:
    """This moment by the clock of this host: an ISO timestamp in UTC, to the second or finer."""
    return datetime.now(UTC).isoformat(timespec=precision)


def now_in(folder: Path) -> float:
    """Seconds since 1970 by the file system's clock in `folder`, else by this host's."""
    probe = folder / temporary_name("clock")
    try:
        descriptor = os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    except OSError:
        return time.time()
    try:
        return os.fstat(descriptor).st_mtime
    finally:
        os.close(descriptor)
        probe.unlink(missing_ok=True)
