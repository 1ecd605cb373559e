"""Classes of overhead that regions have by rules, shipped and own ones."""

import pytest

from tests.helpers.micro_trace import read_trace
from tests.helpers.running import with_overheads
from tracemill.base.errors import MissingInputError, UsageError
from tracemill.schemas.overheads import TAXONOMY
from tracemill.stages.overhead_classes import SHIPPED_RULES, classify, parse_rules, read_rules

HEADER = "paradigm,role,name,class,subclass\n"


@pytest.mark.parametrize(
    ("paradigm", "role", "name", "part"),
    [
        ("compiler", "function", "main", "user code"),
        ("user", "loop", "iterations", "user code"),
        ("openmp", "parallel", "!$omp parallel @a.c:8", "user code"),
        ("openmp", "critical_sblock", "!$omp critical sblock @a.c:8", "user code"),
        ("cuda", "kernel", "saxpy", "user code"),
        ("compiler", "allocate", "malloc", "local memory"),
        ("cuda", "data_transfer", "cuMemcpy", "device memory"),
        ("cuda", "data_transfer", "cuMemcpyHtoDAsync_v2", "device memory"),
        ("hip", "wrapper", "hipMemcpyAsync", "device memory"),
        ("hip", "allocate", "hipMalloc", "device memory"),
        ("cuda", "wrapper", "cudaDeviceSynchronize", "wait"),
        ("shmem", "atomic", "shmem_int_add", "put/get"),
        ("shmem", "function", "shmem_set_lock", "lock"),
        ("shmem", "coll_all2all", "shmem_alltoall_nonblocking", "collective"),
        ("mpi", "rma", "MPI_Win_lock", "lock"),
        ("mpi", "coll_all2all", "MPI_Comm_split", "process/thread management"),
        ("mpi", "point2point", "MPI_Send", "point-to-point"),
        ("mpi", "function", "MPI_Wait", "point-to-point"),
        ("mpi", "function", "mpi_waitall_", "point-to-point"),
        ("mpi", "function", "MPI_Testsome", "point-to-point"),
        ("mpi", "coll_all2all", "MPI_Allreduce", "collective"),
        ("mpi", "function", "MPI_Iallreduce", "collective"),
        ("mpi", "rma", "MPI_Put", "put/get"),
        ("mpi", "function", "MPI_Put", "put/get"),
        ("mpi", "atomic", "MPI_Accumulate", "put/get"),
        ("mpi", "function", "MPI_File_write_at_all", "I/O"),
        ("user", "file_io", "fwrite", "I/O"),
        ("mpi", "barrier", "MPI_Barrier", "barrier"),
        ("mpi", "function", "MPI_Win_fence", "barrier"),
        ("openmp", "implicit_barrier", "!$omp implicit barrier @a.c:9", "barrier"),
        ("mpi", "function", "MPI_Win_lock_all", "lock"),
        ("openmp", "critical", "!$omp critical @a.c:8", "lock"),
        ("openmp", "wrapper", "omp_set_nest_lock", "lock"),
        ("pthread", "wrapper", "pthread_mutex_lock", "lock"),
        ("mpi", "function", "MPI_Win_wait", "wait"),
        ("openmp", "task_wait", "!$omp taskwait @a.c:9", "wait"),
        ("pthread", "thread_wait", "pthread_join", "wait"),
        ("pthread", "wrapper", "pthread_cond_timedwait", "condition"),
        ("openmp", "task_create", "!$omp create task @a.c:9", "scheduling"),
        ("cuda", "function", "cuLaunchKernel", "scheduling"),
        ("mpi", "allocate", "MPI_Win_allocate", "process/thread management"),
        ("pthread", "thread_create", "pthread_create", "process/thread management"),
        ("mpi", "function", "MPI_Init_thread", "initialise/finalise"),
        ("mpi", "function", "MPI_Finalize", "initialise/finalise"),
        ("mpi", "function", "mpi_init_", "initialise/finalise"),
        ("mpi", "function", "MPI_Init_f08", "initialise/finalise"),
        ("mpi", "function", "PMPI_Waitall", "point-to-point"),
        ("measurement_system", "artificial", "TRACE BUFFER FLUSH", "measurement"),
        ("unknown", "function", "MPI_Send", "no rule"),
    ],
)
def test_the_shipped_rules_classify_regions(paradigm, role, name, part):
    tables = {"regions": [{"paradigm": paradigm, "role": role, "name": name}]}
    (row,) = with_overheads(tables)["region_classes"]
    assert TAXONOMY[row["overhead_id"]].part == part
    assert (row["rule_id"] is None) == (part == "no rule")


