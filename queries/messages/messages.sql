-- Matched messages: the k-th send of a channel is paired with the k-th receive, both in posting
-- order.
--
-- Grain:      one row per matched message
-- Inputs:     sends, receives
-- Needs rows: sends, receives
-- Output:     messages
-- Parameters: none
-- Source:     MPI 4.0, section 3.5: messages of a channel do not overtake each other
-- Assumes:    no records of a channel are missing before its last matched message
SELECT
    row_number() OVER (
        ORDER BY
            sends.communicator_id,
            sends.sender_group_id,
            sends.receiver_group_id,
            sends.tag,
            sends.ordinal
    ) - 1 AS message_id,
    sends.communicator_id,
    sends.sender_group_id,
    sends.receiver_group_id,
    sends.tag,
    sends.ordinal,
    sends.sender_location_id,
    receives.receiver_location_id,
    sends.bytes,
    sends.send_ns,
    sends.send_sequence,
    receives.receive_ns,
    receives.receive_sequence,
    sends.send_post_visit_id,
    sends.send_post_call_path_id,
    sends.send_post_enter_ns,
    sends.send_post_leave_ns,
    sends.send_completion_visit_id,
    sends.send_completion_call_path_id,
    sends.send_completion_enter_ns,
    sends.send_completion_leave_ns,
    receives.receive_post_visit_id,
    receives.receive_post_call_path_id,
    receives.receive_post_enter_ns,
    receives.receive_post_leave_ns,
    receives.receive_completion_visit_id,
    receives.receive_completion_call_path_id,
    receives.receive_completion_enter_ns,
    receives.receive_completion_leave_ns,
    sends.send_ns > receives.receive_ns AS is_clock_violation
FROM sends
INNER JOIN receives
    USING (communicator_id, sender_group_id, receiver_group_id, tag, ordinal)
ORDER BY message_id
