-- How much shorter the run would be without each call path, region, rank or class of overhead.
--
-- Grain:      one row per part with time on the critical path
-- Inputs:     gains, call_paths, regions, overhead_classes, mpi_calls, runs
-- Output:     report section gains
-- Parameters: $row_limit  rows of each kind, the largest gain first (BIGINT)
-- Assumes:    nothing
WITH
    named AS (
        SELECT
            gains.kind,
            coalesce(
                call_paths.path,
                regions.name,
                'rank ' || gains.rank,
                classes.overhead_subclass::VARCHAR
            ) AS part,
            gains.path_ns,
            gains.gain_ns,
            gains.run_ns,
            gains.gain_ns / nullif(runs.end_ns - runs.begin_ns, 0) AS gain_ratio,
            coalesce(mpi_calls.is_setup, FALSE) AS is_setup,
            coalesce(call_paths.call_path_id, gains.region_id, gains.rank, gains.overhead_id)
                AS number
        FROM gains
        CROSS JOIN runs
        LEFT JOIN call_paths ON gains.call_path_id = call_paths.call_path_id
        LEFT JOIN regions ON gains.region_id = regions.region_id
        LEFT JOIN overhead_classes AS classes ON gains.overhead_id = classes.overhead_id
        LEFT JOIN mpi_calls
            ON mpi_calls.region_id = coalesce(call_paths.region_id, gains.region_id)
    )

SELECT
    kind,
    part,
    gain_ns,
    gain_ratio,
    path_ns,
    run_ns,
    is_setup
FROM named
QUALIFY
    row_number() OVER (
        PARTITION BY kind ORDER BY gain_ns DESC NULLS LAST, path_ns DESC, number
    ) <= $row_limit::BIGINT
ORDER BY kind, gain_ns DESC NULLS LAST, path_ns DESC, number
