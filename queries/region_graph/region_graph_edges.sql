-- Edges of the dynamic region call graph: pairs of calling and called regions.
--
-- A recursion is an edge from a region to itself. If an edge occurs again below itself, only the
-- outermost inclusive time counts. Task stubs repeat tasks and are left out.
--
-- Grain:      one row per pair of calling and called region
-- Inputs:     call_tree, call_paths
-- Output:     region_graph_edges
-- Parameters: none
-- Source:     Truong and Fahringer 2001 (SCALEA), DRG = (R, E, s)
-- Assumes:    nothing
SELECT
    call_paths.caller_region_id,
    call_paths.region_id AS callee_region_id,
    sum(call_tree.visit_count)::BIGINT AS visit_count,
    coalesce(sum(call_tree.inclusive_ns) FILTER (WHERE NOT call_tree.is_repeated), 0)::BIGINT
        AS inclusive_ns,
    sum(call_tree.exclusive_ns)::BIGINT AS exclusive_ns
FROM call_tree
INNER JOIN call_paths USING (call_path_id)
WHERE
    call_paths.caller_region_id IS NOT NULL
    AND call_tree.visit_count > 0
    AND call_paths.kind <> 'task_stub'
GROUP BY call_paths.caller_region_id, call_paths.region_id
ORDER BY call_paths.caller_region_id, callee_region_id
