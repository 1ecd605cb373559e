"""Masters and workers: how they are recognized, and their findings."""

import pytest

#          0   5    10   15   20   25   30         50        60        70        80       100   110
# worker 1 [recv ...........] computes ... until   [s][recv ]  [s][recv ......]
# worker 2  [recv ......................] computes until                              [s][recv  ]
# master      [r] works     [s][r]works [s][recv ...][works][s][recv][works    ][s][recv ][works][s]
STAR = """
    1   0..2       MPI_Send   send 0
    1   2..20      MPI_Recv   recv 0
    1   50..52     MPI_Send   send 0
    1   52..60     MPI_Recv   recv 0
    1   65..67     MPI_Send   send 0
    1   67..80     MPI_Recv   recv 0
    2   1..3       MPI_Send   send 0
    2   3..30      MPI_Recv   recv 0
    2   100..102   MPI_Send   send 0
    2   102..110   MPI_Recv   recv 0
    0   4..5       MPI_Recv   recv 1
    0   18..19     MPI_Send   send 1
    0   19..21     MPI_Recv   recv 2
    0   28..29     MPI_Send   send 2
    0   29..53     MPI_Recv   recv 1
    0   58..59     MPI_Send   send 1
    0   59..68     MPI_Recv   recv 1
    0   78..79     MPI_Send   send 1
    0   79..103    MPI_Recv   recv 2
    0   108..109   MPI_Send   send 2
"""
STAR_COLUMNS = "master_group_id worker_group_id round_count confidence"
FOUND = "location_id start_ns value cause_location_id confidence"
# Calls below main (0), by name: MPI_Recv 1, MPI_Send 2. Visits by process: 0 to 10, 11 to 17 with
# main 11, sends 12, 14, 16 and receives 13, 15, 17; then 18 to 22.
PATTERNS = ("master_worker_starving", "master_overloaded", "tasks_too_fine")


def line(times: str, *more: str) -> str:
    """Calls of one process, given one after the other, of two ticks each."""
    process, start = times.split()
    begins = range(int(start), int(start) + 3 * len(more), 3)
    return "\n".join(
        f"{process} {begin}..{begin + 2} {call}" for begin, call in zip(begins, more, strict=True)
    )


def test_a_process_that_answers_others_repeatedly_is_their_master(run_query, trace):
    assert run_query("master_workers", trace(STAR), STAR_COLUMNS) == [(0, 1, 3, 95), (0, 2, 2, 95)]


def test_rounds_hold_the_times_of_request_and_answer(run_query, trace):
    columns = "worker_group_id asked_ns awaited_ns taken_ns answered_ns received_ns"
    assert sorted(run_query("worker_rounds", trace(STAR), columns)) == [
        (1, 0, 2, 5, 18, 20),
        (1, 50, 52, 53, 58, 60),
        (1, 65, 67, 68, 78, 80),
        (2, 1, 3, 21, 28, 30),
        (2, 100, 102, 103, 108, 110),
    ]


# Each from entering the receive until the master sends: 18 - 2, 58 - 52, 78 - 67; 28 - 3,
# 108 - 102.
def test_workers_starve_while_their_master_has_not_sent(run_query, trace):
    assert run_query("master_worker_starving", trace(STAR), f"{FOUND} visit_id call_path_id") == [
        (1, 2, 16, 0, 95, 13, 1),
        (1, 52, 6, 0, 95, 15, 1),
        (1, 67, 11, 0, 95, 17, 1),
        (2, 3, 25, 0, 95, 20, 1),
        (2, 102, 6, 0, 95, 22, 1),
    ]


# While the master works for worker 1, from 5 to 18, worker 2 waits from 3 to 21. Later, only
# the worker that it works for waits. It works in main.
def test_a_master_is_overloaded_while_another_worker_waits(run_query, trace):
    found = run_query("master_overloaded", trace(STAR), f"{FOUND} call_path_id cause_visit_id")
    assert found == [(0, 5, 13, 1, 95, 0, 12)]


# Worker 2 comes at 9, in the middle of the work: 18 - 10, when it is in its receive. Worker 3 comes
# later, from 12 on, and changes nothing; while the master works for worker 2 it waits all the time.
def test_the_time_of_the_master_counts_once_however_many_wait(run_query, trace):
    tables = trace("""
        1   0..2     MPI_Send   send 0
        1   2..20    MPI_Recv   recv 0
        2   9..10    MPI_Send   send 0
        2   10..30   MPI_Recv   recv 0
        3   11..12   MPI_Send   send 0
        3   12..40   MPI_Recv   recv 0
        0   4..5     MPI_Recv   recv 1
        0   18..19   MPI_Send   send 1
        0   19..21   MPI_Recv   recv 2
        0   28..29   MPI_Send   send 2
        0   29..31   MPI_Recv   recv 3
        0   38..39   MPI_Send   send 3
    """)
    found = run_query("master_overloaded", tables, "start_ns value", least_rounds=1)
    assert found == [(5, 18 - 10), (21, 28 - 21)]


# Worker 1 gets its second task in 60 - 50 and computes for 65 - 60. The first one took 20 to get
# and 30 to compute; after the third one its computation is unknown.
def test_tasks_that_take_longer_to_get_than_to_compute_are_too_fine(run_query, trace):
    found = run_query("tasks_too_fine", trace(STAR), f"{FOUND} visit_id call_path_id")
    assert found == [(1, 50, 10, 0, 95, 15, 1)]


