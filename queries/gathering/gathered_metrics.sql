-- All time metrics of several runs per call path, summed over locations.
--
-- Grain:      one row per run, metric and call path where it is not 0
-- Inputs:     severities, metrics, call_tree, call_paths, call_path_keys, fork_join_times,
--             region_classes, overhead_classes, location_overheads
-- Output:     campaign table run_metrics
-- Parameters: none
-- Assumes:    tables hold several runs, distinguished by run_id; overhead metrics have at most one
--             parent metric
WITH
    classified AS (
        SELECT
            call_tree.run_id,
            call_tree.call_path_id,
            region_classes.overhead_id,
            call_tree.exclusive_ns - coalesce(fork_join_times.fork_join_ns, 0) AS value_ns
        FROM call_tree
        INNER JOIN call_paths USING (run_id, call_path_id)
        INNER JOIN region_classes USING (run_id, region_id)
        LEFT JOIN fork_join_times USING (run_id, call_path_id, location_id)
        WHERE call_paths.kind <> 'task_stub'
        UNION ALL
        SELECT
            fork_join_times.run_id,
            fork_join_times.call_path_id,
            overhead_classes.overhead_id,
            fork_join_times.fork_join_ns
        FROM fork_join_times
        INNER JOIN overhead_classes USING (run_id)
        WHERE overhead_classes.overhead_subclass = 'fork/join'
        UNION ALL
        SELECT
            location_overheads.run_id,
            NULL,
            location_overheads.overhead_id,
            location_overheads.time_ns
        FROM location_overheads
        INNER JOIN overhead_classes USING (run_id, overhead_id)
        WHERE overhead_classes.overhead_subclass IN ('outside visits', 'idle threads')
    ),

    overheads AS (
        SELECT
            classified.run_id,
            unnest([overhead_classes.metric, metrics.parent_metric]) AS metric,
            classified.call_path_id,
            classified.value_ns
        FROM classified
        INNER JOIN overhead_classes USING (run_id, overhead_id)
        INNER JOIN metrics USING (run_id, metric)
    ),

    valued AS (
        SELECT run_id, metric, call_path_id, value_ns FROM overheads
        WHERE metric IS NOT NULL
        UNION ALL
        SELECT severities.run_id, severities.metric, severities.call_path_id, severities.value
        FROM severities
        INNER JOIN metrics USING (run_id, metric)
        WHERE metrics.unit = 'ns'
        UNION ALL
        SELECT call_tree.run_id, 'time', call_tree.call_path_id, call_tree.exclusive_ns
        FROM call_tree
        INNER JOIN call_paths USING (run_id, call_path_id)
        WHERE call_paths.kind <> 'task_stub'
    )

SELECT
    valued.run_id,
    valued.metric,
    coalesce(call_path_keys.call_path_key, 0) AS call_path_key,
    sum(valued.value_ns)::BIGINT AS value_ns
FROM valued
LEFT JOIN call_path_keys USING (run_id, call_path_id)
GROUP BY valued.run_id, valued.metric, coalesce(call_path_keys.call_path_key, 0)
HAVING sum(valued.value_ns) <> 0
ORDER BY valued.run_id, valued.metric, coalesce(call_path_keys.call_path_key, 0)
