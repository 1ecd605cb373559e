"""Data that a page carries for its scripts: what is packed can be unpacked, and nothing else."""

import base64
import json
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracemill.reports.embedding import LARGEST_EXACT, embed


def unpack(value: Any) -> Any:
    """A slow version of the decoder in the page's scripts."""
    if isinstance(value, list):
        return [unpack(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$" not in value:
        return {key: unpack(item) for key, item in value.items()}
    if "v" in value:
        return np.array(value["v"], dtype=f"<{value['$']}").tolist()
    data = zlib.decompress(base64.b64decode(value["z"]))
    if value["$"] == "text":
        return json.loads(data)
    width, count = int(value["$"][1]), value["n"]
    items = [bytes(data[plane * count + at] for plane in range(width)) for at in range(count)]
    numbers = np.frombuffer(b"".join(items), dtype=f"<{value['$']}").tolist()
    return np.cumsum(numbers).tolist() if value.get("steps") else numbers


def there_and_back(value: object) -> Any:
    return unpack(json.loads(embed({"it": value})))["it"]


@given(st.lists(st.integers(-LARGEST_EXACT, LARGEST_EXACT), max_size=40), st.booleans())
def test_integers_come_back(values: list[int], is_sorted: bool) -> None:
    kept = sorted(map(abs, values)) if is_sorted else values
    assert there_and_back(np.array(kept, dtype=np.int64)) == kept


@given(st.lists(st.floats(), max_size=40))
def test_floats_infinities_and_nan_come_back(values: list[float]) -> None:
    assert np.array_equal(
        there_and_back(np.array(values, dtype=np.float64)), values, equal_nan=True
    )


def test_rising_times_take_few_bytes() -> None:
    times = np.arange(100_000, dtype=np.int64) * 1_000
    assert len(embed({"times": times})) < 1_000
    assert '"$":"u2"' in embed({"times": times})


def test_integers_that_scripts_cannot_hold_are_refused() -> None:
    for value in (2**53 + 1, np.array([2**53 + 1]), np.array([0, -(2**60)])):
        with pytest.raises(ValueError, match="too large for a script"):
            embed({"value": value})


def test_nan_and_tables_are_refused() -> None:
    with pytest.raises(ValueError):
        embed({"value": float("nan")})
    with pytest.raises(ValueError, match="one dimension"):
        embed({"value": np.zeros((2, 2))})


@pytest.mark.parametrize("count", [1, 500])
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("</script><b>", "</script><b>"),
        ("<!--<script>", "<!--<script>"),
        ("'\"&amp;\\", "'\"&amp;\\"),
        ("متجه 漢字", "متجه 漢字"),
        ("\u202egnp.exe\x00", "\\u202egnp.exe\\x00"),
        ("\ud800", "\\ud800"),
    ],
)
def test_names_of_all_kinds_cannot_leave_the_script(name: str, shown: str, count: int) -> None:
    text = embed({"names": [name] * count})
    assert "<" not in text
    text.encode("utf-8")
    assert unpack(json.loads(text))["names"] == [shown] * count


def test_very_long_texts_lose_their_middle() -> None:
    shown = there_and_back(["a" * 5_000 + "b" * 5_000])[0]
    assert len(shown) == 1_000
    assert shown[0] == "a"
    assert shown[-1] == "b"
