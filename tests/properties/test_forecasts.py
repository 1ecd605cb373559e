"""Random programs on random clusters: forecasts equal a slow simulation, and obey laws."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.helpers.described_programs import (
    array,
    branch,
    collective,
    loop,
    one_level,
    pipelined,
    program,
    reduction,
    serial,
)
from tests.helpers.random_descriptions import exact_case, random_case
from tests.oracle.forecast import simulate as simulate_slowly
from tracemill.forecast.simulation import simulate
from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.placed import Branch, Interval, Loop, Phase, PlacedProgram

CASE_COUNT, WIDE_COUNT, BATCH = 300, 60, 20
LAW_COUNT = 40
SHORTCUTS = ("none", "loops", "all")
MODES = ("user", "parallel", "serial", "loops")
TIMES = ("own_ns", "productive_ns", "insufficient_ns", "communication_ns")
CLASS_TIMES = ("time_ns", "overlap_ns", "before_ns", "after_ns")
USES = ("transfers", "bytes", "busy_ns", "busy_ratio")


@pytest.mark.parametrize("first", range(0, CASE_COUNT, BATCH))
def test_forecasts_equal_a_slow_simulation(first: int) -> None:
    for seed in range(first, first + BATCH):
        check(*random_case(seed), seed)


@pytest.mark.parametrize("first", range(0, WIDE_COUNT, BATCH))
def test_forecasts_of_many_processes_equal_a_slow_simulation(first: int) -> None:
    for seed in range(first, first + BATCH):
        check(*random_case(seed, is_wide=True), seed)


def check(made: PlacedProgram, on: Cluster, seed: int) -> None:
    """Compare all figures, with each shortcut."""
    for shortcuts in SHORTCUTS:
        given = {"shortcuts": shortcuts, "intervals": MODES[seed % len(MODES)]}
        found, expected = simulate(made, on, **given), simulate_slowly(made, on, **given)
        differences = list(compare(found, expected, rounding=rounding(made.phases)))
        assert not differences, (seed, shortcuts, differences[:5])


def rounding(phases: Sequence[Phase]) -> int:
    """Largest difference of figures (ns): branches make fractions, summed in any order."""
    return 1 if has_branches(phases) else 0


def has_branches(phases: Sequence[Phase]) -> bool:
    """Whether there is a branch at any depth."""
    nested = (each.phases for each in phases if isinstance(each, Loop | Interval))
    return any(isinstance(each, Branch) for each in phases) or any(map(has_branches, nested))


def compare(found: Any, expected: Any, *, rounding: int) -> Iterator[str]:
    """Differences between two forecasts."""
    yield from differ("ends", list(found.ends_ns), list(expected.ends_ns))
    yield from differ("time", found.time_ns, expected.time_ns)
    by_path = [{each.path: each for each in outcome.intervals} for outcome in (found, expected)]
    yield from differ("intervals", list(by_path[0]), list(by_path[1]))
    for path, interval in by_path[1].items():
        if path in by_path[0]:
            yield from compare_intervals(by_path[0][path], interval, rounding=rounding)
    yield from compare_levels(*({u.level: u for u in each.levels} for each in (found, expected)))


def compare_levels(found: dict[str, Any], expected: dict[str, Any]) -> Iterator[str]:
    """Differences between uses of channels; a level that is missing has no transfers."""
    for name in found.keys() | expected.keys():
        one, other = ([getattr(u.get(name), use, 0) for use in USES] for u in (found, expected))
        if not all(map(close, one, other)):
            yield f"level {name}: {one}, not {other}"


def compare_intervals(found: Any, expected: Any, *, rounding: int) -> Iterator[str]:
    """Differences between two outcomes of an interval."""
    for name in TIMES:
        numbers = [list(map(int, getattr(each, name))) for each in (found, expected)]
        # Communication is the difference of three rounded times.
        terms = 3 if name == "communication_ns" else 1
        yield from differ(f"{expected.path}: {name}", *numbers, rounding * terms)
    kinds = [
        {k: c for k, c in each.classes.items() if c.operation_count} for each in (found, expected)
    ]
    yield from differ(f"{expected.path}: classes", sorted(kinds[0]), sorted(kinds[1]))
    for kind in kinds[0].keys() & kinds[1].keys():
        one, other = kinds[0][kind], kinds[1][kind]
        where = f"{expected.path}: {kind}"
        if not close(one.operation_count, other.operation_count):
            yield f"{where}: {one.operation_count} operations, not {other.operation_count}"
        for name in CLASS_TIMES:
            yield from differ(
                f"{where}: {name}", getattr(one, name), getattr(other, name), rounding
            )


def differ(where: str, found: Any, expected: Any, rounding: int = 0) -> Iterator[str]:
    """Says if numbers, or lists of them, differ by more than `rounding`."""
    if found == expected:
        return
    if rounding:
        pairs = (
            zip(found, expected, strict=True) if isinstance(found, list) else [(found, expected)]
        )
        if all(abs(one - other) <= rounding for one, other in pairs):
            return
    yield f"{where}: {found}, not {expected}"


def close(found: float, expected: float) -> bool:
    """Whether two numbers are the same but for the order of summing."""
    return found == expected or found == pytest.approx(expected, rel=1e-9)


def test_programs_have_all_classes_of_operations() -> None:
    counts: Counter[str] = Counter()
    for seed in range(CASE_COUNT):
        counts.update(list(simulate(*random_case(seed)).intervals[0].classes))
    assert len(counts) == 7
    assert min(counts.values()) >= 20


def laws() -> Iterator[tuple[PlacedProgram, Cluster]]:
    return (random_case(1000 + seed) for seed in range(LAW_COUNT))


@pytest.mark.parametrize("shortcuts", SHORTCUTS)
@pytest.mark.parametrize("mode", MODES)
def test_times_of_a_process_add_up(shortcuts: str, mode: str) -> None:
    for made, on in laws():
        found = simulate(made, on, shortcuts=shortcuts, intervals=mode)
        assert list(found.intervals[0].own_ns) == list(found.ends_ns)
        for each in found.intervals:
            parts = each.productive_ns + each.insufficient_ns + each.communication_ns
            assert list(each.own_ns) == list(parts)


def test_one_process_does_not_communicate() -> None:
    for seed in range(LAW_COUNT):
        made, on = random_case(seed, grid=(1,), branches=False)
        free = replace(on, overhead_ns=0, storage=())
        assert not any(simulate(made, free).intervals[0].communication_ns)


# With even parts from a common start, each iteration and step is like the one before.
@pytest.mark.parametrize("processes", [1, 2, 4, 8])
def test_shortcuts_are_exact_where_transfers_take_no_time(processes: int) -> None:
    data = array("A", 16, 40, element_bytes=1)
    steps = pipelined(6400, data, ((1, 0), (0, 0)))
    made = program(
        processes,
        loop(6, serial(100, on="first"), steps, reduction(8), collective("bcast", 8)),
        arrays=[data],
    )
    free = one_level(latency_ns=0, ns_per_byte=0)
    found = [list(simulate(made, free, shortcuts=each).ends_ns) for each in SHORTCUTS]
    assert found[0] == found[1] == found[2]


def test_more_channels_do_not_change_bytes() -> None:
    for made, on in laws():
        more = tuple(
            replace(each, channels=tuple(replace(c, count=c.count + 3) for c in each.channels))
            for each in on.levels
        )
        found = [simulate(made, replace(on, levels=levels)) for levels in (on.levels, more)]
        uses = [[(each.transfers, each.bytes) for each in outcome.levels] for outcome in found]
        assert uses[0] == uses[1]


# Without fractions no duration is rounded.
@pytest.mark.parametrize("shortcuts", SHORTCUTS)
def test_times_scale_with_all_durations(shortcuts: str) -> None:
    for seed in range(LAW_COUNT):
        once, fourfold = exact_case(seed, 1), exact_case(seed, 4)
        found = simulate(*once, shortcuts=shortcuts)
        scaled = simulate(*fourfold, shortcuts=shortcuts)
        assert [4 * end for end in found.ends_ns] == list(scaled.ends_ns)


def rename(phase: Phase) -> Phase:
    """The same phase under another name; those that waits complete keep theirs."""
    match phase:
        case Loop() | Interval():
            return replace(
                phase, name=f"{phase.name} renamed", phases=tuple(map(rename, phase.phases))
            )
        case Branch():
            alternatives = tuple(
                replace(each, phases=tuple(map(rename, each.phases))) for each in phase.alternatives
            )
            return replace(phase, name="renamed", alternatives=alternatives)
    return phase


def test_names_change_no_figure() -> None:
    for made, on in laws():
        renamed = replace(made, name="renamed", phases=tuple(map(rename, made.phases)))
        found = [simulate(each, on, intervals="loops") for each in (made, renamed)]
        assert list(found[0].ends_ns) == list(found[1].ends_ns)
        times = [[list(each.own_ns) for each in outcome.intervals] for outcome in found]
        assert times[0] == times[1]


Simulate = Callable[..., Any]


@pytest.mark.parametrize("run", [simulate, simulate_slowly], ids=["product", "oracle"])
def test_nested_branches_multiply_probabilities(run: Simulate) -> None:
    inner = branch((0.5, [serial(80)]))
    found = run(program(1, branch((0.5, [serial(40), inner]))), one_level(), shortcuts="none")
    assert list(found.ends_ns) == [0.5 * (40 + 0.5 * 80)]
