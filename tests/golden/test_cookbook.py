"""The cookbook: every question has an answer in every run, and the answers are right."""

import csv
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tracemill.base.errors import QueryError
from tracemill.engine.analyze import Analysis, Options, analyze
from tracemill.shell.cookbook import campaign_questions, find_question, questions_for, run_questions
from tracemill.shell.session import Session
from tracemill.sql.query_files import create_all_views
from tracemill.store.runs import Store

DATA = Path(__file__).parents[2] / "data"
ELSEWHERE = {
    "files_with_most_time": "tests/golden/test_file_accesses.py",
    "counters_of_call_paths": "tests/golden/test_counter_traces.py",
    "counters_derived_by_rank": "tests/golden/test_counter_traces.py",
    "counters_over_the_run": "tests/golden/test_counter_traces.py",
}
"""Questions without an answer in most traces of data/, and the tests that answer them."""


def answer_from(connection: duckdb.DuckDBPyConnection, name: str, columns: str) -> list[Any]:
    """Rows of the answer to a question, with some of its columns."""
    question = find_question(name, run_questions())
    found = connection.sql(question.sql)
    return found.select(*columns.split()).fetchall()


# --- The questions -------------------------------------------------------------------------------


def test_the_cookbook_has_twenty_questions() -> None:
    assert len(run_questions()) >= 20
    for recipe in (*run_questions(), *campaign_questions()):
        assert recipe.question.rstrip(".").split("? ")[0].count("?") <= 1
        assert "?" in recipe.question
        assert "$" not in recipe.sql


@pytest.mark.parametrize("trace", ["m29_hybrid", "m31_omp_tasks", "late_sender.csv"])
def test_every_question_about_a_run_has_an_answer(
    analysis_of: Callable[[str], Analysis], trace: str
) -> None:
    with analysis_of(trace).run.connect() as connection:
        assert questions_for(Session.begin(connection).given) == run_questions()
        for question in run_questions():
            rows = answer_from(connection, question.name, "*")
            assert rows or trace != "m29_hybrid" or question.name in ELSEWHERE, question.name
            assert rows == answer_from(connection, question.name, "*")


def test_questions_about_campaigns_are_listed_separately() -> None:
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE campaign_runs (n INT); CREATE TABLE call_site_ranking (n INT)"
        )
        given = Session.begin(connection).given
    assert [recipe.name for recipe in questions_for(given)] == ["scaling_of_call_sites"]


def test_a_question_is_found_by_number_or_name() -> None:
    questions = run_questions()
    assert find_question("1", questions) is questions[0]
    assert find_question(questions[0].name, questions) is questions[0]
    with pytest.raises(QueryError, match="did you mean waits_by_rank"):
        find_question("wait_by_rank", questions)
    with pytest.raises(QueryError, match=r"no example 999: see \.examples"):
        find_question("999", questions)


# --- The answers for a small trace ---------------------------------------------------------------

# Two ranks work and exchange messages, of 100 bytes with tag 1 and of 200 bytes with tag 2.
#
#          0    1    2    3    4    5    6    7    8    9    10 s
# rank 0   [work    ][send][work              ][recv][barr]
# rank 1   [work][receive ][work][send][barrier           ]
#
# Waiting: 1 to 2 in MPI_Recv of rank 1, 5 to 8 in its MPI_Barrier, both for rank 0. So the critical
# path is rank 0 from begin to end.
TWO_RANKS = """\
Timestamp (s),Event Type,Name,Process,Partner,Tag,Bytes,Operation
0,Enter,main,0,,,,
0,Enter,work,0,,,,
2,Leave,work,0,,,,
2,Enter,MPI_Send,0,,,,
2,Instant,MpiSend,0,1,1,100,
3,Leave,MPI_Send,0,,,,
3,Enter,work,0,,,,
7,Leave,work,0,,,,
7,Enter,MPI_Recv,0,,,,
8,Instant,MpiRecv,0,1,2,200,
8,Leave,MPI_Recv,0,,,,
8,Enter,MPI_Barrier,0,,,,
8,Instant,MpiCollectiveBegin,0,,,,
9,Instant,MpiCollectiveEnd,0,,,,barrier
9,Leave,MPI_Barrier,0,,,,
10,Leave,main,0,,,,
0,Enter,main,1,,,,
0,Enter,work,1,,,,
1,Leave,work,1,,,,
1,Enter,MPI_Recv,1,,,,
3,Instant,MpiRecv,1,0,1,100,
3,Leave,MPI_Recv,1,,,,
3,Enter,work,1,,,,
4,Leave,work,1,,,,
4,Enter,MPI_Send,1,,,,
4,Instant,MpiSend,1,0,2,200,
5,Leave,MPI_Send,1,,,,
5,Enter,MPI_Barrier,1,,,,
5,Instant,MpiCollectiveBegin,1,,,,
9,Instant,MpiCollectiveEnd,1,,,,barrier
9,Leave,MPI_Barrier,1,,,,
10,Leave,main,1,,,,
"""

