"""Generated programs: times of calls, waits and files, worked out by hand.

Two processes, one message of 1 KiB: an overhead of 200 ns per call, a latency of 1000 ns and 100 ns
per KiB. The data arrives 1100 ns after both calls were entered, and the calls that wait for it
are left half an overhead later.
"""

from collections import Counter
from pathlib import Path

import pytest

from tests.helpers.generated import MACHINE, QUIET, Made
from tests.helpers.otf2_reading import read_archive
from tests.helpers.truth_reading import true_waits
from tests.reference.cases import DATA
from tracemill.programs import simulation, waits
from tracemill.programs.generate import generate
from tracemill.programs.language.process_kinds import parse_spec
from tracemill.programs.language.reading import read_program

EXAMPLE = Path(__file__).parents[2] / "data" / "programs" / "stencil.toml"
PIPELINE = {"kind": "pipeline", "blocks": 1, "bytes": 1024}
TRANSFER, OVERHEAD = 1100, 200


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


def test_what_if_runs_the_program_with_a_scaled_part(tmp_path: Path) -> None:
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
def test_the_answer_equals_a_run_of_the_changed_program(kind: str, tmp_path: Path) -> None:
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


def test_regions_of_calls_have_the_roles_that_score_p_gives_them(tmp_path: Path) -> None:
    """Score-P defines all of MPI in each of its traces, even what the program does not call."""
    names = ["barrier", "bcast", "gatherv", "allreduce", "exscan", "neighbor_allgather"]
    made = Made(
        tmp_path,
        {"kind": "stencil"},
        {"kind": "pipeline", "synchronous": True},
        {"kind": "collectives", "operations": names},
        {"kind": "collectives", "operations": ["barrier", "reduce", "scan"], "nonblocking": True},
        {"kind": "rma", "gets": 1, "accumulates": 1},
        {"kind": "rma", "synchronization": "epochs"},
        {"kind": "rma", "synchronization": "locks", "flush": True},
        {"kind": "files"},
        {"kind": "threads"},
    )
    measured = read_archive(DATA / "m01_late_sender" / "traces.otf2", tmp_path / "measured")
    found, expected = (
        dict(each.rows("regions", "name role", "paradigm = 'mpi'"))
        for each in (made.read, measured)
    )
    assert len(set(found.values())) == 9
    assert found == {name: expected[name] for name in found}


def test_local_identifiers_and_wrong_clocks_change_nothing(tmp_path: Path) -> None:
    phases = {"kind": "messages", "jitter": 1.0, "communicator": "halves", "calls": 3}
    clocks = {"offset_ns": 10**9, "drift_ppm": 50_000.0}
    plain = Made(tmp_path / "plain", phases, processes=5, iterations=3)
    odd = Made(tmp_path / "odd", phases, processes=5, iterations=3, id_maps=True, clocks=clocks)
    for table in ("visits", "mpi_operations"):
        assert odd.read.records(table) == plain.read.records(table)


def test_the_same_description_gives_the_same_files(tmp_path: Path) -> None:
    spec = read_program(EXAMPLE)
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
    on_disk = generate(spec, tmp_path / "on disk").anchor.parent
    monkeypatch.setattr(waits, "_GROUPS", 2)
    grouped = generate(spec, tmp_path / "grouped").anchor.parent
    counts = Counter(row["property"] for row in true_waits(kept))
    assert {"mpi_lswo_same", "mpi_lswo_different", "mpi_barrier_wait"} < counts.keys()
    assert counts.total() > 500
    for file in kept.glob("truth*"):
        assert (on_disk / file.name).read_bytes() == file.read_bytes(), file.name
        assert (grouped / file.name).read_bytes() == file.read_bytes(), file.name


def test_another_seed_gives_another_run(tmp_path: Path) -> None:
    phase = {"kind": "work", "jitter": 0.5}
    runs = {Made(tmp_path / str(n), phase, seed=n).generated.summary["run_ns"] for n in (1, 2)}
    assert len(runs) == 2


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
