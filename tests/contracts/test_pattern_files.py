"""Files of patterns: which can be used, the errors of the others, and how all are listed."""

from pathlib import Path

import pytest

from tests.helpers.pattern_files import HEADER, PATTERN, assert_one_line
from tracemill import cli
from tracemill.base.console import plain, results
from tracemill.base.errors import MissingInputError, PatternError
from tracemill.patterns.catalog import catalog, pattern_of
from tracemill.patterns.own import read_patterns, survey_patterns
from tracemill.reports.pattern_list import print_patterns


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "slow_small_sends.sql").write_text(PATTERN)
    return folder


READ = "SELECT 1 AS call_path_id, 1 AS location_id, 1 AS value FROM "
ONLY_INPUTS = "a pattern reads only its Inputs"
STATEMENTS = {
    "table that WITH hides elsewhere": (
        f"WITH visits AS (FROM visits) {READ}messages, visits", "the query reads visits: .*Inputs"),
    "table of an inner scope": (
        f"{READ}(WITH visits AS (SELECT 1) FROM visits), visits", "the query reads visits"),
    "file": (f"{READ}'some file.parquet'", f"reads some file.parquet, .*: {ONLY_INPUTS}"),
    "catalog": (f"{READ}information_schema.tables", f"reads information_schema.*: {ONLY_INPUTS}"),
    "Parquet": (f"{READ}messages, read_parquet('x')", f"uses read_parquet: .*: {ONLY_INPUTS}"),
    "CSV in a subquery": (f"{READ}messages WHERE 1 IN (FROM read_csv('x'))", "uses read_csv"),
    "text": (f"{READ}read_text('/etc/hosts')", "uses read_text"),
    "names of files": (f"{READ}glob('*')", "uses glob"),
    "table by its name": (f"{READ}query_table('visits')", "uses query_table"),
    "query as text": (f"{READ}QUERY('FROM visits')", "uses query"),
    "other database": (f"{READ}sqlite_scan('x', 'y')", "uses sqlite_scan"),
    "change": ("INSERT INTO messages VALUES (1)", "the SQL is no SELECT.*: write a single SELECT"),
    "two statements": (f"{READ}messages; SELECT 1", "the SQL holds 2 statements"),
    "nothing": ("", "the SQL holds 0 statements"),
    "undeclared parameter": (
        f"{READ}messages WHERE bytes > $least", r"takes \$least, which the header .*: add \$least"),
}  # fmt: skip


@pytest.mark.parametrize(("sql", "message"), STATEMENTS.values(), ids=STATEMENTS.keys())
def test_a_pattern_is_one_select_that_reads_only_its_inputs(
    folder: Path, sql: str, message: str
) -> None:
    file = folder / "slow_small_sends.sql"
    file.write_text(HEADER + sql)
    with pytest.raises(PatternError, match=message) as caught:
        read_patterns([folder])
    assert_one_line(caught.value, file)


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("random()", "random"), ("1 + main.UUID()::HUGEINT", "uuid"), ("sleep_ms(1)", "sleep_ms"),
        ("epoch_ns(now())", "now"), ("epoch_ns(current_timestamp)", "current_timestamp"),
        ("extract(hour FROM LOCALTIME)", "LOCALTIME"), ("epoch(current_localtimestamp())",
        "current_localtimestamp"), ("epoch(ago(INTERVAL 1 DAY))", "ago"),
        ("(SELECT max(time_ns) FROM (SELECT now() AS time_ns))", "now"),
        ("current_setting('threads')::BIGINT", "current_setting"),
    ],
)  # fmt: skip
def test_a_pattern_depends_on_its_tables_alone(folder: Path, expression: str, name: str) -> None:
    file = folder / "slow_small_sends.sql"
    file.write_text(f"{HEADER}SELECT 1 AS call_path_id, 1 AS location_id, {expression} AS value")
    with pytest.raises(PatternError, match=f"(?i)uses {name}, which depends on more") as caught:
        read_patterns([folder])
    assert_one_line(caught.value, file)


@pytest.mark.parametrize("sampled", ["messages TABLESAMPLE 10%", "messages USING SAMPLE 3"])
def test_a_pattern_takes_no_samples(folder: Path, sampled: str) -> None:
    (folder / "slow_small_sends.sql").write_text(f"{HEADER}{READ}{sampled}")
    with pytest.raises(PatternError, match="uses SAMPLE, which depends on more"):
        read_patterns([folder])


@pytest.mark.parametrize(
    "expression", ["len(histogram(bytes))", "max(messages.now)", "if(bytes < 0, error('no'), 1)"]
)
def test_functions_of_their_arguments_are_for_patterns(folder: Path, expression: str) -> None:
    (folder / "slow_small_sends.sql").write_text(
        f"{HEADER}SELECT 1 AS call_path_id, 1 AS location_id, {expression} AS value FROM messages"
    )
    assert [query.relation for query in read_patterns([folder])] == ["slow_small_sends"]