ANSWERS: dict[str, list[tuple[object, ...]]] = {
    "regions_with_most_time region visit_count exclusive_seconds time_ratio": [
        ("work", 4, 8, 0.4),
        ("MPI_Barrier", 2, 5, 0.25),
        ("MPI_Recv", 2, 3, 0.15),
        ("MPI_Send", 2, 2, 0.1),
        ("main", 2, 2, 0.1),
    ],
    "regions_called_most region visit_count exclusive_ns_per_visit": [
        ("work", 4, 2e9),
        ("MPI_Barrier", 2, 2.5e9),
        ("MPI_Recv", 2, 1.5e9),
        ("MPI_Send", 2, 1e9),
        ("main", 2, 1e9),
    ],
    # On each rank the first visit is the first half: 2 and 1, then 4 and 1.
    "regions_getting_slower region visit_count first_half_seconds second_half_seconds": [
        ("work", 4, 3 / 2, 5 / 2)
    ],
    "visits_longest rank call_path enter_seconds seconds": [
        (0, "main/work", 3, 4),
        (1, "main/MPI_Barrier", 5, 4),
        (0, "main/work", 0, 2),
        (1, "main/MPI_Recv", 1, 2),
        (0, "main/MPI_Send", 2, 1),
        (0, "main/MPI_Recv", 7, 1),
        (0, "main/MPI_Barrier", 8, 1),
        (1, "main/work", 0, 1),
        (1, "main/work", 3, 1),
        (1, "main/MPI_Send", 4, 1),
    ],
    "calls_of_mpi caller mpi_call visit_count seconds": [
        ("main", "MPI_Barrier", 2, 1 + 4),
        ("main", "MPI_Recv", 2, 1 + 2),
        ("main", "MPI_Send", 2, 1 + 1),
    ],
    "ranks_in_mpi rank thread mpi_seconds mpi_ratio": [(1, 0, 2 + 1 + 4, 0.7), (0, 0, 3, 0.3)],
    # main has 1 beside work; the mean of 7 and 3 is 5.
    "ranks_computing rank thread computation_seconds to_mean": [(0, 0, 7, 1.4), (1, 0, 3, 0.6)],
    # Work takes 6 and 2.
    "imbalance_of_calls call_path slowest_rank longest_seconds mean_seconds excess_seconds": [
        ("main/work", 0, 6, 4, 2),
        ("main", 0, 1, 1, 0),
    ],
    "threads_idle rank location_count wait_seconds idle_thread_seconds idle_ratio": [
        (1, 1, 4, 0, 0.4),
        (0, 1, 0, 0, 0),
    ],
    "time_by_overhead overhead_class overhead_subclass seconds time_ratio": [
        ("computation", "user code", 7 + 3, 0.5),
        ("data movement", "point-to-point", 2 + 3, 0.25),
        ("synchronisation", "barrier", 1 + 4, 0.25),
    ],
    "messages_of_ranks rank sent_count sent_bytes received_count received_bytes": [
        (0, 1, 100, 1, 200),
        (1, 1, 200, 1, 100),
    ],
    "messages_largest sender_rank receiver_rank tag bytes sent_seconds seconds": [
        (1, 0, 2, 200, 4, 8 - 4),
        (0, 1, 1, 100, 2, 3 - 2),
    ],
    "messages_by_tag communicator tag message_count bytes sender_count": [
        ("MPI_COMM_WORLD", 1, 1, 100, 1),
        ("MPI_COMM_WORLD", 2, 1, 200, 1),
    ],
    # Rank 1 receives at 1 what is sent at 2; rank 0 receives at 7 what is sent at 4.
    "messages_posted_in_time call_path message_count in_time_count in_time_ratio": [
        ("main/MPI_Recv", 2, 1, 0.5)
    ],
    # A trace in CSV has no nodes.
    "messages_between_nodes sender_node is_inside_node message_count bytes": [
        (None, None, 2, 300)
    ],
    "pairs_of_ranks from_rank to_rank message_count bytes wait_seconds path_jump_count": [
        (0, 1, 1, 100, 1 + 3, 0),
        (1, 0, 1, 200, 0, 0),
    ],
    # The last second is that of main; waiting is taken off the time in MPI_Recv and MPI_Barrier.
    "ranks_activities rank thread activity seconds time_ratio": [
        (0, 0, "computing", 2 + 4 + 1, 0.7),
        (0, 0, "communicating", 1 + 1, 0.2),
        (0, 0, "synchronizing", 1, 0.1),
        (1, 0, "blocked", 1 + 3, 0.4),
        (1, 0, "computing", 1 + 1 + 1, 0.3),
        (1, 0, "communicating", 1 + 1, 0.2),
        (1, 0, "synchronizing", 1, 0.1),
    ],
    "collectives_by_operation operation instance_count call_count seconds longest_seconds": [
        ("barrier", 1, 2, 1 + 4, 4)
    ],
    "collectives_entered_last rank thread collective_count seconds_of_others": [(0, 0, 1, 8 - 5)],
    "collectives_most_skewed operation member_count first_enter_seconds skew_seconds": [
        ("barrier", 2, 5, 8 - 5)
    ],
    "waits_by_kind wait_state wait_count wait_seconds longest_seconds": [
        ("Wait at Barrier", 1, 3, 3),
        ("Late Sender", 1, 1, 1),
    ],
    "waits_by_rank rank thread wait_count wait_seconds": [(1, 0, 2, 1 + 3)],
    "waits_causers rank thread wait_count victim_count wait_seconds": [(0, 0, 2, 1, 1 + 3)],
    "waits_in_calls call_path wait_seconds wait_ratio": [
        ("main/MPI_Barrier", 3, 3 / 5),
        ("main/MPI_Recv", 1, 1 / 3),
    ],
    "waits_longest property rank call_path start_seconds wait_seconds cause_rank": [
        ("mpi_barrier_wait", 1, "main/MPI_Barrier", 5, 3, 0),
        ("mpi_latesender", 1, "main/MPI_Recv", 1, 1, 0),
    ],
    # The waits begin at 1 and at 5.
    "waits_over_time tenth wait_count wait_seconds": [(2, 1, 1), (6, 1, 3)],
    "critical_path_by_rank rank thread computation_seconds communication_seconds": [(0, 0, 7, 3)],
    "critical_path_by_region region seconds path_ratio": [
        ("work", 6, 0.6),
        ("MPI_Barrier", 1, 0.1),
        ("MPI_Recv", 1, 0.1),
        ("MPI_Send", 1, 0.1),
        ("main", 1, 0.1),
    ],
    "quality_of_locations rank thread record_count is_complete finding_count": [
        (0, 0, 16, True, 0),
        (1, 0, 16, True, 0),
    ],
}  # fmt: skip
TIME_COURSE = "time_course_of_computing"


