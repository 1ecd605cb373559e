"""Causes of waiting over many runs: recorded ones, and ones whose causes are known exactly."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.helpers.ring_campaigns import campaign, rows
from tracemill.engine.analyze import Analysis
from tracemill.reports.build_campaign import build_campaign_report, build_campaign_summary
from tracemill.reports.html import render_html
from tracemill.reports.model import Report

SERIAL, IMBALANCED, BROADCAST = "main/serial_part", "main/imbalanced", "main/MPI_Bcast"
# Seconds of waiting, then of these caused by the two call paths on their ranks: by processes and
# size, summed from the delay costs of Scalasca (data/README.md).
EXPECTED = {
    (2, 200): (0.101336784, 0.050368322, 0.050514531),
    (2, 400): (0.151213324, 0.100375224, 0.050485510),
    (8, 200): (0.713693702, 0.501290591, 0.201768773),
    (8, 400): (1.045916465, 0.887366047, 0.149348140),
}


@pytest.fixture(scope="module")
def report(recorded_campaign: Analysis) -> Report:
    return build_campaign_report(recorded_campaign.run)


def names_of(analysis: Analysis) -> dict[int, str]:
    return dict(rows(analysis, "campaign_call_paths", "call_path_key call_path"))


def test_causes_and_their_ranks_are_those_of_scalasca(recorded_campaign: Analysis) -> None:
    names = names_of(recorded_campaign)
    columns = "processes size call_path_key rank caused_ns waiting_share"
    found = {
        (p, size, names[key]): (rank, caused, share)
        for p, size, key, rank, caused, share in rows(
            recorded_campaign, "configuration_causes", columns
        )
    }
    for (p, size), (waiting, *causes) in EXPECTED.items():
        for name, rank, caused in zip((SERIAL, IMBALANCED), (0, p - 1), causes, strict=True):
            assert found[p, size, name] == (
                rank,
                pytest.approx(caused * 1e9, rel=1e-3),
                pytest.approx(caused / waiting, abs=1e-3),
            )


def test_causes_of_a_run_are_not_more_than_its_waiting(recorded_campaign: Analysis) -> None:
    shares: dict[int, float] = defaultdict(float)
    for run, share in rows(recorded_campaign, "cause_times", "campaign_run_id waiting_share"):
        assert 0 <= share <= 1
        shares[run] += share
    # All waiting of these runs has causes.
    assert list(shares.values()) == [pytest.approx(1, abs=1e-6)] * len(EXPECTED)


def test_the_summary_names_the_cause_and_not_the_call_that_waits(
    recorded_campaign: Analysis,
) -> None:
    (summary,) = build_campaign_summary(recorded_campaign.run).sections
    (cause,) = [each for each in summary.findings if "of all waiting" in each.detail]
    assert cause.headline == 'Waiting for "main/serial_part" (scalemodel.c:7) on rank 0:'
    assert cause.detail.startswith(
        "887 ms with 8 processes at n = 400, 84.8% of all waiting, up from 100 ms with 2; seen in "
        '"main/MPI_Bcast". While it ran on rank 0 alone, the others lost '
    )
    assert not any("MPI_" in each.headline for each in summary.findings)


def test_a_cell_names_the_cause_of_its_waiting(report: Report) -> None:
    cells = report.section("drill-down")
    table = cells.tables[0]
    causes = {row["call_path"]: row["cause_call_path"] for row in table.as_dicts()}
    assert causes[BROADCAST] == SERIAL
    assert 'waiting for "main/serial_part" on rank 0' in cells.sentences[0]


# In the first barrier p - 1 processes wait 100 µs for rank 0, in the second 20 µs for the last one.
#
#            0         100       110     130
# rank 0     [serial ..][barrier ][barrier ]
# rank 1     [barrier ...........][barrier ]
# last rank  [barrier ...........][last ..][barrier]
def write_serial(path: Path, processes: int) -> None:
    """A program in which rank 0 works before a barrier, and the last rank before another."""
    lines = ["Timestamp (ns),Event Type,Name,Process,Operation"]
    for rank in range(processes):
        is_last = rank == processes - 1
        lines += [f"0,Enter,main,{rank},"]
        lines += [f"0,Enter,serial,{rank},", f"100000,Leave,serial,{rank},"] * (rank == 0)
        lines += barrier(rank, 100_000 if rank == 0 else 0, 110_000)
        lines += [f"110000,Enter,last,{rank},", f"130000,Leave,last,{rank},"] * is_last
        lines += barrier(rank, 130_000 if is_last else 110_000, 130_000)
        lines += [f"140000,Leave,main,{rank},"]
    path.write_text("\n".join(lines) + "\n")


def barrier(rank: int, enter: int, leave: int) -> list[str]:
    return [
        f"{enter},Enter,MPI_Barrier,{rank},",
        f"{enter},Instant,MpiCollectiveBegin,{rank},",
        f"{leave},Instant,MpiCollectiveEnd,{rank},barrier",
        f"{leave},Leave,MPI_Barrier,{rank},",
    ]


def test_a_cause_grows_with_those_that_wait_for_it(tmp_path: Path) -> None:
    for processes in (2, 4, 8):
        write_serial(tmp_path / f"p{processes}.csv", processes)
    runs = tmp_path / "runs.csv"
    runs.write_text("trace,p\np2.csv,2\np4.csv,4\np8.csv,8\n")
    analysis = campaign(runs, tmp_path / "store", application="one")
    names = names_of(analysis)
    found = {
        (p, names[key]): (rank, caused)
        for p, key, rank, caused in rows(
            analysis, "configuration_causes", "processes call_path_key rank caused_ns"
        )
    }
    assert found == {
        (p, name): (rank, (p - 1) * cost)
        for p in (2, 4, 8)
        for name, rank, cost in (("main/serial", 0, 100_000), ("main/last", p - 1, 20_000))
    }
    (summary,) = build_campaign_summary(analysis.run).sections
    # 7 processes wait 120 µs, and lose as much.
    assert [(each.headline, each.detail) for each in summary.findings[-2:]] == [
        ('Waiting for "main/serial" on rank 0:',
         '700 µs with 8 processes, 83.3% of all waiting, up from 100 µs with 2; seen in '
         '"main/MPI_Barrier". While it ran on rank 0 alone, the others lost 700 µs.'),
        ('Lost parallelism in "main/last" on rank 7 alone:',
         "meanwhile, the others lost 140 µs, 12.5% of all time."),
    ]  # fmt: skip


def test_indices_come_last_and_all_links_lead_to_something(report: Report) -> None:
    keys = [section.key for section in report.sections]
    assert keys[:5] == ["summary", "efficiencies", "critical-path", "causes", "efficiency"]
    assert keys[-2:] == ["runs", "indices"]
    page = render_html(report)
    anchors = set(re.findall(r' id="([^"]+)"', page))
    links = set(re.findall(r'<a (?:xlink:)?href="#([^"]+)"', page))
    assert {f"runs-model-p{p}-n{n}" for p in (2, 8) for n in (200, 400)} <= links <= anchors
