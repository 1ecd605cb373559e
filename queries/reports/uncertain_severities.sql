-- Which severities may be off because of what the trace lacks, by how much, and why.
--
-- Grain:      one row per metric, call path and reason, beyond the reference apart; of metrics that
--             are part of others, the widest
-- Inputs:     severity_bounds, severities, call_tree, metrics, call_paths
-- Output:     report section trace quality
-- Parameters: $row_limit  only those that may be off most (BIGINT)
-- Assumes:    what severity_bounds assumes
WITH
    uncertain AS (
        SELECT
            bounds.metric,
            metrics.title,
            bounds.is_beyond_reference,
            bounds.call_path_id,
            bounds.reason::VARCHAR AS reason,
            sum(bounds.less_ns) AS less_ns,
            sum(bounds.more_ns) AS more_ns,
            count(*) AS location_count
        FROM severity_bounds AS bounds
        INNER JOIN metrics USING (metric)
        ANTI JOIN metrics AS wider ON metrics.parent_metric = wider.metric
        GROUP BY ALL
    ),

    found AS (
        SELECT metric, is_beyond_reference, call_path_id, value
        FROM severities
        SEMI JOIN uncertain USING (metric, is_beyond_reference, call_path_id)
        UNION ALL
        SELECT 'time', FALSE, call_path_id, exclusive_ns
        FROM call_tree
    ),

    totals AS (
        SELECT
            metric,
            is_beyond_reference,
            call_path_id,
            sum(value) AS value
        FROM found
        GROUP BY ALL
    )

SELECT
    coalesce(uncertain.title, uncertain.metric) AS metric,
    uncertain.is_beyond_reference,
    call_paths.path AS call_path,
    replace(uncertain.reason, '_', ' ') AS reason,
    coalesce(totals.value, 0)::BIGINT AS value_ns,
    uncertain.less_ns::BIGINT AS less_ns,
    uncertain.more_ns::BIGINT AS more_ns,
    uncertain.location_count
FROM uncertain
INNER JOIN call_paths USING (call_path_id)
LEFT JOIN totals
    ON
        uncertain.metric = totals.metric
        AND uncertain.is_beyond_reference = totals.is_beyond_reference
        AND uncertain.call_path_id = totals.call_path_id
ORDER BY
    uncertain.less_ns + uncertain.more_ns DESC,
    uncertain.metric,
    uncertain.call_path_id,
    uncertain.is_beyond_reference,
    uncertain.reason
LIMIT $row_limit::BIGINT
