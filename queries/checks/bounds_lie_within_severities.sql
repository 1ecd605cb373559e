-- A severity may be smaller by itself at most, for all reasons together.
--
-- Grain:      one row per severity that may be smaller by more
-- Inputs:     severity_bounds, severities, call_tree
-- Output:     offending rows
-- Parameters: none
-- Source:     times are never negative
-- Assumes:    nothing
WITH
    bounds AS (
        SELECT
            metric,
            call_path_id,
            location_id,
            is_beyond_reference,
            sum(less_ns) AS less_ns
        FROM severity_bounds
        GROUP BY ALL
    ),

    found AS (
        SELECT metric, call_path_id, location_id, is_beyond_reference, value
        FROM severities
        SEMI JOIN bounds USING (metric, call_path_id, location_id, is_beyond_reference)
        UNION ALL
        SELECT 'time', call_path_id, location_id, FALSE, exclusive_ns
        FROM call_tree
    )

SELECT
    bounds.metric,
    bounds.call_path_id,
    bounds.location_id,
    bounds.is_beyond_reference,
    bounds.less_ns,
    found.value
FROM bounds
LEFT JOIN found USING (metric, call_path_id, location_id, is_beyond_reference)
WHERE bounds.less_ns > coalesce(found.value, 0)
ORDER BY
    bounds.metric, bounds.call_path_id, bounds.location_id, bounds.is_beyond_reference
