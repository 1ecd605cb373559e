"""Three linked trees: what is chosen on the left is what the right is about.

The run is that of `explored`: in main 200 ms, of which 10 in MPI_Send and 60 in MPI_Recv.
"""

import pytest
from playwright.sync_api import Locator, Page

from tests.browser.conftest import Open, unfold
from tests.helpers.explored import make_report, make_run, real_metrics
from tests.helpers.hand_made import MS
from tracemill.reports.build import build_report
from tracemill.schemas.metrics import METRICS

METRIC, PATH, PLACE = "Metric", "Call path", "Process and thread"


@pytest.fixture
def page(open_page: Open) -> Page:
    return open_page(make_report())


def tree(page: Page, name: str) -> Locator:
    return page.get_by_role("tree", name=name)


def row(page: Page, panel: str, name: str) -> Locator:
    return tree(page, panel).get_by_role("treeitem").filter(
        has=page.locator("bdi", has_text=name)
    ).first  # fmt: skip


def amounts(page: Page, panel: str) -> dict[str, str]:
    """What the rows of a panel say, by name."""
    rows = tree(page, panel).get_by_role("treeitem").evaluate_all(
        """(rows) => rows.map((row) => [row.querySelector("bdi").textContent,
             row.querySelector(".amount")?.textContent ?? ""])"""
    )  # fmt: skip
    return dict(rows)


def open_or_close(page: Page, panel: str, name: str) -> None:
    row(page, panel, name).locator(".twist").click()


def test_at_first_all_time_is_shown_where_it_was_spent(page: Page) -> None:
    assert amounts(page, METRIC)["Time"] == "200 ms"
    # main is open and shows what it does itself: 90 + 40.
    assert amounts(page, PATH) == {"main": "130 ms", "MPI_Recv": "60.0 ms", "MPI_Send": "10.0 ms"}
    assert amounts(page, PLACE) == {
        "machine tetra": "", "MPI Rank 0": "100 ms", "MPI Rank 1": "100 ms"
    }  # fmt: skip


def test_metrics_of_every_kind_stand_under_its_name(open_page: Open) -> None:
    (kinds,) = (column.values for column in METRICS.columns if column.name == "kind")
    metrics = [
        {"metric": f"x{at}", "kind": kind, "title": f"x{at}", "unit": "ns"}
        for at, kind in enumerate(kinds)
    ]
    cells = [{"metric": row["metric"], "call_path_id": 0, "value": MS} for row in metrics]
    time = [row for row in real_metrics() if row["metric"] == "time"]
    report = build_report(make_run(metrics=time + metrics, severities=cells))
    names = set(amounts(open_page(report), METRIC))
    # Overheads are parts of the time, which is closed.
    assert {row["title"] for row in metrics if row["kind"] != "overhead"} <= names
    assert names.isdisjoint({"", *kinds})


EFFICIENCIES = {"run_time": 100 * MS, "ideal_run_time": 90 * MS, "communication_efficiency": 0.9}


@pytest.fixture
def costly(open_page: Open) -> Page:
    """The same run, in which main of rank 0 causes the waiting, and with POP's times.

    The run takes 100 ms, ideally 90, of which rank 0 computes 90 and rank 1 40.
    """
    run = make_run()
    severities = [
        *run.tables["severities"],
        {"metric": "delay_latesender", "call_path_id": 0, "location_id": 0, "value": 30 * MS},
        {"metric": "delay_latesender_longterm", "call_path_id": 0, "location_id": 0,
         "value": 20 * MS},
        {"metric": "bytes_sent", "call_path_id": 1, "location_id": 0, "value": 8},
        {"metric": "comms_send", "call_path_id": 1, "location_id": 0, "value": 1},
    ]  # fmt: skip
    pop = [
        {"interval": "whole", "convention": "times", "metric": name, "value": float(value),
         "is_valid": True}
        for name, value in EFFICIENCIES.items()
    ]  # fmt: skip
    times = [
        {"interval": "whole", "location_id": at, "useful_ns": useful * MS}
        for at, useful in enumerate((90, 40))
    ]
    return open_page(
        build_report(make_run(severities=severities, pop_metrics=pop, pop_locations=times))
    )


