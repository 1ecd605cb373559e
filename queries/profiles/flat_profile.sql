-- Time and visits of every region on every location.
--
-- Inclusive times come from the call tree, which accounts for tasks and forked threads. For
-- recursive calls only the outermost visits count, because their time includes the inner visits.
-- Task stubs repeat tasks and are left out.
--
-- Grain:      one row per visited region and location
-- Inputs:     call_tree, call_paths
-- Output:     flat_profile
-- Parameters: none
-- Source:     the definition of a flat profile
-- Assumes:    nothing
SELECT
    call_paths.region_id,
    call_tree.location_id,
    sum(call_tree.visit_count)::BIGINT AS visit_count,
    coalesce(sum(call_tree.inclusive_ns) FILTER (WHERE NOT call_tree.is_recursive), 0)::BIGINT
        AS inclusive_ns,
    sum(call_tree.exclusive_ns)::BIGINT AS exclusive_ns,
    min(call_tree.shortest_ns) AS shortest_ns,
    max(call_tree.longest_ns) AS longest_ns
FROM call_tree
INNER JOIN call_paths USING (call_path_id)
WHERE
    (call_tree.visit_count > 0 OR call_tree.shortest_ns IS NOT NULL)
    AND call_paths.kind <> 'task_stub'
GROUP BY call_paths.region_id, call_tree.location_id
ORDER BY call_paths.region_id, call_tree.location_id
