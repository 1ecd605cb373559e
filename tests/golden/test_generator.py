"""Generated programs: when calls are left, who waited, and what is written, by hand.

Two processes, one message of 1 KiB: an overhead of 200 ns per call, a latency of 1000 ns and 100 ns
per KiB. The data is there 1100 ns after both calls were entered, and the calls that wait for it
are left half an overhead later.
"""

import csv
import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipeline.cli import main
from pipeline.errors import PipelineError, ProgramError
from pipeline.generator import simulation, waits
from pipeline.generator.generate import Generated, generate
from pipeline.generator.process import Process
from pipeline.generator.program import Program
from pipeline.generator.simulation import Machine, simulate
from pipeline.generator.spec import parse_spec, read_spec
from tests.otf2_reading import ReadTrace, read_archive
from tests.truth_reading import true_accesses, true_path, true_segments, true_waits

EXAMPLE = Path(__file__).parents[2] / "data" / "programs" / "stencil.toml"
MACHINE = {"overhead_ns": 200, "latency_ns": 1000, "ns_per_kib": 100}
PIPELINE = {"kind": "pipeline", "blocks": 1, "bytes": 1024}
TRANSFER, OVERHEAD = 1100, 200
QUIET = {"noise": False, "start_ns": 0}
PARALLEL, BARRIER = "!$omp parallel", "!$omp implicit barrier"


class Made:
    """A generated archive, read."""

    def __init__(self, folder: Path, *phases: dict[str, Any], **options: Any) -> None:
        given = {"processes": 2, "size": 100, "machine": MACHINE, "phase": list(phases), **options}
        self.generated: Generated = generate(parse_spec(given), folder / "archive")
        self.folder = self.generated.anchor.parent
        self.read: ReadTrace = read_archive(self.generated.anchor, folder / "store")

    def visits(self, call: str, rank: int) -> list[tuple[int, int]]:
        """When a call was entered and left, every time."""
        rows = self.read.visits("path enter_ns leave_ns", location=rank)
        return [(enter, leave) for path, enter, leave in rows if path.endswith(f"/{call}")]

    def waits(self, kind: str) -> list[tuple[int, ...]]:
        """Location, start, length and cause of every wait of a kind."""
        columns = ("location_id", "start_ns", "wait_ns", "cause_location_id")
        rows = true_waits(self.folder)
        return [tuple(row[c] for c in columns) for row in rows if row["property"] == kind]

    def accesses(self) -> list[tuple[Any, ...]]:
        """Handle, location, mode, operations, bytes and time of what was read and written."""
        columns = ("io_handle_id", "location_id", "mode", "operation_count", "bytes", "time_ns")
        return [tuple(row[c] for c in columns) for row in true_accesses(self.folder)]

    def path(self) -> dict[tuple[str, int], int]:
        """Time of the critical path by the last region of the call path and location."""
        found = {
            (row["call_path"].rpartition("/")[2], row["location_id"]): row["path_ns"]
            for row in true_path(self.folder)
        }
        assert len(found) == len(true_path(self.folder))
        return found


# rank 0   [Init][ work 30 000 ns ...][Send]
# rank 1   [Init][Recv .........................][ work ]
def test_a_receive_waits_for_its_sender(tmp_path: Path) -> None:
    made = Made(tmp_path, PIPELINE | {"cell_ns": 300})
    ((send, sent),) = made.visits("MPI_Send", 0)
    ((receive, received),) = made.visits("MPI_Recv", 1)
    ((_, init_left),) = made.visits("MPI_Init", 0)
    assert send == init_left + 100 * 300
    assert sent == send + OVERHEAD
    assert received == send + TRANSFER + OVERHEAD // 2
    assert made.waits("mpi_latesender") == [(1, receive, send - receive, 0)]


# rank 0   [Init][Ssend]      [Ssend ..........]
# rank 1   [Init][Recv][ work 30 000 ns ][Recv]
def test_a_synchronous_send_waits_for_its_receiver(tmp_path: Path) -> None:
    phase = PIPELINE | {"cell_ns": 10, "imbalance": 29, "blocks": 2, "synchronous": True}
    made = Made(tmp_path, phase)  # 500 ns for each block on rank 0, 15 000 ns on rank 1
    _, (send, sent) = made.visits("MPI_Ssend", 0)
    (_, first_left), (receive, received) = made.visits("MPI_Recv", 1)
    assert receive == first_left + 100 * 10 * 30 // 2
    assert sent == received == receive + TRANSFER + OVERHEAD // 2
    assert made.waits("mpi_latereceiver")[-1] == (0, send, receive - send, 1)


