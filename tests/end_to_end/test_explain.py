"""`tracemill explain`: every metric has its text, whose parts are found under the same headings."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.checking import check_each
from tracemill import cli
from tracemill.base.console import plain
from tracemill.base.errors import MissingInputError, QueryError
from tracemill.patterns.catalog import catalog, pattern_of
from tracemill.reports.explanation import (
    WIDEST,
    all_metrics,
    describe_metric,
    find_metric,
    print_explanation,
    print_metrics,
)
from tracemill.schemas.metrics import METRICS as METRICS_TABLE
from tracemill.schemas.overheads import TAXONOMY
from tracemill.sql.metric_texts import TEXTS, Metric, read_text, shipped_metrics
from tracemill.sql.pattern_declaration import COMPLETION, FINDING, WAITING
from tracemill.sql.query_files import all_queries

ROOT = Path(__file__).parents[2]
METRICS = all_metrics()
COMMON = ["Definition", "Formula", "Usual causes", "What to try"]
OF_WAIT_STATES = ["Definition", "Formula", "Calls", "Charged to", "Usual causes", "What to try"]
CHARGED = ["Definition", "Formula", "Charged to", "Usual causes", "What to try"]
HEADINGS = {
    "wait state": OF_WAIT_STATES,
    "completion": OF_WAIT_STATES,
    "overhead": CHARGED,
    "imbalance": CHARGED,
    "idle": CHARGED,
    "threads": CHARGED,
    "finding": CHARGED,
    "delay": CHARGED,
}
CALLS = """
    Init Init_thread Finalize Send Ssend Bsend Rsend Recv Sendrecv Isend Irecv Test Wait Waitany
    Waitall Waitsome Barrier Ibarrier Bcast Ibcast Scatter Scatterv Gather Igather Gatherv
    Reduce Ireduce Allreduce Allgather Allgatherv Alltoall Alltoallv Alltoallw Reduce_scatter
    Reduce_scatter_block Scan Iscan Exscan ANY_SOURCE Put Iprobe Win_create Win_allocate
    Win_free Win_fence Win_post Win_start Win_complete Win_wait Win_test Win_lock Win_lock_all
    Win_unlock Win_unlock_all Win_flush MODE_NOPRECEDE Cart_create File_open File_close
    File_read_all File_iread_all File_write_all
