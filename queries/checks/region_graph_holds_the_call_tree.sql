-- The nodes of the region graph have the same visits and exclusive times as the call tree.
--
-- Grain:      one row per region whose sums differ
-- Inputs:     region_graph_nodes, call_tree, call_paths
-- Output:     offending rows
-- Parameters: none
-- Source:     Truong and Fahringer 2001 (SCALEA): metrics of a region come from its own events
-- Assumes:    nothing
WITH
    summed AS (
        SELECT
            call_paths.region_id,
            sum(call_tree.visit_count)::BIGINT AS visit_count,
            sum(call_tree.exclusive_ns)::BIGINT AS exclusive_ns
        FROM call_tree
        INNER JOIN call_paths USING (call_path_id)
        WHERE call_paths.kind <> 'task_stub'
        GROUP BY call_paths.region_id
        HAVING sum(call_tree.visit_count) > 0
    )

SELECT
    region_id,
    nodes.visit_count,
    summed.visit_count AS call_tree_visit_count,
    nodes.exclusive_ns,
    summed.exclusive_ns AS call_tree_exclusive_ns
FROM region_graph_nodes AS nodes
FULL JOIN summed USING (region_id)
WHERE
    nodes.visit_count IS DISTINCT FROM summed.visit_count
    OR nodes.exclusive_ns IS DISTINCT FROM summed.exclusive_ns
ORDER BY region_id
