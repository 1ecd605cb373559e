-- Messages with ranks, threads and call paths of both ends by name, in seconds.
--
-- Natural joins and patterns of columns let the same text read one run, or several with run_id.
--
-- Grain:      one row per matched message
-- Inputs:     messages, locations, call_paths, communicators
-- Output:     messages_by_rank
-- Parameters: none
-- Source:     none
-- Assumes:    nothing
WITH
    ends AS (
        SELECT
            *,
            location_id AS sender_location_id,
            location_id AS receiver_location_id,
            rank AS from_rank,
            rank AS to_rank,
            thread AS from_thread,
            thread AS to_thread
        FROM locations
    ),

    paths AS (
        SELECT
            *,
            call_path_id AS send_post_call_path_id,
            call_path_id AS receive_completion_call_path_id,
            path AS from_call_path,
            path AS to_call_path
        FROM call_paths
    ),

    named AS (
        SELECT COLUMNS('^(run_id|communicator_id|communicator)$')
        FROM (
            SELECT
                *,
                name AS communicator
            FROM communicators
        )
    )

SELECT
    COLUMNS('^(run_id|from_rank|from_thread)$'),
    to_rank,
    to_thread,
    bytes,
    tag,
    communicator,
    from_call_path,
    to_call_path,
    send_ns / 1e9 AS send_seconds,
    receive_ns / 1e9 AS receive_seconds,
    (receive_ns - send_ns) / 1e9 AS seconds,
    message_id,
    sender_location_id,
    receiver_location_id,
    send_ns,
    receive_ns
FROM messages
NATURAL LEFT JOIN (
    SELECT COLUMNS('^(run_id|sender_location_id|from_rank|from_thread)$') FROM ends
)
NATURAL LEFT JOIN (
    SELECT COLUMNS('^(run_id|receiver_location_id|to_rank|to_thread)$') FROM ends
)
NATURAL LEFT JOIN (
    SELECT COLUMNS('^(run_id|send_post_call_path_id|from_call_path)$') FROM paths
)
NATURAL LEFT JOIN (
    SELECT COLUMNS('^(run_id|receive_completion_call_path_id|to_call_path)$') FROM paths
)
NATURAL LEFT JOIN named
