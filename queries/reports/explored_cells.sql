-- Metrics per call path and location for exploration, without the smallest values.
--
-- Time is divided into overhead classes, which sum to the total time. Time of tasks is counted
-- where they run, not where they are scheduled. Idle threads have no call path.
--
-- Grain:      one row per metric, call path and location with a value other than zero
-- Inputs:     metric_cells, overhead_classes, metrics
-- Output:     report section exploration
-- Parameters: $row_limit  maximum number of values, largest in their unit first (BIGINT)
-- Assumes:    a metric has the unit of its sub-metrics and includes them, so it is kept if a
--             sub-metric is kept
WITH

    valued AS (
        SELECT metric, call_path_id, location_id, value
        FROM metric_cells
        WHERE
            source <> 'imbalance'
            AND metric NOT IN ('time', 'idle', 'idle_waiting')
            AND (
                source <> 'overheads'
                OR call_path_id IS NOT NULL AND metric IN (
                    SELECT overhead_classes.metric FROM overhead_classes
                )
            )
    ),

    cells AS (
        SELECT metric, call_path_id, location_id, sum(value)::BIGINT AS value
        FROM valued
        GROUP BY metric, call_path_id, location_id
        HAVING sum(value) <> 0
    ),

    totals AS (
        SELECT metric, sum(value) AS total
        FROM cells
        GROUP BY metric
    ),

    scales AS (
        SELECT
            metrics.metric,
            max(totals.total) OVER (PARTITION BY metrics.unit) AS largest_total
        FROM metrics
        INNER JOIN totals USING (metric)
    ),

    largest AS (
        SELECT cells.*
        FROM cells
        INNER JOIN scales USING (metric)
        ORDER BY
            abs(cells.value) / scales.largest_total DESC,
            cells.metric,
            cells.call_path_id,
            cells.location_id
        LIMIT $row_limit::BIGINT
    )

SELECT metric, call_path_id, location_id, value
FROM largest
ORDER BY metric, call_path_id NULLS LAST, location_id
