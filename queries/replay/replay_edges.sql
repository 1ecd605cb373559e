-- Dependencies of one moment on one other, for running the trace again.
--
--     kind          waits                            for
--     message       leave of the call that           enter of the call that sent it
--                   received it
--     synchronous   leave of the call that           enter of the call that posted its receive
--                   completed the send
--     rendezvous    as synchronous, for standard sends that are long or waited
--     one_to_n      leave of a receiver              enter of the root
--     neighbourhood leave of a receiver              enter of each sending neighbor
--
-- Calls of MPI_Test complete messages, but no send waits in them. All other kinds are those of
-- replay_rma_edges and replay_thread_edges.
--
-- Grain:      one row per dependency
-- Inputs:     messages, mpi_call_paths, location_groups, send_limits, late_receiver,
--             collective_roles, collectives, cart_neighbors, synchronized_members,
--             replay_rma_edges, replay_thread_edges
-- Output:     replay_edges
-- Parameters: none
-- Source:     MPI 4.0; Scalasca pattern reference, for what synchronizes
-- Assumes:    the trace shows how calls were matched, and a changed run would match them alike
WITH
    sent AS (
        SELECT
            messages.message_id,
            2 * messages.receive_completion_visit_id + 1 AS received_id,
            2 * messages.send_post_visit_id AS sent_id,
            2 * messages.send_completion_visit_id + 1 AS completed_id,
            2 * coalesce(messages.receive_post_visit_id, messages.receive_completion_visit_id)
                AS posted_id,
            CASE
                WHEN completing.is_test THEN NULL
                WHEN posting.send_mode = 'synchronous' THEN 'synchronous'
                WHEN
                    posting.send_mode = 'standard'
                    AND messages.receive_post_enter_ns < messages.send_completion_leave_ns
                    AND (
                        messages.bytes >= send_limits.limit_bytes
                        OR messages.message_id IN (SELECT message_id FROM late_receiver)
                    )
                    THEN 'rendezvous'
            END AS kind
        FROM messages
        LEFT JOIN mpi_call_paths AS posting
            ON messages.send_post_call_path_id = posting.call_path_id
        LEFT JOIN mpi_call_paths AS completing
            ON messages.send_completion_call_path_id = completing.call_path_id
        INNER JOIN location_groups AS sending
            ON messages.sender_group_id = sending.location_group_id
        INNER JOIN location_groups AS receiving
            ON messages.receiver_group_id = receiving.location_group_id
        LEFT JOIN send_limits
            ON (
                sending.system_tree_node_id IS DISTINCT FROM receiving.system_tree_node_id
            ) = send_limits.is_between_nodes
    ),

    of_messages AS (
        SELECT
            'message' AS kind,
            received_id AS boundary_id,
            sent_id AS cause_boundary_id,
            message_id
        FROM sent
        UNION ALL
        SELECT
            kind,
            completed_id,
            posted_id,
            message_id
        FROM sent
        WHERE kind IS NOT NULL
    ),

    roots AS (
        SELECT
            collective_id,
            side,
            2 * begin_visit_id AS cause_boundary_id
        FROM collective_roles
        WHERE family = 'one_to_n' AND is_awaited
    ),

    neighbors AS (
        SELECT
            roles.*,
            collectives.communicator_id
        FROM collective_roles AS roles
        INNER JOIN collectives ON roles.collective_id = collectives.collective_id
        WHERE roles.family = 'neighbourhood'
    ),

    of_collectives AS (
        SELECT
            'one_to_n' AS kind,
            2 * receivers.visit_id + 1 AS boundary_id,
            roots.cause_boundary_id,
            receivers.collective_id
        FROM collective_roles AS receivers
        INNER JOIN roots
            ON
                receivers.collective_id = roots.collective_id
                AND receivers.awaited_side = roots.side
        WHERE receivers.family = 'one_to_n' AND receivers.is_waiting
        UNION ALL BY NAME
        SELECT
            'neighbourhood' AS kind,
            2 * receivers.visit_id + 1 AS boundary_id,
            2 * senders.begin_visit_id AS cause_boundary_id,
            receivers.collective_id
        FROM neighbors AS receivers
        INNER JOIN cart_neighbors
            ON
                receivers.communicator_id = cart_neighbors.communicator_id
                AND receivers.comm_rank = cart_neighbors.comm_rank
                AND cart_neighbors.comm_rank <> cart_neighbors.neighbor_rank
        INNER JOIN neighbors AS senders
            ON
                receivers.collective_id = senders.collective_id
                AND cart_neighbors.neighbor_rank = senders.comm_rank
        WHERE receivers.is_waiting AND senders.is_awaited
        UNION ALL BY NAME
        -- Unknown neighbors: at least the first sender.
        SELECT
            'neighbourhood' AS kind,
            2 * members.visit_id + 1 AS boundary_id,
            2 * members.last_visit_id AS cause_boundary_id,
            members.collective_id
        FROM synchronized_members AS members
        INNER JOIN collectives ON members.collective_id = collectives.collective_id
        WHERE
            members.family = 'neighbourhood'
            AND collectives.communicator_id NOT IN (SELECT communicator_id FROM cart_neighbors)
    )

SELECT
    kind,
    boundary_id::BIGINT AS boundary_id,
    cause_boundary_id::BIGINT AS cause_boundary_id,
    message_id,
    NULL::BIGINT AS collective_id
FROM of_messages
WHERE boundary_id IS NOT NULL AND cause_boundary_id IS NOT NULL
UNION ALL BY NAME
SELECT DISTINCT
    kind,
    boundary_id::BIGINT AS boundary_id,
    cause_boundary_id::BIGINT AS cause_boundary_id,
    collective_id
FROM of_collectives
WHERE boundary_id IS NOT NULL AND cause_boundary_id IS NOT NULL
UNION ALL BY NAME
FROM replay_rma_edges
UNION ALL BY NAME
FROM replay_thread_edges
