"""The command compare: what changed between runs, in every format, and when it fails.

Programs are generated; in `after`, rank 1 computes half as long again in one region.
"""

import json
import re
import shutil
from collections.abc import Callable, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from tests.helpers.report_reading import read_page
from tests.oracle.changes import Place, changes, values_of
from tracemill import cli, open_store
from tracemill.base.errors import (
    MissingInputError,
    PipelineError,
    RegressionError,
    StoreError,
    UsageError,
)
from tracemill.comparison.choosing import choose_runs
from tracemill.comparison.comparing import Comparison, compare_runs
from tracemill.engine.analyze import Options, analyze
from tracemill.programs.generate import generate
from tracemill.programs.language.process_kinds import parse_spec
from tracemill.store.runs import Run, Store

DATA = Path(__file__).parents[2] / "data"
UPDATE, AGREE = "main/step/update/compute_update", "main/step/agree/MPI_Allreduce"
BASE_NS = 3_000 * 20
ITERATIONS = 4
PROGRAMS = {
    "before": ({"seed": 1}, {"seed": 2}, {"seed": 3}),
    "after": ({"seed": 4, "imbalance": 0.5}, {"seed": 5, "imbalance": 0.5}),
    "wide": ({"processes": 5, "seed": 6},),
}
ELSE = """\
Timestamp (ns),Event Type,Name,Process
0,Enter,program,0
40,Leave,program,0
"""


