"""Iterations of recorded traces: their number in the program, and times found independently."""

import pytest

from tests.reference.recorded import analyzed, rows_of

LOOP = """
    SELECT name, iteration_count, dropped_before_count + dropped_after_count
    FROM iteration_loop INNER JOIN regions USING (region_id)
"""
# What is left out, and the main part of all processes, minus the iterations in it.
REST = """
    SELECT
        (
            SELECT (end_ns - begin_ns) * (SELECT count(DISTINCT location_group_id) FROM iterations)
            FROM main_part
        )
        - (SELECT sum(time_ns) FROM iterations)
        - (SELECT before_ns + after_ns FROM iteration_loop)
"""


@pytest.mark.parametrize(
    ("trace", "head", "count", "dropped"),
    [
        ("l01_lulesh_8", "TimeIncrement(Domain&)", 40, 0),
        ("n_lu_S_4", "rhs_", 50, 1),
        ("n_lu_W_4", "rhs_", 300, 1),
        ("m24_halo2d", "stencil", 20, 0),
        ("sB_model_p1_n400_r1", "solve", 5, 0),
        ("sB_model_p8_n400_r1", "solve", 5, 0),
        ("sB_model_p16_n400_r1", "solve", 5, 0),
        ("m29_hybrid", "!$omp parallel @hybrid.c:9", 10, 0),
        ("m23_delay_chain", "work", 4, 0),
        ("m09_barrier", "work", 5, 0),
        ("n_mg_S_8", "mg3p_", 4, 1),
        ("n_cg_S_4", "conj_grad_", 16, 0),
        ("n_is_S_8", "rank", 11, 0),
        ("o_cg_S_t4", "conj_grad_", 15, 1),
    ],
)
def test_the_loop_is_that_of_the_program(trace: str, head: str, count: int, dropped: int) -> None:
    run = analyzed(f"traces/{trace}")
    assert rows_of(run, LOOP) == [(head, count, dropped)]
    assert rows_of(run, REST) == [(0,)]


def test_a_master_and_its_workers_have_no_loop() -> None:
    run = analyzed("traces/m18_master_worker")
    assert rows_of(run, LOOP) == []
    counts = """
        SELECT name, least_count, most_count, reason::VARCHAR
        FROM iteration_candidates INNER JOIN regions USING (region_id)
        ORDER BY name
    """
    assert rows_of(run, counts) == [
        ("MPI_Recv", 5, 24, "counts differ"),
        ("MPI_Send", 5, 24, "counts differ"),
        ("work", 4, 24, "counts differ"),
    ]


def test_the_first_iteration_of_the_stencil_takes_its_time() -> None:
    times = "SELECT avg(time_ns)::BIGINT, any_value(imbalance_ratio) FROM iterations WHERE {}"
    run = analyzed("traces/m24_halo2d")
    ((mean, ratio),) = rows_of(run, times.format("iteration = 0"))
    assert mean == 7_501_055
    assert ratio == pytest.approx(1.7025, abs=5e-5)
