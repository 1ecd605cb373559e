-- Number and size of messages between each pair of processes.
--
-- Grain:      one row per pair of processes that exchanged messages in that direction
-- Inputs:     messages
-- Needs rows: messages
-- Output:     communication_matrix
-- Parameters: none
-- Source:     the communication matrix of Vampir and other tools
-- Assumes:    nothing; sends without a receive are not counted
SELECT
    sender_group_id,
    receiver_group_id,
    count(*) AS message_count,
    sum(bytes)::BIGINT AS bytes
FROM messages
GROUP BY ALL
ORDER BY sender_group_id, receiver_group_id
