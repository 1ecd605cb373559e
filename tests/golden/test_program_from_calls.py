"""Described programs made from sequences of calls, by hand."""

import tomllib
from typing import Any

import pytest

from tests.helpers.recorded_calls import record
from tracemill.base.errors import ProgramError, UsageError
from tracemill.forecast.from_traces.computing import Given
from tracemill.forecast.from_traces.making import Options, program_from_recording


def phases_of(calls: dict[int, str], options: Options | None = None, **fields: Any) -> list[Any]:
    """Phases of the program of some calls."""
    text = program_from_recording(record(calls, **fields), options or Options())
    return list(tomllib.loads(text)["phase"])


def grid_of(calls: dict[int, str], **fields: Any) -> list[int]:
    """Its grid."""
    text = program_from_recording(record(calls, **fields), Options())
    return list(tomllib.loads(text)["grid"])


# --- A whole program -----------------------------------------------------------------------------

PROGRAM = """\
# Made from run made with 2 processes.
# One run does not show which computing is replicated: all parts are taken as shared
# evenly, except those of a single process (see --replicated and --part).
name = "made"
speed = 1
grid = [2]

[[phase]]
kind = "collective"
name = "MPI_Bcast"
operation = "bcast"
bytes = 4

[[phase]]
kind = "loop"
name = "iterations"
iterations = 3

  # main/solve: max/mean 1.20
  [[phase.phase]]
  kind = "parallel"
  name = "solve"
  time_ns = 1_000

  [[phase.phase]]
  kind = "collective"
  name = "MPI_Allreduce"
  operation = "allreduce"
  bytes = 8

# main/output: max/mean 2.00; computed by a single process
[[phase]]
kind = "serial"
name = "output"
time_ns = 900
on = "first"
"""


def test_collectives_and_computing_become_a_program() -> None:
    # solve: 400 and 600 ns, of all processes 1000; its longest over its mean is 600 / 500.
    made = record(
        {
            0: "bcast 4, 3 * (solve 400, allreduce 8), output 900",
            1: "bcast 4, 3 * (solve 600, allreduce 8)",
        }
    )
    assert program_from_recording(made, Options()) == PROGRAM


# --- Parts ---------------------------------------------------------------------------------------


def test_times_of_iterations_are_their_mean() -> None:
    calls = "solve 100, barrier, solve 200, barrier, solve 600, barrier"
    (loop,) = phases_of({0: calls, 1: calls})
    # 2 processes compute 900 ns each in 3 iterations: 600 in each.
    assert loop["iterations"] == 3
    assert [phase.get("time_ns") for phase in loop["phase"]] == [600, None]


def test_what_a_single_process_computes_is_run_by_the_first() -> None:
    busy, idle = "3 * (work 700, barrier)", "3 * (barrier)"
    (loop,) = phases_of({0: idle, 1: busy, 2: idle})
    assert loop["phase"][0] == {
        "kind": "serial", "name": "work", "time_ns": 700, "on": "first",
    }  # fmt: skip


def test_one_process_after_the_other_counts_with_the_longest() -> None:
    # Each time another process works alone: a mean over the processes would be a third.
    calls = {
        0: "work 600, barrier, barrier, barrier",
        1: "barrier, work 600, barrier, barrier",
        2: "barrier, barrier, work 600, barrier",
    }
    (loop,) = phases_of(calls)
    assert loop["phase"][0]["time_ns"] == 600
    assert loop["phase"][0]["on"] == "first"


def test_a_single_process_has_no_serial_parts() -> None:
    (part,) = phases_of({0: "solve 500"})
    assert part == {"kind": "parallel", "name": "solve", "time_ns": 500}


def test_what_only_the_first_iteration_computes_comes_before_the_loop() -> None:
    calls = "setup 900, 3 * (solve 300, barrier)"
    setup, loop = phases_of({0: calls, 1: calls})
    assert (setup["name"], setup["time_ns"]) == ("setup", 1800)
    assert [phase["name"] for phase in loop["phase"]] == ["solve", "MPI_Barrier"]
    assert loop["phase"][0]["time_ns"] == 600


