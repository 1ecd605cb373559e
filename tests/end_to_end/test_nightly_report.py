"""The report of a night: a seeded regression with its causes, failures, and exit codes."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.nights import ITERATIONS, SLOWER_NS, Site
from tracemill.api import open_store
from tracemill.nightly import result as results
from tracemill.nightly.night import Reported, report_night
from tracemill.nightly.outcome import CampaignOutcome, Failure, Skipped
from tracemill.reports.units import format_time
from tracemill.store.runs import Run, Store

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "nightly-result.md"


# --- The seeded regression ------------------------------------------------------------------------


def test_a_slower_region_is_named_with_metric_call_path_and_rank(site: Site) -> None:
    """In each of five iterations the last of four ranks computes 100 µs longer.

    Rank r does r/3 of that more, so that all together compute 0 + 1/3 + 2/3 + 1 = 2 times it
    longer; the others wait for the last one in the next collective call.
    """
    reported, result = site.report(site.night(analyzed=(site.slower,)))
    assert SLOWER_NS == ITERATIONS * 100_000
    assert (reported.exit_code, result["exit_code"], result["verdict"]) == (23, 23, "regressions")
    (found,) = result["regressions"]
    assert found["run_id"] == site.slower.run_id
    assert (found["application"], found["processes"], found["threads"]) == ("wave", 4, 1)
    assert (found["metric"], found["condition"]) == ("run_time", "run_time > +5%")
    assert found["base_runs"] == [run.run_id for run in site.runs[:-1]]
    assert found["value"] - found["base_value"] == pytest.approx(SLOWER_NS, rel=0.1)
    assert 0 < found["noise_value"] < 0.1 * SLOWER_NS
    cause = found["causes"][0]
    assert (cause["metric"], cause["rank"]) == ("computation", 3)
    assert cause["call_path"].endswith("physics/compute_physics")
    assert cause["value"] - cause["base_value"] == pytest.approx(2 * SLOWER_NS, rel=0.02)
    assert cause["rank_change_value"] == pytest.approx(SLOWER_NS, rel=0.02)
    waits = found["causes"][1]
    assert waits["metric"] == "mpi_wait_nxn"
    assert waits["call_path"].endswith("MPI_Allreduce")


def test_efficiencies_of_new_runs_are_those_of_pop_with_those_before(site: Site) -> None:
    """One rank computes longer, and the others wait for it: load balance is worse than before."""
    reported, result = site.report(site.night(analyzed=(site.slower,)))

    def stored(run: Run, metric: str) -> float:
        (value,) = (
            row["value"]
            for row in run.read("pop_metrics").to_pylist()
            if (row["interval"], row["convention"], row["metric"])
            == ("init to finalize", "multiplicative", metric)
        )
        return float(value)

    (new,) = result["new"]
    found = {each["metric"]: each for each in new["efficiencies"]}
    assert list(found)[:2] == ["parallel_efficiency", "load_balance"]
    for metric, each in found.items():
        before = [stored(run, metric) for run in site.runs[:-1]]
        assert each["ratio"] == stored(site.slower, metric)
        assert each["base_ratio"] == pytest.approx(sum(before) / len(before))
    assert found["load_balance"]["ratio"] < found["load_balance"]["base_ratio"]
    page = dict(reported.files)["report"].read_text()
    assert page.index('id="causes"') < page.index('id="efficiencies"')
    value = f"{100 * found['load_balance']['ratio']:.1f}%"
    assert re.search(rf'<td class="n (bad|fair|good)">{re.escape(value)}</td>', page)


def test_page_text_and_summary_show_the_same(site: Site) -> None:
    reported, _ = site.report(site.night(analyzed=(site.slower,)))
    places = dict(reported.files)
    assert places["report"] == site.store.path / "reports" / "nightly" / "index.html"
    page, text = places["report"].read_text(), places["text"].read_text()
    assert reported.sentences[0] == "1 new run, worse than before."
    for shown in (page, text, "\n".join(reported.sentences)):
        assert re.search(
            r"wave with 4 processes \(scorep-5\) takes \d+\.\d% longer than the 4 runs before",
            shown,
        )
        assert "Computation in" in shown
        assert "compute_physics" in shown
        assert "Most on rank 3: +5" in shown
    link = f"../run={site.slower.run_id}/index.html"
    assert f'href="{link}"' in page
    assert f"]({link})" in text
    assert set(re.findall(r"\.\./run=\w+", page)) == {f"../run={site.slower.run_id}"}


def test_trends_show_every_run(site: Site) -> None:
    reported, _ = site.report(site.night(analyzed=(site.slower,)))
    page = dict(reported.files)["report"].read_text()
    (curve,) = re.findall(r'<td class="trend marked">.*?points="([^"]+)"', page, re.DOTALL)
    heights = [float(point.split(",")[1]) for point in curve.split()]
    assert len(heights) == len(site.runs)
    assert min(heights) == heights[-1]  # counted from above
    assert re.search(r"\[wave\].*\| [▁▂]{4}█ \|", dict(reported.files)["text"].read_text())


def keys_of(document: Any, prefix: str = "") -> Iterator[str]:
    """Every key of a document, as its reference writes them."""
    if isinstance(document, dict):
        for name, value in document.items():
            yield (key := f"{prefix}.{name}".removeprefix("."))
            yield from keys_of(value, key)
    elif isinstance(document, list):
        for value in document:
            yield from keys_of(value, f"{prefix}[]")


def _statement(reported: Reported, label: str) -> str:
    """The SQL that the text of a night shows under some label."""
    text = dict(reported.files)["text"].read_text()
    return text.split(f"<summary>SQL of the figures above: {label}</summary>")[1].split("```")[1]


def test_the_sql_beside_run_times_gives_them_in_the_shell(site: Site) -> None:
    reported, result = site.report(site.night(analyzed=tuple(site.runs[1:])))
    text = dict(reported.files)["text"].read_text()
    sql = _statement(reported, "run times, by run id").removeprefix("sql\n")
    with open_store(site.store.path).all_runs() as tables:
        found = {row["run_id"]: row for row in tables.sql(sql).to_dicts()}
    assert set(found) == {run.run_id for run in site.runs}
    shown = [line.split(" | ") for line in text.splitlines() if line.startswith("| [scorep-5]")]
    (new,) = [row for row in shown if site.slower.run_id in row[-1]]
    assert format_time(found[site.slower.run_id]["run_time_ns"]) in new
    assert [
        (each["run_time_ns"], each["processes"], each["threads"]) for each in result["new"]
    ] == [
        (found[run.run_id]["run_time_ns"], found[run.run_id]["processes"],
         found[run.run_id]["threads"])
        for run in site.runs[1:]
    ]  # fmt: skip
    assert re.search(r"^Night `\S+`\. .*`tracemill sql --all-runs`\.", text, re.M)


def test_the_sql_beside_causes_gives_them_in_the_shell(site: Site) -> None:
    reported, result = site.report(site.night(analyzed=(site.slower,)))
    cause = result["regressions"][0]["causes"][0]
    with open_store(site.store.path).all_runs() as tables:
        for name, rank, value in (
            ("changes", None, cause["value"] - cause["base_value"]),
            ("changes by rank", cause["rank"], cause["rank_change_value"]),
        ):
            sql = _statement(reported, f"{name} of wave (scorep-5)").removeprefix("sql\n")
            (row,) = [
                row
                for row in tables.sql(sql).to_dicts()
                if (row["metric"], row["call_path"]) == (cause["metric"], cause["call_path"])
                and row.get("rank") == rank
            ]
            assert row["change_value"] == pytest.approx(value)


def test_a_report_without_figures_shows_no_sql(site: Site, tmp_path: Path) -> None:
    reported = report_night(Store(tmp_path / "store"), site.night())
    assert "tracemill sql" not in dict(reported.files)["text"].read_text()


# --- Other nights ---------------------------------------------------------------------------------


def test_a_night_with_nothing_new_is_well(site: Site) -> None:
    reported, result = site.report(site.night(unchanged_count=5))
    assert (reported.exit_code, result["verdict"]) == (0, "no new problems")
    assert reported.sentences == ("Nothing new: 5 archives were analyzed before.",)
    assert result["counts"]["unchanged"] == 5


def test_archives_left_for_the_next_night_are_counted(site: Site) -> None:
    left = (site.source / "a" / "traces.otf2",)
    reported, _ = site.report(site.night(unchanged_count=5, left=left))
    assert reported.sentences == ("No new runs.", "1 archive is left for the next night.")


def test_a_source_without_archives_is_named(site: Site) -> None:
    reported, _ = site.report(site.night())
    assert reported.sentences == (f"No new runs: there is no archive below {site.source}.",)


def test_runs_without_a_change_are_well(site: Site) -> None:
    reported, result = site.report(site.night(analyzed=tuple(site.runs[1:-1])))
    assert reported.exit_code == 0
    assert reported.sentences == ("3 new runs, none worse than before.",)
    assert [len(each["base_runs"]) for each in result["new"]] == [1, 2, 3]


def test_the_first_run_of_its_kind_is_compared_with_nothing(site: Site) -> None:
    reported, result = site.report(site.night(analyzed=(site.runs[0],)))
    assert reported.exit_code == 0
    assert reported.sentences == ("1 new run; there is nothing yet to compare with.",)
    assert result["new"][0]["change_ratio"] is None


def test_everything_that_a_night_may_find_is_reported(site: Site) -> None:
    source, lost = site.source, site.runs[0]
    (part,) = lost.files("locations")
    content = part.read_bytes()
    site.report(site.night())
    for kept in (site.store.path / "nightly" / "history").rglob("*.parquet"):
        kept.unlink()
    try:
        part.unlink()
        reported, result = site.report(
            site.night(
                analyzed=(lost, site.slower),
                failed=(
                    Failure(path=source / "b" / "t.otf2", reason="no <anchor>", exit_code=12,
                            since="2026-11-21T02:01:00+00:00"),
                ),
                quarantined=(Failure(path=Path("/else/a\n\x1b[2J"), reason="odd", exit_code=13),),
                waiting=(Skipped(path=source / "\udcff", reason="still being reported"),),
                left=(source / "d",),
                campaigns=(
                    CampaignOutcome(name="scaling", run=site.runs[1], is_new=True),
                    CampaignOutcome(name="lost", reason="no runs", exit_code=17),
                ),
            )
        )  # fmt: skip
    finally:
        part.write_bytes(content)
    described = re.findall(r"^\| `(.+?)` \|", REFERENCE.read_text(), re.M)
    assert sorted(set(keys_of(result))) == sorted(described)
    assert reported.exit_code == 23  # regressions say more than failures
    counts = result["counts"]
    assert {name: counts[name] for name in ("new", "regressions", "failed", "quarantined")} == {
        "new": 2, "regressions": 1, "failed": 1, "quarantined": 1,
    }  # fmt: skip
    assert (counts["waiting"], counts["left"], counts["failed_campaigns"]) == (1, 1, 1)
    assert result["unjudged"][0]["run_id"] == lost.run_id
    page = dict(reported.files)["report"].read_text()
    assert "no &lt;anchor&gt;" in page
    assert "\x1b" not in page
    for words in ("b/t.otf2", "still being reported", "left for the next night", "no runs"):
        assert words in page


@pytest.mark.parametrize(
    "found",
    [
        {"failed": (Failure(path=Path("/x"), reason="damaged", exit_code=13),)},
        {"campaigns": (CampaignOutcome(name="c", reason="no runs", exit_code=17),)},
    ],
)
def test_failures_have_an_exit_code_of_their_own(site: Site, found: dict[str, Any]) -> None:
    reported, result = site.report(site.night(**found))
    assert (reported.exit_code, result["exit_code"]) == (24, 24)
    assert result["verdict"] == "some archives failed"


def test_earlier_failures_and_left_archives_are_no_failure_of_this_night(site: Site) -> None:
    old = (Failure(path=Path("/x"), reason="damaged", exit_code=13),)
    reported, _ = site.report(site.night(quarantined=old, left=(Path("/y"),)))
    assert reported.exit_code == 0


# --- Earlier nights -------------------------------------------------------------------------------


def test_later_nights_show_the_regressions_of_this_one(site: Site) -> None:
    first, _ = site.report(site.night(analyzed=(site.slower,)))
    alarms = json.loads(dict(first.files)["result"].read_text())["regressions"]
    reported, result = site.report(site.night(unchanged_count=5))
    assert (reported.exit_code, result["regressions"]) == (0, [])
    assert reported.sentences == (
        "Nothing new: 5 archives were analyzed before.",
        "Other nights of the last 24 hours found 1 worse run.",
    )
    (before,) = result["nights"]
    assert (before["exit_code"], before["new"], before["regressions"]) == (23, 1, 1)
    assert json.loads(Path(before["result"]).read_text())["regressions"] == alarms
    assert "wave with 4 processes (scorep-5) takes" in dict(reported.files)["report"].read_text()


def test_a_regression_reported_by_several_nights_is_listed_once(site: Site) -> None:
    for _ in range(2):
        site.report(site.night(analyzed=(site.slower,)))
    again, _ = site.report(site.night(analyzed=(site.slower,)))
    assert "Other nights" not in " ".join(again.sentences)
    reported, result = site.report(site.night())
    assert "Other nights of the last 24 hours found 1 worse run." in reported.sentences
    assert len(result["nights"]) == 3
    page = dict(reported.files)["report"].read_text()
    assert page.count("wave with 4 processes (scorep-5) takes") == 1


def test_alarms_of_older_nights_are_no_news(site: Site) -> None:
    site.report(site.night(analyzed=(site.slower,)))
    later = replace(site.night(unchanged_count=5), started_at="2026-11-22T02:00:01+00:00")
    reported, result = site.report(later)
    assert reported.sentences == ("Nothing new: 5 archives were analyzed before.",)
    assert len(result["nights"]) == 1


def test_a_result_that_cannot_be_read_is_left_out(site: Site) -> None:
    site.report(site.night())
    (kept,) = (site.store.path / "nightly" / "nights").glob("*.json")
    kept.write_text("{")
    assert site.report(site.night())[1]["nights"] == []


def test_only_so_many_nights_are_kept(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "MOST_KEPT", 3)
    for day in range(10, 15):
        site.report(replace(site.night(), started_at=f"2026-11-{day}T02:00:00+00:00"))
    left = sorted(path.name[:8] for path in (site.store.path / "nightly" / "nights").iterdir())
    assert left == ["20261112", "20261113", "20261114"]
