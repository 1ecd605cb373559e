-- Which messages are the largest, and when were they sent by which rank to which rank?
--
-- Grain:      one row per message, the 20 largest
-- Inputs:     messages, location_groups
-- Output:     answer
-- Parameters: none
SELECT
    messages.message_id,
    senders.rank AS sender_rank,
    receivers.rank AS receiver_rank,
    messages.tag,
    messages.bytes,
    messages.send_ns / 1e9 AS sent_seconds,
    (messages.receive_ns - messages.send_ns) / 1e9 AS seconds
FROM messages
INNER JOIN location_groups AS senders ON messages.sender_group_id = senders.location_group_id
INNER JOIN location_groups AS receivers
    ON messages.receiver_group_id = receivers.location_group_id
ORDER BY messages.bytes DESC, messages.message_id
LIMIT 20
