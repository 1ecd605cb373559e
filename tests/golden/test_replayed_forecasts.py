"""Forecasts of recorded runs on described clusters, worked out by hand.

Lines of traces are rank, microseconds, event and arguments. Without MPI_Init, the interval is the
whole run. Unless a test says otherwise a transfer takes 5 us and 1 ns per byte, and any number of
them go on at the same time.
"""

from collections.abc import Callable
from functools import cache

import pytest

from tests.helpers.computing import computed
from tests.helpers.micro_trace import read_trace
from tests.helpers.running import given_tables
from tests.written_csv import write_csv
from tracemill.base.errors import ProgramError
from tracemill.engine.analyze import Analysis, Options, analyze
from tracemill.forecast.replayed.outcome import Outcome, make_outcome
from tracemill.forecast.replayed.reading import ACCESSES, Recorded, read_run
from tracemill.forecast.replayed.running import replay_on
from tracemill.programs.clusters.cluster import Channel, Cluster, CollectiveRule, Level
from tracemill.store.runs import Store

Read = Callable[[str], Recorded]

TO_EACH_OTHER = """
0 0  E main
0 10 E MPI_Send
0 11 S 1 0 7 1000
0 20 L MPI_Send
0 30 E MPI_Recv
0 39 R 1 0 7 1000
0 40 L MPI_Recv
0 100 L main
1 0  E main
1 10 E MPI_Send
1 11 S 0 0 7 1000
1 20 L MPI_Send
1 30 E MPI_Recv
1 39 R 0 0 7 1000
1 40 L MPI_Recv
1 100 L main
"""
LATE_RECEIVER = """
0 0  E main
0 10 E MPI_Send
0 11 S 1 0 7 1000
0 20 L MPI_Send
0 50 L main
1 0  E main
1 40 E MPI_Recv
1 44 R 0 0 7 1000
1 45 L MPI_Recv
1 50 L main
"""
TWO_TO_ONE = """
0 0  E main
0 10 E MPI_Send
0 11 S 2 0 7 1000
0 12 L MPI_Send
0 30 L main
1 0  E main
1 10 E MPI_Send
1 11 S 2 0 7 1000
1 12 L MPI_Send
1 30 L main
2 0  E main
2 5  E MPI_Recv
2 14 R 0 0 7 1000
2 15 L MPI_Recv
2 15 E MPI_Recv
2 16 R 1 0 7 1000
2 17 L MPI_Recv
2 30 L main
"""


def collective(operation: str, begins_us: tuple[int, ...], sent: list[int], got: list[int]) -> str:
    """A collective of all, that ends at 40 us; the run ends at 50 us."""
    root = "0" if operation == "MPI_BCAST" else "-1"
    name = f"MPI_{operation.removeprefix('MPI_').capitalize()}"
    return "\n".join(
        f"{rank} 0 E main\n{rank} {begin} E {name}\n{rank} {begin} CB\n"
        f"{rank} 40 CE {operation} 0 {root} {sent[rank]} {got[rank]}\n"
        f"{rank} 40 L {name}\n{rank} 50 L main"
        for rank, begin in enumerate(begins_us)
    )


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Read:
    """Reads a trace as a forecast does."""

    @cache
    def reading(text: str) -> Recorded:
        folder = tmp_path_factory.mktemp("trace")
        (folder / "trace.txt").write_text(text.strip())
        write_csv(folder / "trace.txt", folder / "trace.csv")
        options = Options(threads=1)
        store = Store(folder / "store")
        return read_run(analyze(folder / "trace.csv", store=store, options=options).run)

    return reading


def cluster(
    latency_us: float = 5, *, ns_per_byte: float = 1, algorithm: str = "tree", speed: float = 1,
    overhead_us: float = 0, limit: float = float("inf"), channels: int = 0,
) -> Cluster:  # fmt: skip
    """A cluster of one level; with a number of channels, transfers wait for them."""
    channel = Channel(max(channels, 1), 1_000 * latency_us, ns_per_byte)
    return Cluster(
        "h",
        (Level("node", 64, (channel,), contention=channels > 0),),
        speed=speed,
        overhead_ns=1_000 * overhead_us,
        eager_limit_bytes=limit,
        collectives=(CollectiveRule(algorithm),),
    )


def forecast(recorded: Recorded, on: Cluster) -> Outcome:
    return make_outcome(recorded, on, replay_on(recorded, on))


def ends_us(recorded: Recorded, on: Cluster) -> list[float]:
    """When each process ends."""
    return [each / 1_000 for each in forecast(recorded, on).end.tolist()]


