-- All time metrics of several runs per call path, summed over locations.
--
-- Grain:      one row per run, metric and call path where it is not 0
-- Inputs:     metric_cells, metrics, call_paths, call_path_keys
-- Output:     campaign table run_metrics
-- Parameters: none
-- Assumes:    tables hold several runs, distinguished by run_id
SELECT
    cells.run_id,
    cells.metric,
    coalesce(call_path_keys.call_path_key, 0) AS call_path_key,
    sum(cells.value)::BIGINT AS value_ns
FROM metric_cells AS cells
INNER JOIN metrics USING (run_id, metric)
LEFT JOIN call_paths USING (run_id, call_path_id)
LEFT JOIN call_path_keys USING (run_id, call_path_id)
WHERE
    metrics.unit = 'ns'
    AND cells.source IN ('severities', 'call_tree', 'overheads')
    -- Tasks are counted where they run, not where they are scheduled.
    AND (cells.source <> 'call_tree' OR call_paths.kind <> 'task_stub')
GROUP BY cells.run_id, cells.metric, coalesce(call_path_keys.call_path_key, 0)
HAVING sum(cells.value) <> 0
ORDER BY cells.run_id, cells.metric, coalesce(call_path_keys.call_path_key, 0)
