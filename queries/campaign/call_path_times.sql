-- Exclusive time per process of the call paths that take a large enough share of it.
--
-- Grain:      one row per application, call path and configuration in which it takes time
-- Inputs:     representative_runs, run_call_paths, campaign_call_paths, campaign_settings
-- Output:     call_path_times
-- Parameters: $least_share  least share of the exclusive time of a configuration that a call path
--                           must reach somewhere (DOUBLE, default 0.01)
-- Source:     means per process are what models of call paths are made of (Calotoiu and others,
--             2013)
-- Assumes:    processes that do not visit a call path count in its mean
WITH
    spent AS (
        SELECT
            runs.campaign_run_id,
            runs.application,
            runs.processes,
            runs.size,
            costs.call_path_key,
            costs.exclusive_ns
        FROM run_call_paths AS costs
        INNER JOIN representative_runs AS runs USING (campaign_run_id)
        INNER JOIN campaign_call_paths AS paths USING (call_path_key)
        INNER JOIN campaign_settings AS settings USING (application)
        WHERE settings.is_setup_included OR NOT paths.is_setup
    ),

    totals AS (
        SELECT
            campaign_run_id,
            sum(exclusive_ns) AS total_ns
        FROM spent
        GROUP BY campaign_run_id
    ),

    -- Repetitions give a median.
    typical AS (
        SELECT
            spent.application,
            spent.call_path_key,
            spent.processes,
            spent.size,
            median(spent.exclusive_ns / spent.processes) AS time_per_process_ns,
            median(spent.exclusive_ns / totals.total_ns) AS share_ratio
        FROM spent
        INNER JOIN totals USING (campaign_run_id)
        WHERE spent.exclusive_ns > 0
        GROUP BY spent.application, spent.call_path_key, spent.processes, spent.size
    )

SELECT
    application,
    call_path_key,
    processes,
    size,
    time_per_process_ns,
    max(share_ratio) OVER (PARTITION BY application, call_path_key) AS largest_share_ratio
FROM typical
QUALIFY largest_share_ratio >= $least_share::DOUBLE
ORDER BY application, call_path_key, size, processes
