"""A trace whose clocks contradict each other is read again, with corrected times."""

import shutil
from pathlib import Path

import pytest

from tracemill.engine import resources
from tracemill.engine.analyze import Analysis, Options, analyze
from tracemill.store.runs import Store

# The receive is recorded at 49000, 100 ns before its send. It belongs 1 µs after the send, at
# 50100, and jumps by 1100 ns; records move from 49000 - 110000 on, so from the begin of rank 1:
# its 49000 ns take 50100 ns there.
TRACE = """\
Timestamp (ns),Event Type,Name,Process,Partner,Tag,Bytes
0,Enter,main,0,,,
0,Enter,main,1,,,
24500,Enter,MPI_Recv,1,,,
49000,Instant,MpiRecv,1,0,1,8
49050,Enter,MPI_Send,0,,,
49100,Instant,MpiSend,0,1,1,8
49200,Leave,MPI_Send,0,,,
49500,Leave,MPI_Recv,1,,,
60000,Leave,main,0,,,
60000,Leave,main,1,,,
"""
# 24500 * 50100 / 49000; 50100 + 500 * 0.99999; 50100 + 11000 * 0.99999
CORRECTED = [(1, 0, 61100), (1, 25050, 50600)]
# Rank 1 answers: by the corrected clock it enters its send at 50600 + 10000 * 0.99999.
ANSWER = """\
51200,Enter,MPI_Recv,0,,,
59500,Enter,MPI_Send,1,,,
59600,Instant,MpiSend,1,0,2,8
59700,Leave,MPI_Send,1,,,
62000,Instant,MpiRecv,0,1,2,8
62100,Leave,MPI_Recv,0,,,
"""


@pytest.fixture
def run(tmp_path: Path):
    def analysis(mode: str = "auto", *, text: str = TRACE) -> Analysis:
        (tmp_path / "trace.csv").write_text(text)
        options = Options(threads=1, parameters={"clock_correction": mode})
        return analyze(tmp_path / "trace.csv", store=Store(tmp_path / "store"), options=options)

    return analysis


def visits(analysis: Analysis) -> list[tuple[int, ...]]:
    columns = ["location_id", "enter_ns", "leave_ns"]
    rows = analysis.run.read("visits", columns).to_pylist()
    return sorted(tuple(row.values()) for row in rows if row["location_id"] == 1)


def waits(analysis: Analysis) -> list[int]:
    return analysis.run.read("wait_states", ["wait_ns"])["wait_ns"].to_pylist()


# The wait lasts from 25050 until the send is entered at 49050.
def test_all_tables_have_corrected_times(run) -> None:
    found = run()
    assert visits(found) == CORRECTED
    assert waits(found) == [49050 - 25050]
    assert found.run.read("messages")["is_clock_violation"].to_pylist() == [False]
    (violation,) = found.run.read("clock_violations").to_pylist()
    assert (violation["violation_count"], violation["largest_ns"]) == (1, 100)
    (quality,) = found.run.read("clock_quality").to_pylist()
    assert quality == {
        "jump_count": 1, "largest_jump_ns": 1100, "moved_count": 4, "largest_move_ns": 1100,
        "touched_ns": 24000, "wait_ns": 24000,
    }  # fmt: skip


# A trace that does not fit into memory is stored as recorded before its clocks are judged.
def test_tables_are_the_same_if_their_rows_are_not_kept_in_memory(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = run().run
    tables = {name: kept.read(name) for name in kept.tables}
    shutil.rmtree(tmp_path / "store")
    monkeypatch.setattr(resources, "_MOST_KEPT_BYTES", 0)
    stored = run().run
    assert {name: stored.read(name) for name in stored.tables} == tables


# Rank 1 waits from 25050 to 49050 for rank 0, which stays in main 49050 - 25050 longer. Then rank 0
# waits from 51200 to 60600. Since the first message, rank 1 was in main from 50600 to 60600 and
# rank 0 from 49200 to 51200: a delay of 8000. The receive that jumped ended 50600 - 49200 = 1400
# after its send: the other delay, which would be 300 with the recorded clock.
def test_delays_are_compared_with_corrected_times(run) -> None:
    ends = TRACE.index("60000,")
    found = run(text=TRACE[:ends] + ANSWER + TRACE[ends:].replace("60000", "70000"))
    paths = found.run.read("call_paths").to_pylist()
    names = {each["call_path_id"]: each["path"] for each in paths}
    assert {
        (names[each["call_path_id"]], each["location_id"], each["direct_ns"], each["passed_on_ns"])
        for each in found.run.read("root_causes").to_pylist()
    } == {("main", 0, 24000, 0), ("main", 1, 8000, 0), ("main/MPI_Recv", 1, 1400, 0)}


def test_times_stay_as_recorded_on_request(run) -> None:
    found = run("off")
    assert visits(found) == [(1, 0, 60000), (1, 24500, 49500)]
    assert found.run.read("clock_violations").num_rows == 1
    assert found.run.read("clock_corrections").num_rows == 0


def test_a_second_analysis_computes_nothing(run) -> None:
    run()
    assert not run().is_new


@pytest.mark.parametrize("lost", ["clock_jumps", "clock_violations", "messages", "runs"])
def test_what_is_lost_is_computed_from_the_right_times(run, lost: str) -> None:
    first = run().run
    rows = {table: first.read(table) for table in ("clock_jumps", "clock_violations", "messages")}
    (first.path / f"{lost}.parquet").unlink()
    again = run()
    assert visits(again) == CORRECTED
    assert {table: again.run.read(table) for table in rows} == rows
