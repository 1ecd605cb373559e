-- The severities of a wait state's property, its sub-metrics included, sum to the waits.
--
-- Grain:      one row per property whose sums differ
-- Inputs:     severities, wait_states
-- Output:     offending rows
-- Parameters: none
-- Source:     the definition of a severity
-- Assumes:    nothing
WITH
    waited AS (
        SELECT
            unnest(['mpi_latesender', 'mpi_latereceiver']) AS metric,
            unnest([
                sum(wait_ns) FILTER (WHERE property <> 'mpi_latereceiver'),
                sum(wait_ns) FILTER (WHERE property = 'mpi_latereceiver')
            ])::BIGINT AS wait_ns
        FROM wait_states
    ),

    summed AS (
        SELECT
            metric,
            sum(value)::BIGINT AS value
        FROM severities
        GROUP BY metric
    )

SELECT
    waited.metric,
    coalesce(waited.wait_ns, 0) AS wait_ns,
    coalesce(summed.value, 0) AS value
FROM waited
LEFT JOIN summed USING (metric)
WHERE coalesce(waited.wait_ns, 0) <> coalesce(summed.value, 0)
ORDER BY waited.metric
