-- The main part of the run: from the end of MPI setup to the first MPI_Finalize.
--
-- It begins when the last process leaves MPI_Init, and ends when the first process enters
-- MPI_Finalize. Without these calls, or if they overlap, it is the whole run.
--
-- Grain:      one row
-- Inputs:     runs, visits, mpi_call_paths
-- Output:     main_part
-- Parameters: $is_setup_included  take the whole run (BOOLEAN, default false)
-- Source:     POP and Vetter and McCracken 2001 leave MPI_Init and MPI_Finalize out
-- Assumes:    nothing
WITH
    setups AS (
        SELECT
            max(visits.leave_ns) FILTER (WHERE NOT paths.is_finalize) AS begin_ns,
            min(visits.enter_ns) FILTER (WHERE paths.is_finalize) AS end_ns
        FROM visits
        INNER JOIN (
            SELECT
                call_path_id,
                call = 'mpi_finalize' AS is_finalize
            FROM mpi_call_paths
            WHERE is_setup
        ) AS paths USING (call_path_id)
        WHERE NOT $is_setup_included::BOOLEAN
    ),

    limits AS (
        SELECT
            runs.begin_ns,
            runs.end_ns,
            coalesce(setups.begin_ns, runs.begin_ns) AS main_begin_ns,
            coalesce(setups.end_ns, runs.end_ns) AS main_end_ns
        FROM runs
        CROSS JOIN setups
    )

SELECT
    if(main_end_ns > main_begin_ns, main_begin_ns, begin_ns) AS begin_ns,
    if(main_end_ns > main_begin_ns, main_end_ns, end_ns) AS end_ns
FROM limits
ORDER BY begin_ns
