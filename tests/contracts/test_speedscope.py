"""Profiles for speedscope: what its file format asks for, and that times are those of the run.

rank 0  [main      6000 [MPI_Send] 6500   7500 [MPI_Barrier       ] 9000   ] 10000 ns
rank 1  [main 2000 [MPI_Recv...............] 7000   8500 [MPI_Barrier] 9000 ] 10000 ns
"""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.helpers.hand_made import HandMadeRun
from tracemill.base.errors import MissingInputError, UsageError
from tracemill.shell.exports.speedscope import Stacks, export_speedscope

if TYPE_CHECKING:
    from tracemill.engine.analyze import Analysis

Analyses = Callable[[str], "Analysis"]


def read(path: Path) -> dict[str, dict[str, int]]:
    """Time by call path of each profile, as speedscope adds up samples; checks the format."""
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    found: dict[str, Any] = json.loads(text)
    assert found["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert 0 <= found["activeProfileIndex"] < len(found["profiles"])
    frames = [each["name"] for each in found["shared"]["frames"]]
    times: dict[str, dict[str, int]] = {}
    for profile in found["profiles"]:
        assert (profile["type"], profile["unit"]) == ("sampled", "nanoseconds")
        assert len(profile["samples"]) == len(profile["weights"])
        assert profile["endValue"] - profile["startValue"] == sum(profile["weights"])
        own = times.setdefault(profile["name"], {})
        for stack, weight in zip(profile["samples"], profile["weights"], strict=True):
            path_name = "/".join(frames[each] for each in stack)
            own[path_name] = own.get(path_name, 0) + weight
    return times


@pytest.mark.parametrize("name", ["calls.json", "calls.json.gz"])
def test_samples_are_call_paths_with_their_own_time(
    name: str, tmp_path: Path, analysis_of: Analyses
) -> None:
    run = analysis_of("late_sender.csv").run
    assert export_speedscope(run, tmp_path / name, name="late") == 3
    whole, first, second = read(tmp_path / name).values()
    # 10000 - 500 - 1500, and 10000 - 5000 - 500
    assert first == {"main": 8000, "main/MPI_Send": 500, "main/MPI_Barrier": 1500}
    assert second == {"main": 4500, "main/MPI_Recv": 5000, "main/MPI_Barrier": 500}
    assert whole == {
        "main": 12_500, "main/MPI_Send": 500, "main/MPI_Recv": 5000, "main/MPI_Barrier": 2000
    }  # fmt: skip


@pytest.mark.parametrize("trace", ["m01_late_sender", "m29_hybrid", "m31_omp_tasks"])
def test_times_sum_to_those_of_the_regions(
    trace: str, tmp_path: Path, analysis_of: Analyses
) -> None:
    run = analysis_of(trace).run
    export_speedscope(run, tmp_path / "calls.json", name=trace)
    whole, *others = [sum(own.values()) for own in read(tmp_path / "calls.json").values()]
    with run.connect() as connection:
        ((time,),) = connection.sql("SELECT sum(exclusive_ns) FROM flat_profile").fetchall()
    assert whole == sum(others) == time


def test_only_the_sum_is_written_if_asked(tmp_path: Path, analysis_of: Analyses) -> None:
    run = analysis_of("late_sender.csv").run
    assert export_speedscope(run, tmp_path / "calls.json", name="late", is_summed=True) == 1
    assert list(read(tmp_path / "calls.json")) == ["all locations"]


def test_call_paths_that_share_callers_share_their_text() -> None:
    #   0 ─ 1 ─ 2,  0 ─ 3,  4
    stacks = Stacks([-1, 0, 1, 0, -1], [10, 11, 12, 13, 14])
    assert [stacks.of(each) for each in (2, 0, 1, 3, 4)] == [
        "10,11,12", "10", "10,11", "10,13", "14"
    ]  # fmt: skip


def test_what_cannot_be_exported_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="no region was visited"):
        export_speedscope(HandMadeRun({}), tmp_path / "calls.json", name="empty")
    with pytest.raises(UsageError, match=r"use the suffix .json or .json.gz"):
        export_speedscope(HandMadeRun({}), tmp_path / "calls.txt", name="empty")
    assert list(tmp_path.iterdir()) == []
