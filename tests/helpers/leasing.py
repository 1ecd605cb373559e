"""Leases of the store for tests."""

from pathlib import Path

from tracemill.store.leases import Lease, take


def taken(folder: Path, name: str) -> Lease:
    """The lease called `name`, which nobody else holds."""
    lease = take(folder, name)
    assert lease is not None, f"somebody holds {name}"
    return lease
