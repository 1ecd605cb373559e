"""The command quality: what a trace lacks, and whether that is too much."""

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from tracemill import cli
from tracemill.engine.analyze import Analysis
from tracemill.reports.tables import fetch
from tracemill.schemas.matching import QUALITY_KINDS
from tracemill.store.runs import Store

# Rank 0 sends five messages to rank 1, whose file is removed: 29 records, one of them the end of a
# collective (data/README.md).
TRACE = Path(__file__).parents[2] / "data" / "m01_late_sender"
FINDINGS = {
    ("missing_location", "1"): 1,
    ("missing_records", "1"): 29,
    ("partial_collective", ""): 1,
    ("unmatched_send", "0"): 5,
}


@pytest.fixture(scope="module")
def sound(analysis_of: Callable[[str], Analysis]) -> str:
    """A store with the analysis of the trace."""
    return str(analysis_of(TRACE.name).run.path.parents[2])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with the analysis of a copy that lacks a location."""
    folder = tmp_path_factory.mktemp("quality")
    damaged = shutil.copytree(TRACE, folder / "damaged")
    (damaged / "traces" / "1.evt").unlink()
    command = ["analyze", str(damaged), "--store", str(folder / "store"), "--no-report"]
    assert cli.main([*command, "--allow-damaged"]) == 0
    return str(folder / "store")


def test_what_is_missing_is_reported_in_words_and_where(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["quality", "damaged", "--store", store]) == 0
    said = capsys.readouterr().out
    assert "Trace quality: 1 location incomplete; 29 × missing records; 5 × unmatched send" in said
    assert "No matching receive was found for these sends" in said
    places = [
        said.index(title) for title in ("Problems of the trace", "\nWhere", "Incomplete locations")
    ]
    assert places == sorted(places)


def test_a_sound_trace_lacks_nothing(sound: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["quality", "--store", sound, "--fail-on", "any"]) == 0
    assert capsys.readouterr().out == "Trace quality: no problems found.\n"


def test_findings_are_listed_for_other_programs(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    cli.main(["quality", "damaged", "--store", store, "--format", "csv"])
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {(row["kind"], row["rank"]): int(row["finding_count"]) for row in rows} == FINDINGS
    cli.main(["quality", "damaged", "--store", store, "--format", "json"])
    records = json.loads(capsys.readouterr().out)
    assert [record["kind"] for record in records] == [row["kind"] for row in rows]


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("any", "findings = 36"),
        ("unmatched_sends > 0 or clock_violations > 10", "unmatched_sends = 5, clock_violations"),
        ("missing_records > 28 AND incomplete_locations = 1", "missing_records = 29"),
        ("unmatched_sends > 4", "unmatched_sends = 5"),
        ("unmatched_sends > 5", None),
        ("clock_violations > 0 or impossible_ids > 0", None),
        # The kinds as they are printed: 1 location with 29 records, 5 sends, 1 collective.
        ("unmatched_send = 5 and partial_collective = 1", "unmatched_send = 5, partial_collective"),
        ("missing_location = 1 and losses = 29 + 1", "missing_location = 1, losses = 30"),
        ('"Unmatched_Sends" * 2 - 1 >= 9', "unmatched_sends = 5"),
        ("not (unmatched_sends < 5 or -unmatched_sends > 0)", "unmatched_sends = 5"),
        ("unmatched_sends / findings > 0.13", "findings = 36"),  # 5 / 36 = 0.139
        ("unmatched_sends / findings > 0.14", None),
        # 36 / 0 is infinite, -36 / 0 minus that; 0 / 0 is neither more nor less than anything.
        ("findings / clock_violations > 1000000", "findings = 36"),
        ("losses / 0 > 1", "losses = 30"),
        ("(-losses) / 0 < -1000000", "losses = 30"),
        ("(-losses) / 0 > 1", None),
        ("impossible_ids / clock_violations > 0 or impossible_ids / 0 <= 0", None),
        ("impossible_ids / 0 = impossible_ids / 0 or clock_violations / 0 <> 1", None),
    ],
)
def test_a_condition_that_holds_has_an_exit_code_of_its_own(
    store: str, condition: str, message: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = 22 if message else 0
    assert cli.main(["quality", "damaged", "--store", store, "--fail-on", condition]) == expected
    captured = capsys.readouterr()
    assert "29 × missing records" in captured.out
    assert len(captured.err.splitlines()) == (1 if expected else 0)
    assert (message or "") in captured.err


@pytest.mark.parametrize(
    ("condition", "problem"),
    [
        ("", "there is no condition"),
        ("unmatched_sends >", "it cannot be read"),
        ("1) UNION (SELECT 2", "it cannot be read"),
        ("true; DROP TABLE counts", "it cannot be read"),
        ("findings > 1; SELECT 2", "it is more than a condition"),
        ("findings > 1 FROM runs", "it is more than a condition"),
        ("findings > 1 LIMIT 1", "it is more than a condition"),
        ("findings > 1, findings > 2", "give one condition"),
        ("unmatched_sends", "unmatched_sends is a count, not a condition"),
        ("unmatched_sends + 1", "+ is not a condition"),
        ("'many'", "many is not a condition"),
        ("NULL", "constant is not a condition"),
        ("1 = 1", "it names no count"),
        ("abs(findings) > 0", "abs is neither a count nor a number"),
        ("findings > '3'", "3 is neither a count nor a number"),
        ("findings % 2 = 0", "% is neither a count nor a number"),
        ("findings > (SELECT 1)", "subquery is neither a count nor a number"),
        ("(SELECT count(*) FROM read_csv('/etc/passwd')) > 0", "subquery is neither"),
        (f"findings + {'9' * 400} / 3 > 1", "it reckons with too large a number"),
        ("CASE WHEN findings > 1 THEN true END", "case is not a condition"),
        ("+".join(["findings"] * 900) + " > 1", "it "),
    ],
)
def test_a_condition_that_is_none_is_one_line_that_says_how(
    store: str, condition: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["quality", "damaged", "--store", store, "--fail-on", condition]) == 2
    captured = capsys.readouterr()
    (line,) = captured.err.splitlines()
    assert line.startswith(f"tracemill: --fail-on {condition[:40]}")
    assert f": {problem}" in line
    assert "such as 'clock_violations > 10'" in line
    assert captured.out == ""


def test_an_unknown_name_is_reported_with_those_there_are(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    condition = "findings > 1 or unmatched_sned > 1"
    assert cli.main(["quality", "damaged", "--store", store, "--fail-on", condition]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "no count unmatched_sned (did you mean unmatched_send?): counts: assumed_com" in line
    for name in ("unmatched_sends", "buffer_flushes", "cut_inputs", "losses", "findings"):
        assert f" {name}" in line
    assert "or kinds as quality prints them" in line


def counts_of(connection: duckdb.DuckDBPyConnection) -> list[tuple[str | None, str, int]]:
    return [(kind, name, count) for kind, name, count in fetch(connection, "quality_counts")[1]]


def test_every_kind_of_finding_can_be_named(sound: str) -> None:
    """Each kind has a count of its own, and there are three more."""
    with Store(Path(sound)).open().connect() as connection:
        every = counts_of(connection)
        assert {count for _, _, count in every} == {0}
        others = {name for kind, name, _ in every if kind is None}
        assert others == {"findings", "incomplete_locations", "losses"}
        assert sorted(kind for kind, _, _ in every if kind) == sorted(QUALITY_KINDS)
        assert len({name for _, name, _ in every}) == len(every)
        for kind in QUALITY_KINDS:
            connection.execute(
                "CREATE OR REPLACE TEMP VIEW trace_quality AS SELECT "
                f"'{kind}' AS kind, 3 AS location_id, 7 AS count, false AS is_loss"
            )
            counted = {(each, name) for each, name, count in counts_of(connection) if count}
            assert counted - {(None, "findings")} == {(kind, dict(every_name(every))[kind])}


def every_name(rows: list[tuple[str | None, str, int]]) -> list[tuple[str, str]]:
    return [(kind, name) for kind, name, _ in rows if kind]


def test_a_run_of_a_version_that_did_not_tell_losses_is_listed(
    sound: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = shutil.copytree(sound, tmp_path / "store")
    (table,) = store.glob("runs/run=*/gen=*/trace_quality.parquet")
    pq.write_table(pq.read_table(table, partitioning=None).drop(["is_loss"]), table)
    (manifest,) = store.glob("runs/run=*/gen=*/manifest.json")
    message = json.loads(manifest.read_text())
    message["tables"]["trace_quality"]["byte_count"] = table.stat().st_size
    manifest.write_text(json.dumps(message))
    assert cli.main(["runs", "--store", str(store)]) == 0
    listed = " ".join(capsys.readouterr().out.split())
    assert "m01_late_sender measured 4 136 " in listed
    assert listed.endswith("made by an earlier version: analyze the trace again")


# --- Completeness is the same everywhere --------------------------------------------------------

ROWS = "0,Enter,main,0,\n5,Leave,main,0,\n"


@pytest.mark.parametrize(
    ("rows", "is_complete"),
    [
        (ROWS, True),
        ("1,Instant,MpiSend,0,0\n", True),  # received by nobody, but not lost
        ("x,Enter,main,0,\n", False),
        ("3,Entry,main,0,\n", False),
        ("3,Instant,MpiSend,0,\n", False),
    ],
)
def test_runs_quality_and_report_agree_on_what_is_complete(
    rows: str, is_complete: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace, store = tmp_path / "trace.csv", str(tmp_path / "store")
    first, last = ROWS.splitlines(keepends=True)
    trace.write_text(f"Timestamp (ns),Event Type,Name,Process,Partner\n{first}{rows}{last}")
    command = ["analyze", str(trace), "--store", store, "--allow-damaged", "--no-report"]
    assert cli.main(command) == 0
    analyzed = capsys.readouterr().out
    assert cli.main(["report", "--store", store]) == 0
    reported = capsys.readouterr().out
    for text in (analyzed, reported):
        assert ("Incomplete trace: " in text) is not is_complete
    assert cli.main(["runs", "--store", store]) == 0
    listed = capsys.readouterr().out.rstrip()
    assert listed.endswith(" complete" if is_complete else " incomplete trace")
    code = cli.main(["quality", "--store", store, "--fail-on", "losses > 0"])
    assert code == (0 if is_complete else 22)
