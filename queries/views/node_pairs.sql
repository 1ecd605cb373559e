-- Messages, waiting and the critical path inside nodes and between pairs of nodes.
--
-- Natural joins and patterns of columns let the same text read one run, or several with run_id.
--
-- Grain:      one row per pair of nodes, and wait state or none
-- Inputs:     process_pairs, process_nodes
-- Output:     node_pairs
-- Parameters: none
-- Source:     Miller et al. 1990 (IPS-2): pairs of processes on the critical path
-- Assumes:    nothing
WITH
    ends AS (
        SELECT
            *,
            location_group_id AS from_group_id,
            location_group_id AS to_group_id,
            node AS from_node,
            node AS to_node
        FROM process_nodes
    )

SELECT
    COLUMNS('^(run_id|from_node|to_node)$'),
    from_node = to_node AS is_inside,
    property,
    sum(message_count)::BIGINT AS message_count,
    sum(bytes)::BIGINT AS bytes,
    sum(wait_ns)::BIGINT AS wait_ns,
    sum(completion_ns)::BIGINT AS completion_ns,
    sum(path_jump_count)::BIGINT AS path_jump_count,
    sum(path_wait_ns)::BIGINT AS path_wait_ns,
    sum(path_completion_ns)::BIGINT AS path_completion_ns
FROM process_pairs
NATURAL LEFT JOIN (SELECT COLUMNS('^(run_id|from_group_id|from_node)$') FROM ends)
NATURAL INNER JOIN (SELECT COLUMNS('^(run_id|to_group_id|to_node)$') FROM ends)
GROUP BY ALL
