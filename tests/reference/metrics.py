"""Which metrics are compared with the reference results."""

DERIVED = frozenset(("critical_path_imbalance",))
"""Not in the reference's results, but in what it derives from them, where that is at hand."""

ON_CRITICAL_PATH = DERIVED | frozenset(
    (
        "critical_path",
        "critical_path_activities",
        "non_critical_path_activities",
        "critical_imbalance_impact",
        "inter_partition_imbalance",
    )
)
"""Compared where there is a critical path: through suspended tasks none is followed."""

DELAYS = frozenset(
    (
        *(
            f"delay_{kind}{term}"
            for kind in (
                "latesender", "latereceiver", "barrier", "n2n", "12n", "n21", "ompbarrier",
                "ompidle",
            )
            for term in ("", "_longterm")
        ),
        "mpi_wait_indirect_latesender",
        "mpi_wait_indirect_latereceiver",
        "mpi_wait_propagating_ls",
        "mpi_wait_propagating_lr",
    )
)  # fmt: skip
"""Causes of waiting; compared within the same tolerance as times."""

TIMES = (
    ON_CRITICAL_PATH
    | DELAYS
    | frozenset(
        (
            "time",
            "mpi_latesender",
            "mpi_latesender_wo",
            "mpi_lswo_same",
            "mpi_lswo_different",
            "mpi_latereceiver",
            "mpi_barrier_wait",
            "mpi_barrier_completion",
            "mpi_wait_nxn",
            "mpi_nxn_completion",
            "mpi_latebroadcast",
            "mpi_earlyreduce",
            "mpi_earlyscan",
            "mpi_init_completion",
            "mpi_finalize_wait",
            "omp_ebarrier_wait",
            "omp_ibarrier_wait",
            "omp_lock_contention_critical",
            "omp_lock_contention_api",
            "pthread_lock_contention_mutex_lock",
            "pthread_lock_contention_conditional",
            "omp_management",
            "omp_fork",
        )
    )
)
"""Compared within a tolerance; the product's and the reference's clocks round differently."""

COUNTS = frozenset(
    (
        "visits",
        "bytes_sent",
        "bytes_rcvd",
        "comms_send",
        "comms_recv",
        "syncs_send",
        "syncs_recv",
        "mpi_sls_count",
        "mpi_slswo_count",
        "mpi_slr_count",
        "mpi_cls_count",
        "mpi_clswo_count",
        "mpi_clr_count",
        "bytes_cout",
        "bytes_cin",
        "comms_cxch",
        "comms_csrc",
        "comms_cdst",
        "syncs_coll",
    )
)
"""Bytes and occurrences: compared exactly."""

COMPARED = TIMES | COUNTS

CORRECTED = COMPARED - DERIVED
"""Compared where clocks are corrected; what the reference derives is not at hand there.

Jumps of clocks pass on what rounding changes. A message arrives at 0.4 ns, the next one is sent at
100.6 ns: 100.2 ns become 101. If each message takes less than the least time, each one jumps, and
after ten such hops records are 8 ns late. The reference does not round; see unresolved_cells.csv.
"""