def test_small_call_paths_are_left_out_together() -> None:
    calls = "small 4, solve 996, barrier"
    names = [phase["name"] for phase in phases_of({0: calls, 1: calls})]
    assert names == ["solve", "MPI_Barrier"]  # 0.4% of the computing
    calls = "small 8, tiny 8, solve 984, barrier"
    phases = phases_of({0: calls, 1: calls})
    # Each is below 1%, together they are 1.6%.
    assert [(phase["name"], phase.get("time_ns")) for phase in phases] == [
        ("other", 32), ("solve", 1968), ("MPI_Barrier", None),
    ]  # fmt: skip


def test_replicated_parts_are_run_by_all() -> None:
    calls = "solve 300, barrier"
    given = Given(replicated=("sol*",))
    part, _ = phases_of({0: calls, 1: calls}, Options(given=given))
    assert part == {"kind": "serial", "name": "solve", "time_ns": 300}


def test_expressions_replace_times() -> None:
    calls = "solve 300, rest 300, barrier"
    given = Given(parts={"main/solve": "600 / p + 5"})
    solve, rest, _ = phases_of({0: calls, 1: calls}, Options(given=given))
    assert solve == {"kind": "serial", "name": "solve", "time_ns": "600 / p + 5"}
    assert rest["kind"] == "parallel"


def test_a_pattern_must_fit_a_call_path() -> None:
    with pytest.raises(UsageError, match=r"--replicated solv: .*did you mean main/solve\?"):
        phases_of({0: "solve 1, barrier"}, Options(given=Given(replicated=("solv",))))


def test_an_expression_with_an_unknown_name_names_the_phase() -> None:
    options = Options(given=Given(parts={"solve": "n / p"}))
    with pytest.raises(ProgramError, match=r"phase 1 \(serial\): time_ns: .*no n"):
        phases_of({0: "solve 1, barrier", 1: "solve 1, barrier"}, options)


# --- Loops ---------------------------------------------------------------------------------------


def test_loops_are_nested() -> None:
    inner = ", ".join(["solve 10", "allreduce 8"] * 4)
    calls = ", ".join([f"{inner}, barrier"] * 3)
    (outer,) = phases_of({0: calls, 1: calls})
    loop, barrier = outer["phase"]
    assert (outer["iterations"], loop["iterations"], barrier["name"]) == (3, 4, "MPI_Barrier")
    assert [phase["name"] for phase in loop["phase"]] == ["solve", "MPI_Allreduce"]
    assert loop["phase"][0]["time_ns"] == 20


def test_two_repetitions_are_no_loop() -> None:
    calls = "2 * (allreduce 8, barrier)"
    kinds = [phase["kind"] for phase in phases_of({0: calls, 1: calls})]
    assert kinds == ["collective"] * 4


def test_loops_of_varying_length_have_their_mean() -> None:
    # 3, 5 and 7 steps: 5 in the mean; 15 steps of 10 ns, each of both processes.
    parts = [f"{count} * (solve 10, allreduce 8), barrier" for count in (3, 5, 7)]
    calls = ", ".join(parts)
    (outer,) = phases_of({0: calls, 1: calls})
    loop, _ = outer["phase"]
    assert (outer["iterations"], loop["iterations"]) == (3, 5)
    assert loop["phase"][0]["time_ns"] == 20


# --- Messages ------------------------------------------------------------------------------------


def test_messages_become_offsets_of_the_most_compact_grid() -> None:
    # 0 1   Each process sends to its neighbor in its row and in its column.
    # 2 3
    neighbors = {0: (1, 2), 1: (0, 3), 2: (3, 0), 3: (2, 1)}
    calls = {
        rank: f"solve 500, isend {a} 80, isend {b} 80, irecv {a}, irecv {b}, waitall"
        for rank, (a, b) in neighbors.items()
    }
    assert grid_of(calls) == [2, 2]
    assert phases_of(calls)[1] == {
        "kind": "neighbours", "name": "exchange",
        "offsets": [[-1, 0], [0, -1], [0, 1], [1, 0]], "bytes": 80,
    }  # fmt: skip


