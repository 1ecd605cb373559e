-- Which call paths take a growing share of the time?
--
-- Grain:      one row per run and call path with exclusive time
-- Inputs:     campaign_runs, run_call_paths, campaign_call_paths
-- Output:     answer
-- Parameters: none
SELECT
    paths.call_path,
    runs.size,
    runs.processes,
    runs.repetition,
    times.exclusive_ns / 1e9 AS seconds,
    times.exclusive_ns / sum(times.exclusive_ns) OVER (PARTITION BY runs.campaign_run_id)
        AS time_ratio
FROM run_call_paths AS times
INNER JOIN campaign_runs AS runs USING (campaign_run_id)
INNER JOIN campaign_call_paths AS paths USING (call_path_key)
WHERE times.exclusive_ns > 0
ORDER BY paths.call_path, times.call_path_key, runs.size, runs.processes, runs.campaign_run_id
