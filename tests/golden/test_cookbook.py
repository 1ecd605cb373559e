"""The cookbook: every question has an answer in every run, and the answers are right.

Expected figures come from Scalasca's analyzer (expected_severities.csv beside the traces), or from
plain loops over the rows of the tables.
"""

import csv
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tracemill.base.errors import QueryError
from tracemill.engine.analyze import Analysis
from tracemill.shell import Session
from tracemill.shell.cookbook import campaign_questions, find_question, questions_for, run_questions
from tracemill.store import Run

DATA = Path(__file__).parents[2] / "data"
TRACES = ("m29_hybrid", "m01_late_sender", "e06_critical_path", "m31_omp_tasks", "late_sender.csv")
WITHOUT_FILES = ("files_with_most_time",)
"""Questions without an answer in any trace of data/."""
Row = dict[str, Any]
Key = tuple[Any, ...]


class CookbookRun:
    """A run with its tables, and the answers of the cookbook, as rows."""

    def __init__(self, run: Run, trace: str) -> None:
        self.trace = trace
        self.connection = run.connect()

    @cache  # noqa: B019  (a few runs)
    def rows(self, table: str) -> list[Row]:
        return self._fetch(f"FROM {table}")

    def by_id(self, table: str) -> dict[int, Row]:
        key = {"locations": "location_id", "regions": "region_id", "call_paths": "call_path_id",
               "location_groups": "location_group_id"}[table]  # fmt: skip
        return {row[key]: row for row in self.rows(table)}

    def answer(self, name: str) -> list[Row]:
        return self._fetch(find_question(name, run_questions()).sql)

    def _fetch(self, sql: str) -> list[Row]:
        cursor = self.connection.execute(sql)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def place(self, location_id: int) -> tuple[int, int]:
        row = self.by_id("locations")[location_id]
        return row["rank"], row["thread"]

    def reference(self, metric: str) -> list[Row]:
        """Rows of a metric as Scalasca's analyzer gives them: call_path, rank, thread, value."""
        with (DATA / self.trace / "expected_severities.csv").open(newline="") as file:
            return [row for row in csv.DictReader(file) if row["metric"] == metric]


@pytest.fixture(scope="module", params=TRACES)
def cookbook(
    request: pytest.FixtureRequest, analysis_of: Callable[[str], Analysis]
) -> Iterator[CookbookRun]:
    found = CookbookRun(analysis_of(request.param).run, request.param)
    yield found
    found.connection.close()


def table_of(rows: list[Row], keys: str, value: str) -> dict[Key, float]:
    """Rows as a mapping, in which no key may occur twice."""
    names = keys.split()
    found = {tuple(row[name] for name in names): row[value] for row in rows}
    assert len(found) == len(rows)
    return found


def summed(pairs: Iterator[tuple[Key, float]]) -> dict[Key, float]:
    sums: defaultdict[Key, float] = defaultdict(float)
    for key, value in pairs:
        sums[key] += value
    return dict(sums)


def test_the_cookbook_has_twenty_questions() -> None:
    assert len(run_questions()) >= 20
    for recipe in (*run_questions(), *campaign_questions()):
        assert recipe.question.rstrip(".").split("? ")[0].count("?") <= 1
        assert "?" in recipe.question
        assert "$" not in recipe.sql


def test_every_question_about_a_run_has_an_answer(cookbook: CookbookRun) -> None:
    given = Session.begin(cookbook.connection).given
    assert questions_for(given) == run_questions()
    for recipe in run_questions():
        rows = cookbook.answer(recipe.name)
        is_answered = cookbook.trace == "m29_hybrid" and recipe.name not in WITHOUT_FILES
        assert rows or not is_answered, recipe.name
        assert rows == cookbook.answer(recipe.name)


def test_an_example_is_found_by_number_or_name() -> None:
    first = run_questions()[0]
    assert (
        find_question("1", run_questions()) is find_question(first.name, run_questions()) is first
    )
    with pytest.raises(QueryError, match="did you mean waits_by_rank"):
        find_question("wait_by_rank", run_questions())
    with pytest.raises(QueryError, match=r"no example 999: see \.examples"):
        find_question("999", run_questions())


# --- Compared with Scalasca's analyzer -----------------------------------------------------------

