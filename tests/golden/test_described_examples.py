"""Descriptions of programs and clusters, read and forecast: times computed by hand.

One channel joins eight cores: a transfer takes 10 ns and 1 ns per byte.
"""

from typing import Any

import pytest

from tracemill.forecast.simulation import simulate
from tracemill.programs.clusters.reading import parse_cluster
from tracemill.programs.language.data_program import DataProgram
from tracemill.programs.language.reading import parse_program

NODE = {"name": "node", "units": 8, "channel": [{"latency_ns": 10, "ns_per_byte": 1}]}
ROWS = {"extent": [4, 4], "element_bytes": 1, "distribution": ["block", "whole"]}
TWO_ARRAYS = [{"name": "A", **ROWS}, {"name": "B", **ROWS}]


def forecast(processes: int, *phases: dict[str, Any], **given: Any) -> list[int]:
    """When each process ends, on a line of processes (ns)."""
    cluster = parse_cluster({"level": [NODE], **given.pop("cluster", {})})
    program = parse_program({"grid": [processes], "phase": list(phases), **given})
    assert isinstance(program, DataProgram)
    return list(simulate(program.place(), cluster).intervals[0].own_ns)


def line(extent: int) -> list[dict[str, Any]]:
    """An array of elements of 10 bytes in blocks."""
    return [{"name": "A", "extent": [extent], "element_bytes": 10, "distribution": ["block"]}]


def test_speeds_of_programs_clusters_and_cores_count() -> None:
    """(100 + 100) ns of a machine twice as fast; core 2 at half speed takes twice as long."""
    halved = {"exception": [{"level": "core", "units": [2], "speed": 0.5}]}
    both = {"kind": "serial", "time_ns": 100}
    assert forecast(3, both, both, speed=2, cluster=halved) == [400, 400, 800]


def test_operations_count_per_second() -> None:
    """800 operations at 4 per ns."""
    part = {"kind": "parallel", "operations": 800}
    assert forecast(2, part, cluster={"operations_per_s": 4e9}) == [100, 100]


def test_blocks_edges_and_a_reduction() -> None:
    """Blocks of 4, 4 and 2 elements: 400, 400, 200 ns.

    Edges of 10 bytes: 2 to 1 [200, 220), 0 to 1 [400, 420), 1 to 0 [420, 440), 1 to 2 [440, 460).
    The reduction (18 ns): 1 to 0 [460, 478), 2 to 0 [478, 496), 0 to 1 [496, 514), 0 to 2 to 532.
    """
    loop = {"kind": "parallel", "array": "A", "iteration_ns": 100}
    edges = {"kind": "exchange", "arrays": ["A"]}
    assert forecast(3, loop, edges, array=line(10)) == [440, 420, 460]
    assert forecast(3, loop, edges, {"kind": "reduction"}, array=line(10)) == [532, 532, 532]


def test_edges_travel_while_processes_compute() -> None:
    """0 to 1 [0, 20), 1 to 0 [20, 40); computation ends at 25."""
    edges = {"kind": "exchange", "arrays": ["A"], "nonblocking": True}
    wait = {"kind": "wait", "for": "exchange"}
    part = {"kind": "serial", "time_ns": 25}
    assert forecast(2, edges, part, wait, array=line(4)) == [40, 25]


@pytest.mark.parametrize(
    ("phase", "ends"),
    [
        # Two elements of the row are missing on process 1.
        (
            {
                "kind": "copy", "from": "A", "to": "B",
                "from_section": [[0, 3], [1, 1]], "to_section": [[3, 3], [0, 3]],
            },
            [0, 12],
        ),
        # A transposition: four elements each way, one after the other.
        ({"kind": "copy", "from": "A", "to": "B", "order": [1, 0]}, [28, 14]),
        # Row 0 for all processes.
        ({"kind": "remote", "array": "A", "section": [[0, 0], [0, 3]], "by": "B"}, [0, 14]),
        # Everybody has the own part already.
        ({"kind": "remote", "array": "A", "section": ["own", [0, 3]], "by": "B"}, [0, 0]),
    ],
)  # fmt: skip
def test_sections_are_copied(phase: dict[str, Any], ends: list[int]) -> None:
    assert forecast(2, phase, array=TWO_ARRAYS) == ends


@pytest.mark.parametrize(
    ("fields", "ends"),
    [
        ({"operation": "write", "array": "A"}, [1110, 0]),  # 20 bytes to 0: 30; 1000 + 2 * 40
        ({"operation": "write", "array": "A", "mode": "each"}, [1040, 2080]),
        ({"operation": "read", "array": "A"}, [1080, 1110]),
        ({"operation": "read", "bytes": "4 * p"}, [1016, 1034]),
    ],
)
def test_files_are_accessed(fields: dict[str, Any], ends: list[int]) -> None:
    storage = {"storage": {"channel": [{"latency_ns": 1000, "ns_per_byte": 2}]}}
    assert forecast(2, {"kind": "io", **fields}, array=line(4), cluster=storage) == ends


@pytest.mark.parametrize(
    ("phase", "ends"),
    [
        ({"kind": "collective", "operation": "bcast", "bytes": 10}, [0, 20, 40]),
        ({"kind": "collective", "operation": "bcast", "bytes": 10, "root": "p - 1"}, [20, 40, 0]),
        ({"kind": "collective", "operation": "gather", "bytes": 10}, [40, 0, 0]),
        ({"kind": "collective", "operation": "alltoall", "bytes": 10}, [100, 120, 80]),
        # 0 to 1, 1 to 2, and 2 to 0 around the ring.
        ({"kind": "neighbours", "offsets": [1], "bytes": 10, "periodic": True}, [60, 20, 40]),
        ({"kind": "neighbours", "offsets": [1], "bytes": 10}, [0, 20, 40]),
    ],
)
def test_messages_share_a_channel(phase: dict[str, Any], ends: list[int]) -> None:
    assert forecast(3, phase) == ends


def test_a_branch_takes_a_mean_time() -> None:
    """0.25 * 400 ns of computation, and half a reduction of 40 ns."""
    serial = {"probability": 0.25, "phase": [{"kind": "serial", "time_ns": 400}]}
    reduction = {"probability": 0.5, "phase": [{"kind": "reduction", "bytes": 10}]}
    assert forecast(2, {"kind": "branch", "alternative": [serial, reduction]}) == [120, 120]


def test_a_quantum_is_chosen_or_given() -> None:
    """Four blocks of 1,600 ns pass edges of 40 bytes on, each step 10 ns longer than its edge.

    Steps of 10 columns: 400 + 20 ns later each. Chosen are 20 steps of 2 columns: 80 + 12.
    """
    loop = {
        "kind": "pipelined", "array": "A", "width": [[1, 0], [0, 0]], "time_ns": 6400,
    }  # fmt: skip
    array = [{**ROWS, "name": "A", "extent": [16, 40]}]
    many = {"level": [{**NODE, "channel": [{**NODE["channel"][0], "count": 100}]}]}
    given = {"array": array, "cluster": many}
    assert forecast(4, {**loop, "quantum": 10}, **given) == [1600, 2020, 2440, 2860]
    assert forecast(4, loop, **given) == [1600, 1692, 1784, 1876]
