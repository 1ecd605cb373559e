"""Runs programs on the simulated machine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracemill.base.errors import ProgramError
from tracemill.kernels.addressed import addresses_of
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.machine import DONE_ALL, NEEDS_ROOM, run
from tracemill.programs.clusters.network import make_network
from tracemill.programs.program import Program
from tracemill.programs.schedules import Schedules, schedule_tables
from tracemill.programs.timing import Timing

Rows = NDArray[np.int64]
Numbers = NDArray[np.int64]
Taker = Callable[[Rows], None]
_MILLION = 1_000_000
_EVENT_ROWS, _WAIT_ROWS = 1 << 16, 1 << 15


@dataclass(frozen=True)
class Factors:
    """Computation in some call paths takes `ppm` millionths of its time, on one rank or all."""

    paths: tuple[int, ...] = ()
    rank: int | None = None
    ppm: int = _MILLION


@dataclass(frozen=True)
class Simulated:
    """Result of a simulation; `visit_counts` are by location.

    `start_ns` is the start of each process, `last_calls` the begin (ns) and visit of its last call
    (MPI_Finalize), `end_ns` the end of the last process.
    """

    start_ns: Numbers
    last_calls: Rows
    end_ns: int
    visit_counts: Numbers


def simulate(
    program: Program, timing: Timing, *, seed: int = 0, factors: Factors | None = None,
    take_events: Taker | None = None, take_waits: Taker | None = None,
) -> Simulated:  # fmt: skip
    """Run a program to its end; takers get rows of events and waits in pieces.

    These are rows of layout.EVENT_… and layout.WAIT_…, in the order in which they are found.
    Raises ProgramError for a deadlock.
    """
    starts_ns = _starts(program, timing, seed)
    state = _new_state(program, timing, seed, starts_ns, factors or Factors())
    network = make_network(timing.cluster, program.process_count)
    counters = state.counters
    counters[at.HAS_EVENTS], counters[at.HAS_TRUTH] = bool(take_events), bool(take_waits)
    while (outcome := run(addresses_of(state), addresses_of(network))) == NEEDS_ROOM:
        _hand_over(state, take_events, take_waits)
        state = _with_room(state)
    _hand_over(state, take_events, take_waits)
    if outcome != DONE_ALL:
        raise ProgramError(_describe_deadlock(program, state))
    return Simulated(
        starts_ns,
        state.processes[:, [at.CALL_ENTER, at.CALL_VISIT]],
        int(counters[at.END_NS]),
        state.visits,
    )


def _hand_over(state: at.State, take_events: Taker | None, take_waits: Taker | None) -> None:
    for rows, counter, take in (
        (state.events, at.EVENT_COUNT, take_events), (state.waits, at.WAIT_COUNT, take_waits),
    ):  # fmt: skip
        count = int(state.counters[counter])
        if take and count:
            take(rows[:count])
        state.counters[counter] = 0


def _new_state(
    program: Program, timing: Timing, seed: int, starts_ns: Numbers, factors: Factors
) -> at.State:
    """A state in which all processes are about to start; tables grow on demand."""
    code, starts = program.instructions()
    processes, threads = program.process_count, program.thread_count
    comm_ranks, comm_members, comm_sizes = _communicators(program)
    instances, pointers = _first_instances(comm_sizes, comm_ranks)
    schedules = schedule_tables(program.schedules, processes, timing.eager_limit)
    counters = _first_counters(program, timing, seed, schedules)
    event_rows = max(_EVENT_ROWS, 2 * int(counters[at.MOST_EVENTS]))
    wait_rows = max(_WAIT_ROWS, 2 * int(counters[at.MOST_WAITS]))
    pending_rows = processes + 2 * int(counters[at.MOST_PENDING])
    state = at.State(
        counters=counters,
        code=code,
        processes=_first_processes(starts),
        visits=np.zeros(processes * threads, np.int64),
        slots=np.zeros((processes, program.slot_count + at.OWN_SLOTS, at.SLOT_WIDTH), np.int64),
        messages=_chained(np.zeros((64, at.MESSAGE_WIDTH), np.int64), at.NEXT, 0),
        instances=instances,
        members=np.zeros((len(instances), processes, at.MEMBER_WIDTH), np.int64),
        comm_sizes=comm_sizes,
        comm_ranks=comm_ranks,
        comm_members=comm_members,
        pointers=pointers,
        heap=np.zeros((processes, 2), np.int64),
        remembered=np.zeros((processes, at.REMEMBERED_MOST, at.REMEMBERED_WIDTH), np.int64),
        events=np.empty((event_rows, at.EVENT_WIDTH), np.int64),
        waits=np.empty((wait_rows, at.WAIT_WIDTH), np.int64),
        factors=_factors(factors, timing, len(program.paths), processes),
        first_functions=_values(program.first_functions, len(program.paths)),
        team=np.zeros((1, threads, 4), np.int64),
        epochs=_windows(program, at.EPOCH_WIDTH, range(at.ACCESS, at.EPOCH_WIDTH)),
        locks=_windows(program, at.LOCK_WIDTH, range(at.QUEUE_FIRST, at.LOCK_WIDTH)),
        stays=np.full((processes, at.STAY_COUNT, at.STAY_WIDTH), at.NOBODY, np.int64),
        pending=np.zeros((pending_rows, at.PENDING_WIDTH), np.int64),
        group_states=schedules.states(len(instances)),
        choices=np.zeros((processes, len(program.shares)), np.int64),
        shares=np.array(program.shares, np.float64),
        **schedules.tables._asdict(),
    )
    order = np.argsort(starts_ns, kind="stable")  # a sorted queue is in order
    state.heap[:, 0], state.heap[:, 1] = starts_ns[order], order
    counters[at.HEAP_SIZE] = processes
    return state


def _first_counters(program: Program, timing: Timing, seed: int, schedules: Schedules) -> Numbers:
    """Counters with the times of the machine, and the most rows that one step adds."""
    processes, threads = program.process_count, program.thread_count
    counters = np.zeros(at.COUNTER_COUNT, np.int64)
    counters[at.SEED], counters[at.THREADS] = seed, threads
    counters[at.HAS_NOISE], counters[at.IS_EARLY] = timing.noise, timing.is_early
    counters[at.OVERHEAD], counters[at.LATENCY] = timing.overhead_ns, timing.latency_ns
    counters[at.NS_PER_KIB], counters[at.EAGER_LIMIT] = timing.ns_per_kib, timing.eager_limit
    calls = 2 * program.most_calls + 8 * program.most_locked + 8
    completed = program.slot_count + program.most_completed
    counters[at.MOST_EVENTS] = program.most_parts * threads * calls + 2 * completed + 64
    judged = program.collective_slot_count + 2
    of_threads = threads * (program.most_parts * (1 + program.most_locked) + 1)
    counters[at.MOST_WAITS] = (3 * processes + 2) * judged + 8 + at.REMEMBERED_MOST + of_threads
    counters[at.MOST_PENDING] = schedules.most_pending + 4
    counters[at.INSTANCE_FREE] = len(program.communicators)
    return counters


def _starts(program: Program, timing: Timing, seed: int) -> Numbers:
    random = np.random.default_rng([seed, 5])
    return random.integers(0, timing.start_ns, program.process_count, endpoint=True)


def _first_processes(starts: list[int]) -> Rows:
    rows = np.zeros((len(starts), at.PROCESS_WIDTH), np.int64)
    rows[:, at.PC] = starts
    for column in (
        at.UNEXPECTED_FIRST, at.UNEXPECTED_LAST, at.POSTED_FIRST, at.POSTED_LAST, at.QUEUE_NEXT,
        at.AWAITING_FIRST, at.AWAITING_NEXT, at.ARRIVAL_NS,
    ):  # fmt: skip
        rows[:, column] = at.NOBODY
    return rows


def _windows(program: Program, width: int, absent: Sequence[int]) -> Numbers:
    """Rows by window and rank; the `absent` columns begin as NOBODY."""
    rows = np.zeros((max(len(program.windows), 1), program.process_count, width), np.int64)
    rows[:, :, list(absent)] = at.NOBODY
    return rows


def _communicators(program: Program) -> tuple[Rows, Rows, Numbers]:
    count, processes = len(program.communicators), program.process_count
    ranks = np.full((count, processes), at.NOBODY, np.int64)
    members = np.full((count, processes), at.NOBODY, np.int64)
    for number, communicator in enumerate(program.communicators):
        for rank, process in enumerate(communicator.members):
            ranks[number, process], members[number, rank] = rank, process
    sizes = np.array([len(each.members) for each in program.communicators], np.int64)
    return ranks, members, sizes


def _first_instances(sizes: Numbers, ranks: Rows) -> tuple[Rows, Rows]:
    """Instances, and pointers of all processes to one finished instance per communicator."""
    count = len(sizes)
    rows = np.zeros((count + 16, at.INSTANCE_WIDTH), np.int64)
    rows[:count, at.INSTANCE_COMM] = np.arange(count)
    rows[:count, at.ORDINAL], rows[:count, at.INSTANCE_NEXT] = -1, at.NOBODY
    rows[:count, at.FINISHED] = rows[:count, at.POINTERS] = sizes
    pointers = np.where(ranks >= 0, np.arange(count)[:, None], at.NOBODY).astype(np.int64)
    return _chained(rows, at.INSTANCE_NEXT, count), pointers


def _chained(rows: Rows, column: int, first: int, after: int = at.NOBODY) -> Rows:
    """`rows` with those from `first` on as a chain of unused rows that ends at `after`."""
    rows[first:, column] = np.arange(first + 1, len(rows) + 1)
    rows[-1, column] = after
    return rows


def _with_room(state: at.State) -> at.State:
    """The same state, with more messages and instances if they run out."""
    counters, changed = state.counters, {}
    for name, column, free in (
        ("messages", at.NEXT, at.MESSAGE_FREE),
        ("instances", at.INSTANCE_NEXT, at.INSTANCE_FREE),
    ):
        rows, first = getattr(state, name), int(counters[free])
        if first == at.NOBODY or rows[first, column] == at.NOBODY:
            changed[name] = _chained(_larger(rows), column, len(rows), first)
            counters[free] = len(rows)
    if "instances" in changed:
        changed["members"] = _larger(state.members)
        changed["group_states"] = _larger(state.group_states)
    if counters[at.PENDING_COUNT] + counters[at.MOST_PENDING] > len(state.pending):
        changed["pending"] = _larger(state.pending)
    return state._replace(**changed)


def _larger(rows: Rows) -> Rows:
    larger = np.zeros((2 * len(rows), *rows.shape[1:]), np.int64)
    larger[: len(rows)] = rows
    return larger


def _factors(given: Factors, timing: Timing, path_count: int, process_count: int) -> Rows:
    """Factors (call path, process) in ppm."""
    factors = np.full((path_count, process_count), timing.work_ppm, np.int64)
    processes = slice(None) if given.rank is None else given.rank
    chosen = np.zeros_like(factors, np.bool_)
    chosen[list(given.paths), processes] = True
    return np.where(chosen, factors * given.ppm // _MILLION, factors)


def _values(given: dict[int, int], count: int) -> Numbers:
    values = np.full(count, at.NOBODY, np.int64)
    for number, value in given.items():
        values[number] = value
    return values


def _describe_deadlock(program: Program, state: at.State) -> str:
    stuck = []
    for rank, row in enumerate(state.processes):
        if row[at.STATE] == at.IN_CALL:
            path = program.path_name(int(state.code[row[at.CALL_AT], at.PATH]))
            stuck.append(f"rank {rank} in {path}")
    shown = ", ".join(stuck[:4]) + (" and others" if len(stuck) > 4 else "")
    return f"the program never ends, its processes wait for each other: {shown}"
