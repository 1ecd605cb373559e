"""A team of two threads at an implicit barrier, written by hand."""

from tests.helpers.micro_trace import Tables
from tests.helpers.micro_trace import visit_row as visit

MAIN, PARALLEL, BARRIER, EXPLICIT = range(4)


#            0   8  12            40     50   58 62      100
# master     [main [parallel ......[barrier....] ]       ]
# worker           [parallel .............[barr] ]
#              fork                              join
def make_team() -> Tables:
    """The tables of both threads."""
    call_paths = [
        {"call_path_id": number, "region_id": number, "parent_call_path_id": parent}
        | {"last_call_path_id": last}
        for number, parent, last in ((0, None, 3), (1, 0, 3), (2, 1, 2), (3, 1, 3))
    ]
    members = [
        {"thread_team_id": 0, "location_id": place, "begin_ns": 9, "end_ns": 61} for place in (0, 1)
    ]
    return {
        "runs": [{"begin_ns": 0, "end_ns": 100}],
        "locations": [
            {"location_id": 0, "thread": 0, "begin_ns": 0, "end_ns": 100},
            {"location_id": 1, "thread": 1, "begin_ns": 9, "end_ns": 61},
        ],
        "regions": [
            {"region_id": MAIN, "name": "main", "paradigm": "compiler", "role": "function"},
            {"region_id": PARALLEL, "name": "par", "paradigm": "openmp", "role": "parallel"},
            {"region_id": BARRIER, "name": "i", "paradigm": "openmp", "role": "implicit_barrier"},
            {"region_id": EXPLICIT, "name": "b", "paradigm": "openmp", "role": "barrier"},
        ],
        "call_paths": call_paths,
        "visits": [
            visit(0, 0, MAIN, (0, 100), 100 - 54),
            visit(1, 0, PARALLEL, (10, 60), 54 - 18, 0),
            visit(2, 0, BARRIER, (40, 58), 18, 1),
            visit(3, 1, PARALLEL, (12, 60), 54 - 9),
            visit(4, 1, BARRIER, (50, 59), 9, 3),
        ],
        "thread_teams": [
            {"thread_team_id": 0, "location_id": 0, "communicator_id": 0, "fork_ns": 8}
            | {"join_ns": 62}
        ],
        "thread_team_members": members,
    }
