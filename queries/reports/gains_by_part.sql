-- How much shorter the run would be without each call path, region, rank or class of overhead.
--
-- Grain:      one row per part with time on the critical path
-- Inputs:     gains, call_paths, regions, overhead_classes, mpi_calls, runs
-- Output:     report section gains
-- Parameters: $row_limit  rows of each kind, the largest gain first (BIGINT)
-- Assumes:    nothing
WITH
    -- Paths are long texts, so they are joined only to these few rows.
    largest AS (
        SELECT
            *,
            coalesce(call_path_id, region_id, rank, overhead_id) AS number
        FROM gains
        QUALIFY
            row_number() OVER (
                PARTITION BY kind ORDER BY gain_ns DESC NULLS LAST, path_ns DESC, number
            ) <= $row_limit::BIGINT
    )

SELECT
    largest.kind,
    coalesce(
        call_paths.path,
        regions.name,
        'rank ' || largest.rank,
        classes.overhead_subclass::VARCHAR
    ) AS part,
    largest.gain_ns,
    largest.gain_ns / nullif(runs.end_ns - runs.begin_ns, 0) AS gain_ratio,
    largest.path_ns,
    largest.run_ns,
    coalesce(mpi_calls.is_setup, FALSE) AS is_setup
FROM largest
CROSS JOIN runs
LEFT JOIN call_paths ON largest.call_path_id = call_paths.call_path_id
LEFT JOIN regions ON largest.region_id = regions.region_id
LEFT JOIN overhead_classes AS classes ON largest.overhead_id = classes.overhead_id
LEFT JOIN mpi_calls ON mpi_calls.region_id = coalesce(call_paths.region_id, largest.region_id)
ORDER BY largest.kind, largest.gain_ns DESC NULLS LAST, largest.path_ns DESC, largest.number
