"""What the contract tests have in common: consoles of their own, and disks that refuse."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.store_cases import publish
from tracemill.store.runs import Store


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte, where the system lets us mount one."""
    yield from mounted(tmp_path / "disk", ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs"])


@pytest.fixture
def read_only_disk(tmp_path: Path) -> Iterator[Path]:
    """A store with one run on a disk that cannot be written."""
    publish(Store(tmp_path / "store"), "r1")
    source = str(tmp_path / "store")
    for mount in mounted(tmp_path / "disk", ["mount", "--bind", source]):
        target = str(mount)
        subprocess.run(["mount", "-o", "remount,ro,bind", source, target], check=True)
        yield mount


def mounted(target: Path, command: list[str]) -> Iterator[Path]:
    target.mkdir()
    try:
        done = subprocess.run([*command, str(target)], capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("no mount command")
    if done.returncode:
        pytest.skip("disks can only be mounted by root")
    try:
        yield target
    finally:
        subprocess.run(["umount", str(target)], check=True)
