-- Every metric per call path and thread in the units people compare: seconds, bytes, counts.
--
-- Time and visits are those of the call tree, and activities those of critical_path_work; all
-- other metrics are severities. The waiting that Scalasca's analyser leaves out is in rows of its
-- own, so that totals compare.
--
-- Grain:      one row per metric, call path and location with a value other than zero, beyond the
--             reference apart
-- Inputs:     severities, call_tree, critical_path_work, metrics, call_paths, locations
-- Output:     export severities
-- Parameters: none
-- Assumes:    nanoseconds below 2**53 keep every digit as seconds in DOUBLE
WITH
    valued AS (
        SELECT metric, call_path_id, location_id, value, is_beyond_reference FROM severities
        UNION ALL
        SELECT 'time', call_path_id, location_id, exclusive_ns, FALSE FROM call_tree
        UNION ALL
        SELECT 'visits', call_path_id, location_id, visit_count, FALSE FROM call_tree
        UNION ALL
        SELECT
            'critical_path_activities', call_path_id, location_id, least(path_ns, work_ns), FALSE
        FROM critical_path_work
        UNION ALL
        SELECT
            'non_critical_path_activities', call_path_id, location_id, work_ns - path_ns, FALSE
        FROM critical_path_work
        WHERE work_ns > path_ns
    )

SELECT
    valued.metric,
    call_paths.path AS call_path,
    locations.rank,
    locations.thread,
    if(metrics.unit = 'ns', valued.value / 1e9, valued.value::DOUBLE) AS value,
    valued.is_beyond_reference AS beyond_reference
FROM valued
INNER JOIN metrics ON valued.metric = metrics.metric
INNER JOIN call_paths ON valued.call_path_id = call_paths.call_path_id
INNER JOIN locations ON valued.location_id = locations.location_id
WHERE valued.value <> 0
ORDER BY valued.metric, valued.call_path_id, valued.location_id, valued.is_beyond_reference