@pytest.fixture(scope="module")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("cookbook")
    (folder / "two_ranks.csv").write_text(TWO_RANKS)
    options = Options(threads=1)
    run = analyze(folder / "two_ranks.csv", store=Store(folder / "store"), options=options).run
    with run.connect() as connection:
        create_all_views(connection)
        yield connection


@pytest.mark.parametrize("question", ANSWERS)
def test_every_question_has_the_right_answer(
    small_run: duckdb.DuckDBPyConnection, question: str
) -> None:
    name, columns = question.split(maxsplit=1)
    found = answer_from(small_run, name, columns)
    assert found == [pytest.approx(row) for row in ANSWERS[question]]


def test_the_share_of_computation_over_the_run(small_run: duckdb.DuckDBPyConnection) -> None:
    rows = answer_from(small_run, TIME_COURSE, "begin_seconds end_seconds computation_ratio")
    # Of both ranks: until 1, from 1 to 2, from 2 to 3, and so on.
    shares = [1, 0.5, 0, 1, 0.5, 0.5, 0.5, 0, 0, 1]
    assert len(rows) == 200
    assert rows == [
        pytest.approx((bin / 20, (bin + 1) / 20, shares[bin // 20])) for bin in range(200)
    ]


def test_the_answer_to_every_question_is_checked() -> None:
    checked = {question.split()[0] for question in ANSWERS} | {TIME_COURSE, *ELSEWHERE}
    assert checked == {question.name for question in run_questions()}


def test_messages_between_nodes_are_counted(analysis_of: Callable[[str], Analysis]) -> None:
    with analysis_of("m29_hybrid").run.connect() as connection:
        create_all_views(connection)
        found = answer_from(connection, "messages_between_nodes", "*")
    assert found == [("vm", "vm", True, 20, 80)]


# --- Compared with Scalasca's analyzer -----------------------------------------------------------


def reference(trace: str, metric: str) -> dict[str, float]:
    """Values of a metric as Scalasca's analyzer gives them, by the name of the function."""
    sums: defaultdict[str, float] = defaultdict(float)
    with (DATA / trace / "expected_severities.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            if row["metric"] == metric:
                sums[row["call_path"].rpartition("/")[2]] += float(row["value"])
    return sums


def test_times_and_visits_of_functions_equal_those_of_scalasca(
    analysis_of: Callable[[str], Analysis],
) -> None:
    columns = "region exclusive_seconds visit_count"
    with analysis_of("m29_hybrid").run.connect() as connection:
        rows = answer_from(connection, "regions_with_most_time", columns)
    times = reference("m29_hybrid", "time")
    assert {region for region, *_ in rows} >= times.keys()
    for region, seconds, _ in rows:
        assert seconds == pytest.approx(times[region], rel=1e-3, abs=1e-6)
    assert {region: visits for region, _, visits in rows} == reference("m29_hybrid", "visits")
