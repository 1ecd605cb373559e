"""Threads that compete for one lock: waits, their causes and lengths."""

import pytest

from tests.helpers.running import WAIT, run_query

CRITICAL, SET, UNSET, LOCK, UNLOCK, COND, TRY = range(7)
NAMES = (
    "!$omp critical @a.c:3", "omp_set_lock", "omp_unset_lock", "pthread_mutex_lock",
    "pthread_mutex_unlock", "pthread_cond_wait", "pthread_mutex_trylock",
)  # fmt: skip


def record(number, kind, place, path, span, time, order, **others):
    """A record of lock 7 within a call; `span` are the call's begin and end."""
    return {
        "location_id": place,
        "sequence": number,
        "visit_id": number,
        "kind": kind,
        "call_path_id": path,
        "enter_ns": span[0],
        "leave_ns": span[1],
        "time_ns": time,
        "lock_id": 7,
        "acquisition_order": order,
        "paradigm": "openmp" if path <= UNSET else "pthread",
    } | others


def contention(*operations, columns=WAIT):
    """Waits of threads 0 and 1 of a process, and of thread 2 of another process."""
    tables = {
        "locations": [
            {"location_id": place, "thread": place % 2, "location_group_id": place // 2}
            for place in range(3)
        ],
        "regions": [
            {"region_id": number, "name": name, "role": "wrapper" if number else "critical"}
            for number, name in enumerate(NAMES)
        ],
        "call_paths": [
            {"call_path_id": number, "region_id": number} for number in range(len(NAMES))
        ],
        "lock_operations": operations,
    }
    return run_query("lock_contention", tables, columns)


#            0   10      20      30    36     45
# thread 0   [set] has it  [unset]
# thread 1       [set ....:..]   has it
#                             31
FIRST = (
    record(0, "acquire", 0, SET, (0, 10), 8, 1),
    record(1, "release", 0, UNSET, (20, 30), 28, 1),
)


def test_a_thread_waits_until_the_lock_is_given_back():
    second = record(2, "acquire", 1, SET, (12, 36), 31, 2)
    columns = "property location_id visit_id start_ns wait_ns cause_location_id cause_visit_id"
    assert contention(*FIRST, second, columns=columns) == [
        ("omp_lock_contention_api", 1, 2, 12, 28 - 12, 0, 1)
    ]


# The call begins when the lock is free, is for another lock, in another process or paradigm, or
# the record lies outside any call.
@pytest.mark.parametrize(
    "other",
    [
        {"enter_ns": 28},
        {"lock_id": 8},
        {"location_id": 2},
        {"paradigm": "pthread"},
        {"visit_id": None, "call_path_id": None, "enter_ns": None, "leave_ns": None},
    ],
    ids=str,
)
def test_a_free_lock_or_another_one_is_not_waited_for(other):
    second = record(2, "acquire", 1, SET, (12, 36), 31, 2)
    assert contention(*FIRST, second | other) == []


# A try does not block: it gets a lock that is given back while it runs, or is free.
@pytest.mark.parametrize(("enter", "expected"), [(27, [(1, 27, 28 - 27, 0)]), (28, [])])
def test_a_try_waits_only_for_a_release_during_the_call(enter, expected):
    held = (
        record(0, "acquire", 0, LOCK, (0, 10), 8, 1),
        record(1, "release", 0, UNLOCK, (20, 30), 28, 1),
    )
    assert contention(*held, record(2, "acquire", 1, TRY, (enter, 31), 29, 2)) == expected


def test_only_the_thread_before_is_waited_for():
    # Thread 1 comes at 2, but thread 0 is faster once more: it takes and gives back until 50.
    again = (
        record(2, "acquire", 0, SET, (31, 35), 33, 2),
        record(3, "release", 0, UNSET, (48, 52), 50, 2),
    )
    last = record(4, "acquire", 1, SET, (2, 60), 55, 3)
    assert contention(*FIRST, *again, last) == [(1, 2, 50 - 2, 0)]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (CRITICAL, "omp_lock_contention_critical"),
        (SET, "omp_lock_contention_api"),
        (LOCK, "pthread_lock_contention_mutex_lock"),
        (TRY, "pthread_lock_contention_mutex_lock"),
        (COND, "pthread_lock_contention_conditional"),
    ],
)
def test_the_call_gives_the_kind_of_lock(path, kind):
    held = record(1, "release", 0, path, (20, 30), 28, 1)
    waiting = record(2, "acquire", 1, path, (12, 36), 31, 2)
    assert contention(held, waiting, columns="property wait_ns") == [(kind, 28 - 12)]


#            0    10      20         30      40      50
# thread 0             [lock]   [signal] [unlock]
# thread 1   [cond_wait ......................]
#             :releases                      :45
def test_a_condition_is_waited_for_until_the_mutex_is_given_back():
    found = contention(
        record(0, "release", 1, COND, (0, 50), 1, 1),
        record(1, "acquire", 0, LOCK, (10, 12), 11, 2),
        record(2, "release", 0, UNLOCK, (38, 42), 40, 2),
        record(0, "acquire", 1, COND, (0, 50), 45, 3, sequence=3),
    )
    assert found == [(1, 0, 40 - 0, 0)]


def test_without_another_owner_the_wait_ends_with_the_own_release():
    found = contention(
        record(0, "release", 1, COND, (0, 50), 3, 1),
        record(0, "acquire", 1, COND, (0, 50), 45, 2, sequence=1),
    )
    assert found == [(1, 0, 3, 1)]


# A nested lock is given back once for each time it was taken: only the last time frees it.
def test_a_nested_lock_is_free_after_the_last_release():
    nested = (
        record(1, "release", 0, UNSET, (14, 16), 15, 1),
        record(2, "release", 0, UNSET, (20, 30), 28, 1),
    )
    found = contention(*nested, record(3, "acquire", 1, SET, (12, 36), 31, 2))
    assert found == [(1, 12, 28 - 12, 0)]


def test_restarted_numbers_belong_to_the_newest_lock():
    # Between 40 and 50 the lock was destroyed and made anew: order 2 follows the release at 68.
    anew = (
        record(2, "acquire", 0, SET, (50, 51), 51, 1),
        record(3, "release", 0, UNSET, (65, 70), 68, 1),
    )
    found = contention(*FIRST, *anew, record(4, "acquire", 1, SET, (60, 75), 71, 2))
    assert found == [(1, 60, 68 - 60, 0)]


def test_a_call_that_takes_several_locks_waits_once_for_the_last_of_them():
    other = {"lock_id": 8}
    found = contention(
        record(1, "release", 0, UNSET, (20, 22), 21, 1),
        record(2, "release", 0, UNSET, (24, 30), 28, 1, **other),
        record(3, "acquire", 1, SET, (12, 36), 23, 2),
        record(3, "acquire", 1, SET, (12, 36), 31, 2, sequence=4, **other),
    )
    assert found == [(1, 12, 28 - 12, 0)]


def test_locks_of_other_paradigms_are_extended():
    held = record(1, "release", 0, LOCK, (20, 30), 28, 1, paradigm="qtthread")
    waiting = record(2, "acquire", 1, LOCK, (12, 36), 31, 2, paradigm="qtthread")
    columns = "property is_extended"
    assert contention(held, waiting, columns=columns) == [
        ("pthread_lock_contention_mutex_lock", True)
    ]
