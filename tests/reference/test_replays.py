"""Replays of recorded traces: figures that an independent implementation found."""

import pytest

from tests.reference.recorded import SHARED, analyzed, rows_of
from tests.reference.replaying import (
    gain_of,
    graph_of,
    shown_paths,
    sizes_of,
    waits_of,
    wrong_replays,
)

# Damaged.
LEFT_OUT = frozenset({"x01_truncated_evt"})
TRACES = sorted(path.name for path in (SHARED / "traces").glob("*/") if path.name not in LEFT_OUT)
# Calls of MPI_Test are no wait states, buffered and ready sends have no dependency, tasks run in
# barriers, waits for conditions begin when the mutex is released, and clocks of r_x5_coll
# contradict each other.
DIFFERENT = frozenset(
    {"e01_ls_exact", "r_x3_modes", "m31_omp_tasks", "m32_pthread_mutex", "r_y2_pthread"}
    | {"r_x5_coll"}
)
# Messages that arrive before they are sent.
CONTRADICTING = frozenset({"l01_lulesh_8", "n_lu_W_4", "n_mg_S_8"})


@pytest.mark.parametrize("trace", TRACES)
def test_an_unchanged_replay_is_the_recorded_run(trace: str) -> None:
    assert list(wrong_replays(analyzed(f"traces/{trace}"))) == []


@pytest.mark.parametrize("trace", sorted({*TRACES} - DIFFERENT - CONTRADICTING))
def test_waits_of_the_graph_are_the_wait_states(trace: str) -> None:
    for family, (ours, theirs) in waits_of(analyzed(f"traces/{trace}")).items():
        assert ours == theirs, family


@pytest.mark.parametrize(
    ("trace", "family", "wait_ns"),
    [
        ("m07_late_recv_rndv", "late receiver", 899_372_396),
        ("m09_barrier", "barrier", 300_262_198),
        ("m11_late_bcast", "one to n", 601_403_060),
        ("m12_early_reduce", "n to one", 152_314_304),
        ("m13_early_scan", "scan", 450_798_133),
        ("m24_halo2d", "late sender", 518_806_276),
        ("m24_halo2d", "n to n", 189_818_773),
        ("m27_omp_barrier", "team barrier", 752_445_274),
        ("m28_omp_critical", "lock", 794_839_051),
        ("z01_otf2v3_nbc_rma", "n to n", 1_500_000),
        ("z01_otf2v3_nbc_rma", "fence", 3_000_000),
        ("e03_lr_exact", "late receiver", 6_900_000),
        ("l01_lulesh_8", "late receiver", 2_777_085_139),
    ],
)
def test_waits_of_recorded_traces(trace: str, family: str, wait_ns: int) -> None:
    assert waits_of(analyzed(f"traces/{trace}"))[family][0] == wait_ns


def test_contradicting_messages_are_left_out_and_counted() -> None:
    run = analyzed("traces/l01_lulesh_8")
    ours, theirs = waits_of(run)["late sender"]
    assert theirs - ours == 746_314
    assert rows_of(run, "SELECT kind::VARCHAR, count FROM left_out_dependencies") == [
        ("message", 2)
    ]


@pytest.mark.parametrize(
    ("trace", "proved", "limit"),
    [
        ("m07_late_recv_rndv", None, 4_194_304),
        ("n_cg_S_4", 16, 5_600),
        ("n_lu_S_4", 200, 5_760),
        ("l01_lulesh_8", 2_352, None),
    ],
)
def test_sizes_from_which_sends_wait(trace: str, proved: int | None, limit: int | None) -> None:
    run = analyzed(f"traces/{trace}")
    found = rows_of(run, "SELECT proved_bytes, limit_bytes FROM send_limits")
    assert [(limit if proved is None else found[0][0], found[0][1])] == [
        (limit if proved is None else proved, limit)
    ]


