-- All messages of a run that has few.
--
-- Grain:      one row per matched message
-- Inputs:     messages
-- Output:     report section timeline
-- Parameters: none
SELECT
    message_id,
    sender_location_id,
    receiver_location_id,
    send_ns,
    receive_ns,
    bytes,
    tag
FROM messages
