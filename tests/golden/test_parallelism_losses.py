"""Time that locations lose while others compute."""

from typing import Any

from tests.golden.test_overheads import classified
from tests.helpers.micro_trace import Row, Tables, read_call_tree
from tests.helpers.running import run_query, run_stage, with_overheads
from tracemill.schemas.overheads import overhead_id
from tracemill.stages.parallelism_losses import PARALLELISM_LOSSES_STAGE

WAITING = overhead_id("barrier")
OUTSIDE = overhead_id("outside visits")
IDLE = overhead_id("idle threads")
ONE, SOME = overhead_id("unparallelised code"), overhead_id("partially parallelised code")

CALLS = """
    main
      serial
      solve
      MPI_Barrier
"""
MAIN, SERIAL, SOLVE, BARRIER = range(4)


def trace(end: int, *visits: tuple[int, int, int, int], count: int = 3) -> Tables:
    """Visits as location, call path, enter and leave; the locations' mains fill the run."""
    rows: list[Row] = [
        {"location_id": place, "call_path_id": path, "enter_ns": enter, "leave_ns": leave}
        | {"region_id": path, "exclusive_ns": 0, "parent_visit_id": 0 if path else None}
        for place, path, enter, leave in (*visits, *((n, MAIN, 0, end) for n in range(count)))
    ]
    rows.sort(key=lambda row: (row["location_id"], row["leave_ns"], row["call_path_id"] == MAIN))
    tables = read_call_tree(CALLS)
    tables["visits"] = [row | {"visit_id": number} for number, row in enumerate(rows)]
    tables["locations"] = [
        {"location_id": n, "location_group_id": n, "rank": n, "visit_count": 1}
        for n in range(count)
    ]
    tables["runs"] = [{"end_ns": end}]
    return classified(tables)


def losses(tables: Tables, **parameters: Any) -> list[tuple[Any, ...]]:
    names = (
        "call_path_id", "overhead_id", "participant_count", "alone_ns", "with_others_ns",
        "moved_to_overhead_id",
    )  # fmt: skip
    found = run_stage(PARALLELISM_LOSSES_STAGE, tables, **parameters)["parallelism_losses"]
    return [tuple(row[name] for name in names) for row in found]


#            0    10   20   30
# rank 0     [    serial][  ]     serial 5..20, computes alone from 10 to 20
# rank 1     [   Barrier ][ ]     waits from 10 to 20
# rank 2     [   Barrier ][ ]
def test_the_call_path_that_computes_alone_is_charged_with_all_others():
    tables = trace(30, (0, SERIAL, 5, 20), (1, BARRIER, 10, 20), (2, BARRIER, 10, 20))
    assert losses(tables) == [(SERIAL, WAITING, 1, 10 + 10, 0, ONE)]


# Ranks 0 and 1 solve for 10 ns while rank 2 waits: each is charged half of it. Rank 0 goes on for
# 6 ns, alone, while the two others wait.
def test_call_paths_that_compute_together_share_the_loss():
    tables = trace(
        30, (0, SOLVE, 0, 16), (1, SOLVE, 0, 10), (1, BARRIER, 10, 16), (2, BARRIER, 0, 16)
    )
    assert losses(tables) == [(SOLVE, WAITING, 2, 12, 5 + 5, SOME)]


def test_code_that_all_locations_visit_is_not_moved():
    tables = trace(20, (0, BARRIER, 5, 10), (1, BARRIER, 5, 12), (2, BARRIER, 5, 12))
    # Rank 0 computes in main from 10 to 12, alone.
    assert losses(tables) == [(MAIN, WAITING, 3, 4, 0, None)]


def test_while_nobody_or_everybody_computes_nothing_is_lost():
    tables = trace(20, *((place, BARRIER, 5, 10) for place in range(3)))
    assert losses(tables) == []
    assert losses(trace(20, (0, BARRIER, 5, 10), count=1)) == []


def test_a_location_without_visits_loses_all_the_time():
    tables = trace(20, (0, SERIAL, 5, 10), count=1)
    tables["locations"] += [{"location_id": 1, "location_group_id": 1, "rank": 1}]
    assert losses(tables) == [(MAIN, OUTSIDE, 1, 15, 0, ONE), (SERIAL, OUTSIDE, 1, 5, 0, ONE)]


def test_only_the_main_part_counts():
    tables = trace(30, (0, SERIAL, 5, 20), (1, BARRIER, 10, 20), (2, BARRIER, 10, 20))
    tables["main_part"] = [{"begin_ns": 0, "end_ns": 14}]
    assert losses(tables) == [(SERIAL, WAITING, 1, 4 + 4, 0, ONE)]


def test_a_rule_of_the_user_that_names_the_region_keeps_the_class():
    tables = trace(30, (0, SERIAL, 5, 20), (1, BARRIER, 10, 20), (2, BARRIER, 10, 20))
    rules = "paradigm,role,name,class,subclass\n*,*,MPI_Barrier,synchronisation,barrier\n"
    by_name = rules + "*,*,serial,computation,user code\n*,*,*,computation,user code\n"
    assert losses(with_overheads(tables, overhead_classes=by_name)) == [
        (SERIAL, WAITING, 1, 20, 0, None)
    ]
    by_pattern = rules + "*,*,*,computation,user code\n"
    assert losses(with_overheads(tables, overhead_classes=by_pattern)) == [
        (SERIAL, WAITING, 1, 20, 0, ONE)
    ]


def test_the_report_lists_what_is_moved_first():
    tables = trace(
        40, (0, SERIAL, 5, 20), (1, BARRIER, 10, 20), (2, BARRIER, 10, 20), (1, BARRIER, 20, 40)
    )  # fmt: skip
    columns = "call_path overhead_subclass participant_count rank alone_ns with_others_ns lost_ns"
    assert run_query("losses_by_call_path", tables, columns, row_limit=5) == [
        ("main/serial", "unparallelised code", 1, 0, 20, 0, 20),
        # From 20 to 40, ranks 0 and 2 compute in main, which all visit.
        ("main", "barrier", 3, None, 0, 20, 20),
    ]
