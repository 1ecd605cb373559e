-- All time metrics of a run, summed over the call paths that count.
--
-- Metrics of the critical path are shares of it, all others of the time of all locations.
--
-- Grain:      one row per run and metric with a value other than zero
-- Inputs:     run_metrics, run_totals, campaign_call_paths, campaign_runs, campaign_settings
-- Output:     metric_times
-- Parameters: none
-- Source:     none
-- Assumes:    a run with metrics has call paths
WITH
    summed AS (
        SELECT
            run_metrics.campaign_run_id,
            run_metrics.metric,
            sum(run_metrics.value_ns)::BIGINT AS value_ns
        FROM run_metrics
        INNER JOIN campaign_runs USING (campaign_run_id)
        INNER JOIN campaign_settings USING (application)
        -- Values without a call path count, too.
        LEFT JOIN campaign_call_paths USING (call_path_key)
        WHERE
            campaign_settings.is_setup_included
            OR NOT coalesce(campaign_call_paths.is_setup, FALSE)
        GROUP BY run_metrics.campaign_run_id, run_metrics.metric
    ),

    compared AS (
        SELECT
            summed.campaign_run_id,
            summed.metric,
            summed.value_ns,
            summed.metric IN ('critical_path', 'critical_path_imbalance') AS is_of_path,
            totals.location_ns,
            totals.critical_path_ns
        FROM summed
        INNER JOIN run_totals AS totals USING (campaign_run_id)
        WHERE summed.value_ns <> 0
    )

SELECT
    campaign_run_id,
    metric,
    value_ns,
    if(is_of_path, 'critical path', 'time of all locations') AS share_of,
    value_ns / nullif(if(is_of_path, critical_path_ns, location_ns), 0) AS share
FROM compared
ORDER BY campaign_run_id, metric
