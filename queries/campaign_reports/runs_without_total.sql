-- Runs with communication call sites but without a total time.
--
-- Grain:      one row per run
-- Inputs:     run_totals, campaign_runs
-- Output:     campaign report section growth
-- Parameters: $row_limit  maximum number of runs (BIGINT)
-- Assumes:    nothing
SELECT
    campaign_runs.application,
    campaign_runs.processes,
    campaign_runs.size,
    campaign_runs.label
FROM run_totals
INNER JOIN campaign_runs USING (campaign_run_id)
WHERE run_totals.location_ns IS NULL
ORDER BY campaign_runs.campaign_run_id
LIMIT $row_limit::BIGINT
