"""A thousand ways to damage archives and text: none crashes, hangs, or loses records in silence.

Every way follows from its number and a seed. Those of `python -m tests.damage` are more.
"""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from tests.damage.judging import Judge
from tests.damage.mutators import CSV, FOLDER, GRAPH, GZIP, OTF2, ZSTD
from tests.damage.reading import Reading, read_trace
from tests.damage.running import Outcomes, try_ways
from tests.damage.traces import EVERY_RECORD, entry, prepare
from tests.damage.worker import Plan

DATA = Path(__file__).resolve().parents[2] / "data"
SEED = 1


def plan(name: str, format: str, ways: int, analyzed: int = 0) -> Plan:
    """`analyzed` is every how many damaged copies one is analyzed as a whole, which costs most."""
    trace = EVERY_RECORD if name == EVERY_RECORD.name else DATA / name
    return Plan(trace=trace, format=format, seed=SEED, last=ways, analyzed=analyzed)


ARCHIVES = [
    plan("e03_lr_exact", OTF2, 84),
    plan("e05_wrong_order", OTF2, 84),
    plan("e06_critical_path", OTF2, 84),
    plan("m01_late_sender", OTF2, 84, 40),
    plan("m29_hybrid", OTF2, 40, 40),
]
MORE_ARCHIVES = [
    plan("m03_ls_waitall", OTF2, 84),
    plan("m31_omp_tasks", OTF2, 84),
    plan("z01_otf2v3_nbc_rma", OTF2, 84),
    plan("every_record.csv", OTF2, 84),
]
ALL_ARCHIVES = ARCHIVES + MORE_ARCHIVES
TEXTS = [
    plan("late_sender.csv", CSV, 90, 90),
    plan("every_record.csv", CSV, 110),
    plan("e06_critical_path", CSV, 15),
    plan("every_record.csv", FOLDER, 30),
    plan("e03_lr_exact", GZIP, 15),
    plan("late_sender.csv", ZSTD, 20),
    plan("e05_wrong_order", GRAPH, 5),
    plan("call_graph.csv", GRAPH, 25),
]


@pytest.mark.parametrize("plans", [ARCHIVES, MORE_ARCHIVES, TEXTS])
def test_damage_is_refused_or_counted(plans: list[Plan]) -> None:
    """Shows how often each outcome occurred with `-rP`."""
    outcomes = Outcomes()
    for each, result in try_ways(plans):
        outcomes.add(each, result)
    print(outcomes)
    assert outcomes.problems == []
    tried = sum(counts.total() for counts in outcomes.counts.values())
    assert tried == sum(each.last for each in plans)
    assert sum(outcomes.losses.values()) > tried / 20, "after these, values must be as they were"


def test_there_are_a_thousand_ways() -> None:
    archives, texts = (sum(each.last for each in plans) for plans in (ALL_ARCHIVES, TEXTS))
    assert archives + texts >= 1_000
    assert min(archives, texts) >= 300


RECORDS = [
    "visits", "mpi_operations", "lock_operations", "rma_operations", "io_operations",
    "counter_values", "parameter_values", "record_attributes", "samples",
]  # fmt: skip


def without_first(table: pa.Table) -> pa.Table:
    return table.slice(1)


def with_last_again(table: pa.Table) -> pa.Table:
    return pa.concat_tables([table, table.slice(table.num_rows - 1)])


@pytest.mark.parametrize("format", [OTF2, CSV])
@pytest.mark.parametrize("change", [without_first, with_last_again])
def test_the_judge_notices_one_row(
    format: str, change: Callable[[pa.Table], pa.Table], tmp_path: Path
) -> None:
    """A row that is lost, or made up, in any table of records."""
    prepare(EVERY_RECORD, format, tmp_path / "trace")
    path = entry(tmp_path / "trace", format)
    judge, sound = Judge(path, format), read_trace(path, allow_damaged=True)
    assert judge.problems_of_reading(sound, path, sound) == []
    for name in RECORDS:
        assert sound.tables[name].num_rows, name
        changed = Reading(sound.tables | {name: change(sound.tables[name])})
        assert judge.problems_of_reading(changed, path, sound), name
