-- The messages of a channel are numbered from 0 without gaps, and unmatched messages follow the
-- matched ones.
--
-- Grain:      one row per channel and side with a gap
-- Inputs:     messages, unmatched_messages
-- Output:     offending rows
-- Parameters: none
-- Source:     the numbering of sends and receives on their channel
-- Assumes:    nothing
WITH
    numbered AS (
        SELECT
            unnest(['send', 'receive']) AS side,
            communicator_id,
            sender_group_id,
            receiver_group_id,
            tag,
            ordinal
        FROM messages
        UNION ALL
        SELECT
            side,
            communicator_id,
            sender_group_id,
            receiver_group_id,
            tag,
            ordinal
        FROM unmatched_messages
    )

SELECT
    side,
    communicator_id,
    sender_group_id,
    receiver_group_id,
    tag,
    count(*) AS message_count,
    count(DISTINCT ordinal) AS ordinal_count,
    max(ordinal) AS last_ordinal
FROM numbered
GROUP BY ALL
HAVING count(*) <> count(DISTINCT ordinal) OR count(*) <> max(ordinal) + 1
ORDER BY communicator_id, sender_group_id, receiver_group_id, tag, side
