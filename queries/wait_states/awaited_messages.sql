-- The message that blocked a call which completes receives.
--
--     sender                     [ MPI_Send ]
--     receiver        [ MPI_Recv ..........]
--                     |── wait ──|
--
-- A call that completes several messages (MPI_Waitall) has one wait: for the message with the
-- longest wait. If several are equal, the one received first counts. MPI_Test and its variants do
-- not wait. Messages sent or received outside any call are left out, because it is unknown how long
-- they blocked the call.
--
-- Grain:      one row per visit that waited for a sender
-- Inputs:     messages, mpi_call_paths
-- Needs rows: messages
-- Output:     awaited_messages
-- Parameters: none
-- Source:     Scalasca pattern reference, "MPI Late Sender Time"
-- Assumes:    clocks are synchronized; where they are not, a wait ends with its call
WITH
    late_messages AS (
        SELECT
            *,
            least(send_post_enter_ns, receive_completion_leave_ns)
            - receive_completion_enter_ns AS wait_ns
        FROM messages
        WHERE
            send_post_enter_ns > receive_completion_enter_ns
            AND receive_completion_leave_ns > receive_completion_enter_ns
            AND receive_completion_call_path_id NOT IN (
                SELECT call_path_id FROM mpi_call_paths WHERE is_test
            )
    ),

    ranked AS (
        SELECT
            *,
            row_number() OVER (
                PARTITION BY receive_completion_visit_id ORDER BY wait_ns DESC, receive_sequence
            ) AS place
        FROM late_messages
    )

SELECT
    message_id,
    receiver_location_id AS location_id,
    receive_completion_visit_id AS visit_id,
    wait_ns
FROM ranked
WHERE place = 1
