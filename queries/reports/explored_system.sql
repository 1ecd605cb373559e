-- The system tree above the processes: machines and their parts.
--
-- Grain:      one row per node of the system tree
-- Inputs:     system_tree_nodes
-- Output:     report section exploration
-- Parameters: none
SELECT
    system_tree_node_id,
    parent_system_tree_node_id,
    name,
    class_name
FROM system_tree_nodes
ORDER BY system_tree_node_id
