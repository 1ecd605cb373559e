-- How many bytes are sent inside nodes, and how many across the network?
--
-- Grain:      one row per pair of nodes that exchanged messages in that direction
-- Inputs:     node_pairs
-- Output:     answer
-- Parameters: none
SELECT
    from_node AS sender_node,
    to_node AS receiver_node,
    is_inside AS is_inside_node,
    message_count,
    bytes
FROM node_pairs
WHERE message_count > 0
ORDER BY bytes DESC, from_node, to_node