def write_program(folder: Path, *, processes: int = 3, seed: int, imbalance: float = 0.0) -> None:
    """All exchange edges, then compute, of which rank 1 has more, then agree on a sum."""
    described = {
        "processes": processes,
        "iterations": ITERATIONS,
        "size": 3_000,
        "seed": seed,
        "phase": [
            {"kind": "stencil", "name": "exchange", "jitter": 0.05},
            {"kind": "work", "name": "update", "cell_ns": 20, "jitter": 0.02, "shape": "odd",
             "imbalance": imbalance},
            {"kind": "collectives", "name": "agree", "cell_ns": 0},
        ],
    }  # fmt: skip
    generate(parse_spec(described, "program"), folder)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with runs of three programs, and of some other traces."""
    folder = tmp_path_factory.mktemp("compared")
    traces = []
    for label, runs in PROGRAMS.items():
        for number, given in enumerate(runs):
            traces.append(folder / str(number) / label)
            write_program(traces[-1], **given)  # type: ignore[arg-type]
    traces.append(folder / "else.csv")
    traces[-1].write_text(ELSE)
    damaged = shutil.copytree(DATA / "m03_ls_waitall", folder / "damaged")
    (damaged / "traces" / "1.evt").unlink()
    others = [DATA / name for name in ("m01_late_sender", "m29_hybrid", "m31_omp_tasks")]
    options = Options(threads=1, allow_damaged=True)
    for trace in (*traces, damaged, *others):
        analyze(trace, store=Store(folder / "store"), options=options)
    return folder / "store"


def runs(store: Path, *names: str) -> list[Run]:
    return [run for name in names for run in choose_runs(store, name)]


@pytest.fixture(scope="module")
def slower(store: Path) -> Comparison:
    return compare_runs(runs(store, "before"), runs(store, "after"), threads=1)


Printed = Callable[..., str]


@pytest.fixture
def printed(store: Path, capsys: pytest.CaptureFixture[str]) -> Printed:
    """What the command prints; it must end with a code."""

    def run(*arguments: str, code: int = 0) -> str:
        capsys.readouterr()
        assert cli.main(["compare", *arguments, "--store", str(store)]) == code
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return captured.out if not code else captured.err

    return run


# --- The seeded regression -----------------------------------------------------------------------


def test_the_slower_region_is_named_with_metric_call_path_and_rank(slower: Comparison) -> None:
    """It takes 50 % of 60 µs more, four times, on one of three ranks, up to the jitter of 2 %."""
    seeded = 0.5 * BASE_NS * ITERATIONS
    first, second, *_ = slower.causes()
    assert (first.metric, first.call_path, first.rank) == ("computation", UPDATE, 1)
    assert first.rank_change_value == pytest.approx(seeded, rel=0.1)
    assert first.change_value == pytest.approx(seeded, rel=0.2)
    assert first.is_decisive
    assert (second.metric, second.call_path) == ("mpi_wait_nxn", AGREE)
    assert second.rank in (0, 2)
    assert second.is_waiting
    assert slower.run_time.change_value == pytest.approx(seeded, rel=0.2)
    assert slower.run_time.is_beyond_noise


def test_the_other_way_round_it_is_what_became_faster(store: Path, slower: Comparison) -> None:
    faster = compare_runs(runs(store, "after"), runs(store, "before"), threads=1)
    first = faster.causes()[0]
    assert (first.metric, first.call_path, first.rank) == ("computation", UPDATE, 1)
    assert first.change_value == -slower.causes()[0].change_value
    assert faster.run_time.change_value == -slower.run_time.change_value


def test_a_limit_that_is_passed_exits_with_23(printed: Printed) -> None:
    limit = f"computation in {UPDATE} > +5%"
    line = printed("before", "after", "--fail-if", "visits > +0", "--fail-if", limit,
                code=RegressionError.exit_code)  # fmt: skip
    assert line.startswith(f"tracemill: before → after: {limit}: Computation in ")
    assert line.count("\n") == 1
    captured = printed("after", "before", "--fail-if", limit)
    assert f"Passes: {limit}. Computation" in captured


def test_a_change_within_the_noise_is_no_regression(store: Path, printed: Printed) -> None:
    """Of three runs of the same program one is slowest; the other two vary as much."""
    side = compare_runs(runs(store, "before"), runs(store, "before"), threads=1).base
    by_time = sorted(zip(side.sizes, side.runs, strict=True), key=lambda e: e[0].whole_time_ns)
    first, second, third = (run for _, run in by_time)
    alone = (first.run_id, third.run_id)
    repeated = (f"{first.run_id},{second.run_id}", third.run_id)
    assert "Without repetitions" in printed(*alone)
    printed(*alone, "--fail-if", "run_time > +0%", code=RegressionError.exit_code)
    change = compare_runs([first, second], [third]).run_time
    code = RegressionError.exit_code if change.is_beyond_noise else 0
    printed(*repeated, "--fail-if", "run_time > +0%", code=code)


# --- Against an oracle ---------------------------------------------------------------------------

PAIRS = {
    "repetitions": (("before",), ("after",)),
    "one against some": (("before",), ("wide",)),
    "threads and tasks": (("m29_hybrid",), ("m31_omp_tasks",)),
    "several of everything": (
        ("m29_hybrid", "after"),
        ("m31_omp_tasks", "else", "m01_late_sender"),
    ),
}


def tables_of(run: Run) -> dict[str, list[dict[str, Any]]]:
    names = ("severities", "call_tree", "call_paths", "call_path_keys", "locations", "metrics",
             "overhead_classes", "location_overheads", "call_path_overheads", "runs")  # fmt: skip
    return {name: run.read(name).to_pylist() for name in names}


def expected(sides: Sequence[Sequence[Run]]) -> dict[Place, Any]:
    tables = [[tables_of(run) for run in side] for side in sides]
    return changes(*([values_of(each) for each in side] for side in tables))


@pytest.mark.parametrize("pair", PAIRS)
def test_changes_are_those_of_a_slow_and_obvious_count(store: Path, pair: str) -> None:
    base, other = (runs(store, *names) for names in PAIRS[pair])
    wanted = expected([base, other])
    found = compare_runs(base, other, threads=1)
    rows = found.rows.to_dicts()
    assert {(row["metric"], row["call_path_key"]) for row in rows} == {
        place[:2] for place in wanted if place[2] is None
    }
    for row in rows:
        means = wanted[row["metric"], row["call_path_key"], None]
        assert (row["base_value"], row["other_value"]) == pytest.approx(means[:2])
        assert row["noise_value"] == pytest.approx(noise(means[2:], len(base), len(other)))
    totals = {place for place in wanted if place[1] is None and place[2] is not None}
    checked = set()
    for row in found.ranked.to_dicts():
        place = (row["metric"], row["call_path_key"], row["rank"])
        is_overhead = row["metric"].startswith("overhead") or row["metric"] == "computation"
        if place[1] is None or not is_overhead:
            checked.add(place)
            assert (row["base_value"], row["other_value"]) == pytest.approx(wanted[place][:2])
    assert checked & totals


def noise(variances: tuple[float | None, ...], base_count: int, other_count: int) -> float | None:
    """Half of Welch's interval, one case after the other."""
    one, two = variances
    if one is None and two is None:
        return None
    if one is None or two is None:
        known, count = (two, other_count) if one is None else (one, base_count)
        assert known is not None
        return float(stats.t.ppf(0.975, count - 1)) * sqrt(known * (1 + 1 / count))
    errors = (one / base_count, two / other_count)
    if not sum(errors):
        return 0.0
    below = errors[0] ** 2 / (base_count - 1) + errors[1] ** 2 / (other_count - 1)
    return float(stats.t.ppf(0.975, sum(errors) ** 2 / below)) * sqrt(sum(errors))


