-- Does the wait time grow with the number of processes?
--
-- Grain:      one row per run with call paths
-- Inputs:     campaign_runs, run_totals
-- Output:     answer
-- Parameters: none
SELECT
    campaign_runs.application,
    campaign_runs.size,
    campaign_runs.processes,
    campaign_runs.repetition,
    run_totals.wait_ns / 1e9 AS wait_seconds,
    run_totals.wait_ns / nullif(run_totals.location_ns, 0) AS wait_ratio
FROM run_totals
INNER JOIN campaign_runs USING (campaign_run_id)
ORDER BY
    campaign_runs.application, campaign_runs.size, campaign_runs.processes,
    campaign_runs.repetition, campaign_runs.campaign_run_id