def test_a_standard_send_above_the_eager_limit_is_synchronous(tmp_path: Path) -> None:
    machine = MACHINE | {"eager_limit": 1023}
    made = Made(tmp_path, PIPELINE | {"cell_ns": 0}, machine=machine)
    ((send, sent),) = made.visits("MPI_Send", 0)
    ((receive, _),) = made.visits("MPI_Recv", 1)
    assert sent == max(send, receive) + TRANSFER + OVERHEAD // 2


# The second of three processes comes 20 000 ns after the first, the third 40 000.
def test_a_barrier_waits_for_the_last_one(tmp_path: Path) -> None:
    phase = {"kind": "collectives", "operations": ["barrier"], "cell_ns": 200, "imbalance": 2}
    made = Made(tmp_path, phase, processes=3)
    begins = dict(made.read.rows("mpi_operations", "location_id begin_ns", "kind = 'collective'"))
    assert made.waits("mpi_barrier_wait") == [
        (place, begins[place], begins[2] - begins[place], 2) for place in (0, 1)
    ]


def test_the_critical_path_leaves_out_waiting(tmp_path: Path) -> None:
    """All of rank 0 up to its send, then the rest of the receive, and the work of rank 1."""
    made = Made(tmp_path, PIPELINE | {"cell_ns": 300})
    ((begun, init_left),) = made.visits("MPI_Init", 0)
    assert made.path() == {
        ("MPI_Init", 0): init_left - begun,
        ("compute_pipeline", 0): 30_000,
        ("MPI_Recv", 1): TRANSFER + OVERHEAD // 2,
        ("compute_pipeline", 1): 30_000,
    }


def test_what_if_runs_the_program_with_a_part_scaled(tmp_path: Path) -> None:
    """On rank 0 two of three times 30 000 ns are saved; work on rank 1 begins that much earlier."""
    questions = [
        {"rank": 0, "factor": 1},
        {"rank": 0, "factor": 0.5},
        {"region": "compute_pipeline", "factor": 2},
    ]
    made = Made(tmp_path, PIPELINE | {"cell_ns": 300}, what_if=questions)
    summary = made.generated.summary
    run = summary["run_ns"]
    futures = [each["run_ns"] for each in summary["what_if"]]
    assert futures == [run, run - 15_000, run + 60_000]


@pytest.mark.parametrize("kind", ["stencil", "pipeline", "collectives", "threads"])
def test_what_would_be_is_what_is_in_a_program_that_differs_so(kind: str, tmp_path: Path) -> None:
    """The run time comes from the archive of a program whose phase has other costs."""
    phase = {"kind": kind, "cell_ns": 300, "imbalance": 3}
    others = {"kind": "messages", "jitter": 0.5}
    questions = [{"region": f"compute_{kind}", "factor": factor} for factor in (0.5, 2)]
    options = {"processes": 4, "threads": 2, "size": 8000, "iterations": 3, "what_if": questions}
    made = Made(tmp_path, phase, others, **options)
    for question, cell_ns in zip(made.generated.summary["what_if"], (150, 600), strict=True):
        other = Made(tmp_path / str(cell_ns), phase | {"cell_ns": cell_ns}, others, **options)
        ((run_ns,),) = other.read.sql(
            "SELECT max(end_ns) - min(begin_ns) FROM locations", "locations"
        )
        assert question["run_ns"] == run_ns


def test_local_identifiers_and_wrong_clocks_change_nothing(tmp_path: Path) -> None:
    phases = {"kind": "messages", "jitter": 1.0, "communicator": "halves", "calls": 3}
    clocks = {"offset_ns": 10**9, "drift_ppm": 50_000.0}
    plain = Made(tmp_path / "plain", phases, processes=5, iterations=3)
    odd = Made(tmp_path / "odd", phases, processes=5, iterations=3, id_maps=True, clocks=clocks)
    for table in ("visits", "mpi_operations"):
        assert odd.read.records(table) == plain.read.records(table)


def test_the_same_description_gives_the_same_files(tmp_path: Path) -> None:
    spec = read_spec(EXAMPLE)
    first, second = (generate(spec, tmp_path / name).anchor.parent for name in ("a", "b"))
    # The anchor holds an identifier of the archive, which the library draws.
    names = [f.relative_to(first) for f in first.rglob("*") if f.is_file() and f.suffix != ".otf2"]
    assert len(names) == 1 + 2 * 16 + 4
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes(), name