@pytest.mark.parametrize(
    ("title", "owner"),
    [("Late Sender", "Tracemill"), ("late-sender", "Tracemill"), ("mpi_latesender", "Tracemill"),
     ("Wait At N × N", "Tracemill"), ("Slow small sends", "slow_small_sends")],
)  # fmt: skip
def test_titles_must_be_free(folder: Path, title: str, owner: str) -> None:
    """Users ask for metrics by title, too."""
    text = PATTERN.replace("Slow Small Sends", title).replace("slow_small_sends", "very_slow")
    file = folder / "very_slow.sql"
    file.write_text(text)
    with pytest.raises(
        PatternError, match=f"{owner} has a metric {title}: .*another title"
    ) as error:
        read_patterns([folder])
    assert_one_line(error.value, file)


@pytest.mark.parametrize(
    ("kind", "table"),
    [
        ("finding", "findings"), ("finding", "finding_totals"), ("finding", "severities"),
        ("finding", "slow_small_sends"),
        ("wait state", "wait_states"), ("wait state", "idle_times"), ("completion", "wait_states"),
    ],
)  # fmt: skip
def test_a_pattern_reads_nothing_that_is_made_of_it(folder: Path, kind: str, table: str) -> None:
    file = folder / "slow_small_sends.sql"
    text = PATTERN.replace("finding\n", f"{kind}\n")
    file.write_text(text.replace("Inputs:     messages", f"Inputs:     messages, {table}"))
    with pytest.raises(PatternError, match=f"reads {table}, .* take {table} out of") as caught:
        read_patterns([folder])
    assert_one_line(caught.value, file)


def test_findings_may_be_made_of_waits(folder: Path) -> None:
    text = PATTERN.replace("Inputs:     messages", "Inputs:     messages, wait_states")
    (folder / "slow_small_sends.sql").write_text(text)
    assert len(read_patterns([folder])) == 1


def test_two_patterns_that_read_each_other_are_reported(folder: Path) -> None:
    text = PATTERN.replace("Inputs:     messages", "Inputs:     messages, other")
    (folder / "slow_small_sends.sql").write_text(text)
    other = PATTERN.replace("slow_small_sends", "other").replace("Slow", "Other")
    other = other.replace("Inputs:     messages", "Inputs:     messages, slow_small_sends")
    (folder / "other.sql").write_text(other)
    (error,) = survey_patterns([folder]).errors
    assert "slow_small_sends: it reads other, which is computed from its results" in str(error)


@pytest.mark.parametrize("function", ["unnest([1, 2])", "range(3)", "GENERATE_SERIES(1, 3)"])
def test_functions_that_only_make_rows_are_no_inputs(folder: Path, function: str) -> None:
    (folder / "slow_small_sends.sql").write_text(f"{HEADER}{READ}Messages, {function}")
    assert [query.relation for query in read_patterns([folder])] == ["slow_small_sends"]


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ("$least  a bound (BIGINT)", r"\$least has no default: .*: declare one, which is"),
        ("$least  a bound (BIGINT, default 1)\n--     $most  another (BIGINT, default 2)",
         r"does not take \$most: .*: take it out"),
        ("$least  a bound (BIGINT, default 1_000)", r"\$least has another type or default"),
    ],
)  # fmt: skip
def test_parameters_of_a_pattern_are_declared_as_they_are_used(
    folder: Path, declared: str, message: str
) -> None:
    header = HEADER.replace("none", declared)
    query = f"{READ}messages WHERE bytes > $least::BIGINT"
    (folder / "earlier.sql").write_text(
        HEADER.replace("slow_small_sends", "earlier").replace(
            "none", "$least  a bound (BIGINT, default 1)"
        )
        + query
    )
    file = folder / "slow_small_sends.sql"
    file.write_text(header + query)
    with pytest.raises(PatternError, match=message) as caught:
        read_patterns([folder])
    assert_one_line(caught.value, file)


BROKEN = PATTERN.replace("slow_small_sends", "broken").replace("Inputs:     messages", "Inputs: x")
NOT_SQL = "Nothing that could be read.\n"


def test_a_broken_pattern_hides_no_other_one(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "broken.sql").write_text(BROKEN)
    (folder / "none.sql").write_text(NOT_SQL)
    options = ["--patterns", str(folder), "--store", str(tmp_path / "none")]
    assert cli.main(["patterns", "list", *options]) == PatternError.exit_code
    told = capsys.readouterr()
    assert "slow_small_sends (finding)" in told.out
    assert "late_sender (wait state)" in told.out
    assert "broken (" not in told.out
    assert told.err.splitlines() == [
        f"tracemill: broken: no table x: {folder / 'broken.sql'}: "
        "for all tables, see tracemill tables",
        f"tracemill: none: the header lacks Grain, Inputs, Output, Parameters: "
        f"{folder / 'none.sql'}: add it to the comment at the top",
    ]
    with pytest.raises(PatternError, match=r"broken: no table x"):
        read_patterns([folder])