# The text counts one record fewer for each team of o_cg_S_t4: the master's begin, at its fork.
@pytest.mark.parametrize(
    ("trace", "records", "ratio"),
    [
        ("l01_lulesh_8", 67_106, 0.31),
        ("n_lu_S_4", 92_414, 0.21),
        ("n_cg_S_4", 60_730, 0.55),
        ("n_mg_S_8", 64_578, 0.26),
        ("o_cg_S_t4", 32_254, 0.59),
    ],
)
def test_graphs_are_smaller_than_traces(trace: str, records: int, ratio: float) -> None:
    activities, dependencies = sizes_of(analyzed(f"traces/{trace}"))
    assert activities / records == pytest.approx(ratio, abs=0.01)
    assert dependencies < activities


# Rank 0 waits at the same time; nothing hides behind the delay of m23_delay_chain.
@pytest.mark.parametrize(
    ("trace", "path", "path_us", "gain_us"),
    [
        ("m07_late_recv_rndv", "main/MPI_Recv", 17_602, 11_028),
        ("m23_delay_chain", "main/extra%", 160_457, 160_457),
    ],
)
def test_gains_beside_times_on_the_critical_path(
    trace: str, path: str, path_us: int, gain_us: int
) -> None:
    query = f"""
        SELECT round(sum(path_ns) / 1000)::INTEGER, round(sum(gain_ns) / 1000)::INTEGER
        FROM gains INNER JOIN call_paths USING (call_path_id)
        WHERE gains.kind = 'call path' AND path LIKE '{path}'
    """
    assert rows_of(analyzed(f"traces/{trace}"), query) == [(path_us, gain_us)]


def test_a_rank_has_far_more_on_the_path_than_it_would_gain() -> None:
    with graph_of(analyzed("traces/m07_late_recv_rndv")) as graph:
        found = graph.scaled.found
        (critical,) = shown_paths(graph, 1)
        is_there = found.graph.location[critical.activities] == 1
        assert round(int(found.duration[critical.activities][is_there].sum()) / 1000) == 518_680


@pytest.mark.parametrize(
    ("trace", "scales", "gain_us"),
    [
        ("m09_barrier", "rank:3=0", 49_998),
        ("m09_barrier", "rank:3=0.5", 49_994),
        ("m09_barrier", "rank:0=0", 0),
        ("m27_omp_barrier", "own:work=0.5", 226_484),
        ("m07_late_recv_rndv", "MPI_Recv=0", 11_028),
        ("m07_late_recv_rndv", "rank:1=0", 4_549),
        ("m23_delay_chain", "extra=0", 160_457),
        ("m24_halo2d", "rank:0=0.5", 86_637),
        ("m24_halo2d", "rank:0=0", 86_639),
        ("m24_halo2d", "computation=0.5", 102_565),
    ],
)
def test_gains_of_recorded_traces(trace: str, scales: str, gain_us: int) -> None:
    with graph_of(analyzed(f"traces/{trace}")) as graph:
        assert round(gain_of(graph, scales) / 1000) == gain_us


def test_both_parallel_regions_bring_almost_their_time_on_the_path() -> None:
    run = analyzed("traces/m27_omp_barrier")
    query = """
        SELECT path_ns // 1000, round(gain_ns / 1000)::INTEGER
        FROM gains INNER JOIN call_paths USING (call_path_id)
        WHERE path LIKE '%parallel%/work'
        ORDER BY path_ns DESC
    """
    assert rows_of(run, query) == [(202_046, 201_988), (200_771, 200_744)]


@pytest.mark.parametrize("thread", range(4))
def test_least_slack_of_the_first_parallel_work(thread: int) -> None:
    expected = (29_929, 19_979, 9_991, 0)
    with graph_of(analyzed("traces/m27_omp_barrier")) as graph:
        found = graph.scaled.found
        location = found.location_ids.tolist().index(thread)
        names = dict(enumerate(graph.call_paths))
        slack = [
            int(graph.total_slack[found.row_activity[row]])
            for row in range(len(found.row_time))
            if found.graph.location[found.row_activity[row]] == location
            and names.get(int(found.row_path[row]), "").endswith("omp_barrier.c:10/work")
        ]
    assert len(slack) == 5
    assert round(min(slack) / 1000) == expected[thread]