HAS_REFERENCE = [name for name in TRACES if (DATA / name / "expected_severities.csv").exists()]
with_reference = pytest.mark.parametrize("cookbook", HAS_REFERENCE, indirect=True)


def _last(path: str) -> str:
    return path.rpartition("/")[2]


@pytest.mark.parametrize("cookbook", ["m29_hybrid", "m01_late_sender"], indirect=True)
def test_times_and_visits_of_functions(cookbook: CookbookRun) -> None:
    times = summed(
        ((_last(r["call_path"]),), float(r["value"])) for r in cookbook.reference("time")
    )
    counts = summed(
        ((_last(r["call_path"]),), float(r["value"])) for r in cookbook.reference("visits")
    )
    answer = cookbook.answer("regions_with_most_time")
    seconds = table_of(answer, "region", "exclusive_seconds")
    assert seconds == pytest.approx({key: times.get(key, 0) for key in seconds}, rel=1e-3, abs=1e-6)
    assert set(times) <= set(seconds)
    assert table_of(answer, "region", "visit_count") == counts
    assert sum(row["time_ratio"] for row in answer) == pytest.approx(1)
    assert [row["exclusive_seconds"] for row in answer] == sorted(seconds.values(), reverse=True)


@pytest.mark.parametrize("cookbook", ["m29_hybrid", "m01_late_sender"], indirect=True)
def test_shares_of_mpi(cookbook: CookbookRun) -> None:
    rows = cookbook.reference("time")
    places = {(int(r["rank"]), int(r["thread"])) for r in rows}
    for place in places:
        own = [r for r in rows if (int(r["rank"]), int(r["thread"])) == place]
        total = sum(float(r["value"]) for r in own)
        mpi = sum(float(r["value"]) for r in own if _last(r["call_path"]).startswith("MPI_"))
        ratios = table_of(cookbook.answer("ranks_in_mpi"), "rank thread", "mpi_ratio")
        assert ratios[place] == pytest.approx(mpi / total, abs=1e-3)


@pytest.mark.parametrize("cookbook", ["m29_hybrid", "m01_late_sender"], indirect=True)
def test_bytes_of_ranks(cookbook: CookbookRun) -> None:
    answer = cookbook.answer("messages_of_ranks")
    for metric, column in (("bytes_sent", "sent_bytes"), ("bytes_rcvd", "received_bytes")):
        expected = summed(
            ((int(r["rank"]),), float(r["value"])) for r in cookbook.reference(metric)
        )
        found = table_of(answer, "rank", column)
        assert {key: value for key, value in found.items() if value} == expected


@with_reference
def test_late_senders_by_kind(cookbook: CookbookRun) -> None:
    expected = sum(float(r["value"]) for r in cookbook.reference("mpi_latesender"))
    found = table_of(cookbook.answer("waits_by_kind"), "wait_state", "wait_seconds")
    assert found.get(("Late Sender",), 0) == pytest.approx(expected, rel=1e-3, abs=1e-6)


# --- Compared with loops over the rows -----------------------------------------------------------


def test_calls_of_mpi(cookbook: CookbookRun) -> None:
    regions, mpi = (
        cookbook.by_id("regions"),
        {row["region_id"] for row in cookbook.rows("mpi_calls")},
    )
    visits = {(row["location_id"], row["visit_id"]): row for row in cookbook.rows("visits")}
    counted: Counter[Key] = Counter()
    seconds: defaultdict[Key, float] = defaultdict(float)
    for row in visits.values():
        caller = visits.get((row["location_id"], row["parent_visit_id"]))
        if row["region_id"] in mpi and caller:
            key = (regions[caller["region_id"]]["name"], regions[row["region_id"]]["name"])
            counted[key] += 1
            seconds[key] += (row["leave_ns"] - row["enter_ns"]) / 1e9
    answer = cookbook.answer("calls_of_mpi")
    assert table_of(answer, "caller mpi_call", "visit_count") == counted
    assert table_of(answer, "caller mpi_call", "seconds") == pytest.approx(dict(seconds))


def _instances(cookbook: CookbookRun) -> dict[int, list[Row]]:
    members: defaultdict[int, list[Row]] = defaultdict(list)
    for row in cookbook.rows("collective_members"):
        members[row["collective_id"]].append(row)
    return dict(members)