def test_a_pattern_may_read_and_share_with_one_that_is_broken(folder: Path) -> None:
    """It is that one which is wrong."""
    (folder / "broken.sql").write_text(NOT_SQL)
    text = PATTERN.replace("slow_small_sends", "reader").replace(
        "Inputs:     m", "Inputs: broken, m"
    )
    metrics = text[text.index("-- Metrics") : text.index("SELECT")]
    (folder / "reader.sql").write_text(text.replace(metrics, "-- Metrics:    those of broken\n"))
    found = survey_patterns([folder])
    assert [query.relation for query in found.usable] == ["reader", "slow_small_sends"]
    assert [str(error).partition(":")[0] for error in found.errors] == ["broken"]


@pytest.mark.parametrize(
    ("whole", "whole_of_other", "wrong"),
    [
        ("slow_small_sends", "mpi_latesender", ["slow_small_sends"]),
        ("other", "slow_small_sends", ["other", "slow_small_sends"]),
        ("other", "other", ["other"]),
        ("other", "mpi_latesender", []),
    ],
)
def test_a_metric_is_no_part_of_itself(
    folder: Path, whole: str, whole_of_other: str, wrong: list[str]
) -> None:
    """Severities are added up the tree of metrics, which would never end."""
    other = PATTERN.replace("slow_small_sends", "other")
    for text, part_of in ((PATTERN, whole), (other, whole_of_other)):
        name = "other" if text == other else "slow_small_sends"
        text = text.replace('"Slow Small', f'"{name}')
        text = text.replace('Sends":', f'Sends", part of {part_of}:')
        (folder / f"{name}.sql").write_text(text)
    errors = survey_patterns([folder]).errors
    assert [str(error).partition(":")[0] for error in errors] == wrong
    for name, error in zip(wrong, errors, strict=True):
        assert "which is part of it" in str(error)
        assert_one_line(error, folder / f"{name}.sql")


def test_the_list_of_patterns_fits_a_terminal_of_80_columns(folder: Path) -> None:
    console = plain(80)
    print_patterns(read_patterns([folder]), console)
    lines = console.export_text().splitlines()
    assert max(len(line) for line in lines if line != str(folder)) <= 80
    words = " ".join(" ".join(lines).split())
    for query in (*catalog(), *read_patterns([folder])):
        assert f"{query.relation} ({pattern_of(query).kind}) {query.description} Metrics:" in words


def test_tables_of_patterns_are_explained(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--patterns", str(folder), "--store", str(tmp_path / "none")]
    (folder / "broken.sql").write_text(BROKEN)
    assert cli.main(["tables", "slow_small_sends", *options]) == 0
    told = capsys.readouterr()
    assert "Sends of at most a kilobyte that took longer than 15 µs." in told.out
    assert "one row per message" in told.out
    assert "Stream of events" in told.out
    assert told.err.startswith("tracemill: broken: no table x")
    results.cache_clear()
    assert cli.main(["tables", *options]) == 0
    assert "\nslow_small_sends\t" in capsys.readouterr().out
    assert cli.main(["tables", "slow_sends", *options]) == MissingInputError.exit_code
    assert "did you mean slow_small_sends?" in capsys.readouterr().err


@pytest.mark.parametrize("assumed", ["", "clocks agree"])
def test_what_a_pattern_assumes_is_reported_if_it_says_so(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], assumed: str
) -> None:
    line = f"-- Assumes:    {assumed}\n" if assumed else ""
    (folder / "slow_small_sends.sql").write_text(PATTERN.replace("SELECT\n", f"{line}SELECT\n"))
    options = ["--patterns", str(folder), "--store", str(tmp_path / "none")]
    assert cli.main(["explain", "slow_small_sends", *options]) == 0
    told = capsys.readouterr().out
    assert "longer than 15 µs." in told
    assert ("It assumes" in told) == bool(assumed)
    assert ("It assumes: clocks agree." in told) == bool(assumed)


def test_a_broken_pattern_keeps_nobody_from_asking(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "broken.sql").write_text(BROKEN)
    options = ["--patterns", str(folder), "--store", str(tmp_path / "none")]
    assert cli.main(["explain", "mpi_latesender", *options]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("Late Sender (mpi_latesender)")
    assert told.err.startswith("tracemill: broken: no table x")


def test_a_folder_counts_once_and_hidden_files_do_not(folder: Path) -> None:
    (folder / ".#slow_small_sends.sql").write_text(NOT_SQL)
    patterns = read_patterns([folder, folder.parent / "." / folder.name])
    assert [query.relation for query in patterns] == ["slow_small_sends"]
