-- The severity of each wait state, including its sub-metrics, is the sum of its waits.
--
-- Grain:      one row per property whose sums differ
-- Inputs:     severities, wait_states, metrics
-- Output:     offending rows
-- Parameters: none
-- Source:     the definition of a severity
-- Assumes:    nothing
WITH RECURSIVE
    ancestry AS (
        SELECT
            metric AS part,
            metric
        FROM metrics
        WHERE kind IN ('wait state', 'completion') AND unit = 'ns'
        UNION ALL
        SELECT
            ancestry.part,
            metrics.parent_metric AS metric
        FROM ancestry
        INNER JOIN metrics USING (metric)
        WHERE metrics.parent_metric IS NOT NULL
    ),

    waited AS (
        SELECT
            ancestry.metric,
            sum(wait_states.wait_ns) FILTER (WHERE NOT wait_states.is_extended) AS known_ns,
            sum(wait_states.wait_ns) FILTER (WHERE wait_states.is_extended) AS extended_ns
        FROM ancestry
        LEFT JOIN wait_states ON ancestry.part = wait_states.property
        GROUP BY ancestry.metric
    ),

    summed AS (
        SELECT
            metric,
            sum(value) FILTER (WHERE NOT is_extended) AS known_value,
            sum(value) FILTER (WHERE is_extended) AS extended_value
        FROM severities
        GROUP BY metric
    )

SELECT
    waited.metric,
    coalesce(waited.known_ns, 0)::BIGINT AS known_ns,
    coalesce(summed.known_value, 0)::BIGINT AS known_value,
    coalesce(waited.extended_ns, 0)::BIGINT AS extended_ns,
    coalesce(summed.extended_value, 0)::BIGINT AS extended_value
FROM waited
LEFT JOIN summed USING (metric)
WHERE
    coalesce(waited.known_ns, 0) <> coalesce(summed.known_value, 0)
    OR coalesce(waited.extended_ns, 0) <> coalesce(summed.extended_value, 0)
ORDER BY waited.metric