def test_collectives(cookbook: CookbookRun) -> None:
    operations = {row["collective_id"]: row["operation"] for row in cookbook.rows("collectives")}
    instances = _instances(cookbook)
    skews = {key: max(r["enter_ns"] for r in rows) - min(r["enter_ns"] for r in rows)
             for key, rows in instances.items()}  # fmt: skip
    found = [round(row["skew_seconds"] * 1e9) for row in cookbook.answer("collectives_most_skewed")]
    assert found == sorted(skews.values(), reverse=True)[:20]
    last: defaultdict[Key, float] = defaultdict(float)
    for rows in instances.values():
        if len(rows) > 1:
            latest = max(row["enter_ns"] for row in rows)
            who = min(row["location_id"] for row in rows if row["enter_ns"] == latest)
            last[cookbook.place(who)] += sum(latest - row["enter_ns"] for row in rows) / 1e9
    answer = cookbook.answer("collectives_entered_last")
    assert table_of(answer, "rank thread", "seconds_of_others") == pytest.approx(dict(last))
    by_operation = cookbook.answer("collectives_by_operation")
    assert table_of(by_operation, "operation", "instance_count") == Counter(
        (operation,) for operation in operations.values()
    )
    stays = summed(((operations[key],), (row["leave_ns"] - row["enter_ns"]) / 1e9)
                   for key, rows in instances.items() for row in rows)  # fmt: skip
    assert table_of(by_operation, "operation", "seconds") == pytest.approx(stays)


def test_messages(cookbook: CookbookRun) -> None:
    messages = cookbook.rows("messages")
    paths, groups = cookbook.by_id("call_paths"), cookbook.by_id("location_groups")
    largest = [row["bytes"] for row in cookbook.answer("messages_largest")]
    assert largest == sorted((row["bytes"] for row in messages), reverse=True)[:20]
    by_tag = Counter(row["tag"] for row in messages)
    assert (
        Counter({row["tag"]: row["message_count"] for row in cookbook.answer("messages_by_tag")})
        == by_tag
    )
    in_time: Counter[Key] = Counter()
    for row in messages:
        if row["receive_post_enter_ns"] <= row["send_post_enter_ns"]:
            in_time[(paths[row["receive_post_call_path_id"]]["path"],)] += 1
    answer = table_of(cookbook.answer("messages_posted_in_time"), "call_path", "in_time_count")
    assert Counter(answer) == in_time
    sent: defaultdict[bool, int] = defaultdict(int)
    for row in messages:
        ends = (groups[row["sender_group_id"]], groups[row["receiver_group_id"]])
        sent[ends[0]["system_tree_node_id"] == ends[1]["system_tree_node_id"]] += row["bytes"]
    nodes: defaultdict[bool, int] = defaultdict(int)
    for row in cookbook.answer("messages_between_nodes"):
        nodes[bool(row["is_inside_node"])] += row["bytes"]
    if cookbook.trace != "late_sender.csv":  # which has no nodes
        assert nodes == sent


def test_visits(cookbook: CookbookRun) -> None:
    visits, regions = cookbook.rows("visits"), cookbook.by_id("regions")
    leaves = [row["leave_ns"] - row["enter_ns"] for row in visits
              if row["exclusive_ns"] == row["leave_ns"] - row["enter_ns"]]  # fmt: skip
    longest = [round(row["seconds"] * 1e9) for row in cookbook.answer("visits_longest")]
    assert longest == sorted(leaves, reverse=True)[:20]
    most = [row["visit_count"] for row in cookbook.answer("regions_called_most")]
    counted = Counter(row["region_id"] for row in visits)
    assert most == sorted(counted.values(), reverse=True)[:20]
    halves: defaultdict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for (location, region), count in Counter(
        (row["location_id"], row["region_id"]) for row in visits
    ).items():
        own = sorted(
            (row["enter_ns"], row["visit_id"], row["leave_ns"] - row["enter_ns"])
            for row in visits
            if (row["location_id"], row["region_id"]) == (location, region)
        )
        first = (count + 1) // 2
        halves[regions[region]["name"]][0].extend(each[2] for each in own[:first])
        halves[regions[region]["name"]][1].extend(each[2] for each in own[first:])
    found = table_of(cookbook.answer("regions_getting_slower"), "region", "second_half_seconds")
    assert found == pytest.approx(
        {(name,): sum(late) / len(late) / 1e9 for name, (_, late) in halves.items() if late}
    )


