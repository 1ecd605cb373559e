-- The main loop: how it was found, and its time.
--
-- Grain:      one row if there is a loop
-- Inputs:     iteration_loop, iterations, call_paths, regions
-- Needs rows: iteration_loop
-- Output:     report section iterations
-- Parameters: none
-- Assumes:    nothing
WITH
    means AS (
        SELECT
            iteration,
            avg(time_ns) AS mean_ns,
            count(*) AS process_count
        FROM iterations
        GROUP BY iteration
    ),

    summed AS (
        SELECT
            avg(mean_ns) AS mean_ns,
            median(mean_ns) AS median_ns,
            mad(mean_ns) AS deviation_ns,
            any_value(process_count) AS process_count
        FROM means
    )

SELECT
    regions.name AS region,
    call_paths.path AS call_path,
    loops.is_run,
    loops.is_named,
    loops.iteration_count,
    summed.process_count,
    loops.similarity_ratio,
    loops.coverage_ratio,
    loops.dropped_before_count,
    loops.dropped_after_count,
    loops.before_ns,
    loops.after_ns,
    round(summed.mean_ns)::BIGINT AS mean_ns,
    round(summed.median_ns)::BIGINT AS median_ns,
    round(summed.deviation_ns)::BIGINT AS deviation_ns
FROM iteration_loop AS loops
INNER JOIN regions ON loops.region_id = regions.region_id
LEFT JOIN call_paths ON loops.call_path_id = call_paths.call_path_id
CROSS JOIN summed
ORDER BY regions.name
