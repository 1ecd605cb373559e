"""Efficiencies of a campaign of recorded traces: figures of an independent implementation."""

import pytest

from tests.helpers.ring_campaigns import campaign, rows
from tests.reference.recorded import SHARED

TRACES = tuple(SHARED / "traces" / f"sB_model_p{p}_n400_r1" for p in (1, 8))
CHECKED = {
    "run_time": 231_511_066, "ideal_run_time": 225_811_882, "parallel_efficiency": 0.401588,
    "load_balance": 0.529857, "serialization_efficiency": 0.777045,
    "transfer_efficiency": 0.975383,
}  # fmt: skip


def test_efficiencies_of_sb(tmp_path_factory: pytest.TempPathFactory) -> None:
    if not all(trace.exists() for trace in TRACES):
        pytest.skip(f"{SHARED} has no traces of sB")
    folder = tmp_path_factory.mktemp("sB")
    for trace in TRACES:
        (folder / trace.name).symlink_to(trace)
    made = campaign(folder, tmp_path_factory.mktemp("store"), threads=2)
    columns = "processes metric value scaling"
    found = {
        (processes, metric): value
        for processes, metric, value, scaling in rows(made, "configuration_efficiencies", columns)
        if scaling == "strong"
    }
    for metric, value in CHECKED.items():
        assert found[8, metric] == pytest.approx(value, abs=5e-7)
    # Speed-up over the ratio of processes is global efficiency over that with one process.
    assert found[8, "global_efficiency"] / found[1, "global_efficiency"] == pytest.approx(
        found[8, "speed_up"] / 8
    )
    assert found[8, "speed_up"] == pytest.approx(found[1, "run_time"] / 231_511_066)