def test_waits_that_do_not_fit_into_memory_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    phases = [
        {"kind": "messages", "jitter": 1.0, "completion": "receive", "messages": 5},
        {"kind": "collectives", "jitter": 1.0, "operations": ["allreduce", "bcast"]},
        {"kind": "collectives", "jitter": 1.0, "operations": ["barrier"], "nonblocking": True},
    ]
    spec = parse_spec({"processes": 5, "iterations": 40, "phase": phases})
    kept = generate(spec, tmp_path / "kept").anchor.parent
    monkeypatch.setattr(simulation, "_WAIT_ROWS", 1)
    monkeypatch.setattr(waits, "_KEPT_ROWS", 50)
    monkeypatch.setattr(waits, "_VISIT_BITS", 6)
    put_away = generate(spec, tmp_path / "put away").anchor.parent
    monkeypatch.setattr(waits, "_GROUPS", 2)
    grouped = generate(spec, tmp_path / "grouped").anchor.parent
    counts = Counter(row["property"] for row in true_waits(kept))
    assert {"mpi_lswo_same", "mpi_lswo_different", "mpi_barrier_wait"} < counts.keys()
    assert counts.total() > 500
    for file in kept.glob("truth*"):
        assert (put_away / file.name).read_bytes() == file.read_bytes(), file.name
        assert (grouped / file.name).read_bytes() == file.read_bytes(), file.name


def test_another_seed_is_another_course(tmp_path: Path) -> None:
    phase = {"kind": "work", "jitter": 0.5}
    runs = {Made(tmp_path / str(n), phase, seed=n).generated.summary["run_ns"] for n in (1, 2)}
    assert len(runs) == 2


def test_threads_fork_and_wait_in_barriers(tmp_path: Path) -> None:
    phase = {"kind": "threads", "barriers": 1, "thread_imbalance": 1.0}
    made = Made(tmp_path, phase, threads=3)
    assert made.read.findings() == {}
    teams = made.read.rows("thread_teams", "location_id")
    assert teams == [(0,), (3,)]
    barriers = made.waits("omp_ebarrier_wait")
    assert [(place, cause) for place, _, _, cause in barriers] == [(0, 2), (1, 2), (3, 5), (4, 5)]


# Both threads enter the region a nanosecond after the fork; thread 1 has twice as much to do.
#
# thread 0   [fork][parallel [1000 ns][implicit barrier ........]] [join][Finalize]
# thread 1         [parallel [2000 ns .................][barrier]]
def test_the_critical_path_goes_through_the_slowest_thread(tmp_path: Path) -> None:
    phase = {"kind": "threads", "cell_ns": 20, "thread_imbalance": 1.0}
    made = Made(tmp_path, phase, processes=1, threads=2, machine=MACHINE | QUIET)
    ((_, init_left),) = made.visits("MPI_Init", 0)
    fork = init_left
    parallel = f"main/step/threads/{PARALLEL}"
    assert made.read.visits("path enter_ns leave_ns", location=1) == [
        (parallel, fork + 1, fork + 2003),
        (f"{parallel}/compute_threads", fork + 1, fork + 2001),
        (f"{parallel}/{BARRIER}", fork + 2001, fork + 2002),
    ]
    assert made.waits("omp_ibarrier_wait") == [(0, fork + 1001, 1000, 1)]
    joined = fork + 2005  # the records of the team's end and of joining come 1 ns after each other
    assert [tuple(row.values()) for row in true_segments(made.folder)] == [
        (0, 0, fork, 0),
        (1, fork, fork + 2001, 0),
        (0, fork + 1001, joined + 1, 1000),
    ]
    assert made.path() == {
        ("MPI_Init", 0): init_left,
        ("compute_threads", 1): 2000,
        (PARALLEL, 1): 1,  # from the fork on
        (BARRIER, 0): 1,
        (PARALLEL, 0): 3,  # up to the join
        ("threads", 0): 1,
    }