"""


def check_metrics(check: Callable[[Metric], None]) -> None:
    check_each(METRICS, check, name=lambda metric: metric.name)


def test_every_metric_has_a_text_and_every_text_a_metric() -> None:
    assert sorted(metric.name for metric in METRICS) == sorted(p.stem for p in TEXTS.glob("*.md"))


def test_kinds_units_and_parents_are_known() -> None:
    allowed = {column.name: column.values for column in METRICS_TABLE.columns}
    for metric in METRICS:
        assert metric.kind in allowed["kind"]
        assert metric.unit in allowed["unit"]
        assert metric.parent is None or metric.parent in shipped_metrics()


def test_one_pattern_finds_each_metric_of_waiting_and_of_findings() -> None:
    """How often messages were waited for is counted apart, by the query severities."""
    found = [
        (metric.name, pattern_of(query).kind)
        for query in catalog()
        for metric in pattern_of(query).metrics
    ]
    of_patterns = [each for each in METRICS if each.kind in (WAITING, COMPLETION, FINDING)]
    rest = [(each.name, each.kind) for each in of_patterns if each.name.endswith("_count")]
    assert sorted(found + rest) == sorted((each.name, each.kind) for each in of_patterns)


def test_classes_of_overhead_are_named_like_their_metrics() -> None:
    # Values of tables keep their spelling.
    titles = {metric.name: metric.title.lower().replace("liz", "lis") for metric in METRICS}
    titles = {name: title.replace("niz", "nis") for name, title in titles.items()}
    for each in TAXONOMY[1:]:
        assert titles[each.metric] == each.part.lower()
        assert titles[str(shipped_metrics()[each.metric].parent)] == each.name


def test_the_text_has_its_headings_and_something_under_each() -> None:
    def check(metric: Metric) -> None:
        before, *parts = re.split(r"^## ", read_text(metric.name), flags=re.MULTILINE)
        assert before == ""
        under = dict(part.split("\n", 1) for part in parts)
        assert list(under) == HEADINGS.get(metric.kind, COMMON)
        assert all(text.strip() for text in under.values())
        assert under["Usual causes"].strip().startswith("- ")
        assert under["What to try"].strip().startswith("- ")

    check_metrics(check)


@pytest.mark.parametrize(
    ("name", "tries"),
    [
        (
            "omp_lock_contention_api",
            "`omp_test_lock` and `omp_test_nest_lock` never block: a failed test is not a wait",
        ),
        (
            "pthread_lock_contention_mutex_lock",
            "`pthread_mutex_trylock` never blocks: a failed attempt is not a wait",
        ),
    ],
)
def test_failed_attempts_to_lock_are_not_waits(name: str, tries: str) -> None:
    """As in the golden traces of lock contention and in the reference data/r_y_locks."""
    text = " ".join(read_text(name).split())
    assert tries in text
    assert "was released after the call began" in text


def test_the_text_promises_no_settings() -> None:
    """`tracemill analyze` sets no parameters of queries."""

    def check(metric: Metric) -> None:
        assert not re.search(r"can\s+be\s+(changed|set|chosen)", read_text(metric.name))

    check_metrics(check)


def test_whatever_waiting_a_query_finds_has_advice() -> None:
    """The summary names findings by the title of their property, and says what explains them."""
    concepts = ("wait_states", "collectives")
    texts = [query.text for query in all_queries() if query.concept in concepts]
    named = {name for text in texts for name in re.findall(r"'((?:mpi|omp|pthread)_\w+)'", text)}
    properties = named - {"mpi_finalize", "mpi_start", "mpi_startall", "pthread_cond_"}  # regions
    assert len(properties) >= 15
    for name in properties:
        metric = find_metric(name, METRICS)
        assert find_metric(metric.title, METRICS) is metric
        advice = read_text(metric.name).partition("## What to try\n")[2]
        assert advice.strip().startswith("- "), name


def test_the_text_is_narrow_and_plain() -> None:
    def check(metric: Metric) -> None:
        text = read_text(metric.name)
        assert max(map(len, text.splitlines())) <= 100
        assert text.count("```") % 2 == 0
        prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        assert prose.count("`") % 2 == 0
        assert not re.search(r"[*<]|^>|\[.*\]\(", prose, re.MULTILINE), (
            "nothing the terminal would show as it stands"
        )

    check_metrics(check)


def test_an_mpi_call_in_the_text_is_one_of_mpi() -> None:
    def check(metric: Metric) -> None:
        named = set(re.findall(r"MPI_\w+", read_text(metric.name)))
        assert named <= {f"MPI_{call}" for call in CALLS.split()}

    check_metrics(check)


def test_every_metric_is_explained_in_both_forms() -> None:
    def check(metric: Metric) -> None:
        console = plain()
        print_explanation(metric, METRICS, console)
        text = console.export_text()
        markdown = describe_metric(metric, METRICS)
        for form in (text, markdown):
            assert metric.title in form.splitlines()[0]
            assert metric.name in form
            assert metric.meaning in form
        headings = re.findall(r"^## (.*)$", markdown, re.MULTILINE)
        lines = [line.rstrip() for line in text.splitlines()]
        assert headings == [line for line in lines if line in OF_WAIT_STATES]
        assert "`" not in text
        assert max(map(len, lines)) <= WIDEST
        words = text.replace("•", "").split()
        shown = re.sub(r"^## |^- |^```.*$|`", "", read_text(metric.name), flags=re.MULTILINE)
        assert " ".join(shown.split()) in " ".join(words)

    check_metrics(check)


def test_place_in_the_hierarchy_is_shown() -> None:
    console = plain()
    print_explanation(find_metric("mpi_latesender_wo", METRICS), METRICS, console)
    message = " ".join(console.export_text().split())
    assert " Part of: Late Sender (mpi_latesender) " in message
    assert (
        " Includes: Wrong Order, Different Sources (mpi_lswo_different), "
        "Wrong Order, Same Source (mpi_lswo_same) "
    ) in message


def test_the_list_has_a_line_per_metric_below_its_kind() -> None:
    console = plain()
    print_metrics(METRICS, console)
    lines = [line.rstrip() for line in console.export_text().splitlines()]
    kinds = [line for line in lines if line in ("Profile", "Communication", "Wait state")]
    assert kinds == ["Profile", "Communication", "Wait state"]
    for metric in METRICS:
        named = [line for line in lines if line.split()[:1] == [metric.name]]
        assert len(named) == 1
        assert named[0].endswith(metric.meaning)
    parts = [line for line in lines if line.strip().startswith(("mpi_latesender", "mpi_lswo"))]
    assert [len(line) - len(line.lstrip()) for line in parts] == [0, 2, 4, 4]


@pytest.mark.parametrize(
    "name", ["mpi_latesender", "MPI_LATESENDER", "Late Sender", "late_sender", "latesender"]
)
def test_a_metric_is_found_by_its_name_or_title(name: str) -> None:
    assert find_metric(name, METRICS).name == "mpi_latesender"


def test_words_of_a_title_need_not_be_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "Late", "Sender", "--format", "markdown"]) == 0
    unquoted = capsys.readouterr().out
    assert cli.main(["explain", "Late Sender", "--format", "markdown"]) == 0
    assert unquoted == capsys.readouterr().out
    assert unquoted.startswith("# Late Sender\n")


def test_signs_of_a_title_need_not_be_typed() -> None:
    assert find_metric("wait at NxN", METRICS).name == "mpi_wait_nxn"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mpi_latesend", "no metric mpi_latesend: did you mean mpi_latesender"),
        ("mpi_barier_wait", "did you mean mpi_barrier_wait"),
        ("late", "no metric late: did you mean mpi_latesender, mpi_latereceiver, "),
        ("visit", "did you mean visits or overhead_outside_visits? tables with this word: visits"),
        ("wait_states", "it is a table; tracemill tables wait_states explains it"),
        ("frobnicate", "no metric frobnicate: tracemill explain, without a name, lists all"),
    ],
)
def test_an_unknown_metric_is_one_line(
    name: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["explain", name]) == MissingInputError.exit_code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_a_metric_without_text_says_which_file_to_write(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match=r"no text explains mpi_mine: .*mpi_mine\.md"):
        read_text("mpi_mine", tmp_path)


FRONT = "---\ntitle: Mine: all\nkind: profile\nunit: ns\nmeaning: Mine.\n---\n"


def test_a_text_may_lie_in_any_folder(tmp_path: Path) -> None:
    (tmp_path / "mpi_mine.md").write_text(f"{FRONT}\n## Definition\n\nMine alone.\n")
    mine = Metric(
        name="mpi_mine", title="Mine: all", parent=None, kind="profile", unit="ns", meaning="Mine."
    )
    assert shipped_metrics(tmp_path) == {"mpi_mine": mine}
    assert read_text("mpi_mine", tmp_path).split() == ["##", "Definition", "Mine", "alone."]


@pytest.mark.parametrize(
    ("front", "message"),
    [
        ("# Mine\n", "the text has no front matter"),
        (FRONT.removesuffix("---\n"), "the text has no front matter"),
        (FRONT.replace("kind: profile\n", ""), "the front matter lacks kind"),
        (FRONT.replace("unit", "units"), "the front matter has a line 'units: ns'"),
        (FRONT.replace(" Mine.", " "), "the front matter has a line 'meaning: '"),
    ],
)
def test_mistakes_in_front_matter_are_refused(tmp_path: Path, front: str, message: str) -> None:
    (tmp_path / "mpi_mine.md").write_text(front)
    with pytest.raises(QueryError, match=f"^mpi_mine: {message}: .*mpi_mine.md: "):
        shipped_metrics(tmp_path)


def test_explaining_needs_no_store(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "tracemill", "explain", "mpi_latesender"]
    done = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert done.stdout.startswith("Late Sender (mpi_latesender)\n")
    assert list(tmp_path.iterdir()) == []
