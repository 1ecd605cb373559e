-- Totals of a run over the call paths that count.
--
-- Grain:      one row per run with call paths
-- Inputs:     counted_call_paths, campaign_call_paths, run_tasks
-- Output:     run_totals
-- Parameters: none
-- Source:     exclusive times of all call paths sum to the time of a location; mpiP lists only call
--             sites and, separately, the time of the application (AppTime)
-- Assumes:    if any call path is not communication, the list of call paths is complete
WITH
    summed AS (
        SELECT
            costs.campaign_run_id,
            sum(costs.exclusive_ns) AS location_ns,
            sum(costs.wait_ns) AS wait_ns,
            sum(costs.critical_path_ns) AS critical_path_ns,
            bool_and(paths.operation IS NOT NULL) AS is_communication_only
        FROM counted_call_paths AS costs
        INNER JOIN campaign_call_paths AS paths USING (call_path_key)
        GROUP BY costs.campaign_run_id
    ),

    applications AS (
        SELECT
            campaign_run_id,
            nullif(sum(time_ns), 0) AS application_ns
        FROM run_tasks
        GROUP BY campaign_run_id
    )

SELECT
    summed.campaign_run_id,
    CASE
        WHEN NOT summed.is_communication_only THEN summed.location_ns
        -- Printed figures are rounded, so parts may sum to slightly more than the whole.
        WHEN applications.application_ns IS NOT NULL
            THEN greatest(applications.application_ns, summed.location_ns)
    END::BIGINT AS location_ns,
    summed.wait_ns::BIGINT AS wait_ns,
    summed.critical_path_ns::BIGINT AS critical_path_ns
FROM summed
LEFT JOIN applications USING (campaign_run_id)
ORDER BY summed.campaign_run_id
