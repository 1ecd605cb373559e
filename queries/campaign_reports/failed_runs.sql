-- Runs of a campaign that could not be used, with the reasons.
--
-- Grain:      one row per failed run
-- Inputs:     campaign_runs
-- Output:     campaign report section runs
-- Parameters: none
-- Assumes:    nothing
SELECT
    application,
    processes,
    size,
    label,
    state,
    reason
FROM campaign_runs
WHERE state <> 'measured'
ORDER BY campaign_run_id
