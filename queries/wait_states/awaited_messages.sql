-- The message that a call completing receives was blocked for.
--
--     sender                     [ MPI_Send ]
--     receiver        [ MPI_Recv ..........]
--                     |── wait ──|
--
-- A call that completes several messages (MPI_Waitall) waits once, for the one it waits longest
-- for; of equals, for the one received first. MPI_Test and its kin do not wait. Of a message that
-- was sent or received outside any call nobody knows how long the call was blocked for it.
--
-- Grain:      one row per visit that waited for a sender
-- Inputs:     messages, call_paths, mpi_calls
-- Needs rows: messages
-- Output:     awaited_messages
-- Parameters: none
-- Source:     Scalasca pattern reference, "MPI Late Sender Time"
-- Assumes:    clocks synchronised; where they are not, a wait ends with its call
WITH
    test_call_paths AS (
        SELECT call_paths.call_path_id
        FROM call_paths
        INNER JOIN mpi_calls USING (region_id)
        WHERE mpi_calls.is_test
    ),

    late_messages AS (
        SELECT
            *,
            least(send_post_enter_ns, receive_completion_leave_ns)
            - receive_completion_enter_ns AS wait_ns
        FROM messages
        WHERE
            send_post_enter_ns > receive_completion_enter_ns
            AND receive_completion_leave_ns > receive_completion_enter_ns
            AND receive_completion_call_path_id NOT IN (FROM test_call_paths)
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
ORDER BY message_id
