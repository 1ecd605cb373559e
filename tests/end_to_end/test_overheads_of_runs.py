"""Overheads of runs of a store, with repetitions, counters and call sites."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.commands import run
from tests.helpers.counted_runs import COUNTERS, Work, write_counted
from tracemill import cli
from tracemill.engine.analyze import Analysis, Options, analyze
from tracemill.store.runs import Store


def stored(folder: Path, name: str, *ranks: dict[str, Work], **options: Any) -> None:
    trace = write_counted(folder / name, ranks, **options)
    analyze(trace, store=Store(folder / "store"), options=Options(threads=1))


def overheads(folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    store = str(folder / "store")
    status = cli.main(["overheads", *arguments, "--store", store, "--format", "json"])
    shown = capsys.readouterr()
    return json.loads(shown.out) if status == 0 else (status, shown.err)


# p = 1: 4000 instructions in 8000 cycles and 4000 ns.
# p = 2: 2200 instructions in 5500 cycles and 2400 ns on each rank, 800 ns more in all.
SEQ, PAR = {"work": (4000, 4000, 8000)}, {"work": (2400, 2200, 5500)}


def test_instructions_tell_more_work_from_slower_work(tmp_path: Path, capsys: Any) -> None:
    stored(tmp_path, "x_p1", SEQ)
    stored(tmp_path, "x_p2", PAR, PAR)
    found = overheads(tmp_path, capsys, "x_p1", "x_p2")
    (row,) = [each for each in found["call_path_comparison"] if each["call_path"] == "main/work"]
    additional = (1 - 4000 / 4400) * 4800
    names = (
        "overhead_ns",
        "additional_ns",
        "unidentified_ns",
        "lower_ipc_ns",
        "lower_frequency_ns",
    )
    assert [row[name] for name in names] == [
        400,
        round(additional / 2),
        round((800 - additional) / 2),
        2000 * 0.5 / 2,
        round(10_000 * (4800 / 11_000 - 0.5) / 2),
    ]
    cli.main(["overheads", "x_p1", "x_p2", "--store", str(tmp_path / "store")])
    shown = " ".join(capsys.readouterr().out.split())
    assert "Fewer instructions per cycle cost 500 ns, lower frequency costs -318 ns" in shown


@pytest.mark.parametrize("counters", [(), COUNTERS[1:]])
def test_a_run_without_instructions_is_compared_by_time(
    counters: tuple[str, ...], tmp_path: Path, capsys: Any
) -> None:
    stored(tmp_path, "x_p1", SEQ)
    stored(tmp_path, "x_p2", PAR, PAR, counters=counters)
    found = overheads(tmp_path, capsys, "x_p1", "x_p2")
    (row,) = [each for each in found["call_path_comparison"] if each["call_path"] == "main/work"]
    assert (row["additional_ns"], row["unidentified_ns"], row["lower_ipc_ns"]) == (0, 400, None)


def test_repetitions_are_joined_by_commas(tmp_path: Path, capsys: Any) -> None:
    for name, time in (("x_p1_r1", 4000), ("x_p1_r2", 4400)):
        stored(tmp_path, name, {"work": (time, 1, 1)}, counters=())
    for name, time in (("x_p2_r1", 2400), ("x_p2_r2", 2600)):
        stored(tmp_path, name, *[{"work": (time, 1, 1)}] * 2, counters=())
    found = overheads(tmp_path, capsys, "x_p1_r1,x_p1_r2", "x_p2_r1,x_p2_r2")
    assert (found["seq"]["main_ns"], found["par"]["main_ns"]) == (4200, 2500)
    assert found["overhead_ns"] == 2500 - 2100
    # Variances 200²/2 and 200²/2, so t(2) = 4.3027 times the root of the sum of their halves.
    assert found["noise_ns"] == round(4.302652730 * (10_000 + 10_000) ** 0.5)
    assert len(found["par"]["run_ids"]) == 2
    status, error = overheads(tmp_path, capsys, "x_p1_r1,x_p2_r1", "x_p2_r2")
    assert status == 2
    assert "repetitions must have equal numbers of threads" in " ".join(error.split())


def test_time_lost_without_one_cause_is_not_denied(
    analysis_of: Callable[[str], Analysis], capsys: Any
) -> None:
    """Nobody can take over what ran: this is no reason to say that all ran on all threads."""
    assert run("overheads", analysis_of("e03_lr_exact")) == 0
    printed = capsys.readouterr().out
    assert "Threads lose 7.78 ms in total" in printed
    assert "No code runs" not in printed
