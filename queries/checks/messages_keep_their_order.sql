-- Sends of a channel are numbered in the order of their records.
--
-- Grain:      one row per message that was sent before its predecessor
-- Inputs:     messages
-- Output:     offending rows
-- Parameters: none
-- Source:     MPI 4.0, section 3.5: messages of a channel do not overtake each other
-- Assumes:    nothing
SELECT
    message_id,
    send_ns,
    lag(send_ns) OVER (
        PARTITION BY communicator_id, sender_group_id, receiver_group_id, tag ORDER BY ordinal
    ) AS last_send_ns
FROM messages
QUALIFY send_ns < last_send_ns
ORDER BY message_id
