"""What a run of a night is compared with, and when it is worse: conditions and baselines."""

from dataclasses import replace

import pytest

from tests.helpers.nights import Site
from tracemill.nightly.config import Application
from tracemill.nightly.history import PastRun, read_history
from tracemill.nightly.judge import Judge, Judgment
from tracemill.nightly.wording import describe_regression


def test_a_condition_replaces_the_default_one(site: Site) -> None:
    path = "main/step/physics/compute_physics"
    wave = {"fail_if": (f"computation in {path} > +20%", "run_time > 1s")}
    reported, result = site.report(site.night(analyzed=(site.slower,)), **wave)
    assert reported.exit_code == 23
    (found,) = result["regressions"]
    assert (found["application"], found["metric"]) == ("Wave", "computation")
    assert found["condition"] == f"computation in {path} > +20%"
    assert found["change_ratio"] == pytest.approx(0.5, rel=0.02)  # 0, 1/3, 2/3 and 1 of four
    assert found["causes"][0]["rank"] == 3


def test_a_condition_limits_figures_of_the_summary(site: Site) -> None:
    wave = {"fail_if": ("waiting > 0%", "parallel_efficiency < 0%", "waiting > 100%")}
    reported, result = site.report(site.night(analyzed=(site.slower,)), **wave)
    assert reported.exit_code == 23
    (found,) = result["regressions"]
    assert (found["condition"], found["metric"], found["unit"]) == (
        "waiting > 0%",
        "waiting",
        "ratio",
    )
    assert 0 < found["value"] < 1
    assert found["causes"] == []


def test_a_malformed_condition_is_a_failure(site: Site) -> None:
    wave = {"fail_if": ("run_time > 1 fortnight",)}
    reported, result = site.report(site.night(analyzed=(site.slower,)), **wave)
    assert reported.exit_code == 24
    assert result["unjudged"][0]["reason"].startswith("--fail-if run_time > 1 fortnight: ")


def test_a_condition_that_does_not_hold_is_no_regression(site: Site) -> None:
    wave = {"fail_if": ("run_time > +200%",)}
    assert site.report(site.night(analyzed=(site.slower,)), **wave)[0].exit_code == 0


def test_a_baseline_replaces_the_runs_before(site: Site) -> None:
    names = ",".join(run.run_id for run in site.runs[:2])
    _, result = site.report(site.night(analyzed=(site.runs[2], site.slower)), baseline=names)
    assert [each["base_runs"] for each in result["new"]] == [
        [run.run_id for run in site.runs[:2]]
    ] * 2  # fmt: skip
    (found,) = result["regressions"]
    assert (found["run_id"], found["is_baseline"]) == (site.slower.run_id, True)


def test_a_baseline_of_another_size_is_not_used(site: Site) -> None:
    baseline, *others = read_history(site.store, site.source)
    larger = replace(baseline, series=replace(baseline.series, processes=8))
    rule = Application(name="wave", pattern="*", baseline=baseline.run_id)
    judge = Judge(store=site.store, history=[larger, *others], applications=(rule,))
    (judged,) = judge.judge_runs([site.slower]).judged
    assert [each.run_id for each in judged.base] == [run.run_id for run in site.runs[1:4]]
    assert [each.is_baseline for each in judged.regressions] == [False]


def _of(run: PastRun, application: str) -> PastRun:
    return replace(run, series=replace(run.series, application=application))


def test_an_application_uses_its_own_runs_of_a_shared_baseline(site: Site) -> None:
    """The first two runs are named; the first one is of another application, or both are."""
    first, second, *others = read_history(site.store, site.source)
    rule = Application(name="wave", pattern="*", baseline=f"{first.run_id},{second.run_id}")

    def judged(*history: PastRun) -> Judgment:
        judge = Judge(store=site.store, history=[*history, *others], applications=(rule,))
        return judge.judge_runs([site.slower])

    own = judged(_of(first, "halo"), _of(second, "wave"))
    assert [run.run_id for run in own.judged[0].base] == [second.run_id]
    of_one = judged(_of(first, "halo"), _of(second, "halo"))
    assert [run.run_id for run in of_one.judged[0].base] == [first.run_id, second.run_id]
    (found,) = of_one.regressions
    assert (
        "its baseline (scorep-1 of halo, scorep-2 of halo)" in describe_regression(found).headline
    )
    unclear = judged(_of(first, "halo"), _of(second, "cg"))
    assert unclear.judged == ()
    assert unclear.unjudged[0].reason == (
        f"baseline {rule.baseline}: it names runs of cg, halo, and none of wave: name runs by "
        "their ids"
    )


def test_runs_of_earlier_nights_are_not_judged_again(site: Site) -> None:
    reported, result = site.report(site.night(again=(site.slower,), unchanged_count=4))
    assert (reported.exit_code, result["new"], result["counts"]["again"]) == (0, [], 1)
    assert "1 run of earlier nights was analyzed again." in reported.sentences


def test_only_the_last_runs_count(site: Site) -> None:
    wave = {"history": 2}
    _, result = site.report(site.night(analyzed=(site.slower,)), **wave)
    assert result["new"][0]["base_runs"] == [run.run_id for run in site.runs[2:4]]


def test_a_missing_baseline_is_a_failure(site: Site) -> None:
    wave = {"baseline": "release-1"}
    reported, result = site.report(site.night(analyzed=(site.slower,)), **wave)
    assert reported.exit_code == 24
    assert "no run release-1" in result["unjudged"][0]["reason"]
    assert "could not be compared" in " ".join(reported.sentences)


def test_a_faster_run_is_reported(site: Site) -> None:
    wave = {"baseline": site.slower.run_id}
    reported, result = site.report(site.night(analyzed=(site.runs[1],)), **wave)
    assert reported.exit_code == 0
    assert reported.sentences == ("1 new run, none worse than before, 1 faster.",)
    assert result["new"][0]["verdict"] == "faster"


def test_a_regression_is_reported_even_if_earlier_runs_were_removed(site: Site) -> None:
    history = read_history(site.store, site.source)
    hidden = site.folder / "hidden"
    hidden.mkdir()
    for run in site.runs[:-1]:
        run.path.rename(hidden / run.run_id)
    try:
        judgment = Judge(store=site.store, history=history).judge_runs([site.slower])
    finally:
        for run in site.runs[:-1]:
            (hidden / run.run_id).rename(run.path)
    (found,) = judgment.regressions
    assert found.causes == ()
    assert "removed meanwhile" in found.explanations[0].detail
