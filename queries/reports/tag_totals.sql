-- Number and size of messages per tag.
--
-- Grain:      one row per communicator and tag that messages have
-- Inputs:     messages, communicators
-- Needs rows: messages
-- Output:     report section communication
-- Parameters: $row_limit  maximum number of tags, most bytes first (BIGINT)
SELECT
    messages.tag,
    communicators.name AS communicator,
    count(*) AS message_count,
    sum(messages.bytes)::BIGINT AS bytes
FROM messages
LEFT JOIN communicators ON messages.communicator_id = communicators.communicator_id
GROUP BY messages.tag, messages.communicator_id, communicators.name
ORDER BY bytes DESC, message_count DESC, messages.tag, messages.communicator_id
LIMIT $row_limit::BIGINT
