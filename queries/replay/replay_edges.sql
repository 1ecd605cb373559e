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
--     post          leave of the call that accesses  enter of MPI_Win_post of its target
--     complete      leave of MPI_Win_wait            enter of each MPI_Win_complete
--     fork          begin of a team on a worker      fork
--     lock          acquire, or leave of a call      release before it
--                   that waited for a window's lock
--     task          begin of a task                  its creation
--     thread        begin of a thread, wait for it   its creation, its end
--     launch        begin of a kernel                enter of the call that launched it
--     device        leave of a call that waits       end of the last kernel of each stream before
--
-- Calls of MPI_Test complete messages, but no send waits in them.
--
-- Grain:      one row per dependency
-- Inputs:     messages, mpi_call_paths, location_groups, send_limits, late_receiver,
--             collective_roles, collectives, cart_neighbors, synchronized_members, rma_epochs,
--             rma_epoch_pairs, rma_accesses, late_post, rma_lock_competition, rma_operations,
--             thread_events, thread_teams, thread_team_members, parallel_visits, lock_operations,
--             locations, kernels, awaited_kernels
-- Output:     replay_edges
-- Parameters: none
-- Source:     MPI 4.0; OpenMP 5.2; Scalasca pattern reference, for what synchronizes
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

    -- An access epoch waits for its targets in MPI_Win_start or its accesses if their posts came
    -- during those, else in MPI_Win_complete.
    opened AS (
        SELECT
            epochs.begin_visit_id AS start_visit_id,
            epochs.end_visit_id AS complete_visit_id,
            epochs.begin_visit_id IN (SELECT visit_id FROM late_post) AS is_in_start,
            epochs.begin_visit_id IN (
                SELECT accesses.start_visit_id
                FROM rma_accesses AS accesses
                INNER JOIN late_post ON accesses.visit_id = late_post.visit_id
                WHERE accesses.start_visit_id IS NOT NULL
            ) AS is_in_access
        FROM rma_epochs AS epochs
        WHERE epochs.role = 'access'
    ),

    records AS (
        SELECT
            events.*,
            locations.location_group_id,
            -1 - events.location_id::BIGINT * 4294967296 - events.sequence AS boundary_id
        FROM thread_events AS events
        INNER JOIN locations USING (location_id)
    ),

    located AS (
        SELECT
            location_id,
            kind,
            time_ns,
            max(boundary_id) AS boundary_id
        FROM records
        WHERE kind IN ('fork', 'team_begin')
        GROUP BY location_id, kind, time_ns
    ),

    workers AS (
        SELECT
            begins.boundary_id,
            teams.location_id AS master_location_id,
            teams.fork_ns
        FROM thread_team_members AS members
        INNER JOIN thread_teams AS teams USING (thread_team_id)
        INNER JOIN located AS begins
            ON
                members.location_id = begins.location_id
                AND members.begin_ns = begins.time_ns
                AND begins.kind = 'team_begin'
        WHERE members.location_id <> teams.location_id
        UNION ALL
        -- Traces without records of teams: the worker enters the region.
        SELECT
            2 * visits.visit_id AS boundary_id,
            visits.master_location_id,
            visits.fork_ns
        FROM parallel_visits AS visits
        ANTI JOIN thread_team_members AS members
            ON
                visits.thread_team_id = members.thread_team_id
                AND visits.location_id = members.location_id
        WHERE visits.location_id <> visits.master_location_id
    ),

    forks AS (
        SELECT
            workers.boundary_id,
            located.boundary_id AS cause_boundary_id
        FROM workers
        INNER JOIN located
            ON
                workers.master_location_id = located.location_id
                AND workers.fork_ns = located.time_ns
                AND located.kind = 'fork'
    ),

    locks AS (
        SELECT
            lock_operations.*,
            locations.location_group_id,
            -1 - lock_operations.location_id::BIGINT * 4294967296 - lock_operations.sequence
                AS boundary_id
        FROM lock_operations
        INNER JOIN locations USING (location_id)
    ),

    task_begins AS (
        SELECT
            switches.boundary_id,
            creates.boundary_id AS cause_boundary_id
        FROM (FROM records WHERE kind = 'task_switch') AS switches
        ASOF INNER JOIN (FROM records WHERE kind = 'task_create') AS creates
            ON
                switches.location_group_id = creates.location_group_id
                AND switches.communicator_id = creates.communicator_id
                AND switches.thread = creates.thread
                AND switches.number = creates.number
                AND switches.time_ns >= creates.time_ns
        QUALIFY
            row_number() OVER (
                PARTITION BY creates.boundary_id ORDER BY switches.time_ns, switches.boundary_id
            ) = 1
    ),

    threads AS (
        SELECT
            later.boundary_id,
            earlier.boundary_id AS cause_boundary_id
        FROM records AS later
        INNER JOIN records AS earlier
            ON
                later.location_group_id = earlier.location_group_id
                AND later.communicator_id IS NOT DISTINCT FROM earlier.communicator_id
                AND later.number = earlier.number
        WHERE
            (later.kind = 'begin' AND earlier.kind = 'create')
            OR (later.kind = 'wait' AND earlier.kind = 'end')
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

    others AS (
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
        UNION ALL BY NAME
        SELECT
            'post' AS kind,
            2 * if(opened.is_in_start, opened.start_visit_id, opened.complete_visit_id) + 1
                AS boundary_id,
            2 * pairs.post_visit_id AS cause_boundary_id
        FROM opened
        INNER JOIN rma_epoch_pairs AS pairs ON opened.start_visit_id = pairs.start_visit_id
        WHERE opened.is_in_start OR NOT opened.is_in_access
        UNION ALL BY NAME
        SELECT
            'post' AS kind,
            2 * accesses.visit_id + 1 AS boundary_id,
            2 * pairs.post_visit_id AS cause_boundary_id
        FROM opened
        INNER JOIN rma_accesses AS accesses ON opened.start_visit_id = accesses.start_visit_id
        INNER JOIN rma_epoch_pairs AS pairs
            ON
                opened.start_visit_id = pairs.start_visit_id
                AND accesses.target_group_id = pairs.target_group_id
        WHERE opened.is_in_access AND NOT opened.is_in_start
        UNION ALL BY NAME
        SELECT
            'complete' AS kind,
            2 * epochs.end_visit_id + 1 AS boundary_id,
            2 * pairs.complete_visit_id AS cause_boundary_id
        FROM rma_epochs AS epochs
        INNER JOIN rma_epoch_pairs AS pairs ON epochs.begin_visit_id = pairs.post_visit_id
        WHERE epochs.role = 'exposure' AND NOT epochs.is_tested
        UNION ALL BY NAME
        SELECT 'fork' AS kind, * FROM forks
        UNION ALL BY NAME
        SELECT
            'lock' AS kind,
            acquired.boundary_id,
            released.boundary_id AS cause_boundary_id
        FROM (FROM locks WHERE kind = 'acquire') AS acquired
        ASOF INNER JOIN (FROM locks WHERE kind = 'release') AS released
            ON
                acquired.location_group_id = released.location_group_id
                AND acquired.paradigm = released.paradigm
                AND acquired.lock_id = released.lock_id
                AND acquired.acquisition_order = released.acquisition_order + 1
                AND acquired.time_ns >= released.time_ns
        UNION ALL BY NAME
        SELECT
            'lock' AS kind,
            2 * waits.visit_id + 1 AS boundary_id,
            max(-1 - releases.location_id::BIGINT * 4294967296 - releases.sequence)
                AS cause_boundary_id
        FROM rma_lock_competition AS waits
        INNER JOIN rma_operations AS releases ON waits.cause_visit_id = releases.visit_id
        WHERE releases.kind = 'release_lock'
        GROUP BY waits.visit_id
        UNION ALL BY NAME
        SELECT 'task' AS kind, * FROM task_begins
        UNION ALL BY NAME
        SELECT 'thread' AS kind, * FROM threads
        UNION ALL BY NAME
        SELECT
            'launch' AS kind,
            2 * visit_id AS boundary_id,
            2 * launch_visit_id AS cause_boundary_id
        FROM kernels
        UNION ALL BY NAME
        SELECT
            'device' AS kind,
            2 * visit_id + 1 AS boundary_id,
            2 * cause_visit_id + 1 AS cause_boundary_id
        FROM awaited_kernels
    )

SELECT
    kind,
    boundary_id::BIGINT AS boundary_id,
    cause_boundary_id::BIGINT AS cause_boundary_id,
    message_id,
    NULL AS collective_id
FROM of_messages
WHERE boundary_id IS NOT NULL AND cause_boundary_id IS NOT NULL
UNION ALL
SELECT DISTINCT
    kind,
    boundary_id::BIGINT,
    cause_boundary_id::BIGINT,
    NULL,
    collective_id
FROM others
WHERE boundary_id IS NOT NULL AND cause_boundary_id IS NOT NULL
