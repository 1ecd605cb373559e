-- Calls that count as communication.
--
-- Grain:      one row per run, counted call path of communication, and calling process
-- Inputs:     call_site_tasks, campaign_call_paths, campaign_runs, campaign_settings
-- Output:     counted_calls
-- Parameters: none
-- Source:     Vetter and McCracken 2001: MPI_Init and MPI_Finalize are not communication
-- Assumes:    every application has its settings
SELECT
    calls.campaign_run_id,
    calls.call_path_key,
    calls.rank,
    coalesce(paths.operation, paths.region) AS operation,
    calls.call_count,
    calls.total_ns,
    calls.shortest_ns,
    calls.longest_ns
FROM call_site_tasks AS calls
INNER JOIN campaign_call_paths AS paths USING (call_path_key)
INNER JOIN campaign_runs USING (campaign_run_id)
INNER JOIN campaign_settings AS settings USING (application)
WHERE
    calls.call_count > 0
    AND (settings.is_setup_included OR NOT paths.is_setup)
ORDER BY calls.campaign_run_id, calls.call_path_key, calls.rank
