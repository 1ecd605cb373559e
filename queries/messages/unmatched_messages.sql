-- Sends and receives whose partner is not in the trace.
--
-- Grain:      one row per send or receive without partner
-- Inputs:     sends, receives
-- Needs rows: sends or receives
-- Output:     unmatched_messages
-- Parameters: none
-- Source:     the numbering of sends and receives on their channel
-- Assumes:    nothing
SELECT
    'send' AS side,
    sends.communicator_id,
    sends.sender_group_id,
    sends.receiver_group_id,
    sends.tag,
    sends.ordinal,
    sends.sender_location_id AS location_id,
    sends.send_post_visit_id AS visit_id,
    sends.send_post_call_path_id AS call_path_id,
    sends.send_ns AS time_ns,
    sends.bytes
FROM sends
ANTI JOIN receives
    USING (communicator_id, sender_group_id, receiver_group_id, tag, ordinal)
UNION ALL
SELECT
    'receive' AS side,
    receives.communicator_id,
    receives.sender_group_id,
    receives.receiver_group_id,
    receives.tag,
    receives.ordinal,
    receives.receiver_location_id AS location_id,
    receives.receive_post_visit_id AS visit_id,
    receives.receive_post_call_path_id AS call_path_id,
    receives.receive_ns AS time_ns,
    receives.bytes
FROM receives
ANTI JOIN sends
    USING (communicator_id, sender_group_id, receiver_group_id, tag, ordinal)
ORDER BY side DESC, communicator_id, sender_group_id, receiver_group_id, tag, ordinal
