"""Patterns of the user: found, listed and explained like those of the catalog, or refused."""

import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.pattern_files import PATTERN, assert_one_line
from tracemill import cli
from tracemill.base.console import results
from tracemill.base.errors import PatternError, PipelineError, QueryError
from tracemill.engine.analyze import Analysis, Options, analyze
from tracemill.store.finding import existing_store
from tracemill.store.runs import Run, Store

TRACE = Path(__file__).parents[2] / "data" / "m03_ls_waitall"
SHOUTED = """\
-- Calls of MPI_Finalize, as if all of it were waiting.
--
-- Grain:      one row per visit
-- Inputs:     visits, regions
-- Output:     whole_finalize
-- Parameters: none
-- Pattern:    wait state
-- Metrics:    whole_finalize "Whole Finalize": Time in MPI_Finalize.
SELECT
    'whole_finalize' AS property, visits.location_id, visits.visit_id, visits.call_path_id,
    visits.enter_ns AS start_ns, visits.leave_ns - visits.enter_ns AS wait_ns,
    visits.location_id AS cause_location_id, visits.visit_id AS cause_visit_id,
    NULL::BIGINT AS message_id, NULL::BIGINT AS collective_id, TRUE AS is_synchronization,
    TRUE AS is_extended, 100::TINYINT AS confidence
FROM visits INNER JOIN regions USING (region_id)
WHERE regions.name = 'MPI_Finalize'
"""


@pytest.fixture
def store(analysis_of: Callable[[str], Analysis], tmp_path: Path) -> Path:
    """A store in which the trace was analyzed without patterns of the user."""
    plain = analysis_of(TRACE.name).run.path.parents[2]
    return shutil.copytree(plain, tmp_path / "store", copy_function=os.link)