# Processes 3 and 4 take part in nothing: two of three others are workers, or two of four.
@pytest.mark.parametrize(("idle", "confidence"), [((3,), [95 * 2 // 3] * 2), ((3, 4), [])])
def test_most_other_processes_must_be_workers(run_query, trace, idle, confidence):
    tables = trace(STAR + "\n".join(f"{process} 0..5 MPI_Init" for process in idle))
    found = run_query("master_workers", tables, "confidence")
    assert found == [(each,) for each in confidence]


@pytest.mark.parametrize(
    ("messages", "confidence"),
    [
        # Worker 2 also sends to worker 1: 10 of the workers' 12 ends are with the master.
        (("2 120..121 MPI_Send send 1", "1 120..125 MPI_Recv recv 2"), 95 * 10 // 12),
        # The master sends each worker another message at the end: 5 of 7 answer.
        (
            ("0 120..121 MPI_Send send 1", "0 122..123 MPI_Send send 2",
             "1 120..125 MPI_Recv recv 0", "2 120..125 MPI_Recv recv 0"),
            95 * 5 // 7,
        ),
    ],
)  # fmt: skip
def test_messages_that_are_no_requests_or_answers_lower_confidence(
    run_query, trace, messages, confidence
):
    tables = trace(STAR + "\n".join(messages))
    assert run_query("master_workers", tables, "confidence") == [(confidence,)] * 2


def test_fewer_rounds_than_required_make_no_master(run_query, trace):
    assert run_query("master_workers", trace(STAR), least_rounds=3) == []


# One of the messages of worker 1 is received before it is sent.
def test_findings_with_contradicting_clocks_are_uncertain(run_query, trace):
    tables = trace(STAR.replace("send 0\n    1   52..60", "send 0 @57\n    1   52..60"))
    found = run_query("tasks_too_fine", tables, "start_ns confidence")
    assert found == [(50, 50)]


# --- Programs without a master ------------------------------------------------------------------


RECEIVES = ["MPI_Recv recv 1", "MPI_Recv recv 2", "MPI_Recv recv 3"]
SENDS = ["MPI_Send send 1", "MPI_Send send 2", "MPI_Send send 3"]
WORKER = ["MPI_Send send 0", "MPI_Recv recv 0"]
WITHOUT_MASTER = {
    # 1 - 0 - 2: process 0 exchanges borders with one neighbor, then the other.
    "line": [
        line("0 0", *(f"MPI_{call} {call.lower()} {to}" for to in (1, 2, 1, 2, 1, 2)
                      for call in ("Recv", "Send"))),
        line("1 0", *WORKER * 3),
        line("2 0", *WORKER * 3),
    ],
    "line by sendrecv": [
        line("0 0", *["MPI_Sendrecv send 2; recv 1", "MPI_Sendrecv send 1; recv 2"] * 3),
        line("1 0", *WORKER * 3),
        line("2 0", *["MPI_Recv recv 0", "MPI_Send send 0"] * 3),
    ],
    "ring": [
        line(f"{at} 0", *[f"MPI_Send send {(at + 1) % 4}", f"MPI_Recv recv {(at - 1) % 4}"] * 3)
        for at in range(4)
    ],
    "both neighbors on a ring": [
        line(f"{at} 0", *(f"MPI_{call} {call.lower()} {to % 4}" for _ in range(3)
                          for to in (at - 1, at + 1) for call in ("Send", "Recv")))
        for at in range(4)
    ],
    "pipeline": [
        line("0 0", *["MPI_Send send 1"] * 4),
        line("1 0", *["MPI_Recv recv 0", "MPI_Send send 2"] * 4),
        line("2 0", *["MPI_Recv recv 1"] * 4),
    ],
    "gathering": [
        line("0 0", *RECEIVES * 3),
        *(line(f"{at} 0", *["MPI_Send send 0"] * 3) for at in (1, 2, 3)),
    ],
    "gathering, then scattering": [
        line("0 0", *[*RECEIVES, *SENDS] * 3),
        *(line(f"{at} 0", *WORKER * 3) for at in (1, 2, 3)),
    ],
    "gathering at once, then scattering": [
        line("0 0", *["MPI_Waitall irecv 1; irecv 2; irecv 3", *SENDS] * 3),
        *(line(f"{at} 0", *WORKER * 3) for at in (1, 2, 3)),
    ],
    "two processes": [
        line("0 0", *["MPI_Recv recv 1", "MPI_Send send 1"] * 4),
        line("1 0", *WORKER * 4),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", WITHOUT_MASTER)
def test_other_programs_have_no_master(run_query, trace, name):
    tables = trace("\n".join(WITHOUT_MASTER[name]))
    assert len(run_query("messages", tables)) > 5
    assert run_query("master_workers", tables) == []
    assert [run_query(pattern, tables) for pattern in PATTERNS] == [[], [], []]


# With three workers no such row of processes looks alike: each may be answered in its turn.
def test_three_workers_may_be_answered_in_turn(run_query, trace):
    turns = [f"MPI_{call} {call.lower()} {to}" for to in (1, 2, 3) for call in ("Recv", "Send")]
    workers = (line(f"{at} 0", *WORKER * 3) for at in (1, 2, 3))
    tables = trace("\n".join([line("0 0", *turns * 3), *workers]))
    assert run_query("master_workers", tables, STAR_COLUMNS) == [
        (0, worker, 3, 95) for worker in (1, 2, 3)
    ]