@pytest.mark.parametrize(
    ("trace", "run_ns", "ideal_ns", "efficiencies"),
    [
        ("m01_late_sender", 250_865_383, 250_687_044, (0.499554, 0.499933, 0.999953, 0.999289)),
        ("m18_master_worker", 195_118_752, 192_742_173, (0.643309, 0.833400, 0.781427, 0.987820)),
        ("m23_delay_chain", 485_479_814, 484_030_062, (0.304909, 0.525028, 0.582487, 0.997014)),
        ("m24_halo2d", 229_981_476, 207_602_963, (0.511711, 0.573744, 0.988020, 0.902694)),
        ("sB_model_p8_n400_r1", 231_511_066, 225_811_882,
         (0.401588, 0.529857, 0.777045, 0.975383)),
        ("m29_hybrid", 355_302_475, 354_791_105, (0.337742, 0.580900, 0.999977, 0.998561)),
    ],
)  # fmt: skip
def test_efficiencies_of_recorded_traces(
    trace: str, run_ns: int, ideal_ns: int, efficiencies: tuple[float, ...]
) -> None:
    found = _efficiencies(trace, "init to finalize")
    assert (found["run_time"], found["ideal_run_time"]) == (run_ns, ideal_ns)
    names = (
        "parallel_efficiency", "load_balance", "serialization_efficiency", "transfer_efficiency",
    )  # fmt: skip
    assert tuple(round(found[name], 6) for name in names) == efficiencies


@pytest.mark.parametrize(
    ("trace", "interval", "efficiencies"),
    [
        ("m29_hybrid", "init to finalize", (0.582263, 0.837171, 0.704613, 0.987085)),
        ("m27_omp_barrier", "whole", (0.499055, 0.917466, 0.550411, 0.988260)),
    ],
)
def test_efficiencies_of_threads(
    trace: str, interval: str, efficiencies: tuple[float, ...]
) -> None:
    found = _efficiencies(trace, interval)
    names = [
        "openmp_efficiency",
        "openmp_serialization",
        "openmp_load_balance",
        "openmp_scheduling",
    ]
    assert tuple(round(found[name], 6) for name in names) == efficiencies
    mpi = {"m29_hybrid": 0.580051, "m27_omp_barrier": 1.0}[trace]
    assert round(found["mpi_efficiency"], 6) == mpi


def _efficiencies(trace: str, interval: str) -> dict[str, float]:
    run = analyzed(f"traces/{trace}")
    query = f"""
        SELECT metric, value FROM pop_metrics
        WHERE "interval" = '{interval}' AND convention IN ('times', 'multiplicative')
    """
    return dict(rows_of(run, query))


# A kernel is waited for from the enter of hipEventSynchronize on: 5,149,854,383 - 414,478,290 and
# 7,192,638,239 - 5,564,310,575. Half of the first kernel, which takes 4,735,383,814, is all gained.
@pytest.mark.parametrize(
    ("scales", "gain_ns"),
    [
        ("heavy_kernel=0", 4_735_376_093),
        ("light_kernel=0", 1_628_327_664),
        ("heavy_kernel=0.5", 2_367_691_907),
        ("heavy_kernel=0 light_kernel=0", 6_363_703_757),
        ("heavy_kernel=1.5", -2_367_691_907),
    ],
)
def test_gains_of_kernels_of_an_mi300a(scales: str, gain_ns: int) -> None:
    run = analyzed("foreign/fastotf2_mi300")
    assert list(wrong_replays(run)) == []
    assert waits_of(run)["device"] == (6_363_703_757, 6_363_703_757)
    with graph_of(run) as graph:
        assert gain_of(graph, scales) == gain_ns
