-- Node that each process runs on.
--
-- It is the closest unit of class node above the process in the system tree, else the unit that
-- holds the process itself. Accelerators without a unit belong to the node of their process.
--
-- Natural joins and patterns of columns let the same text read one run, or several with run_id.
--
-- Grain:      one row per location group
-- Inputs:     location_groups, system_tree_nodes
-- Output:     process_nodes
-- Parameters: none
-- Source:     none
-- Assumes:    nothing
WITH RECURSIVE
    units AS (
        SELECT
            COLUMNS('^(run_id|system_tree_node_id|parent_system_tree_node_id|name)$'),
            lower(class_name) = 'node' AS is_node
        FROM system_tree_nodes
    ),

    placed AS (
        SELECT
            *,
            location_group_id AS creating_id
        FROM location_groups
        WHERE system_tree_node_id IS NOT NULL
    ),

    positions AS (
        SELECT COLUMNS('^(run_id|location_group_id|system_tree_node_id)$') FROM placed
        UNION ALL BY NAME
        SELECT COLUMNS('^(run_id|location_group_id|system_tree_node_id)$')
        FROM (
            SELECT
                COLUMNS('^(run_id|location_group_id)$'),
                creating_location_group_id AS creating_id
            FROM location_groups
            WHERE system_tree_node_id IS NULL
        )
        NATURAL INNER JOIN (
            SELECT COLUMNS('^(run_id|creating_id|system_tree_node_id)$') FROM placed
        )
    ),

    -- Each process and all units around it, from the inside.
    surrounding AS (
        SELECT
            COLUMNS('^(run_id|location_group_id|parent_system_tree_node_id|name|is_node)$'),
            0 AS step
        FROM positions
        NATURAL INNER JOIN units
        UNION ALL
        SELECT
            COLUMNS('^(run_id|location_group_id|parent_system_tree_node_id|name|is_node)$'),
            step + 1 AS step
        FROM (
            SELECT
                COLUMNS('^(run_id|location_group_id|step)$'),
                parent_system_tree_node_id AS system_tree_node_id
            FROM surrounding
        )
        NATURAL INNER JOIN units
    )

SELECT COLUMNS('^(run_id|location_group_id|rank|node)$')
FROM location_groups
NATURAL LEFT JOIN (
    SELECT
        COLUMNS('^(run_id|location_group_id)$'),
        arg_min(name, (NOT is_node, step)) AS node
    FROM surrounding
    GROUP BY ALL
)
