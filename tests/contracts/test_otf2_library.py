"""Where the OTF2 library is looked for: the wheel, a named file, the system's under its names."""

import ctypes.util
import subprocess
import sys

import pytest

from tracemill.base.errors import MissingLibraryError
from tracemill.readers.otf2 import library

HERE = library.load_library().handle._name


@pytest.fixture(autouse=True)
def _without_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_wheel_module", lambda: None)
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: None)
    monkeypatch.delenv("OTF2_LIBRARY", raising=False)


@pytest.mark.parametrize("name", ["otf2", "open-trace-format2"])
def test_the_library_of_the_system_is_found_under_either_name(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ctypes.util, "find_library", {name: HERE}.get)
    assert library.load_library.__wrapped__().handle._name == HERE


def test_without_library_it_says_where_it_looked() -> None:
    with pytest.raises(MissingLibraryError, match=r"OTF2_LIBRARY: none.*system's libotf2: none"):
        library.load_library.__wrapped__()


# In a process of its own: what fails here ends the process.
LOAD_TWICE = """
import ctypes, gc
from tracemill.readers.otf2 import library
first = library.load_library()
library.load_library.__wrapped__()
gc.collect()
filled = [ctypes.create_string_buffer(64) for _ in range(100_000)]
assert not first.Reader_Open(b"/nowhere/traces.otf2")
"""


def test_errors_are_silent_after_the_library_was_loaded_again() -> None:
    done = subprocess.run([sys.executable, "-c", LOAD_TWICE], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
