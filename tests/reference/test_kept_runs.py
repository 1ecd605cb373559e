"""Changed runs of recorded traces that are kept: laws."""

from pathlib import Path

import pytest

from tests.reference.recorded import analyzed
from tracemill.engine.progress import SilentReporter
from tracemill.replay.opening import opened_graph
from tracemill.replay.what_if import change, keep_changed
from tracemill.schemas import clocks
from tracemill.stages.scaling import parse_scale
from tracemill.store.runs import Run

# Messages, collectives, non-blocking collectives, windows, files, teams, tasks, locks.
TRACES = (
    "l01_lulesh_8", "m05_ls_wo_diff", "m07_late_recv_rndv", "m10_nxn", "m13_early_scan",
    "m19_nbc", "m20_rma", "m21_mpiio", "m24_halo2d", "m27_omp_barrier", "n_cg_S_4", "n_is_S_8",
    "n_lu_S_4", "n_mg_S_8", "o_cg_S_t4", "r_x1_zero", "r_x4_wo", "r_x5_coll", "r_y_locks",
    "sB_model_p8_n400_r1",
)  # fmt: skip
# Corrected times are those of the trace for the changed run.
OF_CLOCKS = {table.name for table in clocks.TABLES} | {"trace_quality"}


def kept(run: Run, store: Path, *scales: str) -> tuple[Run, int]:
    """The run with parts scaled, kept in a store, and the run time that a replay finds."""
    parsed = [parse_scale(text) for text in scales]
    with opened_graph(run) as opened:
        changed = change(opened, parsed)
        return keep_changed(opened, parsed, store, SilentReporter()), changed.changed_ns


def differing(run: Run, other: Run) -> set[str]:
    """Tables that differ, apart from the id of the run."""
    found = set()
    for name in run.tables:
        rows = [each.read(name) for each in (run, other)]
        own = [column for column in rows[0].column_names if column != "run_id"]
        if not rows[0].select(own).equals(rows[1].select(own)):
            found.add(name)
    return found


@pytest.mark.parametrize("trace", TRACES)
def test_a_factor_of_one_reproduces_all_tables(trace: str, tmp_path: Path) -> None:
    run = analyzed(f"traces/{trace}")
    assert differing(run, kept(run, tmp_path, "computation=1")[0]) == set()


@pytest.mark.parametrize("trace", ["l01_lulesh_8", "r_x5_coll"])
def test_corrected_times_are_reproduced(trace: str, tmp_path: Path) -> None:
    run = analyzed(f"traces/{trace}", clock_correction="auto")
    assert run.read("clock_corrections").num_rows
    assert differing(run, kept(run, tmp_path, "computation=1")[0]) <= OF_CLOCKS


@pytest.mark.parametrize("scales", [("computation=0.5",), ("rank:0=0", "mpi=2")])
@pytest.mark.parametrize("trace", TRACES)
def test_a_kept_run_takes_as_long_as_the_replay(
    trace: str, scales: tuple[str, ...], tmp_path: Path
) -> None:
    changed, time = kept(analyzed(f"traces/{trace}"), tmp_path, *scales)
    (row,) = changed.read("runs", ["begin_ns", "end_ns"]).to_pylist()
    assert row["end_ns"] - row["begin_ns"] == time
