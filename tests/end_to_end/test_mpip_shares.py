"""Shares of all time in campaigns of mpiP's reports: they are what the reports print as App%."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tracemill.cli import main
from tracemill.store.runs import Store

FILES = Path(__file__).resolve().parents[2] / "data" / "campaigns" / "mpip"
SMALLEST, LARGEST = "sweep_p2_n100.mpiP", "sweep_p8_n100.mpiP"
# Figures are printed to two decimals of a percent, times to three digits.
PRINTED = 1e-4


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """The tables of the campaign."""
    store = tmp_path_factory.mktemp("mpip")
    place = ["--store", str(store), "--threads", "1", "--no-report"]
    assert main(["campaign", str(FILES), *place]) == 0
    with Store(store).campaigns.open().connect() as connection:
        yield connection


def printed_shares(report: Path) -> dict[str, float]:
    """App% of all processes, by where the call site is in the source."""
    text = report.read_text(encoding="utf-8")
    sites, statistics = text.split("@--- Callsites")[1].split("@--- Callsite Time statistics")
    places = {
        words[0]: f"{words[2]}:{words[3]}"
        for words in map(str.split, sites.splitlines())
        if len(words) == 6 and words[1] == "0"
    }
    return {
        places[words[1]]: float(words[7]) / 100
        for words in map(str.split, statistics.splitlines())
        if len(words) == 9 and words[2] == "*"
    }


def test_call_sites_grow_as_shares_of_the_time_of_the_application(
    made: duckdb.DuckDBPyConnection,
) -> None:
    rows = made.sql(
        "SELECT place, smallest_share, largest_share FROM call_path_growth "
        "JOIN campaign_call_paths USING (call_path_key) "
        "WHERE size IS NULL AND quantity = 'exclusive time'"
    ).fetchall()
    smallest, largest = printed_shares(FILES / SMALLEST), printed_shares(FILES / LARGEST)
    assert {place: (low, high) for place, low, high in rows} == {
        place: (
            pytest.approx(smallest[place], abs=PRINTED),
            pytest.approx(largest[place], abs=PRINTED),
        )
        for place in smallest
    }


def test_the_largest_share_of_a_model_is_one_of_all_time(made: duckdb.DuckDBPyConnection) -> None:
    rows = made.sql(
        "SELECT place, largest_share_ratio FROM call_path_models "
        "JOIN campaign_call_paths USING (call_path_key)"
    ).fetchall()
    reports = [printed_shares(report) for report in FILES.glob("*.mpiP")]
    assert dict(rows) == {
        place: pytest.approx(max(shares[place] for shares in reports), abs=PRINTED)
        for place in reports[0]
    }
