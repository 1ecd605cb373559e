-- Which call paths have the worst load imbalance, and how much time would a perfect balance save?
--
-- Grain:      one row per call path of computation, the 20 worst
-- Inputs:     computational_imbalance, call_paths, locations
-- Output:     answer
-- Parameters: none
SELECT
    call_paths.path AS call_path,
    locations.rank AS slowest_rank,
    imbalance.longest_ns / 1e9 AS longest_seconds,
    imbalance.mean_ns / 1e9 AS mean_seconds,
    (imbalance.longest_ns - imbalance.mean_ns) / 1e9 AS excess_seconds
FROM computational_imbalance AS imbalance
INNER JOIN call_paths USING (call_path_id)
INNER JOIN locations USING (location_id)
ORDER BY excess_seconds DESC, call_paths.call_path_id
LIMIT 20
