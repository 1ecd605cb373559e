-- How far waits of each kind may be off, without those kinds that are told apart from it.
--
-- A wait has the most special metric that applies, but bounds are those of a metric with its parts
-- (see severities). Without them both ends give way:
--
--     Late Sender, all       30 (less 5, more 10)
--     of it, wrong order     20 (less 2, more 3)
--     the rest               10 (less 5 + 3, more 10 + 2)
--
-- Grain:      one row per property, call path and location with a bound other than zero, beyond
--             the reference apart
-- Inputs:     severity_bounds, catalogue_metrics, wait_states
-- Needs rows: severity_bounds
-- Output:     wait_bounds
-- Parameters: none
-- Source:     interval arithmetic
-- Assumes:    as severity_bounds
WITH
    parts AS (
        SELECT
            metric AS property,
            call_path_id,
            location_id,
            is_beyond_reference,
            less_ns,
            more_ns
        FROM severity_bounds
        UNION ALL
        SELECT
            catalogue_metrics.parent_metric,
            bounds.call_path_id,
            bounds.location_id,
            bounds.is_beyond_reference,
            bounds.more_ns,
            bounds.less_ns
        FROM severity_bounds AS bounds
        INNER JOIN catalogue_metrics USING (metric)
        WHERE catalogue_metrics.parent_metric IS NOT NULL
    ),

    bounds AS (
        SELECT
            parts.property,
            parts.call_path_id,
            parts.location_id,
            parts.is_beyond_reference,
            sum(parts.less_ns) AS less_ns,
            sum(parts.more_ns) AS more_ns
        FROM parts
        SEMI JOIN (
            SELECT metric FROM catalogue_metrics WHERE kind IN ('wait state', 'completion')
        ) AS waiting
            ON parts.property = waiting.metric
        GROUP BY parts.property, parts.call_path_id, parts.location_id, parts.is_beyond_reference
    ),

    waits AS (
        SELECT
            wait_states.property,
            wait_states.call_path_id,
            wait_states.location_id,
            wait_states.is_beyond_reference,
            sum(wait_states.wait_ns) AS wait_ns
        FROM wait_states
        SEMI JOIN bounds USING (property, call_path_id, location_id, is_beyond_reference)
        GROUP BY ALL
    )

SELECT
    bounds.property,
    bounds.call_path_id,
    bounds.location_id,
    bounds.is_beyond_reference,
    least(bounds.less_ns, coalesce(waits.wait_ns, 0))::BIGINT AS less_ns,
    bounds.more_ns::BIGINT AS more_ns
FROM bounds
LEFT JOIN waits USING (property, call_path_id, location_id, is_beyond_reference)
WHERE bounds.more_ns > 0 OR coalesce(waits.wait_ns, 0) > 0
ORDER BY
    bounds.property, bounds.call_path_id, bounds.location_id, bounds.is_beyond_reference
