-- Time of the call paths of a run, without MPI setup unless it is included.
--
-- Grain:      one row per run and call path that counts
-- Inputs:     run_call_paths, campaign_call_paths, campaign_runs, campaign_settings
-- Output:     counted_call_paths
-- Parameters: none
-- Source:     Vetter and McCracken 2001 leave MPI_Init and MPI_Finalize out of communication
-- Assumes:    every application has its settings
SELECT
    costs.campaign_run_id,
    costs.call_path_key,
    costs.exclusive_ns,
    costs.wait_ns,
    costs.critical_path_ns
FROM run_call_paths AS costs
INNER JOIN campaign_call_paths AS paths USING (call_path_key)
INNER JOIN campaign_runs USING (campaign_run_id)
INNER JOIN campaign_settings AS settings USING (application)
WHERE settings.is_setup_included OR NOT paths.is_setup
ORDER BY costs.campaign_run_id, costs.call_path_key
