"""Activity graphs run again, slowly: every rule as it is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class SlowGraph:
    """Activities of each location in order, meetings, and the causes of both, by number."""

    begin: int
    locations: Sequence[Sequence[int]]
    meetings: Sequence[int]
    causes: Mapping[int, Sequence[int]]

    def before(self, activity: int) -> int | None:
        """The activity before on its location."""
        for numbers in self.locations:
            if activity in numbers and activity != numbers[0]:
                return numbers[numbers.index(activity) - 1]
        return None

    def followers(self, activity: int) -> list[int]:
        """Activities and meetings that cannot be ready before it ends."""
        everyone = [*(each for numbers in self.locations for each in numbers), *self.meetings]
        return [
            each
            for each in everyone
            if self.before(each) == activity or activity in self.causes[each]
        ]


def ends_of(graph: SlowGraph, duration: Mapping[int, int]) -> dict[int, tuple[int, int]]:
    """When every activity is ready, and when it ends."""
    found: dict[int, tuple[int, int]] = {}

    def end(activity: int) -> int:
        if activity not in found:
            ends = [end(cause) for cause in graph.causes[activity]]
            if activity in graph.meetings:
                found[activity] = (max(ends), max(ends))
            else:
                before = graph.before(activity)
                ready = max([graph.begin if before is None else end(before), *ends])
                found[activity] = (ready, ready + duration[activity])
        return found[activity][1]

    for numbers in (*graph.locations, graph.meetings):
        for each in numbers:
            end(each)
    return found


def run_end(graph: SlowGraph, duration: Mapping[int, int]) -> int:
    """The end of the last activity."""
    times = ends_of(graph, duration)
    return max(times[numbers[-1]][1] for numbers in graph.locations)


def total_slack(graph: SlowGraph, duration: Mapping[int, int], activity: int) -> int:
    """How much longer an activity may take, tried out."""
    end, slack = run_end(graph, duration), 0
    while run_end(graph, {**duration, activity: duration[activity] + slack + 1}) == end:
        slack += 1
    return slack


def free_slack(graph: SlowGraph, duration: Mapping[int, int], activity: int) -> int:
    """The time until any activity that follows is ready, through meetings; else until the end."""
    times = ends_of(graph, duration)
    nexts, left = [run_end(graph, duration)], graph.followers(activity)
    while left:
        follower = left.pop()
        if follower in graph.meetings:
            left += graph.followers(follower)
        else:
            nexts.append(times[follower][0])
    return min(nexts) - times[activity][1]
