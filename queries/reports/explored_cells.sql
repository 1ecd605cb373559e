-- Metrics per call path and location for exploration, without the smallest values.
--
-- Time is divided into overhead classes, which sum to the total time. Time of tasks is counted
-- where they run, not where they are scheduled. Idle threads have no call path. Values of call
-- paths that a page does not show count for their callers.
--
-- Grain:      one row per metric, call path and location with a value other than zero
-- Inputs:     metric_cells, call_tree, call_paths, overhead_classes, metrics,
--             efficiency_losses
-- Output:     report section exploration
-- Parameters: $row_limit   maximum number of values, largest in their unit first (BIGINT)
--             $path_limit  maximum number of shown call paths, most inclusive time first (BIGINT)
-- Assumes:    a metric has the unit of its sub-metrics and includes them, so it is kept if a
--             sub-metric is kept; call paths are numbered depth-first, and a caller has at least
--             the time of its callees, so that callers of shown call paths are shown
WITH
    summed AS (
        SELECT
            call_path_id,
            sum(inclusive_ns) AS inclusive_ns
        FROM call_tree
        GROUP BY call_path_id
    ),

    shown AS (
        SELECT call_paths.call_path_id
        FROM call_paths
        LEFT JOIN summed USING (call_path_id)
        ORDER BY summed.inclusive_ns DESC NULLS LAST, call_paths.call_path_id
        LIMIT $path_limit::BIGINT
    ),

    hidden AS (
        SELECT call_path_id, parent_call_path_id
        FROM call_paths
        ANTI JOIN shown USING (call_path_id)
    ),

    -- Hidden call paths whose caller is shown. All below them are hidden, and numbered before the
    -- next of these.
    topmost AS (
        SELECT hidden.call_path_id, hidden.parent_call_path_id
        FROM hidden
        ANTI JOIN hidden AS callers ON hidden.parent_call_path_id = callers.call_path_id
    ),

    counted_for AS (
        SELECT call_path_id, call_path_id AS shown_call_path_id
        FROM shown
        UNION ALL
        SELECT hidden.call_path_id, topmost.parent_call_path_id AS shown_call_path_id
        FROM hidden
        ASOF INNER JOIN topmost ON hidden.call_path_id >= topmost.call_path_id
    ),

    -- Of the interval whose efficiencies the report shows first.
    lost AS (
        UNPIVOT (
            SELECT * EXCLUDE (interval)
            FROM efficiency_losses
            WHERE interval = (SELECT min(losses.interval) FROM efficiency_losses AS losses)
        )
        ON COLUMNS(* EXCLUDE (location_id))
        INTO NAME metric VALUE value
    ),

    valued AS (
        SELECT metric, call_path_id, location_id, value
        FROM metric_cells
        WHERE
            source NOT IN ('overheads', 'absence')
            AND (source <> 'imbalance' OR metric = 'imbalance_above')
            AND metric NOT IN ('time', 'idle', 'idle_waiting')
            AND value <> 0
        UNION ALL
        SELECT metric, call_path_id, location_id, value
        FROM metric_cells
        SEMI JOIN overhead_classes USING (metric)
        WHERE source = 'overheads' AND call_path_id IS NOT NULL AND value <> 0
        UNION ALL BY NAME
        FROM lost
    ),

    cells AS (
        SELECT metric, shown_call_path_id AS call_path_id, location_id, sum(value)::BIGINT AS value
        FROM valued
        LEFT JOIN counted_for USING (call_path_id)
        GROUP BY metric, shown_call_path_id, location_id
        HAVING sum(value) <> 0
    ),

    totals AS (
        SELECT metric, sum(value) AS total, count(*) AS cell_count
        FROM cells
        GROUP BY metric
    ),

    scales AS (
        SELECT
            totals.metric,
            max(totals.total) OVER (PARTITION BY coalesce(metrics.unit, 'ns')) AS largest_total,
            sum(totals.cell_count) OVER () AS cell_count
        FROM totals
        LEFT JOIN metrics USING (metric)
    ),

    largest AS (
        SELECT cells.*, scales.cell_count
        FROM cells
        INNER JOIN scales USING (metric)
        ORDER BY
            abs(cells.value) / scales.largest_total DESC,
            cells.metric,
            cells.call_path_id,
            cells.location_id
        LIMIT $row_limit::BIGINT
    )

-- Without the limit, there are cell_count rows.
SELECT metric, call_path_id, location_id, value, cell_count::BIGINT AS cell_count
FROM largest
ORDER BY metric, call_path_id NULLS LAST, location_id
