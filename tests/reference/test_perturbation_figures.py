"""Perturbation of recorded traces, as an independent implementation found it."""

import pytest

from tests.reference.recorded import analyzed, rows_of


@pytest.mark.parametrize(
    ("trace", "cost", "records", "percent"),
    [
        ("l01_lulesh_8", 30, 67_106, 0.016),
        ("n_lu_S_4", 20, 92_414, 1.58),
        ("n_cg_S_4", 40, 60_730, 1.31),
    ],
)
def test_the_cost_of_the_run(trace: str, cost: int, records: int, percent: float) -> None:
    columns = "record_count, event_cost_ns, cost_ns, 100 * perturbed_ratio"
    run = analyzed(f"traces/{trace}")
    ((found, event_cost, cost_ns, share),) = rows_of(run, f"SELECT {columns} FROM run_perturbation")
    assert (found, event_cost, cost_ns) == (records, cost, cost * records)
    assert share == pytest.approx(percent, abs=0.005 if percent > 1 else 0.0005)
    # Every record of these traces lies in a visit.
    assert rows_of(run, "SELECT sum(record_count) FROM perturbation") == [(records,)]
