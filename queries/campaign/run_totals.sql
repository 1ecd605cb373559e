-- What the call paths of a run that count sum up to.
--
-- Grain:      one row per run with call paths
-- Inputs:     counted_call_paths
-- Output:     run_totals
-- Parameters: none
-- Source:     exclusive times of all call paths tile the time of a location
-- Assumes:    nothing
SELECT
    campaign_run_id,
    sum(exclusive_ns)::BIGINT AS location_ns,
    sum(wait_ns)::BIGINT AS wait_ns,
    sum(critical_path_ns)::BIGINT AS critical_path_ns
FROM counted_call_paths
GROUP BY campaign_run_id
ORDER BY campaign_run_id