def test_sizes_that_differ_by_offset_are_operations_of_their_own() -> None:
    neighbors = {0: (1, 2), 1: (0, 3), 2: (3, 0), 3: (2, 1)}
    calls = {
        rank: f"isend {a} 80, isend {b} 800, irecv {a}, irecv {b}, waitall, solve 100"
        for rank, (a, b) in neighbors.items()
    }
    first, second, wait, _ = phases_of(calls)
    assert (first["offsets"], first["bytes"]) == ([[-1, 0], [1, 0]], 800)
    assert (second["offsets"], second["bytes"]) == ([[0, -1], [0, 1]], 80)
    assert first["nonblocking"]
    assert "nonblocking" not in second
    assert wait == {"kind": "wait", "for": "exchange"}


def test_a_ring_is_periodic() -> None:
    calls = {
        rank: f"isend {(rank + 1) % 5} 80, irecv {(rank - 1) % 5}, waitall" for rank in range(5)
    }
    (ring,) = phases_of(calls)
    assert (ring["offsets"], ring["periodic"]) == ([[1]], True)


def test_messages_both_ways_round_two_processes_are_periodic() -> None:
    # 0 1   Two messages along the row of two, one along the column of three.
    # 2 3
    # 4 5
    calls = {}
    for rank in range(6):
        column = [each for each in (rank - 2, rank + 2) if 0 <= each < 6]
        partners = [rank ^ 1, rank ^ 1, *column]
        starts = [f"isend {each} 80, irecv {each}" for each in partners]
        calls[rank] = f"{', '.join(starts)}, waitall"
    assert grid_of(calls) == [3, 2]
    row, column, _ = phases_of(calls)
    assert (row["offsets"], row["periodic"]) == ([[0, -1], [0, 1]], True)
    assert (column["offsets"], column["bytes"]) == ([[-1, 0], [1, 0]], 80)
    assert "periodic" not in column


def test_rounds_of_messages_are_reported_apart() -> None:
    calls = {0: "3 * (solve 100, send 1 80)", 1: "3 * (solve 100, recv 0)"}
    (loop,) = phases_of(calls)
    assert (loop["iterations"], loop["phase"][1]["bytes"]) == (3, 80)


def test_computing_between_start_and_wait_makes_messages_non_blocking() -> None:
    calls = {
        rank: f"3 * (isend {1 - rank} 80, irecv {1 - rank}, inner 500, waitall, rim 100)"
        for rank in range(2)
    }
    (loop,) = phases_of(calls)
    start, inner, wait, rim = loop["phase"]
    assert start["nonblocking"]
    assert wait == {"kind": "wait", "for": "exchange"}
    assert [inner["name"], rim["name"]] == ["inner", "rim"]


def test_a_recorded_grid_counts() -> None:
    calls = dict.fromkeys(range(6), "solve 10, barrier")
    assert grid_of(calls) == [6]
    assert grid_of(calls, grids=((2, 3),)) == [2, 3]


def test_files_are_read_and_written() -> None:
    calls = {0: "read 100, write 64, solve 10", 1: "write 64, solve 10"}
    read, write, _ = phases_of(calls)
    assert (read["operation"], read["bytes"], read["mode"]) == ("read", 100, "one")
    assert (write["operation"], write["bytes"], write["mode"]) == ("write", 64, "each")


# --- Wavefronts ----------------------------------------------------------------------------------


def test_computing_between_receiving_and_sending_is_pipelined() -> None:
    calls = {
        0: "4 * (work 100, send 1 80)",
        1: "4 * (recv 0, work 100, send 2 80)",
        2: "4 * (recv 1, work 100)",
    }
    text = program_from_recording(record(calls), Options())
    program = tomllib.loads(text)
    # 4 steps of 100 ns on 3 processes; an edge has 10 elements of 8 bytes in each step.
    (array,) = program["array"]
    assert (array["extent"], array["element_bytes"]) == ([55_440, 10, 4], 8)
    assert array["distribution"] == ["block", "whole", "whole"]
    assert program["phase"] == [
        {
            "kind": "pipelined", "name": "work", "array": "wavefront", "time_ns": 1200,
            "width": [[1, 0], [0, 0], [0, 0]], "along": 2, "quantum": 1,
        }
    ]  # fmt: skip


