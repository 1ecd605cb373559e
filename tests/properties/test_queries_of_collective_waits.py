"""Waits in collectives against a slow and obvious Python version, on random collectives."""

from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.micro_trace import MicroTrace, Place, Row, Tables
from tests.helpers.running import run_queries, run_query
from tests.oracle.collective_waits import (
    N_TO_N,
    N_TO_ONE,
    ONE_TO_N,
    SCANS,
    Instance,
    Member,
    Wait,
    find_collective_waits,
    find_finalize_waits,
    find_init_completions,
    find_nonblocking_waits,
)
from tests.oracle.collectives import neighbors_on

# Processes by rank; communicator 2 joins process 1 with the others, 3 is of one process only.
COMMUNICATORS: dict[int, list[int]] = {0: [0, 1, 2, 3], 1: [2, 0, 3], 2: [1, 3, 0, 2], 3: [1]}
INTER, FIRST_SIDE = 2, (1,)
PROCESSES = COMMUNICATORS[0]
# Of communicator 0.
GRIDS = ((), ((4, True),), ((2, False), (2, True)), ((1, True), (4, False)))
OPERATIONS = ("barrier", *sorted(N_TO_N), *sorted(ONE_TO_N), *sorted(N_TO_ONE), *sorted(SCANS))
WAIT_COLUMNS = (
    "property location_id visit_id start_ns wait_ns cause_location_id is_extended confidence"
)


@dataclass
class Script:
    """A trace in the making, and what is known about its collectives."""

    trace: MicroTrace = field(default_factory=lambda: MicroTrace(COMMUNICATORS))
    now: dict[int, int] = field(default_factory=lambda: dict.fromkeys(PROCESSES, 0))
    instances: list[tuple[int, Instance]] = field(default_factory=list)
    pending: dict[int, list[tuple[int, Row]]] = field(
        default_factory=lambda: {process: [] for process in PROCESSES}
    )
    grid: tuple[tuple[int, bool], ...] = ()
    inits: list[Member] = field(default_factory=list)
    finalizes: list[Member] = field(default_factory=list)

    def call(self, draw: st.DrawFn, process: int, earliest: int) -> tuple[int, int]:
        """Times of the next call of a process; few values, so that many are equal."""
        enter = max(self.now[process], earliest) + draw(st.integers(0, 4))
        self.now[process] = enter + draw(st.integers(0, 6))
        return enter, self.now[process]


@st.composite
def scripts(draw: st.DrawFn) -> Script:
    script = Script(grid=draw(st.sampled_from(GRIDS)))
    script.inits = framing_calls(draw, script, "MPI_Init")
    count = draw(st.integers(1, 5))
    for left in reversed(range(count)):
        # A call that is missing earlier would shift those that follow.
        add_collective(draw, script, is_partial=not left and draw(st.integers(0, 5)) == 0)
        for process in PROCESSES:
            if draw(st.booleans()):
                complete(draw, script, process)
    for process in PROCESSES:
        complete(draw, script, process)
    script.finalizes = framing_calls(draw, script, "MPI_Finalize")
    doubtful = {
        number for number, instance in script.instances if not is_complete(number, instance)
    }
    for number, instance in script.instances:
        instance.is_doubtful = number in doubtful
    return script


def framing_calls(draw: st.DrawFn, script: Script, name: str) -> list[Member]:
    members = []
    for process in PROCESSES:
        enter, leave = script.call(draw, process, min(script.now.values()))
        script.trace.add(Place(process), enter, leave, name)
        members.append(Member(process, process, 0, enter, enter, leave, 0, 0))
    return members


def add_collective(draw: st.DrawFn, script: Script, *, is_partial: bool) -> None:
    """A collective that all members of a communicator call, or all but one."""
    number = draw(st.sampled_from((0, 0, 1, INTER, 3)))
    sides = sides_of(number)
    instance = Instance(
        operation=draw(st.sampled_from(OPERATIONS)),
        is_inter=number == INTER,
        is_nonblocking=draw(st.booleans()),
        is_neighborhood=draw(st.integers(0, 5)) == 0 and number != INTER,
        neighbors=neighbors_on(script.grid) if script.grid and not number else None,
    )
    root_side = draw(st.integers(0, len(sides) - 1))
    root = draw(st.integers(0, len(sides[root_side]) - 1))
    script.instances.append((number, instance))
    members = [(side, rank) for side, group in enumerate(sides) for rank in range(len(group))]
    missing = draw(st.sampled_from(members)) if is_partial and len(members) > 1 else None
    earliest = draw(st.sampled_from(sorted(script.now.values())))
    for side, rank in members:
        if (side, rank) == missing:
            continue
        is_root = instance.operation in ONE_TO_N | N_TO_ONE and (side, rank) == (root_side, root)
        record = {
            "kind": "collective",
            "comm": number,
            "operation": instance.operation,
            "sent": draw(st.sampled_from((0, 8, 8))),
            "received": draw(st.sampled_from((0, 8, 8))),
        }
        if instance.operation in ONE_TO_N | N_TO_ONE and not (
            instance.is_inter and side == root_side
        ):
            record["root"] = root
        process = sides[side][rank]
        enter, leave = script.call(draw, process, earliest)
        known = Member(
            process, rank, side, enter, enter, leave, record["sent"], record["received"], is_root
        )
        start(script, instance, record, known, leave)


