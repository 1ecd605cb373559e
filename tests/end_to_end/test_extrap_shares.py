"""Regions in files for Extra-P: their time without what they call, and shares of all time."""

from pathlib import Path

import pytest

from tracemill.cli import main
from tracemill.store.runs import Store

FILE = Path(__file__).resolve().parents[2] / "data" / "campaigns" / "extrap.txt"


def test_regions_that_call_others_have_the_rest_of_their_time(tmp_path: Path) -> None:
    """On 8 processes, 1.65 and 1.66 s of main hold 1.25 and 1.26 s of solve and 0.30 s twice."""
    assert main(["campaign", str(FILE), "--store", str(tmp_path), "--no-report"]) == 0
    connection = Store(tmp_path).campaigns.open().connect()
    spent = connection.sql(
        "SELECT call_path, inclusive_ns / 8e6, exclusive_ns / 8e6, location_ns / 8e6 "
        "FROM run_call_paths JOIN campaign_runs USING (campaign_run_id) "
        "JOIN campaign_call_paths USING (call_path_key) JOIN run_totals USING (campaign_run_id) "
        "WHERE processes = 8 AND repetition = 1 ORDER BY call_path"
    ).fetchall()
    assert spent == [
        ("main", 1650, 100, 1650), ("main/MPI_Allreduce", 300, 300, 1650),
        ("main/solve", 1250, 1250, 1650),
    ]  # fmt: skip
    shares = connection.sql(
        "SELECT call_path, largest_share FROM call_path_growth "
        "JOIN campaign_call_paths USING (call_path_key) WHERE quantity = 'exclusive time'"
    ).fetchall()
    assert dict(shares) == {
        "main": pytest.approx((0.10 / 1.65 + 0.10 / 1.66) / 2),
        "main/MPI_Allreduce": pytest.approx((0.30 / 1.65 + 0.30 / 1.66) / 2),
        "main/solve": pytest.approx((1.25 / 1.65 + 1.26 / 1.66) / 2),
    }
