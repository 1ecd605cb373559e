"""Which metrics are compared with the reference results."""

TIMES = frozenset(
    (
        "time",
        "mpi_latesender",
        "mpi_latesender_wo",
        "mpi_lswo_same",
        "mpi_lswo_different",
        "mpi_latereceiver",
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
    )
)
"""Bytes and occurrences: compared exactly."""

COMPARED = TIMES | COUNTS
