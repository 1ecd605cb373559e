"""Where the OTF2 library is looked for: the wheel, a named file, the system's under its names."""

import ctypes.util

import pytest

from pipeline.errors import MissingLibraryError
from pipeline.readers.otf2 import library

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