def test_nothing_depends_on_the_order_of_runs_nor_on_threads(store: Path) -> None:
    base, other = runs(store, "before", "m29_hybrid"), runs(store, "after")
    one = compare_runs(base, other, threads=1)
    two = compare_runs(base[::-1], other[::-1], threads=4)
    assert one.rows.equals(two.rows)
    assert one.ranked.equals(two.ranked)


def test_python_compares_by_the_same_names(store: Path, slower: Comparison) -> None:
    found = open_store(store).compare("before", "after")
    assert found.metrics == slower.metrics
    assert found.causes() == slower.causes()


# --- Cases at the edge ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["before", "m31_omp_tasks", "damaged", "else"])
def test_a_run_is_as_it_is(store: Path, name: str, printed: Printed) -> None:
    same = compare_runs(runs(store, name), runs(store, name), threads=1)
    assert {row.change_value for row in (*same.metrics, same.run_time)} == {0}
    assert same.call_paths == same.ranks == same.causes() == ()
    captured = printed(name, name, "--fail-if", "run_time > +0%")
    assert "A and B are the same: " in captured


def test_runs_without_a_common_call_path_are_reported(printed: Printed) -> None:
    captured = printed("before", "else")
    assert "A and B have no call path in common: are they runs of the same program?" in captured
    assert "times are sums over all processes" in captured


def test_different_numbers_of_processes_are_compared_by_sums(store: Path, printed: Printed) -> None:
    captured = printed("before", "wide")
    assert (
        "A has 3 processes, B 5: times are sums over all processes, and only their change on the "
        "critical path changes the run time." in captured
    )
    assert "rank, most on rank" not in captured
    found = compare_runs(runs(store, "before"), runs(store, "wide"), threads=1)
    (update,) = found.in_call_path("computation", UPDATE)
    assert update.base_value == pytest.approx(3 * BASE_NS * ITERATIONS, rel=0.05)
    assert update.other_value == pytest.approx(5 * BASE_NS * ITERATIONS, rel=0.05)
    ranks = {each.rank: each for each in found.ranks
             if (each.metric, each.call_path) == ("computation", UPDATE)}  # fmt: skip
    assert sorted(ranks) == [0, 1, 2, 3, 4]
    assert (ranks[4].base_value, ranks[2].base_value > 0) == (0, True)


@pytest.mark.parametrize(
    ("other", "sentences"),
    [
        ("m29_hybrid", ("Only A has ", "Only B has ")),
        ("damaged", ("Incomplete in B: ", "its values hold only what was readable")),
    ],
)
def test_parts_of_one_side_only_are_named(
    printed: Printed, other: str, sentences: tuple[str, ...]
) -> None:
    captured = printed("m01_late_sender", other)
    assert all(sentence in captured for sentence in sentences)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["before", "nosuch"], MissingInputError.exit_code, "no run nosuch"),
        (["befoer", "after"], MissingInputError.exit_code, "did you mean before?"),
        (["before,nosuch", "after"], MissingInputError.exit_code, "no run nosuch"),
        (["before,before", "after"], UsageError.exit_code, "is given twice: name each repetition"),
        (["before", "after", "--fail-if", "nosuch > 5%"], UsageError.exit_code, "no metric nosuch"),
        (["before", "after", "--output", "x.pdf"], UsageError.exit_code, "use .txt, .md, .json"),
        (["before", "after", "--output", "no/where.md"], PipelineError.exit_code, "no/where"),
        (["before"], UsageError.exit_code, "compare needs OTHER"),
    ],
)  # fmt: skip
def test_wrong_names_are_reported_in_a_line(
    arguments: list[str], code: int, message: str, printed: Printed
) -> None:
    line = printed(*arguments, code=code)
    assert message in line
    assert line.count("\n") == 1


