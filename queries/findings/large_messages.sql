-- Time in calls that complete large messages, without waiting.
--
-- It is the transfer time of large messages. A call that also completes other messages counts
-- completely, and once.
--
-- Grain:      one row per visit that completes a large message
-- Inputs:     messages, wait_states, doubtful_channels
-- Needs rows: messages
-- Output:     large_messages
-- Parameters: $large_message_bytes  messages of at least this size are large (BIGINT, default
--             1_048_576)
-- Pattern:    finding
-- Metrics:    large_messages
-- Source:     Wolf and Mohr (EXPERT): large messages
-- Assumes:    a message takes time in the calls that complete it, not in the calls that post it
WITH
    large AS (
        SELECT
            messages.*,
            CASE
                WHEN messages.is_clock_violation THEN 50
                WHEN doubtful_channels.tag IS NOT NULL THEN 75
                ELSE 100
            END AS confidence
        FROM messages
        LEFT JOIN doubtful_channels
            USING (communicator_id, sender_group_id, receiver_group_id, tag)
        WHERE messages.bytes >= $large_message_bytes::BIGINT
    ),

    ends AS (
        SELECT
            send_completion_visit_id AS visit_id,
            send_completion_call_path_id AS call_path_id,
            sender_location_id AS location_id,
            send_completion_enter_ns AS enter_ns,
            send_completion_leave_ns AS leave_ns,
            confidence
        FROM large
        WHERE send_completion_visit_id IS NOT NULL
        UNION ALL
        SELECT
            receive_completion_visit_id,
            receive_completion_call_path_id,
            receiver_location_id,
            receive_completion_enter_ns,
            receive_completion_leave_ns,
            confidence
        FROM large
        WHERE receive_completion_visit_id IS NOT NULL
    ),

    calls AS (
        SELECT
            visit_id,
            any_value(call_path_id) AS call_path_id,
            any_value(location_id) AS location_id,
            any_value(enter_ns) AS enter_ns,
            any_value(leave_ns) AS leave_ns,
            min(confidence) AS confidence
        FROM ends
        GROUP BY visit_id
    ),

    waits AS (
        SELECT
            wait_states.visit_id,
            sum(wait_states.wait_ns)::BIGINT AS wait_ns
        FROM wait_states
        SEMI JOIN calls ON wait_states.visit_id = calls.visit_id
        WHERE NOT wait_states.is_completion
        GROUP BY wait_states.visit_id
    )

SELECT
    calls.call_path_id,
    calls.location_id,
    calls.visit_id,
    calls.enter_ns AS start_ns,
    calls.leave_ns - calls.enter_ns - coalesce(waits.wait_ns, 0) AS value,
    calls.confidence AS confidence
FROM calls
LEFT JOIN waits ON calls.visit_id = waits.visit_id
WHERE calls.leave_ns - calls.enter_ns > coalesce(waits.wait_ns, 0)
