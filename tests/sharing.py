"""What the fixture `shared` does: makes a folder once for all tests of a session."""

from collections.abc import Callable
from pathlib import Path

MakeOnce = Callable[[str, Callable[[Path], object]], Path]
"""Takes the name of a folder and what fills it if no test did yet."""
