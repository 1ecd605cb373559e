-- Sizes from which standard sends wait for their receivers, by kind of link.
--
--     proved   most bytes of a send that was complete before its receive was posted
--     limit    least bytes, more than proved, of a send during whose completing call its receive
--              was posted; of a call that completes several sends, the one whose receive was
--              posted last
--
-- A call that also completes receives may have waited for those.
--
-- Grain:      one row per kind of link over which messages were sent
-- Inputs:     messages, mpi_call_paths, location_groups
-- Needs rows: messages
-- Output:     send_limits
-- Parameters: none
-- Source:     MPI 4.0, section 3.4: a standard send may wait until a matching receive is posted
-- Assumes:    one limit holds for all links of a kind
WITH
    posted AS (
        SELECT
            messages.bytes,
            (
                sending.system_tree_node_id IS DISTINCT FROM receiving.system_tree_node_id
            ) AS is_between_nodes,
            posting.send_mode = 'standard' AS is_standard,
            messages.send_completion_visit_id AS visit_id,
            messages.send_completion_enter_ns AS enter_ns,
            messages.send_completion_leave_ns AS leave_ns,
            messages.receive_post_enter_ns AS posted_ns,
            messages.message_id
        FROM messages
        LEFT JOIN mpi_call_paths AS posting
            ON messages.send_post_call_path_id = posting.call_path_id
        INNER JOIN location_groups AS sending
            ON messages.sender_group_id = sending.location_group_id
        INNER JOIN location_groups AS receiving
            ON messages.receiver_group_id = receiving.location_group_id
    ),

    proved AS (
        SELECT
            is_between_nodes,
            max(bytes) FILTER (WHERE is_standard AND leave_ns < posted_ns) AS proved_bytes
        FROM posted
        GROUP BY is_between_nodes
    ),

    waiting AS (
        SELECT posted.*
        FROM posted
        INNER JOIN proved USING (is_between_nodes)
        WHERE
            posted.is_standard
            AND posted.enter_ns < posted.posted_ns
            AND posted.posted_ns < posted.leave_ns
            AND posted.bytes > coalesce(proved.proved_bytes, -1)
            AND posted.visit_id NOT IN (
                SELECT receive_completion_visit_id
                FROM messages
                WHERE receive_completion_visit_id IS NOT NULL
            )
    ),

    limits AS (
        SELECT
            waiting.is_between_nodes,
            min(waiting.bytes) AS limit_bytes
        FROM waiting
        ANTI JOIN posted AS later
            ON
                waiting.visit_id = later.visit_id
                AND (waiting.posted_ns, -waiting.message_id) < (later.posted_ns, -later.message_id)
        GROUP BY waiting.is_between_nodes
    )

SELECT
    proved.is_between_nodes,
    proved.proved_bytes,
    limits.limit_bytes
FROM proved
LEFT JOIN limits USING (is_between_nodes)
ORDER BY proved.is_between_nodes
