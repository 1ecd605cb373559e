-- Which call paths wait the most, and what share of their time is waiting?
--
-- Grain:      one row per call path that waits
-- Inputs:     wait_states, call_tree, call_paths
-- Output:     answer
-- Parameters: none
WITH
    waiting AS (
        SELECT call_path_id, sum(wait_ns) AS wait_ns
        FROM wait_states
        WHERE NOT is_completion
        GROUP BY call_path_id
    ),

    times AS (
        SELECT call_path_id, sum(inclusive_ns) AS inclusive_ns
        FROM call_tree
        GROUP BY call_path_id
    )

SELECT
    call_paths.path AS call_path,
    waiting.wait_ns / 1e9 AS wait_seconds,
    waiting.wait_ns / nullif(times.inclusive_ns, 0) AS wait_ratio
FROM waiting
INNER JOIN times USING (call_path_id)
INNER JOIN call_paths USING (call_path_id)
ORDER BY wait_seconds DESC, waiting.call_path_id
