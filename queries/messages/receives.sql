-- Completed receives with the calls that posted and completed them, numbered on their channel in
-- posting order.
--
-- With wildcards, the channel of a receive is only clear when it completes, but its place on the
-- channel is that of its post:
--
--     irecv_request 1   irecv_request 2   irecv 2 (tag 5)   irecv 1 (tag 5)
--                                         ordinal 1         ordinal 0
--
-- Grain:      one row per completed receive whose sender is known
-- Inputs:     mpi_operations, probed_receives, locations
-- Needs rows: mpi_operations or probed_receives
-- Output:     receives
-- Parameters: none
-- Source:     MPI 4.0, section 3.5: receives match in the order in which they are posted
-- Assumes:    a request is completed on the location that posted it
WITH
    -- A blocking receive posts itself.
    blocking AS (
        SELECT
            *,
            {
                'sequence': sequence,
                'time_ns': time_ns,
                'visit_id': visit_id,
                'call_path_id': call_path_id,
                'enter_ns': enter_ns,
                'leave_ns': leave_ns
            } AS post
        FROM mpi_operations
        WHERE kind = 'recv'
    ),

    -- Request ids are reused: a completion belongs to the latest record of its id before it.
    request_records AS (
        SELECT
            *,
            lag(kind) OVER of_request AS last_kind,
            lag({
                'sequence': sequence,
                'time_ns': time_ns,
                'visit_id': visit_id,
                'call_path_id': call_path_id,
                'enter_ns': enter_ns,
                'leave_ns': leave_ns
            }) OVER of_request AS last_record
        FROM mpi_operations
        WHERE kind IN ('irecv_request', 'irecv', 'request_cancelled')
        WINDOW of_request AS (PARTITION BY location_id, request_id ORDER BY sequence)
    ),

    nonblocking AS (
        SELECT
            * EXCLUDE (last_kind, last_record),
            if(last_kind = 'irecv_request', last_record, NULL) AS post
        FROM request_records
        WHERE kind = 'irecv'
    ),

    completed AS (
        SELECT
            communicator_id,
            peer_group_id AS sender_group_id,
            tag,
            coalesce(post.time_ns, time_ns) AS channel_ns,
            coalesce(post.sequence, sequence) AS channel_sequence,
            location_id AS receiver_location_id,
            bytes,
            time_ns AS receive_ns,
            sequence AS receive_sequence,
            post.time_ns AS receive_post_ns,
            post.visit_id AS receive_post_visit_id,
            post.call_path_id AS receive_post_call_path_id,
            post.enter_ns AS receive_post_enter_ns,
            post.leave_ns AS receive_post_leave_ns,
            visit_id AS receive_completion_visit_id,
            call_path_id AS receive_completion_call_path_id,
            enter_ns AS receive_completion_enter_ns,
            leave_ns AS receive_completion_leave_ns
        FROM (FROM blocking UNION ALL FROM nonblocking)
        WHERE communicator_id IS NOT NULL AND peer_group_id IS NOT NULL
        UNION ALL
        FROM probed_receives
    )

SELECT
    completed.communicator_id,
    completed.sender_group_id,
    locations.location_group_id AS receiver_group_id,
    completed.tag,
    row_number() OVER channel - 1 AS ordinal,
    completed.receiver_location_id,
    completed.bytes,
    completed.receive_ns,
    completed.receive_sequence,
    completed.receive_post_ns,
    completed.receive_post_visit_id,
    completed.receive_post_call_path_id,
    completed.receive_post_enter_ns,
    completed.receive_post_leave_ns,
    completed.receive_completion_visit_id,
    completed.receive_completion_call_path_id,
    completed.receive_completion_enter_ns,
    completed.receive_completion_leave_ns
FROM completed
INNER JOIN locations ON completed.receiver_location_id = locations.location_id
WINDOW
    channel AS (
        PARTITION BY
            completed.communicator_id,
            completed.sender_group_id,
            locations.location_group_id,
            completed.tag
        ORDER BY completed.channel_ns, completed.receiver_location_id, completed.channel_sequence
    )
ORDER BY communicator_id, sender_group_id, receiver_group_id, tag, ordinal
