-- Severities for exploration, and the values of locations that have no call path.
--
-- Grain:      one row per metric, call path and location with a value
-- Inputs:     severities, idle_times, efficiency_losses, page_metrics
-- Output:     report section exploration
-- Parameters: none
-- Assumes:    the run has the call paths and locations
WITH
    -- Of the interval whose efficiencies the report shows first.
    lost AS (
        UNPIVOT (
            SELECT * EXCLUDE (interval)
            FROM efficiency_losses
            QUALIFY interval = min(interval) OVER ()
        )
        ON COLUMNS(* EXCLUDE (location_id))
        INTO NAME metric VALUE value
    ),

    found AS (
        SELECT metric, call_path_id, location_id, value FROM severities
        UNION ALL BY NAME
        SELECT
            unnest(['idle_thread', 'idle_absent']) AS metric,
            location_id,
            unnest([idle_thread_ns, absent_ns]) AS value
        FROM idle_times
        UNION ALL BY NAME
        FROM lost
    )

SELECT metric_number, call_path_id, location_id, value::BIGINT AS value
FROM found
INNER JOIN page_metrics USING (metric)
