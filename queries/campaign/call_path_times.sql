-- Exclusive time per process of call paths with a sufficient share of the total time.
--
-- Grain:      one row per application, call path and configuration with time
-- Inputs:     representative_runs, counted_call_paths, run_totals, campaign_call_paths
-- Output:     call_path_times
-- Parameters: $least_share    a call path must reach this share of the time of all locations in
--                             some configuration (DOUBLE, default 0.01)
--             $min_processes  communication counts only in runs with at least this number of
--                             processes (BIGINT, default 2)
-- Source:     models of call paths use means per process (Calotoiu and others, 2013)
-- Assumes:    communication of a single process does not wait, so it does not follow the scaling of
--             larger runs; processes that do not visit a call path count in its mean
WITH
    -- The median over repetitions.
    typical AS (
        SELECT
            runs.application,
            costs.call_path_key,
            runs.processes,
            runs.size,
            median(costs.exclusive_ns / runs.processes) AS time_per_process_ns,
            median(costs.exclusive_ns / totals.location_ns) AS share_ratio,
            count(*) - 1 AS freedom,
            freedom * pow(stddev_samp(costs.exclusive_ns) / avg(costs.exclusive_ns), 2)
                AS deviation
        FROM counted_call_paths AS costs
        INNER JOIN representative_runs AS runs USING (campaign_run_id)
        INNER JOIN run_totals AS totals USING (campaign_run_id)
        INNER JOIN campaign_call_paths AS paths USING (call_path_key)
        WHERE
            costs.exclusive_ns > 0
            AND totals.location_ns > 0
            AND (paths.operation IS NULL OR runs.processes >= $min_processes::BIGINT)
        GROUP BY runs.application, costs.call_path_key, runs.processes, runs.size
    )

SELECT
    application,
    call_path_key,
    processes,
    size,
    time_per_process_ns,
    max(share_ratio) OVER configurations AS largest_share_ratio,
    sqrt(sum(deviation) OVER configurations / nullif(sum(freedom) OVER configurations, 0))
        AS noise_ratio
FROM typical
WINDOW configurations AS (PARTITION BY application, call_path_key)
QUALIFY largest_share_ratio >= $least_share::DOUBLE
ORDER BY application, call_path_key, size, processes
