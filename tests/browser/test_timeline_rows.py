"""The rows and lanes of the timeline: by node and process, folded, up to 1,024 of them."""

import pytest

from tests.browser.conftest import Open
from tests.helpers.hand_made import HandMadeRun, make_run_row, with_rows
from tests.helpers.timeline_page import LANES, colors, press, rgb, see_drawn, told, window
from tracemill.reports.build import build_report


def run_on_nodes() -> HandMadeRun:
    """Two nodes with two processes each; rank 0 has a second thread and a stream of a GPU.

    The only bin is 10 ms long. Rank 0's first thread is in r0 all the time, all others in r1.
    """
    ms = 1_000_000
    places = [  # rank, thread, group, kind, name
        (0, 0, 0, "cpu_thread", "Master thread"), (0, 1, 0, "cpu_thread", "Worker"),
        (0, 0, 4, "gpu", "HIP[0:0]"), (1, 0, 1, "cpu_thread", "Master thread"),
        (2, 0, 2, "cpu_thread", "Master thread"), (3, 0, 3, "cpu_thread", "Master thread"),
    ]  # fmt: skip
    groups = [
        {"location_group_id": at, "rank": at, "kind": "process", "system_tree_node_id": 1 + at // 2}
        for at in range(4)
    ]
    gpu = {"location_group_id": 4, "rank": 0, "kind": "accelerator"}
    return HandMadeRun(
        {
            "runs": [make_run_row(end_ns=10 * ms, location_count=6)],
            "system_tree_nodes": [
                {"system_tree_node_id": 0, "name": "machine", "class_name": "machine"},
                *({"system_tree_node_id": 1 + at, "name": name, "class_name": "node"}
                  | {"parent_system_tree_node_id": 0} for at, name in enumerate(("alpha", "beta"))),
            ],
            "location_groups": [*groups, gpu | {"creating_location_group_id": 0}],
            "locations": [
                {"location_id": at, "rank": rank, "thread": 2 if kind == "gpu" else thread}
                | {"location_group_id": group, "kind": kind, "name": name, "visit_count": 1}
                for at, (rank, thread, group, kind, name) in enumerate(places)
            ],
            "regions": [{"region_id": at, "name": f"r{at}"} for at in range(2)],
            "timeline_bins": [
                {"location_id": at, "region_id": min(at, 1), "end_ns": 10 * ms, "time_ns": 10 * ms}
                for at in range(6)
            ],
        }
    )  # fmt: skip


def test_rows_are_grouped_by_node_and_process_and_folded_by_key(open_page: Open) -> None:
    page = open_page(build_report(run_on_nodes()))
    seen = []
    for _ in range(8):
        press(page, "ArrowDown")
        seen.append(told(page))
    assert seen == [
        "Row 1 of 8: Node alpha, unfolded, 4 rows",
        "Row 2 of 8: Rank 0, thread 0, unfolded, 3 rows",
        "Row 3 of 8: Rank 0, thread 1",
        "Row 4 of 8: GPU stream HIP[0:0] of rank 0",
        "Row 5 of 8: Rank 1, thread 0",
        "Row 6 of 8: Node beta, unfolded, 2 rows",
        "Row 7 of 8: Rank 2, thread 0",
        "Row 8 of 8: Rank 3, thread 0",
    ]
    press(page, *("ArrowUp",) * 4, "Space")  # the stream folds its process
    assert told(page) == "Row 2 of 6: Rank 0, thread 0, folded, 3 rows"
    press(page, ".")  # two of three locations are in r1
    assert told(page).startswith("Region r1 Rank 0, thread 0 most time of 3 folded rows")
    press(page, "Space", ".")
    assert told(page).startswith("Region r0 Rank 0, thread 0 from")
    press(page, "Escape", "ArrowUp", "Space", ".")
    assert told(page).startswith("Region r1 Node alpha most time of 4 folded rows")
    press(page, "ArrowDown")
    assert told(page) == "Row 2 of 4: Node beta, unfolded, 2 rows"


def test_rows_are_folded_by_mouse_and_all_at_once(open_page: Open) -> None:
    page = open_page(build_report(run_on_nodes()))
    levels = page.get_by_label("Rows", exact=True)
    assert levels.locator("option").all_inner_texts() == [
        "Rows …",
        "Nodes",
        "Processes",
        "All rows",
    ]
    assert levels.input_value() == "All rows"
    height = (page.locator(".timeline canvas").evaluate("(it) => it.clientHeight") - 36) / 8
    page.locator(LANES).click(position={"x": 30, "y": 36 + height / 2})
    assert told(page) == "Row 1 of 4: Node alpha, folded, 4 rows"
    levels.select_option(label="Nodes")
    press(page, "End", "ArrowDown")
    assert told(page) == "Row 2 of 2: Node beta, folded, 2 rows"
    levels.select_option(label="Processes")
    press(page, "ArrowUp")
    assert told(page) == "Row 3 of 6: Rank 1, thread 0"


def test_a_wait_in_a_folded_node_is_unfolded_by_going_to_it(open_page: Open) -> None:
    waits = [
        {"property": "mpi_latesender", "location_id": 5, "cause_location_id": 0, "visit_id": 7}
        | {"start_ns": 1_000_000, "wait_ns": 2_000_000}
    ]
    metrics = [{"metric": "mpi_latesender", "title": "Late Sender"}]
    run = with_rows(run_on_nodes(), wait_states=waits, metrics=metrics)
    page = open_page(build_report(run))
    page.get_by_label("Rows", exact=True).select_option(label="Nodes")
    page.get_by_label("Go to").select_option(index=1)
    assert told(page) == (
        "Late Sender Rank 3, thread 0 waits 2.00 ms from 0.001 s for rank 0, thread 0"
    )
    press(page, "ArrowUp")
    assert told(page) == "Row 3 of 4: Rank 2, thread 0"  # only beta is unfolded


def many_ranks(count: int, per_node: int) -> HandMadeRun:
    """Processes in one bin of 10 ms; the path leads over the last of them."""
    ms = 1_000_000
    return HandMadeRun(
        {
            "runs": [make_run_row(end_ns=10 * ms, location_count=count, process_count=count)],
            "system_tree_nodes": [
                {"system_tree_node_id": at, "name": f"node {at}", "class_name": "node"}
                for at in range(count // per_node)
            ],
            "location_groups": [
                {"location_group_id": at, "rank": at, "system_tree_node_id": at // per_node}
                for at in range(count)
            ],
            "locations": [
                {"location_id": at, "rank": at, "location_group_id": at} for at in range(count)
            ],
            "regions": [{"region_id": 0, "name": "r0"}],
            "timeline_bins": [
                {"location_id": at, "end_ns": 10 * ms, "time_ns": 10 * ms} for at in range(count)
            ],
            "critical_path_segments": [
                {"ordinal": 0, "location_id": count - 1, "begin_ns": 0, "end_ns": 10 * ms}
            ],
        }
    )


def test_64_ranks_and_their_path_are_seen_at_once(open_page: Open) -> None:
    page = open_page(build_report(many_ranks(64, 64)))
    assert page.evaluate(f"(() => {{ const it = document.querySelector('{LANES}');"
                         " return it.scrollHeight === it.clientHeight })()")  # fmt: skip
    assert colors(page)[rgb(page, "--path")] > 900  # a line over the width of the window


def run_with_lanes() -> HandMadeRun:
    """Two processes for 20 ms: two iterations, and a counter in four bins of 5 ms."""
    ms = 1_000_000
    run = with_rows(many_ranks(2, 2), runs=[make_run_row(end_ns=20 * ms)])
    return with_rows(
        run,
        location_groups=[
            {"location_group_id": at, "rank": at, "name": f"MPI Rank {at}"} for at in range(2)
        ],
        iterations=[
            {"location_group_id": place, "iteration": at, "begin_ns": 10 * ms * at}
            | {"end_ns": 10 * ms * (at + 1)}
            for place in range(2)
            for at in range(2)
        ],
        counters=[{"counter_id": 0, "name": "PAPI_TOT_INS", "unit": "#"}],
        counter_recordings=[{"recording_id": 0, "counter_id": 0, "value_count": 1}],
        counter_profile=[
            {"bin": at, "begin_ns": 5 * ms * at, "end_ns": 5 * ms * (at + 1), "scope_id": place}
            | {"value": 1000 * (at + 1) * (place + 1), "covered_ns": 5 * ms, "method": "exact"}
            for place in range(2)
            for at in range(4)
        ],
    )


def test_lanes_of_iterations_and_counters_stay_above_the_rows(open_page: Open) -> None:
    page = open_page(build_report(run_with_lanes()))
    press(page, "ArrowUp")
    assert told(page) == (
        "PAPI_TOT_INS of the run, lane 2 of 2: 4 parts; comma and period walk over them."
    )
    press(page, ".")  # the middle of the run is the begin of the third bin: 3,000 and 6,000
    assert told(page) == "Counter PAPI_TOT_INS of the run 9,000 from 0.010 s for 5.00 ms"
    press(page, ",")
    assert "of the run 6,000 from 0.005 s" in told(page)
    press(page, "ArrowUp", ".")
    assert told(page) == "Iteration 1 from 0.010 s for 10.0 ms"
    press(page, "Enter")  # 20% more on each side, where there is room
    assert window(page) == {"begin": pytest.approx(6e6), "end": pytest.approx(20e6)}
    press(page, "ArrowDown", "ArrowDown", "ArrowDown")
    assert told(page) == "Row 2 of 2: Rank 1"
    press(page, "ArrowUp", "ArrowUp", ".")  # rank 0: the lane is that of its process
    assert "Counter PAPI_TOT_INS of MPI Rank 0" in told(page)


def test_a_lane_tells_its_values_to_the_mouse_and_can_be_put_away(open_page: Open) -> None:
    page = open_page(build_report(run_with_lanes()))
    canvas = page.locator(".timeline canvas")
    box = canvas.bounding_box()
    assert box is not None
    middle = 14 + 11 + 8  # below the times and the iterations
    page.mouse.move(box["x"] + 84 + (box["width"] - 84) * 0.9, box["y"] + middle)
    see_drawn(page)
    assert page.inner_text(".timeline .tip") == (
        "Counter PAPI_TOT_INS of the run 12,000 from 0.015 s for 5.00 ms"
    )
    assert canvas.get_attribute("aria-hidden") == "true"
    page.locator(".timeline .counters summary").click()
    page.get_by_role("checkbox", name="PAPI_TOT_INS").uncheck()
    press(page, "ArrowUp")
    assert told(page).startswith("Iterations, lane 1 of 1: 2 parts")


DRAWN_BY_FRAME = """async () => {
  const lanes = document.querySelector(".timeline .lanes");
  const frame = () => new Promise(requestAnimationFrame);
  let count = 0;
  for (const name of ["fillText", "fillRect", "drawImage", "fill", "stroke"]) {
    const draw = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...given) {
      count++;
      return draw.apply(this, given);
    };
  }
  const counts = [];
  for (let at = 1; at < 10; at++) {
    count = 0;
    lanes.scrollTop = (lanes.scrollHeight - lanes.clientHeight) * at / 10;
    await frame();
    await frame();
    await frame();
    counts.push(count);
  }
  return [lanes.scrollHeight, counts];
}"""


def test_1024_ranks_open_folded_by_node_and_draw_only_what_is_seen(open_page: Open) -> None:
    page = open_page(build_report(many_ranks(1024, 16)))
    press(page, "ArrowDown")
    assert told(page) == "Row 1 of 64: Node 0, folded, 16 rows"
    page.get_by_label("Rows", exact=True).select_option(label="All rows")
    height, counts = page.evaluate(DRAWN_BY_FRAME)
    assert height == 36 + 12 * (1024 + 64)
    assert min(counts) > 0
    assert max(counts) < 1024
    press(page, "ArrowDown")
    assert told(page).startswith("Row 2 of 1088")
