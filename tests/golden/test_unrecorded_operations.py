"""Communication calls without records, or with those of some members only."""

from tests.helpers.running import run_query


#        0         40             90   100
# rank 0 [MPI_Barrier....................]
# main             [..............]
def test_calls_of_some_members_count_with_their_time_in_the_main_part() -> None:
    tables = {
        "collectives": [{"collective_id": 0, "is_complete": False}],
        "collective_members": [{"collective_id": 0, "visit_id": 0}],
        "visits": [
            {"visit_id": 0, "call_path_id": 0, "region_id": 0, "enter_ns": 0, "leave_ns": 100}
        ],
        "regions": [{"region_id": 0, "name": "MPI_Barrier"}],
        "main_part": [{"begin_ns": 40, "end_ns": 90}],
    }
    found = run_query("unrecorded_operations", tables, "operation region visit_count time_ns")
    assert found == [("members of some collectives", "MPI_Barrier", 1, 50)]
