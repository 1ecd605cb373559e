-- The exclusive times of a location sum to the inclusive times of its root call paths.
--
-- Grain:      one row per location where the sums differ
-- Inputs:     call_tree, call_paths
-- Output:     offending rows
-- Parameters: none
-- Source:     the definition of inclusive time
-- Assumes:    nothing
SELECT
    call_tree.location_id,
    sum(call_tree.exclusive_ns)::BIGINT AS exclusive_ns,
    sum(call_tree.inclusive_ns) FILTER (WHERE call_paths.parent_call_path_id IS NULL)::BIGINT
        AS inclusive_ns_of_roots
FROM call_tree
INNER JOIN call_paths USING (call_path_id)
GROUP BY call_tree.location_id
HAVING exclusive_ns IS DISTINCT FROM inclusive_ns_of_roots
ORDER BY call_tree.location_id
