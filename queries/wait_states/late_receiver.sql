-- Late Receiver: a call that completes a send is blocked until the receive is posted.
--
--     sender          [ MPI_Send ..........]
--     receiver                   [ MPI_Recv ]
--                     |── wait ──|
--
-- Only calls that may have to wait for the receiver count. Buffered, ready and combined sends,
-- MPI_Test and its variants do not. A call that ends before the receive is posted did not wait. A
-- call that completes several sends has one wait: the longest one. It has none if it also waited
-- for a sender (Late Sender), because that wait explains the time.
--
-- Grain:      one row per visit that waited for a receiver
-- Inputs:     messages, mpi_call_paths, late_sender, doubtful_channels
-- Needs rows: messages
-- Output:     late_receiver
-- Parameters: none
-- Pattern:    wait state
-- Metrics:    mpi_latereceiver
-- Source:     Scalasca pattern reference, "MPI Late Receiver Time"
-- Assumes:    clocks are synchronized
WITH
    late_messages AS (
        SELECT
            *,
            receive_post_enter_ns - send_completion_enter_ns AS wait_ns
        FROM messages
        WHERE
            receive_post_enter_ns > send_completion_enter_ns
            AND receive_post_enter_ns < send_completion_leave_ns
            AND send_completion_call_path_id IN (
                SELECT call_path_id FROM mpi_call_paths WHERE can_wait_for_receiver
            )
            AND send_completion_visit_id NOT IN (SELECT visit_id FROM late_sender)
    ),

    -- The message with the longest wait stands for the call; if several are equal, the first one.
    awaited AS (
        SELECT
            *,
            row_number() OVER (
                PARTITION BY send_completion_visit_id ORDER BY wait_ns DESC, send_ns, message_id
            ) AS place
        FROM late_messages
        QUALIFY place = 1
    )

SELECT
    awaited.sender_location_id AS location_id,
    awaited.send_completion_visit_id AS visit_id,
    awaited.send_completion_call_path_id AS call_path_id,
    awaited.send_completion_enter_ns AS start_ns,
    awaited.wait_ns,
    awaited.receiver_location_id AS cause_location_id,
    awaited.receive_post_visit_id AS cause_visit_id,
    awaited.message_id,
    awaited.bytes = 0 AS is_synchronization,
    CASE
        WHEN awaited.is_clock_violation THEN 50
        WHEN doubtful_channels.tag IS NOT NULL THEN 75
        ELSE 100
    END AS confidence
FROM awaited
LEFT JOIN doubtful_channels USING (communicator_id, sender_group_id, receiver_group_id, tag)
