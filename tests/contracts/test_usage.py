"""Space in a store by kind, each file once; durations and sizes in readable units."""

import json
import os
from pathlib import Path

import pytest

from tests.helpers.leasing import taken
from tests.helpers.store_cases import publish
from tracemill import cli
from tracemill.base.temporary import temporary_name
from tracemill.base.text import describe_duration, seconds_of
from tracemill.store.runs import Store
from tracemill.store.usage import measure


def measured(store: Path) -> dict[str, tuple[int, int]]:
    return {use.kind: (use.count, use.byte_count) for use in measure(store) if use.count}


def put(path: Path, size: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)


def test_every_file_counts_once_under_its_kind(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for name, size in [("gen=g1/a.parquet", 100), ("gen=g1/b/part-0.parquet", 20)]:
        put(runs / "run=r1" / name, size)
    put(runs / "run=r1" / "gen=g2" / "a.parquet", 7)
    os.link(runs / "run=r1/gen=g1/b/part-0.parquet", runs / "run=r1/gen=g2/b.parquet")
    put(runs / "run=r1" / "current.json", 3)  # damaged: no generation is current
    dead = temporary_name("gen").replace(f"~{os.getpid()}~", "~999999999~")
    put(runs / "run=r1" / dead / "a.parquet", 1000)
    put(runs / "run=r2" / temporary_name("gen") / "a.parquet", 2000)
    put(tmp_path / "reports" / "run=r1" / "index.html", 40)
    put(tmp_path / "nightly" / "result.json", 5)
    put(tmp_path / "notes.txt", 6)
    assert measured(tmp_path) == {
        "runs": (1, 3),
        "earlier generations": (2, 127),
        "reports": (1, 40),
        "nightly": (1, 5),
        "being written": (1, 2000),
        "left behind": (1, 1000),
        "other": (1, 6),
    }


def test_files_shared_by_generations_count_for_the_current_one(tmp_path: Path) -> None:
    store = Store(tmp_path)
    first, second = publish(store, "r1", "g1"), publish(store, "r1", "g2")
    (second / "places.parquet").unlink()
    os.link(first / "places.parquet", second / "places.parquet")
    publish(store.campaigns, "c1")
    sizes = {path: path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()}
    in_campaigns = sum(size for path, size in sizes.items() if "campaigns" in path.parts)
    earlier = sizes[first / "manifest.json"]
    both = sizes[first / "places.parquet"]
    everything = sum(sizes.values()) - both
    assert measured(tmp_path) == {
        "runs": (1, everything - earlier - in_campaigns),
        "campaigns": (1, in_campaigns),
        "earlier generations": (1, earlier),
    }


def test_the_command_prints_sizes_for_people_and_for_programs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path / "reports" / "run=r1" / "index.html", 3 * 1024)
    with taken(tmp_path / "leases", "a"):
        assert cli.main(["du", "--store", str(tmp_path), "--format", "json"]) == 0
        told = {row["kind"]: row for row in json.loads(capsys.readouterr().out)}
    assert told["reports"] == {"kind": "reports", "count": 1, "byte_count": 3072}
    assert told["leases"]["count"] == 1
    assert cli.main(["du", "--store", str(tmp_path)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[1:] == [["reports", "1", "3.00", "KiB"], ["all", "3.00", "KiB"]]
    assert cli.main(["du", "--store", str(tmp_path / "none")]) == 11


@pytest.mark.parametrize(
    ("text", "seconds", "told"),
    [
        ("90d", 7_776_000, "90d"),
        ("36h", 129_600, "1.5d"),
        ("30min", 1800, "30min"),
        ("1.5 h", 5400, "1.5h"),
        ("0s", 0, "0s"),
    ],
)
def test_durations_are_parsed_and_described(text: str, seconds: float, told: str) -> None:
    assert seconds_of(text) == seconds
    assert describe_duration(seconds) == told


@pytest.mark.parametrize("text", ["", "90", "d", "-1d", "1w", "1d2h", "nan d"])
def test_invalid_durations_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="such as 90d"):
        seconds_of(text)