def test_waits(cookbook: CookbookRun) -> None:
    waits = [row for row in cookbook.rows("wait_states") if not row["is_completion"]]
    ((run),) = cookbook.rows("runs")
    paths = cookbook.by_id("call_paths")

    def by(key: Callable[[Row], Key]) -> Any:
        return pytest.approx(summed((key(row), row["wait_ns"] / 1e9) for row in waits))

    answers = {
        name: cookbook.answer(f"waits_{name}") for name in ("by_rank", "causers", "in_calls")
    }
    assert table_of(answers["by_rank"], "rank thread", "wait_seconds") == by(
        lambda row: cookbook.place(row["location_id"])
    )
    assert table_of(answers["causers"], "rank thread", "wait_seconds") == by(
        lambda row: cookbook.place(row["cause_location_id"])
    )
    assert table_of(answers["in_calls"], "call_path", "wait_seconds") == by(
        lambda row: (paths[row["call_path_id"]]["path"],)
    )
    length = max(run["end_ns"] - run["begin_ns"], 1)
    tenths = cookbook.answer("waits_over_time")
    assert table_of(tenths, "tenth", "wait_seconds") == by(
        lambda row: (min(10 * (row["start_ns"] - run["begin_ns"]) // length, 9) + 1,)
    )
    longest = [round(row["wait_seconds"] * 1e9) for row in cookbook.answer("waits_longest")]
    assert longest == sorted((row["wait_ns"] for row in waits), reverse=True)[:20]
    assert all(0 <= row["wait_ratio"] <= 1 for row in answers["in_calls"])


def test_critical_path(cookbook: CookbookRun) -> None:
    """The segments tile the path: by rank and by function they sum to its length."""
    length = sum(row["end_ns"] - row["begin_ns"] - row["wait_ns"]
                 for row in cookbook.rows("critical_path_segments")) / 1e9  # fmt: skip
    by_rank = cookbook.answer("critical_path_by_rank")
    by_region = cookbook.answer("critical_path_by_region")
    rank_seconds = sum(r["computation_seconds"] + r["communication_seconds"] for r in by_rank)
    assert rank_seconds == pytest.approx(length, rel=1e-3)
    assert sum(row["seconds"] for row in by_region) == pytest.approx(length, rel=1e-3)
    assert not by_region or sum(row["path_ratio"] for row in by_region) == pytest.approx(1)


def test_computing_and_idling(cookbook: CookbookRun) -> None:
    ranks = cookbook.answer("ranks_computing")
    if any(row["computation_seconds"] for row in ranks):
        assert sum(row["to_mean"] for row in ranks) == pytest.approx(len(ranks))
    classes = cookbook.answer("time_by_overhead")
    ((run),) = cookbook.rows("runs")
    length = (run["end_ns"] - run["begin_ns"]) * run["location_count"] / 1e9
    assert sum(row["seconds"] for row in classes) == pytest.approx(length)
    computing = sum(row["seconds"] for row in classes if row["overhead_class"] == "computation")
    course = cookbook.answer("time_course_of_computing")
    assert sum(
        row["computation_ratio"] * (row["end_seconds"] - row["begin_seconds"]) for row in course
    ) * run["location_count"] == pytest.approx(computing, rel=1e-6)
    for row in cookbook.answer("imbalance_of_calls"):
        assert row["excess_seconds"] == pytest.approx(row["longest_seconds"] - row["mean_seconds"])
    idle = sum(row["wait_seconds"] for row in cookbook.answer("threads_idle"))
    waits = [row for row in cookbook.rows("wait_states") if not row["is_completion"]]
    assert idle == pytest.approx(sum(row["wait_ns"] for row in waits) / 1e9)


def test_quality(cookbook: CookbookRun) -> None:
    rows = cookbook.answer("quality_of_locations")
    assert len(rows) == len(cookbook.rows("locations"))
    assert sum(row["record_count"] for row in rows) == cookbook.rows("runs")[0]["record_count"]
    assert all(row["is_complete"] for row in rows)


def test_questions_about_campaigns_are_declared_apart() -> None:
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE campaign_runs (n INT); CREATE TABLE call_site_ranking (n INT)"
        )
        given = Session.begin(connection).given
    assert [recipe.name for recipe in questions_for(given)] == ["scaling_of_call_sites"]
