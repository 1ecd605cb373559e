"""Lost parallelism of random runs, compared with the state of every location in every ns."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.golden.test_parallelism_losses import BARRIER, MAIN, OUTSIDE, WAITING, losses, trace
from tests.oracle import parallelism

LENGTH = 40
_OVERHEADS = {BARRIER: WAITING}


@st.composite
def timelines(draw: st.DrawFn) -> dict[int, list[int]]:
    """The call path of each of up to 64 locations in every ns."""
    count = draw(st.integers(1, 64))
    paths: dict[int, list[int]] = {}
    for place in range(count):
        cuts = draw(st.lists(st.tuples(st.integers(1, 9), st.integers(MAIN, BARRIER)), max_size=6))
        states = [path for length, path in cuts for _ in range(length)]
        paths[place] = (states + [MAIN] * LENGTH)[:LENGTH]
    return paths


def visits_of(paths: dict[int, list[int]]) -> list[tuple[int, int, int, int]]:
    visits = []
    for place, states in paths.items():
        begin = 0
        for now in range(1, LENGTH + 1):
            if now == LENGTH or states[now] != states[begin]:
                if states[begin] != MAIN:
                    visits.append((place, states[begin], begin, now))
                begin = now
    return visits


@settings(deadline=None, max_examples=40)
@given(timelines())
def test_each_call_path_is_charged_what_others_lose(paths: dict[int, list[int]]) -> None:
    found = losses(trace(LENGTH, *visits_of(paths), count=len(paths)))
    pieces = {
        place: [(path, _OVERHEADS.get(path, 0)) for path in states]
        for place, states in paths.items()
    }
    wanted = parallelism.losses(pieces)
    assert {row[:2]: row[3] for row in found} == {key: each[0] for key, each in wanted.items()}
    shared: dict[Any, float] = {row[:2]: row[4] for row in found}
    assert all(abs(shared[key] - each[1]) <= 0.5 for key, each in wanted.items())
    total = sum(row[3] + row[4] for row in found)
    assert abs(total - parallelism.lost_time(pieces)) <= len(found)
    assert all(row[1] != OUTSIDE for row in found)
