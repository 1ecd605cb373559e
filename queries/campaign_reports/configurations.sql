-- Configurations of a campaign, with their number of runs, and the spread and noise of
-- their times.
--
-- Grain:      one row per application, processes, threads, size and other parameters
-- Inputs:     campaign_runs
-- Output:     campaign report section runs
-- Parameters: $row_limit  maximum number of configurations (BIGINT)
-- Assumes:    nothing
SELECT
    application,
    processes,
    threads,
    size,
    variant,
    count(*) FILTER (WHERE state = 'measured') AS run_count,
    count(*) FILTER (WHERE state <> 'measured') AS failed_count,
    min(time_ns) AS best_ns,
    median(time_ns)::BIGINT AS median_ns,
    max(time_ns) AS longest_ns,
    (max(time_ns) - min(time_ns)) / nullif(median(time_ns), 0) AS spread_ratio,
    stddev_samp(time_ns) / nullif(avg(time_ns), 0) AS noise_ratio
FROM campaign_runs
GROUP BY application, processes, threads, size, variant
ORDER BY application, size, processes, threads, variant
LIMIT $row_limit::BIGINT