# Both threads ask for the lock a nanosecond after the fork; each gets it a nanosecond after it is
# free, has it for 1000 ns, and releases it a nanosecond later. It asks again after two more.
#
# from fork   1          1003 1005         2005 2007         3007          4009
# thread 0    [critical  ]    [critical ....:         ]
# thread 1    [critical ..:               ]    [critical ....:          ]
def test_threads_take_turns_in_the_order_in_which_they_ask(tmp_path: Path) -> None:
    phase = {"kind": "threads", "cell_ns": 0, "locked": 2, "locked_ns": 1000}
    made = Made(tmp_path, phase, processes=1, threads=2, machine=MACHINE | QUIET)
    ((_, fork),) = made.visits("MPI_Init", 0)
    assert made.waits("omp_lock_contention_critical") == [
        (0, fork + 1005, 2005 - 1005, 1),
        (1, fork + 1, 1003 - 1, 0),
        (1, fork + 2007, 3007 - 2007, 0),
    ]
    assert made.visits("!$omp critical", 1) == [
        (fork + 1, fork + 2006),
        (fork + 2007, fork + 4010),
    ]
    inside = "!$omp critical/!$omp critical sblock"
    assert made.visits(inside, 1) == [(fork + 1004, fork + 2004), (fork + 3008, fork + 4008)]
    columns = "location_id kind paradigm lock_id acquisition_order time_ns"
    records = made.read.rows("lock_operations", columns)
    assert [(*row[:5], row[5] - fork) for row in records] == [
        (0, "acquire", "openmp", 0, 1, 2),
        (0, "release", "openmp", 0, 1, 1003),
        (0, "acquire", "openmp", 0, 3, 2006),
        (0, "release", "openmp", 0, 3, 3007),
        (1, "acquire", "openmp", 0, 2, 1004),
        (1, "release", "openmp", 0, 2, 2005),
        (1, "acquire", "openmp", 0, 4, 3008),
        (1, "release", "openmp", 0, 4, 4009),
    ]


@pytest.mark.parametrize(
    ("lock", "calls", "kind"),
    [
        ("api", ("omp_set_lock", "omp_unset_lock"), "omp_lock_contention_api"),
        (
            "mutex",
            ("pthread_mutex_lock", "pthread_mutex_unlock"),
            "pthread_lock_contention_mutex_lock",
        ),
    ],
)
def test_other_locks_are_taken_in_one_call_and_given_back_in_another(
    lock: str, calls: tuple[str, str], kind: str, tmp_path: Path
) -> None:
    phase = {"kind": "threads", "cell_ns": 0, "locked": 1, "locked_ns": 1000, "lock": lock}
    made = Made(tmp_path, phase, processes=1, threads=2, machine=MACHINE | QUIET)
    ((_, fork),) = made.visits("MPI_Init", 0)
    # Taking it lasts a nanosecond longer, for the call ends after its record.
    assert made.waits(kind) == [(1, fork + 1, 1004 - 1, 0)]
    assert [made.visits(call, 0) for call in calls] == [
        [(fork + 1, fork + 3)],
        [(fork + 1003, fork + 1005)],
    ]
    assert made.visits("locked", 1) == [(fork + 1006, fork + 2006)]


def test_a_team_may_have_fewer_threads_than_the_process(tmp_path: Path) -> None:
    phases = ({"kind": "threads"}, {"kind": "threads", "name": "few", "team": 2})
    made = Made(tmp_path, *phases, threads=3)
    teams = made.read.rows("thread_team_members", "thread_team_id location_id")
    sizes = Counter(team for team, _ in teams)
    assert sorted(sizes.values()) == [2, 2, 3, 3]


# --- One-sided communication ---------------------------------------------------------------------


# Two processes that begin together; a put of 1 KiB takes 200 + 1024 // 64 ns.
#
#           0 [Init] 2001 [Win_create] 4103 [fence] 6205 [Put][Put][Put][Get] 7069 [fence]
def test_one_sided_communication_is_recorded_as_score_p_does(tmp_path: Path) -> None:
    phase = {"kind": "rma", "puts": 3, "gets": 1, "bytes": 1024, "cell_ns": 0}
    made = Made(tmp_path, phase, machine=MACHINE | QUIET)
    assert made.read.findings() == {}
    assert made.read.rows("rma_windows", "name communicator_id") == [("rma", 0)]
    # A collective ends 1 + 1000 + 1000 ns after all have begun, and what 4 KiB take; its call is
    # left half an overhead later.
    created, fenced, put, done = 4003, 6105, 6205 + 50, 7069 + 1 + 2001 + 400
    columns = "time_ns kind begin_ns remote_rank bytes matching_id operation detail"
    nothing = (None, None, None)
    assert made.read.rows("rma_operations", columns, "location_id = 0") == [
        (created, "window_create", None, *nothing, None, None),
        (created, "collective", 2002, None, 0, None, "create_handle", 1),
        (fenced, "collective", 4104, None, 0, None, "barrier", 3),
        (put, "put", None, 1, 1024, 0, None, None),
        (put + 216, "put", None, 0, 1024, 1, None, None),
        (put + 2 * 216, "put", None, 1, 1024, 0, None, None),
        (put + 3 * 216, "get", None, 1, 1024, 2, None, None),
        *(
            (done, kind, None, None, None, request, None, None)
            for request in (0, 1, 2)
            for kind in ("complete_nonblocking", "complete_remote")
        ),
        (done, "collective", 7070, None, 0, None, "barrier", 3),
        (done + 100 + 2002, "window_destroy", None, *nothing, None, None),
        (done + 100 + 2002, "collective", done + 101, None, 0, None, "destroy_handle", 1),
    ]


