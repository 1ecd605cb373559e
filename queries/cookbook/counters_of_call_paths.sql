-- Which call paths have the most of each counter?
--
-- Grain:      one row per counter and call path
-- Inputs:     call_path_counters, counters, call_paths
-- Output:     answer
-- Parameters: none
SELECT
    counters.name AS counter,
    call_paths.path,
    sum(found.exclusive_value) AS exclusive_value,
    counters.unit,
    sum(found.covered_ns) / 1e9 AS covered_seconds
FROM call_path_counters AS found
INNER JOIN counters USING (counter_id)
INNER JOIN call_paths USING (call_path_id)
WHERE found.method <> 'mean'
GROUP BY counters.counter_id, counters.name, counters.unit, call_paths.call_path_id, call_paths.path
ORDER BY counters.counter_id, exclusive_value DESC, call_paths.call_path_id
