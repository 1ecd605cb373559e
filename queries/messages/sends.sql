-- Sends with the calls that posted and completed them, numbered on their channel.
--
-- Request ids are reused, so a post belongs to the next record of its id:
--
--     isend 7   isend_complete 7   isend 7   request_cancelled 7   isend 7   isend 7
--        └──────────────┘             └──── never sent ───┘          no completion
--
-- Grain:      one row per send that was not canceled and whose receiver is known
-- Inputs:     mpi_operations, locations
-- Needs rows: mpi_operations
-- Output:     sends
-- Parameters: none
-- Source:     MPI 4.0, section 3.5: messages of a channel do not overtake each other
-- Assumes:    a request is completed on the location that posted it
WITH
    -- A blocking send completes itself.
    blocking AS (
        SELECT
            *,
            {
                'time_ns': time_ns,
                'visit_id': visit_id,
                'call_path_id': call_path_id,
                'enter_ns': enter_ns,
                'leave_ns': leave_ns
            } AS completion
        FROM mpi_operations
        WHERE kind = 'send'
    ),

    request_records AS (
        SELECT
            *,
            lead(kind) OVER of_request AS next_kind,
            lead({
                'time_ns': time_ns,
                'visit_id': visit_id,
                'call_path_id': call_path_id,
                'enter_ns': enter_ns,
                'leave_ns': leave_ns
            }) OVER of_request AS next_call
        FROM mpi_operations
        WHERE kind IN ('isend', 'isend_complete', 'request_cancelled')
        WINDOW of_request AS (PARTITION BY location_id, request_id ORDER BY sequence)
    ),

    nonblocking AS (
        SELECT
            * EXCLUDE (next_kind, next_call),
            if(next_kind = 'isend_complete', next_call, NULL) AS completion
        FROM request_records
        WHERE kind = 'isend' AND next_kind IS DISTINCT FROM 'request_cancelled'
    ),

    posted AS (
        SELECT
            *,
            locations.location_group_id AS sender_group_id
        FROM (FROM blocking UNION ALL FROM nonblocking)
        INNER JOIN locations USING (location_id)
        WHERE communicator_id IS NOT NULL AND peer_group_id IS NOT NULL
    )

SELECT
    communicator_id,
    sender_group_id,
    peer_group_id AS receiver_group_id,
    tag,
    row_number() OVER channel - 1 AS ordinal,
    location_id AS sender_location_id,
    bytes,
    time_ns AS send_ns,
    sequence AS send_sequence,
    visit_id AS send_post_visit_id,
    call_path_id AS send_post_call_path_id,
    enter_ns AS send_post_enter_ns,
    leave_ns AS send_post_leave_ns,
    completion.time_ns AS send_completion_ns,
    completion.visit_id AS send_completion_visit_id,
    completion.call_path_id AS send_completion_call_path_id,
    completion.enter_ns AS send_completion_enter_ns,
    completion.leave_ns AS send_completion_leave_ns
FROM posted
WINDOW
    channel AS (
        PARTITION BY communicator_id, sender_group_id, peer_group_id, tag
        ORDER BY time_ns, location_id, sequence
    )
ORDER BY communicator_id, sender_group_id, receiver_group_id, tag, ordinal
