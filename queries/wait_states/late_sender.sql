-- Late Sender: a call that completes a receive is blocked until the message is sent.
--
-- The property says whether an older message was already waiting to be received: mpi_lswo_same if
-- it came from the same process as the awaited message, mpi_lswo_different if it came from another
-- process, else mpi_latesender.
--
-- Grain:      one row per visit that waited for a sender
-- Inputs:     awaited_messages, messages, wrong_order, doubtful_channels
-- Needs rows: awaited_messages
-- Output:     late_sender
-- Parameters: none
-- Pattern:    wait state
-- Metrics:    mpi_latesender, mpi_latesender_wo, mpi_lswo_same, mpi_lswo_different
-- Source:     Scalasca pattern reference, "MPI Late Sender Time" and its sub-patterns
-- Assumes:    clocks are synchronized; where they are not, a wait ends with its call
SELECT
    CASE wrong_order.is_same_sender
        WHEN TRUE THEN 'mpi_lswo_same'
        WHEN FALSE THEN 'mpi_lswo_different'
        ELSE 'mpi_latesender'
    END AS property,
    awaited_messages.location_id,
    awaited_messages.visit_id,
    messages.receive_completion_call_path_id AS call_path_id,
    messages.receive_completion_enter_ns AS start_ns,
    awaited_messages.wait_ns,
    messages.sender_location_id AS cause_location_id,
    messages.send_post_visit_id AS cause_visit_id,
    message_id,
    messages.bytes = 0 AS is_synchronization,
    CASE
        WHEN messages.is_clock_violation THEN 50
        WHEN doubtful_channels.tag IS NOT NULL THEN 75
        ELSE 100
    END AS confidence
FROM awaited_messages
INNER JOIN messages USING (message_id)
LEFT JOIN wrong_order USING (message_id)
LEFT JOIN doubtful_channels USING (communicator_id, sender_group_id, receiver_group_id, tag)
