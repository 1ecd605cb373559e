-- Messages of a run, for making a described program of it.
--
-- The start of a side is the end of the call that posts it, if another call completes it.
--
-- Grain:      one row per message between two processes
-- Inputs:     messages, locations
-- Output:     calls of a program
-- Parameters: none
-- Assumes:    one thread of each process communicates
SELECT
    senders.rank AS sender,
    receivers.rank AS receiver,
    coalesce(messages.send_post_call_path_id, -1)::INTEGER AS call_path_id,
    messages.bytes,
    coalesce(messages.send_post_enter_ns, messages.send_ns) AS send_ns,
    coalesce(messages.send_post_visit_id, -1) AS send_visit_id,
    coalesce(messages.send_completion_visit_id, messages.send_post_visit_id, -1)
        AS send_end_visit_id,
    coalesce(messages.receive_post_visit_id, -1) AS receive_visit_id,
    coalesce(messages.receive_completion_visit_id, -1) AS receive_end_visit_id,
    if(
        messages.send_completion_visit_id <> messages.send_post_visit_id,
        messages.send_post_leave_ns,
        NULL
    ) AS send_start_ns,
    if(
        messages.send_completion_visit_id <> messages.send_post_visit_id,
        messages.send_completion_enter_ns,
        coalesce(messages.send_post_enter_ns, messages.send_ns)
    ) AS send_end_ns,
    if(
        messages.receive_completion_visit_id <> messages.receive_post_visit_id,
        messages.receive_post_leave_ns,
        NULL
    ) AS receive_start_ns,
    coalesce(messages.receive_completion_enter_ns, messages.receive_ns) AS receive_end_ns
FROM messages
INNER JOIN locations AS senders ON messages.sender_location_id = senders.location_id
INNER JOIN locations AS receivers ON messages.receiver_location_id = receivers.location_id
WHERE senders.rank <> receivers.rank
ORDER BY messages.sender_location_id, messages.send_sequence, messages.message_id
