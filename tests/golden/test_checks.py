"""Checks return offending rows: none for sound tables, and the broken one for each claim."""

import copy
from typing import Any

import pytest

from tests.helpers.micro_trace import Tables, read_trace
from tests.helpers.running import query_tables, run_query, run_stage, with_overheads
from tests.oracle.profiles import with_profile
from tracemill.schemas.overheads import overhead_id
from tracemill.sql.query_files import all_queries
from tracemill.stages.imbalance import IMBALANCE_STAGE
from tracemill.stages.overhead_totals import OVERHEAD_TOTALS_STAGE

CHECKS = [query.relation for query in all_queries() if query.concept == "checks"]
TEXT = """
    0   0..5     MPI_Isend       isend 1 #1
    0   20..25   MPI_Wait        isend_complete #1
    0   30..35   MPI_Send        send 1 tag 9
    0   40..45   MPI_Send        send 1
    0   50..55   MPI_Barrier     collective barrier
    1   10..23   MPI_Recv        recv 0
    1   30..44   MPI_Recv        recv 0
    1   50..55   MPI_Barrier     collective barrier
"""
COMPUTED = (
    "region_graph_nodes", "region_graph_edges", "flat_profile", "messages", "unmatched_messages",
    "collectives", "collective_members", "wait_states", "metrics", "severities",
    "location_overheads", "overheads", "time_profile", "idle_times", "process_idle_times",
)  # fmt: skip


@pytest.fixture(scope="module")
def sound() -> Tables:
    """A small trace with everything that is computed from it, as rows to be broken."""
    tables = with_overheads(with_profile(read_trace(TEXT)) | {"runs": [{"end_ns": 55}]})
    for row in tables["locations"]:
        row |= {"begin_ns": 0, "end_ns": 55}
    for stage in (OVERHEAD_TOTALS_STAGE, IMBALANCE_STAGE):
        tables |= run_stage(stage, tables)
    loss = {"call_path_id": 0, "overhead_id": overhead_id("barrier"), "alone_ns": 1}
    tables["parallelism_losses"] = [loss | {"participant_count": 1, "with_others_ns": 0}]
    return tables | query_tables(dict.fromkeys(COMPUTED, ""), tables)


@pytest.mark.parametrize("check", CHECKS)
def test_sound_tables_pass(sound: Tables, check: str) -> None:
    assert run_query(check, sound) == []


BREAKAGES = [
    ("exclusive_times_sum_to_roots", "call_tree", 0, {"inclusive_ns": 1}),
    ("visits_are_counted_once", "call_tree", 1, {"visit_count": 7}),
    ("exclusive_times_lie_in_their_visit", "visits", 0, {"exclusive_ns": 56}),
    ("exclusive_times_lie_in_their_visit", "visits", 0, {"exclusive_ns": -1}),
    ("visits_lie_in_their_location", "visits", 0, {"enter_ns": -1}),
    ("visits_lie_in_their_location", "visits", 0, {"leave_ns": 56}),
    ("visits_lie_in_their_location", "visits", 0, {"exclusive_ns": 56}),
    ("subtrees_are_nested", "call_paths", 0, {"last_call_path_id": 1}),
    ("subtrees_are_nested", "call_paths", 1, {"last_call_path_id": 0}),
    ("region_graph_holds_the_call_tree", "region_graph_nodes", 1, {"exclusive_ns": 0}),
    ("region_graph_holds_the_call_tree", "region_graph_nodes", 1, {"visit_count": 9}),
    ("region_totals_are_shared_out", "region_graph_nodes", 1, {"total_ns": 1}),
    ("region_totals_are_shared_out", "region_graph_nodes", 1, {"forked_ns": 1}),
    ("region_totals_are_shared_out", "region_overheads", 0, {"inclusive_ns": 1}),
    ("region_totals_are_shared_out", "region_overheads", 0, {"forked_ns": 1}),
    ("entries_hold_all_visits", "flat_profile", 0, {"exclusive_ns": 1}),
    ("losses_lie_in_their_class", "parallelism_losses", 0, {"alone_ns": 1_000}),
    ("losses_lie_in_their_class", "parallelism_losses", 0, {"overhead_id": 0}),
    ("channels_have_no_gaps", "messages", 0, {"ordinal": 5}),
    ("channels_have_no_gaps", "unmatched_messages", 0, {"ordinal": 1}),
    ("messages_keep_their_order", "messages", 1, {"send_ns": -1}),
    ("instances_have_their_members", "collectives", 0, {"member_count": 1}),
    ("instances_have_their_members", "collective_members", 0, {"collective_id": 4}),
    ("waits_lie_within_their_call", "wait_states", 0, {"wait_ns": 1000}),
    ("waits_lie_within_their_call", "wait_states", 0, {"start_ns": 0}),
    ("waits_lie_within_their_call", "wait_states", 0, {"location_id": 0}),
    ("waits_lie_within_their_call", "wait_states", 0, {"visit_id": 99}),
    ("metrics_include_their_parts", "severities", 0, {"metric": "mpi_clswo_count"}),
    ("metrics_are_described", "severities", 0, {"metric": "unheard_of"}),
    ("metrics_are_described", "wait_states", 0, {"property": "unheard_of"}),
    ("severities_hold_all_waits", "wait_states", 0, {"wait_ns": 3}),
    ("regions_follow_their_rule", "region_classes", 0, {"overhead_id": 0}),
    ("overheads_fill_the_run", "location_overheads", 0, {"time_ns": 1}),
    ("call_paths_share_out_overheads", "call_path_overheads", 0, {"exclusive_ns": 1}),
    ("call_paths_share_out_overheads", "region_overheads", 0, {"exclusive_ns": 1}),
    ("time_profile_holds_the_overheads", "time_profile", 0, {"time_ns": 7}),
    ("imbalance_is_shared_out", "location_imbalance", 0, {"overload_ns": 7}),
    ("idle_times_lie_in_the_run", "idle_times", 0, {"idle_ns": 1000}),
    ("idle_times_lie_in_the_run", "process_idle_times", 0, {"idle_ns": 1000}),
]


@pytest.mark.parametrize(("check", "table", "row", "change"), BREAKAGES)
def test_each_check_finds_broken_rows(
    sound: Tables, check: str, table: str, row: int, change: dict[str, Any]
) -> None:
    broken = copy.deepcopy(sound)
    broken[table][row] |= change
    assert run_query(check, broken) != []


def test_every_check_fails_in_one_of_these_cases() -> None:
    assert {check for check, *_ in BREAKAGES} == set(CHECKS)
