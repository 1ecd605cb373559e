-- How many bytes are sent inside nodes, and how many across the network?
--
-- Grain:      one row per pair of nodes that exchanged messages in that direction
-- Inputs:     communication_matrix, location_groups, system_tree_nodes
-- Output:     answer
-- Parameters: none
SELECT
    senders.name AS sender_node,
    receivers.name AS receiver_node,
    sending.system_tree_node_id = receiving.system_tree_node_id AS is_inside_node,
    sum(matrix.message_count)::BIGINT AS message_count,
    sum(matrix.bytes)::BIGINT AS bytes
FROM communication_matrix AS matrix
INNER JOIN location_groups AS sending
    ON matrix.sender_group_id = sending.location_group_id
INNER JOIN location_groups AS receiving
    ON matrix.receiver_group_id = receiving.location_group_id
LEFT JOIN system_tree_nodes AS senders
    ON sending.system_tree_node_id = senders.system_tree_node_id
LEFT JOIN system_tree_nodes AS receivers
    ON receiving.system_tree_node_id = receivers.system_tree_node_id
GROUP BY
    sending.system_tree_node_id, receiving.system_tree_node_id, senders.name, receivers.name
ORDER BY bytes DESC, sending.system_tree_node_id, receiving.system_tree_node_id