# rank 0   [fence][ 1 000 ns ][fence ......................]
# rank 1   [fence][ 4 000 ns ........................][fence]
def test_a_fence_waits_for_the_last_one(tmp_path: Path) -> None:
    phase = {"kind": "rma", "puts": 0, "cell_ns": 10, "imbalance": 3}
    made = Made(tmp_path, phase, machine=MACHINE | QUIET)
    _, (fence, _) = made.visits("MPI_Win_fence", 0)
    assert made.waits("mpi_rma_wait_at_fence") == [(0, fence + 1, 3000, 1)]


# --- Files ---------------------------------------------------------------------------------------


# Two processes that begin together; to write 1 KiB on one's own takes 200 + 1024 // 64 ns, together
# it takes 1 + 1000 + 1000 + 100 ns, and to open or close 1 + 1000 + 1000. Records of a process
# alone are a quarter of an overhead inside.
#
#       0 [Init] 2001 [open] 4002 [write] 4218 [write_all] 6319 [close] 8320
def test_access_to_files_is_recorded_as_score_p_does(tmp_path: Path) -> None:
    phase = {"kind": "files", "bytes": 1024, "cell_ns": 0}
    made = Made(tmp_path, phase, machine=MACHINE | QUIET)
    assert made.read.findings() == {}
    columns = "name file io_paradigm communicator_id"
    assert made.read.rows("io_handles", columns) == [
        ("files.dat", "/scratch/files.dat", "MPI I/O", 0),
        ("files.0.log", "/scratch/files.0.log", "POSIX I/O", None),
        ("files.1.log", "/scratch/files.1.log", "POSIX I/O", None),
    ]
    columns = "time_ns kind io_handle_id mode bytes matching_id detail"
    assert made.read.rows("io_operations", columns, "location_id = 1") == [
        (4002, "create_handle", 0, None, None, None, 0),
        (4002 + 50, "operation_begin", 2, "write", 1024, 0, 0),
        (4218 - 50, "operation_complete", 2, None, 1024, 0, None),
        (4218 + 50, "operation_begin", 0, "write", 1024, 1, 2),
        (6319, "operation_complete", 0, None, 1024, 1, None),
        (8320, "destroy_handle", 0, None, None, None, None),
    ]
    assert made.accesses() == [
        (0, 0, "write", 1, 1024, 6319 - 4268),
        (0, 1, "write", 1, 1024, 6319 - 4268),
        (1, 0, "write", 1, 1024, 4168 - 4052),
        (2, 1, "write", 1, 1024, 4168 - 4052),
    ]


# rank 0   [open][ 1 000 ns ][write_all ............]
# rank 1   [open][ 4 000 ns ...............][write_all]
def test_writing_together_waits_for_the_last_one(tmp_path: Path) -> None:
    phase = {"kind": "files", "cell_ns": 20, "imbalance": 3, "own_writes": 0}
    made = Made(tmp_path, phase, machine=MACHINE | QUIET)
    ((write, _),) = made.visits("MPI_File_write_all", 0)
    ((close, _),) = made.visits("MPI_File_close", 0)
    assert made.waits("mpi_io_collective_wait") == [(0, write, 3000, 1), (0, close, 3000, 1)]