# Computing holds local memory, synchronizing all of synchronization, and create/destroy all control
# of parallelism. User rules may name the other classes, which are computation of other kinds.
@pytest.mark.parametrize(
    ("activity", "parts"),
    [
        (
            "computing",
            "user code, local memory, algorithm change, compiler change, unparallelised code, "
            "replicated code, partially parallelised code",
        ),
        ("blocked", ""),
        ("communicating", "point-to-point, collective, put/get, device memory"),
        ("synchronizing", "barrier, lock, wait, condition"),
        ("I/O", "I/O"),
        ("create/destroy", "fork/join, scheduling, process/thread management, initialise/finalise"),
        ("idle", "idle threads"),
        ("unknown", "measurement, no rule, outside visits"),
    ],
)
def test_every_class_has_an_activity(activity, parts):
    tables = with_overheads(read_trace("0 0..1 main"))
    found = [row for row in tables["overhead_classes"] if row["activity"] == activity]
    assert ", ".join(row["overhead_subclass"] for row in found) == parts


def test_the_first_rule_that_fits_counts():
    rules = parse_rules(
        HEADER
        + "# comments and empty lines do not count\n\n"
        + "mpi,*,*_send|*_recv,data movement,point-to-point\n"
        + "mpi,coll_*,*,data movement,collective\n"
        + "MPI, *, *, Computation, user code\n"
    )
    assert [rule.line for rule in rules] == [4, 5, 6]
    regions = [
        ("mpi", "point2point", "MPI_Recv"),
        ("mpi", "coll_other", "MPI_Scan"),
        ("mpi", "barrier", "mpi_barrier"),
        ("openmp", "barrier", "MPI_Send"),
    ]
    assert classify(regions, rules) == [0, 1, 2, None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "rules.csv:1: the first row must be paradigm,role,name,class,subclass"),
        ("mpi,*,*,computation,user code", "rules.csv:1: the first row must be"),
        (HEADER, "rules.csv: no rules: write at least one"),
        (HEADER + "\nmpi,*,*,computation", "rules.csv:3: 4 fields instead of 5: write paradigm"),
        (HEADER + "mpi,,*,computation,user code", "rules.csv:2: role is empty: [*] stands for any"),
        (HEADER + "mpj,*,*,computation,user code", "rules.csv:2: no paradigm fits 'mpj': there"),
        (HEADER + "mpi,c|x,*,computation,user code", "rules.csv:2: no role fits 'c': there are"),
        (HEADER + "*,*,*,waiting,barrier", "rules.csv:2: no class 'waiting': there are computa"),
        (HEADER + "*,*,*,synchronisation,x", "has no subclass 'x': it has barrier, lock, wait,"),
        (HEADER + '*,*,"a,computation,user code', "rules.csv:2: .*close what is quoted"),
    ],
)
def test_a_wrong_rule_is_reported_with_its_line(tmp_path, text, message):
    path = tmp_path / "rules.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        read_rules(path)


def test_a_missing_or_unreadable_file_of_rules_is_reported(tmp_path):
    with pytest.raises(MissingInputError, match=r"rules\.csv: No such file"):
        read_rules(tmp_path / "rules.csv")
    path = tmp_path / "latin.csv"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="save it as such"):
        read_rules(path)


# Tables of stored runs have these numbers.
def test_classes_keep_their_numbers():
    assert [each.part for each in TAXONOMY] == [
        "user code", "local memory", "point-to-point", "collective", "put/get", "I/O", "barrier",
        "lock", "wait", "condition", "fork/join", "scheduling", "process/thread management",
        "initialise/finalise", "algorithm change", "compiler change", "unparallelised code",
        "replicated code", "partially parallelised code", "idle threads", "measurement", "no rule",
        "outside visits", "device memory",
    ]  # fmt: skip


def test_the_shipped_rules_are_a_file_like_any_other(tmp_path):
    text = read_rules(SHIPPED_RULES)
    with_mark = tmp_path / "windows.csv"
    with_mark.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert parse_rules(read_rules(with_mark)) == parse_rules(text)


def test_own_rules_replace_the_shipped_ones():
    tables = {"regions": [{"paradigm": "mpi", "name": "MPI_Send"}, {"region_id": 1}]}
    rules = HEADER + "*,*,mpi_*,loss of parallelism,replicated code\n"
    found = with_overheads(tables, overhead_classes=rules)
    assert [TAXONOMY[row["overhead_id"]].part for row in found["region_classes"]] == [
        "replicated code",
        "no rule",
    ]
    assert [(row["line"], row["name"]) for row in found["overhead_rules"]] == [(2, "mpi_*")]
