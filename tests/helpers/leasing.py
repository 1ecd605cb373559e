"""Leases of the store for tests."""

from pathlib import Path

from tracemill.store.leases import Lease, take


def taken(folder: Path, name: str) -> Lease:
    """The lease called `name`, which must be free."""
    lease = take(folder, name)
    assert lease is not None, f"{name} is already held"
    return lease
