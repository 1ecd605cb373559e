-- Every metric that occurs, and every parent of one, is in the list of metrics.
--
-- Grain:      one row per metric that is not
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
