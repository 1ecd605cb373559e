"""Call sites of several runs match, although lines of source code differ."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.helpers.otf2_archive import UNDEFINED, Trace
from tests.helpers.ring_campaigns import campaign, rows
from tracemill.comparison.comparing import compare_runs
from tracemill.comparison.differences import SITES_JOINED, describe
from tracemill.comparison.overhead_report import describe_overheads
from tracemill.comparison.overhead_tables import call_path_comparison
from tracemill.comparison.overheads import find_overheads
from tracemill.engine.analyze import Options, analyze
from tracemill.reports.build_campaign import build_campaign_report
from tracemill.store.runs import Run, Store

Changes = list[tuple[float, float]]


def write_trace(folder: Path, waits: Mapping[int, int], *, has_sites: bool = True) -> Path:
    """One process; main waits on each line of x.c for so many ns, 100 ns in all with main."""
    trace = Trace()
    trace.region("main")
    trace.region("MPI_Wait", role="point2point", paradigm="mpi")
    trace.define("CallingContext", 0, 0, UNDEFINED, UNDEFINED)
    now, events = 1, ["0 CallingContextEnter 0 1"]
    for context, (line, wait_ns) in enumerate(waits.items(), 1):
        trace.define("SourceCodeLocation", context, "x.c", line)
        source = context if has_sites else UNDEFINED
        trace.define("CallingContext", context, 1, source, 0)
        events.append(f"{now} CallingContextEnter {context} 1")
        events.append(f"{now + wait_ns} CallingContextLeave {context}")
        now += wait_ns
    trace.location("\n".join([*events, "100 CallingContextLeave 0"]))
    return trace.write(folder)


def analyzed(folder: Path, waits: Mapping[int, int], **options: bool) -> Run:
    trace = write_trace(folder, waits, **options)
    return analyze(trace, store=Store(folder.parent / "store"), options=Options(threads=1)).run


def waiting(one: Run, other: Run) -> tuple[Changes, tuple[str, ...]]:
    """Time at each call site on both sides, the larger change first; and other differences."""
    comparison = compare_runs([one], [other], threads=1)
    found = [
        (change.base_value, change.other_value)
        for change in comparison.call_paths_of("time", 10)
        if "MPI_Wait" in change.call_path
    ]
    return found, describe(comparison)


@pytest.mark.parametrize(
    ("base", "other", "expected"),
    [
        # Lines moved by 10, so that one number means another call: the order counts.
        ({10: 5, 20: 40}, {20: 9, 30: 50}, [(40, 50), (5, 9)]),
        # One run has all lines of both: line 20 was not reached by the other.
        ({10: 5, 30: 20}, {10: 6, 20: 40, 30: 30}, [(0, 40), (20, 30), (5, 6)]),
        # Lines differ and one is new: the order counts, the third is new.
        ({10: 5, 20: 7}, {11: 6, 21: 10, 31: 40}, [(0, 40), (7, 10), (5, 6)]),
    ],
)
def test_sites_match_by_line_or_else_by_order(
    base: dict[int, int], other: dict[int, int], expected: Changes, tmp_path: Path
) -> None:
    runs = analyzed(tmp_path / "base", base), analyzed(tmp_path / "other", other)
    found, differences = waiting(*runs)
    assert found == expected
    assert SITES_JOINED not in differences


def test_runs_are_compared_without_sites_if_one_lacks_them(tmp_path: Path) -> None:
    base = analyzed(tmp_path / "base", {10: 5, 20: 40}, has_sites=False)
    other = analyzed(tmp_path / "other", {10: 9, 20: 50})
    found, differences = waiting(base, other)
    assert found == [(5 + 40, 9 + 50)]
    assert SITES_JOINED in differences
    paths = {change.call_path for change in compare_runs([base], [other]).call_paths}
    assert paths == {"main", "main/MPI_Wait"}


def overheads(base: Run, other: Run) -> tuple[list[tuple[object, ...]], Sequence[str]]:
    """Overhead and participants of the call sites, and the sentences; one process on each side."""
    found = find_overheads([base], [other], tolerance=0.2)
    rows = [
        (row["call_path"], row["overhead_ns"], row["participant_count"])
        for row in call_path_comparison(found).to_pylist()
        if "MPI_Wait" in row["call_path"]
    ]
    return sorted(rows), describe_overheads(found)


def test_overheads_match_sites_by_order(tmp_path: Path) -> None:
    base = analyzed(tmp_path / "base", {10: 5, 20: 40})
    found, sentences = overheads(base, analyzed(tmp_path / "other", {20: 9, 30: 50}))
    assert found == [("main/MPI_Wait @x.c:20", 4, 1), ("main/MPI_Wait @x.c:30", 10, 1)]
    assert SITES_JOINED not in sentences


def test_overheads_join_sites_that_a_run_lacks(tmp_path: Path) -> None:
    """A thread with two joined sites takes part once."""
    base = analyzed(tmp_path / "base", {10: 5, 20: 40}, has_sites=False)
    found, sentences = overheads(base, analyzed(tmp_path / "other", {10: 9, 20: 50}))
    assert found == [("main/MPI_Wait", 14, 1)]
    assert SITES_JOINED in sentences


def sites_of(folder: Path, *, has_sites: bool) -> tuple[list[tuple[object, ...]], list[str]]:
    """Sites in runs of three sizes, and the sentences about runs.

    The last run was built from other source code; only the first may lack sites.
    """
    for name, waits, is_sited in (
        ("prog_p1_n1", {10: 5, 20: 40}, has_sites),
        ("prog_p1_n2", {10: 4, 20: 20}, True),
        ("prog_p1_n4", {20: 3, 30: 10}, True),
    ):
        write_trace(folder / "runs" / name, waits, has_sites=is_sited)
    made = campaign(folder / "runs", folder / "store")
    report = build_campaign_report(made.run)
    (section,) = [each for each in report.sections if each.key == "runs"]
    call_paths = rows(made, "campaign_call_paths", "call_path_key call_path")
    names = {key: str(path) for key, path in call_paths}
    columns = "campaign_run_id call_path_key exclusive_ns visit_count"
    found = [
        (names[key], run, *values)
        for run, key, *values in rows(made, "run_call_paths", columns)
        if "MPI_Wait" in names[key]
    ]
    return sorted(found), list(section.sentences)


def test_sites_of_a_campaign_match_by_order(tmp_path: Path) -> None:
    found, sentences = sites_of(tmp_path, has_sites=True)
    early, late = "main/MPI_Wait @x.c:10", "main/MPI_Wait @x.c:20"
    assert found == [
        (early, 0, 5, 1), (early, 1, 4, 1), (early, 2, 3, 1),
        (late, 0, 40, 1), (late, 1, 20, 1), (late, 2, 10, 1),
    ]  # fmt: skip
    assert not any("lack call sites" in each for each in sentences)


def test_a_campaign_joins_sites_that_a_run_lacks(tmp_path: Path) -> None:
    found, sentences = sites_of(tmp_path, has_sites=False)
    path = "main/MPI_Wait"
    assert found == [(path, 0, 45, 2), (path, 1, 24, 2), (path, 2, 13, 2)]
    assert any(each.startswith("Some runs lack call sites") for each in sentences)
