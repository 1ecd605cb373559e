-- The call tree, without task stubs, counts every visit of a location once.
--
-- Grain:      one row per location where the counts differ
-- Inputs:     call_tree, call_paths, locations
-- Output:     offending rows
-- Parameters: none
-- Source:     the definition of a call-path profile
-- Assumes:    nothing
WITH
    counted AS (
        SELECT
            call_tree.location_id,
            sum(call_tree.visit_count)::BIGINT AS call_tree_count
        FROM call_tree
        INNER JOIN call_paths USING (call_path_id)
        WHERE call_paths.kind <> 'task_stub'
        GROUP BY call_tree.location_id
    )

SELECT
    locations.location_id,
    locations.visit_count,
    coalesce(counted.call_tree_count, 0) AS call_tree_count
FROM locations
LEFT JOIN counted USING (location_id)
WHERE locations.visit_count <> coalesce(counted.call_tree_count, 0)
ORDER BY locations.location_id
