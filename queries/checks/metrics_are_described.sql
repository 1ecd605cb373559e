-- Every metric with values, and every parent metric, is in the list of metrics.
--
-- Grain:      one row per missing metric
-- Inputs:     severities, wait_states, metrics
-- Output:     offending rows
-- Parameters: none
-- Source:     the list of metrics
-- Assumes:    nothing
WITH
    named AS (
        SELECT metric FROM severities
        UNION
        SELECT property FROM wait_states
        UNION
        SELECT parent_metric FROM metrics
        WHERE parent_metric IS NOT NULL
    )

SELECT named.metric
FROM named
ANTI JOIN metrics USING (metric)
ORDER BY named.metric
