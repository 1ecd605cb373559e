-- Metrics per call path and location for exploration, without the smallest values.
--
-- Time is divided into overhead classes, which sum to the total time. Time of tasks is counted
-- where they run, not where they are scheduled. Idle threads have no call path.
--
-- Grain:      one row per metric, call path and location with a value other than zero
-- Inputs:     severities, call_tree, call_paths, fork_join_times, region_classes,
--             overhead_classes, critical_path_work, idle_times, metrics
-- Output:     report section exploration
-- Parameters: $row_limit  maximum number of values, largest in their unit first (BIGINT)
-- Assumes:    a metric has the unit of its sub-metrics and includes them, so it is kept if a
--             sub-metric is kept
WITH
    -- Fork and join of a parallel region belong to a class of their own.
    own_times AS (
        SELECT
            call_tree.call_path_id,
            call_tree.location_id,
            region_classes.overhead_id,
            call_tree.exclusive_ns - coalesce(fork_join_times.fork_join_ns, 0) AS time_ns
        FROM call_tree
        INNER JOIN call_paths USING (call_path_id)
        INNER JOIN region_classes USING (region_id)
        LEFT JOIN fork_join_times USING (call_path_id, location_id)
        WHERE call_paths.kind <> 'task_stub'
    ),

    spent AS (
        FROM own_times
        UNION ALL
        SELECT
            fork_join_times.call_path_id,
            fork_join_times.location_id,
            overhead_classes.overhead_id,
            fork_join_times.fork_join_ns
        FROM fork_join_times
        INNER JOIN overhead_classes ON overhead_classes.overhead_subclass = 'fork/join'
    ),

    valued AS (
        SELECT metric, call_path_id, location_id, value
        FROM severities
        UNION ALL
        SELECT overhead_classes.metric, spent.call_path_id, spent.location_id, spent.time_ns
        FROM spent
        INNER JOIN overhead_classes USING (overhead_id)
        UNION ALL
        SELECT 'visits', call_path_id, location_id, visit_count FROM call_tree
        UNION ALL
        SELECT 'critical_path_activities', call_path_id, location_id, least(path_ns, work_ns)
        FROM critical_path_work
        UNION ALL
        SELECT 'non_critical_path_activities', call_path_id, location_id, work_ns - path_ns
        FROM critical_path_work
        WHERE work_ns > path_ns
        UNION ALL
        SELECT 'idle_thread', NULL, location_id, idle_thread_ns FROM idle_times
        UNION ALL
        SELECT 'idle_absent', NULL, location_id, absent_ns FROM idle_times
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
