-- MPI calls of a run that a described program cannot have, or that have no records of what they do.
--
-- Grain:      one row per call path of such a call
-- Inputs:     call_paths, call_tree, mpi_calls, mpi_operations, io_operations
-- Output:     calls of a program
-- Parameters: none
-- Assumes:    nothing
WITH
    recorded AS (
        SELECT call_path_id FROM mpi_operations
        UNION
        SELECT call_path_id FROM io_operations
    )

SELECT
    call_paths.path,
    coalesce(mpi_calls.one_sided_role NOT IN ('create', 'free'), FALSE) AS is_one_sided,
    sum(call_tree.exclusive_ns)::BIGINT AS time_ns
FROM call_paths
INNER JOIN mpi_calls USING (region_id)
INNER JOIN call_tree USING (call_path_id)
WHERE
    mpi_calls.one_sided_role NOT IN ('create', 'free')
    OR (
        regexp_matches(
            mpi_calls.call,
            '^mpi_(i?(barrier|bcast|reduce|all|gather|scatter|scan|exscan)|file_(read|write))'
        )
        AND mpi_calls.call <> 'mpi_alloc_mem'
        AND call_paths.call_path_id NOT IN (
            SELECT recorded.call_path_id FROM recorded WHERE recorded.call_path_id IS NOT NULL
        )
    )
GROUP BY ALL
ORDER BY is_one_sided DESC, time_ns DESC, call_paths.path
