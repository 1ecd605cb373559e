-- Which MPI call a region is, and what completing a message in it means.
--
-- Names are reduced to the C binding in lower case: PMPI_Waitall, mpi_waitall_ (Fortran),
-- MPI_Waitall_f08 and MPI_Waitall_c are all mpi_waitall.
--
-- Grain:      one row per region that is an MPI call
-- Inputs:     regions
-- Output:     mpi_calls
-- Parameters: none
-- Source:     MPI 4.0, sections 2.6 and 19.1.5 (names of the bindings)
-- Assumes:    names start with MPI_ or PMPI_, in any case
WITH
    named AS (
        SELECT
            region_id,
            regexp_extract(
                lower(name), '^p?(mpi_[a-z0-9_]*?)(_c)?(_f08(ts)?)?_*$', 1
            ) AS call
        FROM regions
    )

SELECT
    region_id,
    call,
    call IN ('mpi_init', 'mpi_init_thread', 'mpi_finalize') AS is_setup,
    call IN ('mpi_test', 'mpi_testany', 'mpi_testall', 'mpi_testsome') AS is_test,
    call IN (
        'mpi_send', 'mpi_ssend', 'mpi_wait', 'mpi_waitany', 'mpi_waitall', 'mpi_waitsome'
    ) AS can_wait_for_receiver
FROM named
WHERE call <> ''
ORDER BY region_id