def sides_of(number: int) -> list[list[int]]:
    ranks = COMMUNICATORS[number]
    if number != INTER:
        return [ranks]
    return [list(FIRST_SIDE), [process for process in ranks if process not in FIRST_SIDE]]


def start(script: Script, instance: Instance, record: Row, known: Member, leave: int) -> None:
    """The blocking call, or the one that starts; what completes it later is noted."""
    process = Place(known.location)
    kind = "Neighbor_alltoall" if instance.is_neighborhood else "Collective"
    if not instance.is_nonblocking:
        script.trace.add(process, known.begin, leave, f"MPI_{kind}", record)
        instance.members.append(known)
        return
    request = len(script.instances)
    script.trace.add(
        process,
        known.begin,
        leave,
        f"MPI_I{kind.lower()}",
        {"kind": "nonblocking_collective_request", "request_id": request},
    )
    done = record | {"kind": "nonblocking_collective", "request_id": request}
    script.pending[known.location].append((len(script.instances) - 1, done))
    instance.members.append(known)


def complete(draw: st.DrawFn, script: Script, process: int) -> None:
    """One call that completes everything that a process has started."""
    pending, script.pending[process] = script.pending[process], []
    if not pending:
        return
    name = draw(st.sampled_from(("MPI_Waitall", "MPI_Waitall", "MPI_Testall")))
    enter, leave = script.call(draw, process, 0)
    records = draw(st.permutations([record for _, record in pending]))
    script.trace.add(Place(process), enter, leave, name, *records)
    for position, _ in pending:
        members = script.instances[position][1].members
        for index, member in enumerate(members):
            if member.location == process:
                members[index] = replace(
                    member, call=enter, end=leave, is_test=name == "MPI_Testall"
                )


def is_complete(number: int, instance: Instance) -> bool:
    return len(instance.members) == len(COMMUNICATORS[number])


def tables_of(script: Script) -> Tables:
    tables = script.trace.tables()
    tables["communicators"][INTER]["kind"] = "inter"
    tables["cart_dimensions"] = [
        {"communicator_id": 0, "dimension": number, "size": size, "is_periodic": is_periodic}
        for number, (size, is_periodic) in enumerate(script.grid)
    ]
    for member in tables["communicator_members"]:
        if member["communicator_id"] == INTER:
            side = int(member["location_group_id"] not in FIRST_SIDE)
            rank = sides_of(INTER)[side].index(member["location_group_id"])
            member |= {"side": side, "comm_rank": rank}
    return tables


def expected_waits(script: Script) -> list[Wait]:
    # Instances are numbered by communicator, then as they come.
    ordered = sorted(script.instances, key=lambda each: each[0])
    whole = [instance for number, instance in ordered if is_complete(number, instance)]
    return [
        *find_collective_waits(whole),
        *find_nonblocking_waits(whole),
        *find_init_completions(script.inits),
        *find_finalize_waits(script.finalizes),
    ]


def found_waits(tables: Tables) -> list[Wait]:
    """The waits; the cause of each is a call of another location."""
    visits = {visit["visit_id"]: visit for visit in tables["visits"]}
    waits = []
    for *found, cause_visit in run_query("wait_states", tables, WAIT_COLUMNS + " cause_visit_id"):
        wait = Wait(*found[:2], visits[found[2]]["enter_ns"], *found[3:])
        assert visits[cause_visit]["location_id"] == wait.cause != wait.location
        waits.append(wait)
    return waits


def key(wait: Wait) -> tuple[Any, ...]:
    return (wait.property, wait.location, wait.call, wait.start, wait.wait, wait.cause)


@settings(deadline=None, max_examples=100)
@given(scripts())
def test_waits_are_those_of_looking_at_every_member(script: Script) -> None:
    assert sorted(found_waits(tables_of(script)), key=key) == sorted(
        expected_waits(script), key=key
    )


@settings(deadline=None, max_examples=15)
@given(scripts(), st.randoms(use_true_random=False))
def test_the_order_of_rows_in_tables_does_not_matter(script: Script, random: Any) -> None:
    tables = tables_of(script)
    mixed = {name: random.sample(rows, len(rows)) for name, rows in tables.items()}
    assert run_query("wait_states", tables) == run_query("wait_states", mixed)


@settings(deadline=None, max_examples=15)
@given(scripts())
def test_the_checks_hold_for_any_collectives(script: Script) -> None:
    checks = (
        "waits_lie_within_their_call", "severities_hold_all_waits", "metrics_include_their_parts",
        "metrics_are_described", "instances_have_their_members",
    )  # fmt: skip
    assert run_queries(dict.fromkeys(checks, ""), tables_of(script)) == [[]] * len(checks)