def test_metrics_are_sorted_with_causes_and_losses_beside_waits(costly: Page) -> None:
    found = list(amounts(costly, METRIC).items())
    wholes = ("Time", "Waiting", "Root causes", "Efficiency losses")
    assert [each for each in found if each[0] in wholes] == [
        ("Time", "200 ms"), ("Waiting", "50.0 ms"), ("Root causes", "50.0 ms"),
        ("Efficiency losses", "70.0 ms"),
    ]  # fmt: skip
    at = [name for name, _ in found].index("Root causes")
    assert found[at + 1 : at + 6] == [
        ("Delay, Late Sender", "30.0 ms"), ("Delay, Late Sender (Long-Term)", "20.0 ms"),
        ("Efficiency losses", "70.0 ms"), ("Load imbalance", "50.0 ms"), ("Transfer", "20.0 ms"),
    ]  # fmt: skip


def test_counts_and_bytes_stand_apart_from_times(costly: Page) -> None:
    tree(costly, METRIC).press("End")
    names = list(amounts(costly, METRIC))
    assert names[names.index("Counts") :] == ["Counts", "Visits", "Sends", "Bytes", "Bytes sent"]


def test_a_root_cause_shows_who_makes_others_wait(costly: Page) -> None:
    row(costly, METRIC, "Root causes").click()
    assert amounts(costly, PATH) == {"main": "50.0 ms"}
    assert amounts(costly, PLACE)["MPI Rank 0"] == "50.0 ms"
    row(costly, METRIC, "Load imbalance").click()
    assert amounts(costly, PLACE)["MPI Rank 1"] == "50.0 ms"


def test_call_paths_have_their_source_lines(open_page: Open) -> None:
    run = make_run()
    regions = [
        each | ({"file": "/src/app.c", "begin_line": 7} if each["name"] == "main" else {})
        for each in run.tables["regions"]
    ]
    page = open_page(build_report(make_run(regions=regions)))
    main = row(page, PATH, "main")
    assert main.locator(".site").inner_text() == "app.c:7"
    assert main.get_attribute("title") == "main\n/src/app.c:7"


def test_a_closed_branch_holds_all_below_an_open_one_only_itself(page: Page) -> None:
    open_or_close(page, PATH, "main")
    assert amounts(page, PATH) == {"main": "200 ms"}
    open_or_close(page, METRIC, "Time")
    assert amounts(page, METRIC)["Time"] == "0 s"
    assert amounts(page, METRIC)["Computation"] == "130 ms"
    assert amounts(page, METRIC)["Data Movement"] == "70.0 ms"


def test_a_metric_filters_call_paths_and_places(page: Page) -> None:
    row(page, METRIC, "Late Sender").click()
    assert amounts(page, PATH) == {"main": "0 s", "MPI_Recv": "50.0 ms"}
    assert amounts(page, PLACE) == {
        "machine tetra": "", "MPI Rank 0": "0 s", "MPI Rank 1": "50.0 ms"
    }  # fmt: skip
    assert "Late Sender in all call paths, all processes: 50.0 ms." in page.inner_text(".status")


def test_an_open_metric_counts_only_itself_to_its_right(page: Page) -> None:
    open_or_close(page, METRIC, "Time")
    row(page, METRIC, "Data Movement").click()
    assert amounts(page, PATH) == {"main": "0 s", "MPI_Recv": "60.0 ms", "MPI_Send": "10.0 ms"}
    open_or_close(page, METRIC, "Data Movement")
    assert amounts(page, PATH) == {}


