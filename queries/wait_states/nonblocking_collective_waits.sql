-- Waits for nonblocking collectives, in the call that completes them.
--
--     rank 0   [ MPI_Iallreduce ]        [ MPI_Wait ...............]
--     rank 1                                   [ MPI_Iallreduce ] [ MPI_Wait ]
--                                        |wait |
--
-- Members depend on each other as in blocking collectives (see synchronized_members), but a member
-- is blocked only from the time it enters the completing call. MPI_Test and its variants do not
-- wait. A call that completes several collectives has one wait: the longest one; if several are
-- equal, the first. Time that the call spent waiting for messages is not counted again.
--
-- Grain:      one row per visit that waited for a nonblocking collective
-- Inputs:     synchronized_members, late_sender, late_receiver, mpi_call_paths
-- Needs rows: synchronized_members
-- Output:     nonblocking_collective_waits
-- Parameters: none
-- Pattern:    wait state
-- Metrics:    those of collective_waits
-- Source:     Scalasca pattern reference for the blocking forms, applied to the completing call
-- Assumes:    clocks are synchronized; where they are not, a wait ends with its call
WITH
    -- The longest wait of each call stands for the call.
    awaited AS (
        SELECT
            *,
            greatest(begin_ns, enter_ns) AS start_ns,
            least(last_begin_ns, end_ns) AS until_ns
        FROM synchronized_members
        WHERE
            is_nonblocking
            AND call_path_id NOT IN (SELECT call_path_id FROM mpi_call_paths WHERE is_test)
        QUALIFY
            row_number() OVER (
                PARTITION BY visit_id ORDER BY until_ns - start_ns DESC, collective_id
            ) = 1
    ),

    message_waits AS (
        FROM late_sender
        UNION ALL
        FROM late_receiver
    ),

    remaining AS (
        SELECT
            awaited.* EXCLUDE (start_ns),
            greatest(
                awaited.start_ns,
                message_waits.start_ns + message_waits.wait_ns
            ) AS start_ns
        FROM awaited
        LEFT JOIN message_waits USING (visit_id)
    )

SELECT
    property,
    location_id,
    visit_id,
    call_path_id,
    start_ns,
    until_ns - start_ns AS wait_ns,
    last_location_id AS cause_location_id,
    last_visit_id AS cause_visit_id,
    collective_id,
    family = 'barrier' AS is_synchronization,
    is_extended,
    confidence
FROM remaining
WHERE until_ns > start_ns