def test_wavefronts_cross_grids() -> None:
    # 0 1   Edges have 80 bytes down and 160 bytes to the right; then all goes back.
    # 2 3
    there = {
        0: "work 100, send 2 80 in blts, send 1 160 in blts",
        1: "recv 0, work 100, send 3 80 in blts",
        2: "recv 0, work 100, send 3 160 in blts",
        3: "recv 1, recv 2, work 100",
    }
    back = {
        0: "recv 2, recv 1, back 200",
        1: "recv 3, back 200, send 0 160 in buts",
        2: "recv 3, back 200, send 0 80 in buts",
        3: "back 200, send 1 80 in buts, send 2 160 in buts",
    }
    calls = {rank: f"3 * ({there[rank]}), 3 * ({back[rank]})" for rank in range(4)}
    program = tomllib.loads(program_from_recording(record(calls), Options()))
    # An edge down is half a row of 20 elements, one to the right half a column of 40.
    (array,) = program["array"]
    assert (program["grid"], array["extent"]) == ([2, 2], [40, 20, 3])
    down, up = program["phase"]
    assert (down["width"], up["width"]) == (
        [[1, 0], [1, 0], [0, 0]], [[0, 1], [0, 1], [0, 0]],
    )  # fmt: skip
    assert down["time_ns"] + up["time_ns"] == 12 * 100 + 12 * 200


def test_messages_in_one_direction_alone_are_no_wavefront() -> None:
    # All compute first, then send.
    calls = {
        0: "4 * (work 100, send 1 80)",
        1: "4 * (work 100, send 2 80, recv 0)",
        2: "4 * (work 100, recv 1)",
    }
    (loop,) = phases_of(calls)
    assert [phase["kind"] for phase in loop["phase"]] == ["parallel", "neighbours"]


def test_messages_both_ways_are_no_wavefront() -> None:
    # First all edges to the right, then, after packing, all to the left.
    calls = {
        0: "4 * (work 100, send 1 80, pack 50, recv 1)",
        1: "4 * (work 100, recv 0, send 2 80, pack 50, recv 2, send 0 80)",
        2: "4 * (work 100, recv 1, pack 50, send 1 80)",
    }
    (loop,) = phases_of(calls)
    kinds = [phase["kind"] for phase in loop["phase"]]
    assert kinds == ["parallel", "neighbours", "parallel"]


# --- Refusals ------------------------------------------------------------------------------------


def test_irregular_messages_need_a_replay() -> None:
    calls = {0: "recv 1, recv 2", 1: "send 0 8", 2: "send 0 8"}
    with pytest.raises(ProgramError, match=r"MPI_Send are irregular.*3 processes \(rank 1 sends to"
                       r" 0\): replay"):  # fmt: skip
        phases_of(calls)


def test_a_grid_that_messages_do_not_fit_is_refused() -> None:
    calls = {0: "send 1 8", 1: "recv 0", 2: "send 3 8", 3: "recv 2"}
    assert grid_of(calls) == [2, 2]
    with pytest.raises(ProgramError, match="irregular on a grid of 4: rank 0 sends to 1"):
        phases_of(calls, Options(grid=(4,)))
    with pytest.raises(ProgramError, match=r"--grid 3x2: 6 processes, but made has 4"):
        phases_of(calls, Options(grid=(3, 2)))


def test_contradicting_sequences_name_ranks_and_calls() -> None:
    # Both send before the collective, and receive after it.
    calls = {0: "send 1 8 in first, barrier, recv 1", 1: "send 0 8 in second, barrier, recv 0"}
    message = (
        r"made: the calls of the processes do not fit into one sequence: rank 0 is in .*first.* "
        r"while rank 1 is in .*second.*: replay"
    )
    with pytest.raises(ProgramError, match=message):
        phases_of(calls)
