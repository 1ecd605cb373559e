"""Laws of overheads, and imbalance against a slow and obvious version, on random calls."""

from collections import Counter, defaultdict

from hypothesis import given, settings

from tests.helpers.micro_trace import Tables
from tests.helpers.running import run_queries, run_stage
from tests.oracle.imbalance import find_deviations
from tests.properties.test_time_profile import programs
from tracemill.stages.imbalance import IMBALANCE_STAGE
from tracemill.stages.overhead_totals import OVERHEAD_TOTALS_STAGE

COMPUTATION = 0
FIRST_THREADS = (0, 1)


@settings(deadline=None, max_examples=40)
@given(programs())
def test_overheads_share_out_the_run(tables: Tables) -> None:
    found = run_stage(OVERHEAD_TOTALS_STAGE, tables)
    for name, key in (("call_path_overheads", "call_path_id"), ("region_overheads", "region_id")):
        order = [(row["overhead_id"], row[key]) for row in found[name]]
        assert order == sorted(order)
    checks = ("overheads_fill_the_run", "call_paths_share_out_overheads")
    assert run_queries(dict.fromkeys(checks, ""), tables | found) == [[], []]


@settings(deadline=None, max_examples=40)
@given(programs())
def test_imbalance_is_the_deviation_from_the_mean_at_every_location(tables: Tables) -> None:
    overhead = {row["region_id"]: row["overhead_id"] for row in tables["region_classes"]}
    times: dict[int, Counter[int]] = defaultdict(Counter)
    for visit in tables["visits"]:
        if overhead[visit["region_id"]] == COMPUTATION:
            times[visit["call_path_id"]][visit["location_id"]] += visit["exclusive_ns"]
    by_path, overload, underload, missing = {}, Counter(), Counter(), Counter()
    for path, spent in sorted(times.items()):
        if not sum(spent.values()):
            continue
        deviations = find_deviations(spent, FIRST_THREADS)
        overload += Counter({place: max(d, 0) for place, d in deviations.items()})
        underload += Counter({place: max(-d, 0) for place, d in deviations.items()})
        absent = Counter({place: -d for place, d in deviations.items() if place not in spent})
        missing += absent
        above, below = (sum(max(s * d, 0) for d in deviations.values()) for s in (1, -1))
        by_path[path] = (len(deviations), len(spent), above, below, absent.total())
    found = run_stage(IMBALANCE_STAGE, tables)
    columns = (
        "location_count", "visitor_count", "overload_ns", "underload_ns", "non_participation_ns"
    )  # fmt: skip
    assert by_path == {
        row["call_path_id"]: tuple(row[name] for name in columns)
        for row in found["computational_imbalance"]
    }
    for row in found["location_imbalance"]:
        place = row["location_id"]
        assert row["overload_ns"] == overload[place]
        assert row["underload_ns"] == underload[place]
        assert row["non_participation_ns"] == missing[place]
    assert run_queries({"imbalance_is_shared_out": ""}, tables | found) == [[]]