# --- Messages -------------------------------------------------------------------------------------


def test_messages_arrive_behind_computation(read: Read) -> None:
    # Computation 10, 10 and 60. A message is on its way from 10 to 16: before the receive at 20.
    assert ends_us(read(TO_EACH_OTHER), cluster()) == [80, 80]


def test_a_receive_waits_for_the_end_of_the_transfer(read: Read) -> None:
    # From 10 to 10 + 15 + 1 = 26; 60 of computation follow.
    found = forecast(read(TO_EACH_OTHER), cluster(15))
    assert found.end.tolist() == [86_000, 86_000]
    assert found.waiting.tolist() == [6_000, 6_000]
    # The path: 10 of the sender, the transfer, and 60 of the receiver.
    assert found.transfer == 16_000
    assert int(found.path.sum()) == 70_000


def test_a_short_send_is_complete_at_once(read: Read) -> None:
    # Rank 0: 10 + 30. Rank 1 receives at 40, and computes 5.
    assert ends_us(read(LATE_RECEIVER), cluster(limit=1_000)) == [40, 45]


def test_a_long_send_waits_for_its_receive(read: Read) -> None:
    # The transfer is ready at 40 and takes 6; then 30 and 5 of computation follow.
    found = forecast(read(LATE_RECEIVER), cluster(limit=999))
    assert found.end.tolist() == [76_000, 51_000]
    assert found.waiting.tolist() == [36_000, 6_000]


def test_messages_wait_for_a_channel(read: Read) -> None:
    # Ready at 10: the channel takes them one after the other, 10 to 16 and 16 to 22; 13 follow.
    assert ends_us(read(TWO_TO_ONE), cluster(channels=1)) == [28, 28, 35]
    assert ends_us(read(TWO_TO_ONE), cluster(channels=2)) == [28, 28, 29]


def test_calls_that_communicate_cost_the_overhead(read: Read) -> None:
    # The send starts at 10 + 2 and arrives at 18; the receive is entered at 12 + 10 and costs 2.
    found = forecast(read(TO_EACH_OTHER), cluster(overhead_us=2))
    assert found.end.tolist() == [84_000, 84_000]
    assert found.overhead.tolist() == [4_000, 4_000]


def test_computation_takes_the_speed_of_the_cores(read: Read) -> None:
    # 5, then the message until 5 + 26 = 31; 5 of computation before the receive; 30 follow.
    assert ends_us(read(TO_EACH_OTHER), cluster(25, speed=2)) == [61, 61]


def test_processes_that_wait_for_each_other_are_named(read: Read) -> None:
    with pytest.raises(ProgramError) as caught:
        forecast(read(TO_EACH_OTHER), cluster(limit=999))
    assert str(caught.value) == (
        'on cluster h the run blocks itself: rank 0 in "main/MPI_Send" waits for 1,000 bytes from '
        'rank 0 to rank 1; rank 1 in "main/MPI_Send" waits for 1,000 bytes from rank 1 to rank 0. '
        "Messages above eager_limit_bytes = 999 wait for their receives: raise it, or drop it."
    )


# --- Collectives ----------------------------------------------------------------------------------

# Rank 1 is late; rank 3 gets its data from rank 1 in a tree. All compute 10 after the call.
BROADCAST = collective("MPI_BCAST", (10, 30, 0, 0), [4_000, 0, 0, 0], [0, 1_000, 1_000, 1_000])
BARRIER = collective("MPI_BARRIER", (10, 30, 20, 0), [0] * 4, [0] * 4)
SUM = collective("MPI_ALLREDUCE", (10, 30, 20, 0), [1_000] * 4, [4_000] * 4)


def test_a_star_sends_from_the_root(read: Read) -> None:
    # All transfers from 10 to 16.
    assert ends_us(read(BROADCAST), cluster(algorithm="star")) == [20, 40, 26, 26]


def test_inner_members_of_a_tree_pass_data_on_once_they_take_part(read: Read) -> None:
    # 0 to 1 and 0 to 2 from 10 to 16; 1 enters at 30 and sends to 3 until 36.
    assert ends_us(read(BROADCAST), cluster(algorithm="tree")) == [20, 40, 26, 46]


