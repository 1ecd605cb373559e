-- Which call paths have the worst load imbalance, and how much time would a perfect balance save?
--
-- Grain:      one row per call path of computation, the 20 worst
-- Inputs:     computational_imbalance, call_tree, fork_join_times, call_paths, locations
-- Output:     answer
-- Parameters: none
-- Assumes:    if several ranks are slowest, the lowest is shown
WITH
    slowest AS (
        SELECT
            call_tree.call_path_id,
            arg_max(
                call_tree.location_id,
                (call_tree.exclusive_ns - coalesce(parts.fork_join_ns, 0), -call_tree.location_id)
            ) AS location_id
        FROM call_tree
        LEFT JOIN fork_join_times AS parts USING (call_path_id, location_id)
        GROUP BY call_tree.call_path_id
    )

SELECT
    call_paths.path AS call_path,
    locations.rank AS slowest_rank,
    imbalance.longest_ns / 1e9 AS longest_seconds,
    imbalance.mean_ns / 1e9 AS mean_seconds,
    (imbalance.longest_ns - imbalance.mean_ns) / 1e9 AS excess_seconds
FROM computational_imbalance AS imbalance
INNER JOIN slowest USING (call_path_id)
INNER JOIN call_paths USING (call_path_id)
INNER JOIN locations ON slowest.location_id = locations.location_id
ORDER BY excess_seconds DESC, call_paths.call_path_id
LIMIT 20