@pytest.fixture(scope="module")
def untouched(
    analysis_of: Callable[[str], Analysis], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Such a store for tests whose patterns are refused, so that it stays as it is."""
    plain = analysis_of(TRACE.name).run.path.parents[2]
    store = tmp_path_factory.mktemp("untouched") / "store"
    return shutil.copytree(plain, store, copy_function=os.link)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "slow_small_sends.sql").write_text(PATTERN)
    return folder


def with_patterns(store: Path, *folders: Path) -> Analysis:
    return analyze(TRACE, store=Store(store), options=Options(threads=1, patterns=folders))


def computed(analysis: Analysis) -> set[str]:
    return {each.table for each in analysis.decisions if each.is_computed}


def slow_sends(run: Run) -> Counter[tuple[int, int]]:
    """Nanoseconds by call path and location, added up by hand."""
    found: Counter[tuple[int, int]] = Counter()
    for row in run.read("messages").to_pylist():
        time = row["send_completion_leave_ns"] - row["send_completion_enter_ns"]
        if row["bytes"] <= 1024 and time > 15_000:
            found[row["send_completion_call_path_id"], row["sender_location_id"]] += time
    return found


def test_a_pattern_is_found_and_nothing_else_is_computed_again(store: Path, folder: Path) -> None:
    analysis = with_patterns(store, folder)
    assert computed(analysis) == {
        "slow_small_sends", "findings", "finding_totals", "patterns", "metrics",
        "severities", "delay_severities",
    }  # fmt: skip
    expected = slow_sends(analysis.run)
    assert len(expected) > 0
    rows = analysis.run.read("severities").to_pylist()
    found = {
        (row["call_path_id"], row["location_id"]): (row["value"], row["is_extended"])
        for row in rows
        if row["metric"] == "slow_small_sends"
    }
    assert found == {place: (time, True) for place, time in expected.items()}
    with existing_store(store).current(analysis.run.run_id).connect() as connection:
        total = connection.sql("SELECT sum(value) FROM slow_small_sends").fetchall()
        told = connection.sql(
            "SELECT title, kind, unit, meaning FROM metrics WHERE metric = 'slow_small_sends'"
        ).fetchall()
        listed = connection.sql("SELECT pattern, query FROM patterns WHERE is_own").fetchall()
    assert total == [(sum(expected.values()),)]
    assert told == [("Slow Small Sends", "finding", "ns", "Time in sends of little data.")]
    assert listed == [("slow_small_sends", PATTERN)]


def test_without_the_pattern_the_generation_before_counts_again(store: Path, folder: Path) -> None:
    before = Store(store).runs()[0].generation
    with_patterns(store, folder)
    again = with_patterns(store)
    assert not again.is_new
    assert again.run.generation == before
    assert again.run.read("findings", ["property"]).column("property").to_pylist().count(
        "slow_small_sends"
    ) == 0  # fmt: skip


def test_a_changed_pattern_is_looked_for_again(store: Path, folder: Path) -> None:
    with_patterns(store, folder)
    (folder / "slow_small_sends.sql").write_text(PATTERN.replace("15_000", "1_000_000_000"))
    analysis = with_patterns(store, folder)
    assert {"slow_small_sends", "findings", "severities"} <= computed(analysis)
    assert analysis.run.read("slow_small_sends").num_rows == 0


def test_patterns_in_the_store_need_no_option(store: Path, folder: Path) -> None:
    shutil.copytree(folder, store / "patterns")
    analysis = with_patterns(store)
    assert analysis.run.read("slow_small_sends").num_rows > 0


def test_a_pattern_may_count_as_waiting(store: Path, folder: Path) -> None:
    """Then everything that is computed from waiting is computed again."""
    (folder / "whole_finalize.sql").write_text(SHOUTED)
    analysis = with_patterns(store, folder)
    run = analysis.run
    regions = {row["region_id"]: row["name"] for row in run.read("regions").to_pylist()}
    expected = sorted(
        row["leave_ns"] - row["enter_ns"]
        for row in run.read("visits").to_pylist()
        if regions[row["region_id"]] == "MPI_Finalize"
    )
    waits = run.read("wait_states").to_pylist()
    mine = [row for row in waits if row["property"] == "whole_finalize"]
    assert sorted(row["wait_ns"] for row in mine) == expected
    assert not any(row["is_completion"] for row in mine)
    assert "idle_times" in computed(analysis)
    assert "messages" not in computed(analysis)


LEFT_OUT = {"property", "message_id", "collective_id", "is_synchronization", "confidence"}


def test_waits_may_leave_out_what_is_the_same_for_all(store: Path, folder: Path) -> None:
    rest = SHOUTED[SHOUTED.index(",\n    NULL") : SHOUTED.index("\nFROM")]
    brief = SHOUTED.replace(rest, ", TRUE AS is_extended")
    brief = brief.replace("'whole_finalize' AS property, ", "")
    assert not any(f"AS {name}" in brief for name in LEFT_OUT)
    (folder / "whole_finalize.sql").write_text(brief)
    rows = with_patterns(store, folder).run.read("whole_finalize").to_pylist()
    assert {tuple(row[name] for name in sorted(LEFT_OUT)) for row in rows} == {
        (None, 100, False, None, "whole_finalize")
    }


def test_patterns_are_listed_and_explained(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--patterns", str(folder), "--store", str(tmp_path / "none")]
    assert cli.main(["patterns", "list", *options]) == 0
    listed = capsys.readouterr().out
    assert "late_sender" in listed
    assert "mpi_lswo_different" in listed
    assert f"\n{folder}\n\nslow_small_sends (finding)\n" in listed
    results.cache_clear()
    assert cli.main(["explain", "slow small sends", *options]) == 0
    explained = capsys.readouterr().out
    assert "Time in sends of little data." in explained
    assert "WHERE bytes <= 1024 AND value > 15_000" in explained


EDITS = {
    "no pattern": ("-- Pattern:    finding\n", "", "needs Pattern"),
    "no metrics": (PATTERN[PATTERN.index("-- Metrics") : PATTERN.index("SELECT")], "",
                   "needs Metrics"),
    "no grain": ("-- Grain:      one row per message\n", "", "the header lacks Grain"),
    "unknown kind": ("finding\n", "nuisance\n", "nuisance is no kind of pattern"),
    "metric without title": ('slow_small_sends "Slow Small Sends"', "slow_small_sends",
                             "metric cannot be read"),
    "unknown unit": ('"Slow Small Sends":', '"Slow Small Sends", in furlongs:',
                     "no unit furlongs"),
    "unknown parent": ('"Slow Small Sends":', '"Slow Small Sends", part of sloth:',
                       "part of sloth, which is no metric"),
    "metric that is taken": ("slow_small_sends \"", "mpi_latesender \"",
                             "Tracemill has a metric mpi_latesender"),
    "other output": ("Output:     slow_small_sends", "Output:     slow",
                     "Output is slow: .*: name it like the file"),
    "missing input": ("Inputs:     messages", "Inputs:     massages", "no table massages"),
    "input of campaigns": ("Inputs:     messages", "Inputs:     messages, campaign_runs",
                           "no table campaign_runs"),
    "undeclared input": ("Inputs:     messages", "Inputs:     visits",
                         "the query reads messages: .*add it to Inputs"),
    "slip in the SQL": ("WHERE bytes", "WHERE WHERE bytes", "the SQL cannot be read"),
    "unknown name": ("WHERE bytes", "WHERE bites", "the query failed: .*bites"),
    "missing column": (" AS value\n", " AS time\n", "the query gives no column value"),
    "unknown column": ("SELECT\n", "SELECT bytes AS size,\n", "gives a column size"),
    "type of a column": ("send_completion_leave_ns - send_completion_enter_ns AS value",
                         "0.5 + send_completion_leave_ns - send_completion_enter_ns AS value",
                         "column value is DECIMAL.* not an integer"),
    "negative value": ("send_completion_leave_ns - send_completion_enter_ns AS value",
                       "-5 AS value", "rows with a negative value"),
    "no value": ("send_completion_leave_ns - send_completion_enter_ns AS value",
                 "NULL::BIGINT AS value", "rows without value"),
    "no place": ("send_completion_call_path_id AS", "NULL::INTEGER AS",
                 "rows without call_path_id"),
    "too sure": ("SELECT\n", "SELECT 101 AS confidence,\n", "a confidence beyond 0 to 100"),
    "much too sure": ("SELECT\n", "SELECT 200 AS confidence,\n", "a confidence beyond 0 to 100"),
    "call path that is not there": ("send_completion_call_path_id AS", "99999 AS",
                                    "rows of call_path_id 99999, .*: call_paths has 0 to "),
    "call path beyond 32 bits": ("send_completion_call_path_id AS", "3_000_000_000 AS",
                                 "rows of call_path_id 3000000000, .*: call_paths has 0 to "),
    "negative call path": ("send_completion_call_path_id AS", "-1 AS",
                           "rows of call_path_id -1, which is not there"),
    "location that is not there": ("sender_location_id AS", "77 AS",
                                   "rows of location_id 77, .*: locations has 0 to 3$"),
    "location after the last": ("sender_location_id AS", "4 AS", "rows of location_id 4, "),
    "negative location": ("sender_location_id AS", "-1 AS", "rows of location_id -1, "),
    "cause that is not there": ("SELECT\n", "SELECT 4 AS cause_location_id,\n",
                                "rows of cause_location_id 4, "),
    "visit that is not there": ("SELECT\n", "SELECT 9999 AS visit_id,\n",
                                "rows of visit_id 9999, .*: visits has 0 to "),
    "value beyond 64 bits": ("send_completion_leave_ns - send_completion_enter_ns AS value",
                             "9_223_372_036_854_775_808::HUGEINT AS value",
                             "rows with a value beyond 64 bits"),
    "unknown property": ("SELECT\n", "SELECT 'late' AS property,\n", "rows of property late"),
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_what_is_wrong_with_a_pattern_is_one_clear_line(
    untouched: Path, folder: Path, edit: tuple[str, str, str]
) -> None:
    before, after, message = edit
    assert PATTERN.count(before) >= 1
    text = PATTERN.replace(before, after)
    if before.endswith(" AS value") or after == " AS time\n":
        text = text.replace("value > 15_000", "TRUE")
    file = folder / "slow_small_sends.sql"
    file.write_text(text)
    files = sorted(untouched.rglob("*"))
    with pytest.raises(PipelineError, match=message) as caught:
        with_patterns(untouched, folder)
    assert_one_line(caught.value, file)
    assert caught.value.exit_code in (PatternError.exit_code, QueryError.exit_code)
    assert sorted(untouched.rglob("*")) == files


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("visits.leave_ns - visits.enter_ns AS", "0 AS", "rows with a wait of zero or less"),
        ("visits.leave_ns - visits.enter_ns AS", "NULL::BIGINT AS", "rows without wait_ns"),
        ("100::TINYINT", "NULL::TINYINT", "rows without confidence"),
        ("visits.enter_ns AS", "NULL::BIGINT AS", "rows without start_ns"),
        ("visits.location_id AS cause", "NULL::INTEGER AS cause", "rows without cause_location_id"),
        (
            "TRUE AS is_synchronization",
            "NULL::BOOLEAN AS is_synchronization",
            "rows without is_synchronization",
        ),
        ("100::TINYINT", "-1::TINYINT", "a confidence beyond 0 to 100"),
        ("100::TINYINT", "200", "a confidence beyond 0 to 100"),
        ("visits.call_path_id,", "99999 AS call_path_id,", "rows of call_path_id 99999, "),
        ("visits.call_path_id,", "-1 AS call_path_id,", "rows of call_path_id -1, "),
        ("visits.location_id, ", "4 AS location_id, ", "rows of location_id 4, "),
        ("visits.location_id AS", "-1 AS", "rows of cause_location_id -1, "),
        ("visits.location_id AS", "77 AS", "rows of cause_location_id 77, "),
        ("visits.visit_id AS", "-1 AS", "rows of cause_visit_id -1, "),
        ("NULL::BIGINT AS message_id", "-1 AS message_id", "rows of message_id -1: "),
    ],
)
def test_waits_that_cannot_be_are_one_clear_line(
    untouched: Path, folder: Path, before: str, after: str, message: str
) -> None:
    file = folder / "whole_finalize.sql"
    file.write_text(SHOUTED.replace(before, after))
    files = sorted(untouched.rglob("*"))
    with pytest.raises(PatternError, match=message) as caught:
        with_patterns(untouched, folder)
    assert_one_line(caught.value, file)
    assert sorted(untouched.rglob("*")) == files


def test_names_must_be_free(store: Path, folder: Path, tmp_path: Path) -> None:
    taken = PATTERN.replace("slow_small_sends", "late_sender")
    (folder / "late_sender.sql").write_text(taken)
    with pytest.raises(PatternError, match="Tracemill has something of this name"):
        with_patterns(store, folder)
    (folder / "late_sender.sql").unlink()
    other = shutil.copytree(folder, tmp_path / "other")
    with pytest.raises(PatternError, match="two patterns have this name"):
        with_patterns(store, folder, other)


def test_a_folder_that_is_not_there_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--store", str(tmp_path / "store"), "--patterns", str(tmp_path / "nowhere")]
    assert cli.main(["analyze", str(TRACE), *options]) == 11
    assert "no folder of patterns" in capsys.readouterr().err


def test_reports_tell_what_a_pattern_found_with_its_query(
    store: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--store", str(store), "--patterns", str(folder)]
    assert cli.main(["analyze", str(TRACE), *options]) == 0
    assert "Found: Slow Small Sends" in capsys.readouterr().out
    text = next((store / "reports").glob("*/report.md")).read_text()
    section = text.partition("\n## Findings\n")[2].partition("\n## ")[0]
    assert "Slow Small Sends" in section
    assert "main/MPI_Send" in section
    assert "WHERE bytes <= 1024 AND value > 15_000" in section
    page = next((store / "reports").glob("*/index.html")).read_text()
    assert "value &gt; 15_000" in page
    assert 'id="metric-slow_small_sends"' in page