def test_a_barrier_is_a_sum_of_no_bytes(read: Read) -> None:
    # Up: 2 to 0 from 20 to 25, 3 to 1 until 5; 1 to 0 from 30 to 35. Down: 0 to 1 until 40, then
    # 0 to 2 and 1 to 3 until 45. All leave together, and compute 10.
    assert ends_us(read(BARRIER), cluster(algorithm="tree")) == [55] * 4
    # Star: all send to 0, the last one until 35; 0 sends to all until 40.
    assert ends_us(read(BARRIER), cluster(algorithm="star")) == [50] * 4


def test_recursive_doubling_exchanges_with_partners(read: Read) -> None:
    # Steps of 5 + 1: from 30 to 36 with rank 0, and until 42 with rank 3.
    assert ends_us(read(SUM), cluster(algorithm="recursive doubling")) == [52] * 4


def test_a_ring_sends_parts_around(read: Read) -> None:
    # 2 * 3 steps of ceil(1000 / 4) bytes, 5.25 each, behind the last one at 30.
    assert ends_us(read(SUM), cluster(algorithm="ring")) == [30 + 6 * 5.25 + 10] * 4


# --- A whole run ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chain(analysis_of: Callable[[str], Analysis]) -> Recorded:
    """Rank 0 computes 5,000 and sends; rank 1 computes 2,000 and sends to rank 2; barrier; 700."""
    return read_run(analysis_of("e06_critical_path").run)


@pytest.mark.parametrize(
    ("on", "run_us"),
    [
        # 5,000 + 2,000 + 50 before the barrier + 700.
        (cluster(0, ns_per_byte=0), 7_750),
        (cluster(0, ns_per_byte=0, algorithm="star"), 7_750),
        (cluster(0, ns_per_byte=0, speed=2), 3_875),
        # Two messages, and 2 to 0, 0 to 2 in the barrier.
        (cluster(10, ns_per_byte=0), 7_790),
        # And two sends and a barrier on the path.
        (cluster(10, ns_per_byte=0, overhead_us=5), 7_805),
        # Receives wait already: long sends end later, but not the run.
        (cluster(10, ns_per_byte=0, limit=0), 7_790),
    ],
)
def test_a_chain_of_late_senders(chain: Recorded, on: Cluster, run_us: int) -> None:
    found = forecast(chain, on)
    assert found.time == 1_000 * run_us
    spent = found.computation + found.overhead + found.waiting
    assert spent.tolist() == (found.end - found.begin).tolist()
    assert int(found.path.sum()) + found.path_overhead + found.transfer == found.time


def test_the_ideal_run_has_the_same_cores(chain: Recorded) -> None:
    assert forecast(chain, cluster(10, speed=2)).ideal == 3_875_000


def test_too_few_cores_are_an_error(chain: Recorded) -> None:
    small = Cluster("small", (Level("node", 2, (Channel(),)),))
    with pytest.raises(ProgramError, match="2 cores, too few for 3 processes"):
        forecast(chain, small)


def test_waits_and_path_have_call_paths(chain: Recorded) -> None:
    found = forecast(chain, cluster(10, ns_per_byte=0))
    names = [*chain.call_paths, "outside"]
    path = {names[each]: int(found.path[each]) for each in found.path.nonzero()[0].tolist()}
    assert path == {"main/f": 5_000_000, "main/h": 2_000_000, "main": 750_000}
    assert found.transfer == 40_000
    receiving = names.index("main/MPI_Recv")
    # Recorded 3,000 and 6,050 with calls of 50: now until 5,110 and until 7,120.
    assert found.waits[1, receiving] == 5_110_000 - 2_100_000
    assert found.waits[2, receiving] == 7_120_000 - 1_100_000


# The unlock of rank 1 completes nothing at rank 2, the fence everything.
def test_operations_are_complete_with_the_call_for_their_target() -> None:
    tables = read_trace("""
        0    0..1    MPI_Win_lock     lock_shared 1
        0    2..3    MPI_Win_lock     lock_shared 2
        0    4..5    MPI_Put          put 1
        0    6..7    MPI_Put          put 2
        0   10..12   MPI_Win_unlock   unlock 1
        0   20..22   MPI_Win_unlock   unlock 2
        1    0..30   MPI_Recv         recv 2
        2    0..30   MPI_Recv         recv 1
    """)
    with computed(("rma_accesses", "mpi_call_paths"), given_tables(tables)) as answer:
        for name in ("rma_accesses", "mpi_call_paths", "visits", "rma_operations"):
            answer.provide(name)
        found = answer.connection.sql(ACCESSES).fetchall()
        leaves = dict(answer.connection.sql("SELECT visit_id, leave_ns FROM visits").fetchall())
    assert [leaves[closed // 2] for _, closed, *_ in found] == [12, 22]
