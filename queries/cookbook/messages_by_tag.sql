-- Which message tags are used, by how many ranks, and for how many messages and bytes?
--
-- Grain:      one row per communicator and tag
-- Inputs:     messages, communicators
-- Output:     answer
-- Parameters: none
SELECT
    communicators.name AS communicator,
    messages.tag,
    count(*) AS message_count,
    sum(messages.bytes)::BIGINT AS bytes,
    count(DISTINCT messages.sender_group_id) AS sender_count
FROM messages
INNER JOIN communicators USING (communicator_id)
GROUP BY communicators.communicator_id, communicators.name, messages.tag
ORDER BY message_count DESC, communicators.communicator_id, messages.tag
