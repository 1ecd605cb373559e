-- Regions that the first threads of all processes visit equally often, at least three times.
--
-- Grain:      one row per region
-- Inputs:     call_tree, call_paths, regions, locations
-- Output:     tracemill iterations
-- Parameters: $row_limit  maximum number of rows (BIGINT, default 8)
-- Assumes:    nothing
WITH
    visited AS (
        SELECT
            call_paths.region_id,
            call_tree.location_id,
            sum(call_tree.visit_count)::BIGINT AS visit_count,
            min(call_paths.depth) AS depth
        FROM call_tree
        INNER JOIN call_paths USING (call_path_id)
        INNER JOIN locations USING (location_id)
        WHERE locations.thread = 0 AND locations.kind = 'cpu_thread'
        GROUP BY call_paths.region_id, call_tree.location_id
    ),

    processes AS (SELECT count(DISTINCT location_id) AS process_count FROM visited)

SELECT
    regions.name AS region,
    min(visited.visit_count) AS visit_count
FROM visited
INNER JOIN regions USING (region_id)
CROSS JOIN processes
GROUP BY regions.region_id, regions.name
HAVING
    min(visited.visit_count) = max(visited.visit_count)
    AND min(visited.visit_count) > 2
    AND count(*) = any_value(processes.process_count)
ORDER BY min(visited.depth), regions.region_id
LIMIT $row_limit::BIGINT
