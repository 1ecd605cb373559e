-- Wait states that were searched for, whether or not any was found.
--
-- Grain:      one row per wait state that is not part of another one
-- Inputs:     metrics
-- Output:     report section wait states
-- Parameters: none
-- Assumes:    nothing
WITH
    kinds AS (
        SELECT metric, parent_metric, title
        FROM metrics
        WHERE kind = 'wait state' AND unit = 'ns'
    )

SELECT kinds.title AS finding
FROM kinds
LEFT JOIN kinds AS wider ON kinds.parent_metric = wider.metric
WHERE wider.metric IS NULL
ORDER BY kinds.metric
