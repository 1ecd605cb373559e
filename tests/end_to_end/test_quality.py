"""The command quality: what a trace lacks, and whether that is too much."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from pipeline import cli
from pipeline.console import messages, results
from pipeline.reports.tables import fetch
from pipeline.store import Store
from schemas.matching import QUALITY_KINDS

# Rank 0 sends five messages to rank 1, whose file is removed: 29 records, one of them the end of a
# collective (data/README.md).
TRACE = Path(__file__).parents[2] / "data" / "m01_late_sender"
FINDINGS = {
    ("missing_location", "1"): 1,
    ("missing_records", "1"): 29,
    ("partial_collective", ""): 1,
    ("unmatched_send", "0"): 5,
}


@pytest.fixture(autouse=True)
def _fresh_consoles() -> None:
    results.cache_clear()
    messages.cache_clear()


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with the analysis of the trace."""
    store = tmp_path_factory.mktemp("sound") / "store"
    assert cli.main(["analyze", str(TRACE), "--store", str(store), "--no-report"]) == 0
    return str(store)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with the analysis of a copy that lacks a location."""
    folder = tmp_path_factory.mktemp("damaged")
    damaged = shutil.copytree(TRACE, folder / "damaged")
    (damaged / "traces" / "1.evt").unlink()
    command = ["analyze", str(damaged), "--store", str(folder / "store"), "--no-report"]
    assert cli.main([*command, "--allow-damaged"]) == 0
    return str(folder / "store")


def test_what_is_missing_is_told_in_words_and_where(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["quality", "damaged", "--store", store]) == 0
    said = capsys.readouterr().out
    assert "Trace quality: 1 location incomplete; 29 × missing records; 5 × unmatched send" in said
    assert "No receive was found for these sends" in said
    places = [
        said.index(title) for title in ("What was noticed", "\nWhere", "Incomplete locations")
    ]
    assert places == sorted(places)


def test_a_sound_trace_lacks_nothing(sound: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["quality", "--store", sound, "--fail-on", "any"]) == 0
    assert capsys.readouterr().out == "Trace quality: nothing is missing or doubtful.\n"


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
    ("condition", "told"),
    [
        ("any", "findings = 36"),
        ("unmatched_sends > 0 or clock_violations > 10", "unmatched_sends = 5, clock_violations"),
        ("missing_records > 28 AND incomplete_locations = 1", "missing_records = 29"),
        ("missing_locations", "missing_locations = 1"),
        ("unmatched_sends > 4", "unmatched_sends = 5"),
        ("unmatched_sends > 5", None),
        ("clock_violations > 0 or impossible_ids > 0", None),
        ("NULL", None),
    ],
)
def test_a_condition_that_holds_has_an_exit_code_of_its_own(
    store: str, condition: str, told: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = 22 if told else 0
    assert cli.main(["quality", "damaged", "--store", store, "--fail-on", condition]) == expected
    captured = capsys.readouterr()
    assert "29 × missing records" in captured.out
    assert len(captured.err.splitlines()) == (1 if expected else 0)
    assert (told or "") in captured.err


@pytest.mark.parametrize(
    "condition",
    [
        "unheard_of > 1",
        "",
        "unmatched_sends >",
        "1) UNION (SELECT 2",
        "true; DROP TABLE counts",
        "'many'",
        "(SELECT count(*) FROM read_csv('/etc/passwd')) > 0",
    ],
)
def test_a_condition_that_is_none_is_one_line_with_the_names(
    store: str, condition: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["quality", "damaged", "--store", store, "--fail-on", condition]) == 21
    (line,) = capsys.readouterr().err.splitlines()
    assert f"--fail-on {condition}".rstrip() in line
    assert "names: unmatched_sends, unmatched_receives, " in line


def test_every_kind_of_finding_can_be_named(sound: str) -> None:
    """Each kind has a count of its own, in the order of the kinds, and there are three more."""
    with Store(Path(sound)).open().connect() as connection:
        names, (counts,) = fetch(connection, "quality_counts")
        assert set(counts) == {0}
        of_one = {}
        for kind in QUALITY_KINDS:
            connection.execute(
                "CREATE OR REPLACE TEMP VIEW trace_quality AS SELECT "
                f"'{kind}' AS kind, 3 AS location_id, 7 AS count"
            )
            _, (found,) = fetch(connection, "quality_counts")
            of_one[kind] = {name for name, count in zip(names, found, strict=True) if count}
    assert all("findings" in counted for counted in of_one.values())
    own = [counted - {"findings", "incomplete_locations"} for counted in of_one.values()]
    assert all(len(counted) == 1 for counted in own)
    assert set.union(*own) | {"findings", "incomplete_locations"} == set(names)