def test_a_run_that_the_store_has_lost_is_reported(store: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(store, tmp_path / "store")
    base, other = runs(copy, "m01_late_sender"), runs(copy, "else")
    shutil.rmtree(other[0].path / "severities", ignore_errors=True)
    (other[0].path / "severities.parquet").unlink(missing_ok=True)
    with pytest.raises(StoreError, match="the store lacks severities: analyze the trace again"):
        compare_runs(base, other)


# --- Efficiencies ---------------------------------------------------------------------------------


def test_efficiencies_are_the_means_of_those_stored(store: Path, slower: Comparison) -> None:
    """One of three ranks computes longer, and the others wait: load balance gets worse."""

    def stored(side: str, metric: str) -> float:
        values = [
            row["value"]
            for run in runs(store, side)
            for row in run.read("pop_metrics").to_pylist()
            if (row["interval"], row["convention"], row["metric"])
            == ("init to finalize", "multiplicative", metric)
        ]
        return float(sum(values) / len(values))

    found = {each.metric: each for each in slower.efficiencies}
    assert list(found) == [
        "parallel_efficiency", "load_balance", "communication_efficiency",
        "serialization_efficiency", "transfer_efficiency",
    ]  # fmt: skip
    for metric, each in found.items():
        assert each.base_ratio == pytest.approx(stored("before", metric))
        assert each.other_ratio == pytest.approx(stored("after", metric))
    assert (found["load_balance"].change_ratio or 0) < 0


def test_the_first_screen_ends_with_the_command_for_the_rest(printed: Printed) -> None:
    short, whole = printed("before", "after"), printed("before", "after", "--format", "terminal")
    shown, last = short.rstrip().rsplit("\n\n", 1)
    assert whole.startswith(shown)
    assert len(short.splitlines()) < 50 < len(whole.splitlines())
    assert re.fullmatch(
        r"\d+ more rows \(POP efficiencies, By metric, By call path and By rank\): "
        r"--format terminal prints them, --output comparison.html writes a page",
        last,
    )


def test_efficiencies_stand_at_the_head(printed: Printed) -> None:
    lines = printed("before", "after", "--format", "terminal").splitlines()
    place = next(at for at, line in enumerate(lines) if line.startswith("Parallel efficiency "))
    assert lines[place - 2].startswith("B takes ")
    assert lines[place - 1].endswith(" on the critical path.")
    assert lines.index("POP efficiencies") < lines.index("By metric")


# --- Formats -------------------------------------------------------------------------------------


def test_the_document_holds_what_a_program_needs(printed: Printed, tmp_path: Path) -> None:
    path = tmp_path / "changes.json"
    limit = "run_time > +1%"
    printed("before", "after", "--output", str(path), "--fail-if", limit, code=23)
    document = json.loads(path.read_text())
    assert document["causes"][0]["metric"] == "computation"
    assert document["causes"][0]["call_path"] == UPDATE
    assert document["causes"][0]["rank"] == 1
    assert document["critical_path_subtree"]["call_path"] == UPDATE
    assert document["conditions"][0] | {"reason": ""} == {
        "expression": limit, "holds": True, "reason": "",
    }  # fmt: skip
    assert [len(document[side]["runs"]) for side in ("base", "other")] == [3, 2]
    times = [run["run_time_ns"] for run in document["base"]["runs"]]
    assert document["run_time"]["base_value"] == pytest.approx(sum(times) / 3)
    assert {row["rank"] for row in document["ranks"]} == {0, 1, 2}
    assert json.loads(printed("before", "after", "--format", "json")) == document | {
        "conditions": []
    }


def test_every_format_says_the_same(printed: Printed, tmp_path: Path) -> None:
    terminal = printed("before", "after")
    first = next(line for line in terminal.splitlines() if line.startswith(" 1. "))
    headline = first.removeprefix(" 1. ").partition(". ")[0]
    assert headline.startswith(f'Computation in "{UPDATE}": +')
    page, text = tmp_path / "page.html", tmp_path / "text.md"
    printed("before", "after", "--output", str(page))
    printed("before", "after", "--output", str(text))
    assert headline in "".join(read_page(page.read_text()).texts)
    assert headline in text.read_text()
    assert printed("before", "after", "--format", "markdown") == text.read_text()


def test_the_sql_that_is_shown_gives_what_is_reported(
    store: Path, slower: Comparison, capsys: pytest.CaptureFixture[str]
) -> None:
    for text, rows in zip(slower.sql, (slower.rows, slower.ranked), strict=True):
        capsys.readouterr()
        arguments = ["sql", text, "--all-runs", "--store", str(store), "--format", "json"]
        assert cli.main(arguments) == 0
        found = json.loads(capsys.readouterr().out)
        assert [(row["metric"], row["rank"], row["change_value"]) for row in found] == [
            (row["metric"], row["rank"], row["change_value"]) for row in rows.to_dicts()
        ]
