-- No metric is smaller than the sum of its sub-metrics, at any call path and location.
--
-- Grain:      one row per metric, call path and location with a smaller value
-- Inputs:     severities, metrics
-- Output:     offending rows
-- Parameters: none
-- Source:     the hierarchy of the metrics
-- Assumes:    nothing
WITH
    parts AS (
        SELECT
            metrics.parent_metric AS metric,
            severities.call_path_id,
            severities.location_id,
            severities.is_extended,
            sum(severities.value)::BIGINT AS value
        FROM severities
        INNER JOIN metrics USING (metric)
        -- Imbalance between partitions has a distribution of its own, and findings are time that
        -- their parent metric contains anyway.
        WHERE
            metrics.parent_metric IS NOT NULL
            AND metrics.kind NOT IN ('critical path', 'finding')
        GROUP BY ALL
    )

SELECT
    parts.metric,
    parts.call_path_id,
    parts.location_id,
    coalesce(severities.value, 0) AS value,
    parts.value AS value_of_parts
FROM parts
LEFT JOIN severities USING (metric, call_path_id, location_id, is_extended)
WHERE parts.value > coalesce(severities.value, 0)
ORDER BY parts.metric, parts.call_path_id, parts.location_id