def test_processes_that_wait_for_each_other_for_ever_are_named() -> None:
    program = Program(2)
    for rank in range(2):
        process = Process(program, rank)
        process.begin("main")
        process.receive(1 - rank)
        process.end()
        process.finish()
    with pytest.raises(ProgramError, match="rank 0 in main/MPI_Recv, rank 1 in main/MPI_Recv"):
        simulate(program, Machine())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("processes = ", "not a TOML file"),
        ("", "field processes is missing"),
        ("processes = 2", "field phase is missing"),
        ("processes = 2\nphase = []", r"no phases: give at least one \[\[phase\]\]"),
        ("processes = 0\n[[phase]]\nkind = 'work'", "processes: 0 is out of range: 1 to 65536"),
        ("processes = 2.5\n[[phase]]\nkind = 'work'", "processes: give a whole number, not 2.5"),
        ("processes = 2\nranks = 3\n[[phase]]\nkind = 'work'", "unknown field ranks: fields are"),
        ("processes = 2\n[[phase]]\nkind = 'threads'\nteam = 2", "team: a process has 1 threads"),
        ("processes = 2\n[[phase]]\nkind = 'wrok'", "phase 1: no kind 'wrok': kinds are work, st"),
        ("processes = 2\n[[phase]]\nbytes = 3", "phase 1: field kind is missing: kinds are work, "),
        ("processes = 2\n[[phase]]\nkind = 'rma'\ntasks = 1", r"phase 1 \(rma\): unknown field t"),
        (
            "processes = 2\n[[phase]]\nkind = 'collectives'\noperations = ['sum']",
            "operations: no 'sum': one of barrier",
        ),
        (
            "processes = 2\n[[phase]]\nkind = 'work'\n[[what_if]]\nfactor = 2",
            "what_if 1: name a region, a rank or both",
        ),
        (
            "processes = 2\n[[phase]]\nkind = 'work'\n[[what_if]]\nfactor = 2\nrank = 2",
            "what_if 1: no rank 2: ranks go from 0 to 1",
        ),
        (
            "processes = 2\n[[phase]]\nkind = 'work'\n[[phase]]\nkind = 'collectives'\nroot = 2",
            r"phase 2 \(collectives\): root: no rank 2: ranks go from 0 to 1",
        ),
        (
            "processes = 1\n[[phase]]\nkind = 'master_worker'",
            r"phase 1 \(master_worker\): nobody works: give 2 processes or more",
        ),
    ],
)
def test_wrong_descriptions_are_explained(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "program.toml"
    path.write_text(text)
    with pytest.raises(ProgramError, match=message):
        read_spec(path)


def test_an_unknown_region_to_scale_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    given = {"processes": 1, "phase": [{"kind": "work"}]}
    spec = parse_spec(given | {"what_if": [{"region": "wrok", "factor": 1}]})
    with pytest.raises(ProgramError, match="no region wrok: computing is in compute_work"):
        generate(spec, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    spec = parse_spec({"processes": 1, "phase": [{"kind": "work"}]})
    with pytest.raises(PipelineError, match="is there already: name another place with --output"):
        generate(spec, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_command_writes_archive_and_truth(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    assert main(["generate", str(EXAMPLE), "--output", str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder / 'traces.otf2'}\n"
    truth = json.loads((folder / "truth.json").read_text())
    assert truth["processes"] == tomllib.loads(EXAMPLE.read_text())["processes"]
    with (folder / "truth_wait_states.csv").open() as file:
        rows = list(csv.DictReader(file))
    late = [int(row["wait_ns"]) for row in rows if row["property"] == "mpi_latesender"]
    assert truth["waits_without_submetrics"]["mpi_latesender"] == {
        "count": len(late),
        "wait_ns": sum(late),
    }


@pytest.mark.parametrize("processes", [1, 2])
def test_that_one_process_exchanges_with_nobody_is_told(
    processes: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It computes all the same, as the smallest run of a series does."""
    path = tmp_path / "program.toml"
    phases = ("stencil", "work", "pipeline", "stencil", "messages", "collectives")
    kinds = "".join(f"[[phase]]\nkind = '{kind}'\n" for kind in phases)
    path.write_text(f"processes = {processes}\n{kinds}")
    assert main(["generate", str(path), "--output", str(tmp_path / "out")]) == 0
    said = "nobody to exchange with: only computing in stencil, pipeline, messages\n"
    assert (said in capsys.readouterr().err) is (processes == 1)
    found = read_archive(tmp_path / "out" / "traces.otf2", tmp_path / "store")
    kinds_found = {kind for (kind,) in found.rows("mpi_operations", "kind")}
    assert ({"send", "isend"} <= kinds_found) is (processes == 2)
    assert "collective" in kinds_found
    computed = [path for (path,) in found.visits("path") if path.endswith("compute_stencil")]
    assert len(computed) == 2 * processes


def test_wrong_descriptions_have_an_exit_code(tmp_path: Path) -> None:
    path = tmp_path / "program.toml"
    assert main(["generate", str(path), "--output", str(tmp_path / "out")]) == 11
    path.write_text("processes = 0")
    assert main(["generate", str(path), "--output", str(tmp_path / "out")]) == 16