def test_a_call_path_filters_places(page: Page) -> None:
    row(page, PATH, "MPI_Recv").click()
    assert amounts(page, PLACE)["MPI Rank 0"] == "0 s"
    assert amounts(page, PLACE)["MPI Rank 1"] == "60.0 ms"
    row(page, PATH, "main").click()
    assert amounts(page, PLACE)["MPI Rank 0"] == "90.0 ms"
    open_or_close(page, PATH, "main")
    assert amounts(page, PLACE)["MPI Rank 0"] == "100 ms"


def test_amounts_can_be_shares(page: Page) -> None:
    row(page, METRIC, "Late Sender").click()
    page.get_by_label("Show", exact=True).select_option("percent of the whole run")
    assert amounts(page, METRIC)["Late Sender"] == "25.0%"
    assert amounts(page, PATH)["MPI_Recv"] == "25.0%"
    page.get_by_label("Show", exact=True).select_option("percent of the metric")
    assert amounts(page, PATH)["MPI_Recv"] == "100.0%"


def test_a_filtered_rank_counts_alone(page: Page) -> None:
    page.get_by_label("Rank", exact=True).fill("1")
    assert amounts(page, METRIC)["Time"] == "100 ms"
    assert amounts(page, PATH) == {"main": "40.0 ms", "MPI_Recv": "60.0 ms"}
    assert amounts(page, PLACE) == {"machine tetra": "", "MPI Rank 1": "100 ms"}
    page.get_by_role("button", name="Clear filter").click()
    assert amounts(page, METRIC)["Time"] == "200 ms"


def test_a_searched_region_is_found_and_counts_alone(page: Page) -> None:
    open_or_close(page, PATH, "main")
    page.keyboard.press("/")
    page.keyboard.type("recv")
    assert amounts(page, METRIC)["Time"] == "60.0 ms"
    assert amounts(page, PATH) == {"main": "0 s", "MPI_Recv": "60.0 ms"}
    assert tree(page, PATH).locator(".hit").all_inner_texts() == ["60.0 ms\nMPI_Recv"]
    page.keyboard.press("Enter")
    assert "Time in MPI_Recv, all processes: 60.0 ms." in page.inner_text(".status")


def test_tables_show_only_rows_that_pass(page: Page) -> None:
    unfold(page)
    profile = page.locator("#profile table").first.locator("tbody tr")
    assert profile.filter(visible=True).count() == 3
    page.get_by_label("Region", exact=True).fill("MPI_R")
    assert profile.filter(visible=True).count() == 1
    calls = page.locator("#call-tree .row:not(.head)")
    assert calls.filter(visible=True).count() == 2
    pairs = page.locator("#communication table").nth(1).locator("tbody tr")
    page.get_by_role("button", name="Clear filter").click()
    assert pairs.filter(visible=True).count() == 1
    page.get_by_label("Rank", exact=True).fill("1")
    page.get_by_label("Partner", exact=True).fill("0")
    assert pairs.filter(visible=True).count() == 1
    page.get_by_label("Partner", exact=True).fill("1")
    assert pairs.filter(visible=True).count() == 0
    assert "hidden" in page.inner_text(".told")


def test_everything_works_without_a_mouse(page: Page) -> None:
    tree(page, METRIC).focus()
    page.keyboard.type("late s")
    page.keyboard.press("Enter")
    assert amounts(page, PATH) == {"main": "0 s", "MPI_Recv": "50.0 ms"}
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == PATH
    for key in ("ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert "Late Sender in MPI_Recv" in page.inner_text(".status")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    assert amounts(page, PATH) == {"main": "50.0 ms"}
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    assert "Late Sender in all call paths" in page.inner_text(".status")


def test_trees_say_what_they_are_to_those_who_listen(page: Page) -> None:
    main = row(page, PATH, "main")
    assert main.get_attribute("aria-level") == "1"
    assert main.get_attribute("aria-expanded") == "true"
    assert row(page, PATH, "MPI_Recv").get_attribute("aria-level") == "2"
    active = tree(page, METRIC).get_attribute("aria-activedescendant")
    assert page.locator(f"[id='{active}']").inner_text().endswith("Time")
    assert row(page, METRIC, "Time").get_attribute("aria-selected") == "true"
