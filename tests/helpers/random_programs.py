"""Small random programs of all kinds, for the generator."""

from random import Random
from typing import Any

from tracemill.programs.language.process_kinds import Spec, parse_spec
from tracemill.programs.operations import OPERATIONS

# Those with most ways to wait come more often.
KINDS = (
    "work", "stencil", "master_worker", "pipeline", "messages", "messages", "collectives",
    "collectives", "collectives", "rma", "rma", "rma", "files",
)  # fmt: skip
QUIET_SHARE = 0.3
COMMUNICATORS = ("world", "rows", "columns", "halves")


def random_spec(seed: int, *, has_threads: bool = False) -> Spec:
    """A program with at most three phases and a handful of processes.

    Nearly a third are quiet: durations are not drawn, all odd ranks do the same work, and so do all
    even ranks, so that many events are simultaneous.
    """
    random = Random(seed)
    chance = random.random()
    kinds = [random.choice(KINDS) for _ in range(random.randint(1, 3))]
    if has_threads:
        kinds[random.randrange(len(kinds))] = "threads"
    given: dict[str, Any] = {
        "processes": random.choice((1, 2, 3, 4, 4, 5, 6, 8)),
        "threads": random.randint(1, 3) if has_threads else 1,
        "iterations": random.randint(1, 3),
        "size": random.choice((0, 1, 30, 300, 3000)),
        "seed": seed,
        "id_maps": random.random() < 0.5,
        "machine": _machine(random),
        "phase": [_phase(kind, random) for kind in kinds],
    }
    if chance < QUIET_SHARE:
        given["machine"] |= {"noise": False, "start_ns": 0}
        given["phase"] = [phase | _quiet(random) for phase in given["phase"]]
        given |= {"size": max(given["size"], 300), "threads": 4 if has_threads else 1}
    given["phase"] = [_possible(phase, given["processes"]) for phase in given["phase"]]
    if random.random() < 0.6:
        given["clocks"] = {
            "offset_ns": random.choice((0, 1000, 10**9)),
            "drift_ppm": random.choice((0.0, 1.5, 30_000.0)),
        }
    return parse_spec(given, f"program {seed}")


def _machine(random: Random) -> dict[str, int]:
    return {
        "overhead_ns": random.choice((8, 50, 400)),
        "latency_ns": random.choice((100, 1_000, 20_000)),
        "ns_per_kib": random.choice((0, 100, 5_000)),
        "eager_limit": random.choice((0, 64, 8_192)),
        "start_ns": random.choice((0, 3_000)),
    }


def _phase(kind: str, random: Random) -> dict[str, Any]:
    common = {
        "kind": kind,
        "cell_ns": random.choice((0, 1, 10)),
        "imbalance": random.choice((-0.9, 0.0, 0.0, 0.5, 4.0)),
        "shape": random.choice(("slope", "slope", "odd")),
        "jitter": random.choice((0.0, 0.0, 0.1, 1.0)),
        "calls": random.choice((0, 0, 1, 7)),
        "bytes": random.choice((0, 1, 100, 10_000)),
    }
    return common | _OWN[kind](random)


def _possible(phase: dict[str, Any], processes: int) -> dict[str, Any]:
    """The phase with an existing root, and without workers if no process is left."""
    if phase["kind"] == "master_worker" and processes == 1:
        return {name: each for name, each in phase.items() if name != "tasks"} | {"kind": "work"}
    return phase | ({"root": phase["root"] % processes} if "root" in phase else {})


def _quiet(random: Random) -> dict[str, Any]:
    return {
        "cell_ns": 10,
        "jitter": 0.0,
        "shape": "odd",
        "imbalance": random.choice((-0.9, 0.0, 4.0)),
    }


def _collectives(random: Random) -> dict[str, Any]:
    return {
        "operations": random.choices(list(OPERATIONS), k=random.randint(1, 5)),
        "communicator": random.choice(COMMUNICATORS),
        "nonblocking": random.random() < 0.4,
        "root": random.randint(0, 3),
        "silent": random.choice((0.0, 0.3, 0.7)),
    }


def _messages(random: Random) -> dict[str, Any]:
    return {
        "messages": random.randint(1, 6),
        "communicator": random.choice(COMMUNICATORS),
        "completion": random.choice(("wait", "waitall", "receive")),
        "synchronous": random.random() < 0.5,
    }


def _rma(random: Random) -> dict[str, Any]:
    return {
        "cell_ns": random.choice((10, 100)),
        "puts": random.randint(0, 2),
        "gets": random.choice((0, 0, 1, 9)),
        "accumulates": random.choice((0, 0, 1)),
        "communicator": random.choice(COMMUNICATORS),
        "synchronization": random.choice(("fences", "epochs", "locks", "locks", "locks")),
        "partners": random.randint(1, 3),
        "lazy": random.random() < 0.5,
        "exclusive": random.choice((0.0, 0.0, 0.5, 1.0)),
        "flush": random.random() < 0.9,
    }


_OWN: dict[str, Any] = {
    "work": lambda random: {},
    "stencil": lambda random: {
        "dimensions": random.randint(1, 2),
        "exchange": random.choice(("blocking", "sendrecv", "nonblocking")),
    },
    "master_worker": lambda random: {"tasks": random.randint(0, 6)},
    "pipeline": lambda random: {
        "blocks": random.randint(1, 3),
        "synchronous": random.random() < 0.5,
    },
    "messages": _messages,
    "collectives": _collectives,
    "rma": _rma,
    "files": lambda random: {
        "writes": random.randint(0, 2),
        "reads": random.randint(0, 2),
        "own_writes": random.randint(0, 2),
        "own_reads": random.randint(0, 2),
        "communicator": random.choice(COMMUNICATORS),
    },
    "threads": lambda random: {
        "barriers": random.randint(0, 2),
        "thread_imbalance": random.choice((0.0, 1.0)),
        "locked": random.choice((0, 1, 5)),
        "locked_ns": random.choice((0, 10, 2000)),
        "lock": random.choice(("critical", "api", "mutex")),
    },
}
