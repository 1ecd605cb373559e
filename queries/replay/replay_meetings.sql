-- Meetings of several locations: a moment of each that the meeting waits for, and a moment that
-- waits for the meeting.
--
--     kind              waits for                         awaited by
--     barrier           all enters                        all leaves; also of calls that create
--                                                         communicators
--     n_to_n            all enters if all were inside     all leaves, else those of receivers
--                       at once, else those of senders
--     n_to_one          enters of senders                 leave of the root
--     scan              enter of the rank if it sends,    leave of the rank
--                       and the meeting of the rank
--                       before it
--     init, finalize    all enters                        all leaves
--     fence, create,    all enters                        all leaves, if all were inside at once
--     free, file
--     team_barrier      the moment before each leave      all leaves
--
-- A non-blocking operation is entered where it starts, and left where it completes.
--
-- Grain:      one row per meeting and location that takes part
-- Inputs:     collective_roles, collectives, collective_members, framing_calls, rma_collectives,
--             collective_file_calls, team_barriers
-- Needs rows: collective_roles or collectives or framing_calls or rma_collectives or
--             collective_file_calls or team_barriers
-- Output:     replay_meetings
-- Parameters: none
-- Source:     Scalasca pattern reference, the collective patterns
-- Assumes:    nothing
WITH
    roles AS (
        SELECT
            *,
            min(end_ns) OVER (PARTITION BY collective_id)
            > max(begin_ns) OVER (PARTITION BY collective_id) AS is_together
        FROM collective_roles
        WHERE family IN ('barrier', 'n_to_n', 'n_to_one', 'scan')
    ),

    collective_calls AS (
        SELECT
            family AS kind,
            -- Members of an inter-communicator wait for the other side.
            if(family = 'scan', collective_id * 4294967296 + comm_rank, collective_id * 2 + side)
                AS meeting_id,
            collective_id,
            location_id,
            if(
                is_awaited OR (family = 'n_to_n' AND is_together), 2 * begin_visit_id, NULL
            ) AS cause_boundary_id,
            NULL::BIGINT AS boundary_id
        FROM roles
        UNION ALL
        SELECT
            family AS kind,
            if(
                family = 'scan',
                collective_id * 4294967296 + comm_rank,
                collective_id * 2 + awaited_side
            ) AS meeting_id,
            collective_id,
            location_id,
            NULL AS cause_boundary_id,
            2 * visit_id + 1 AS boundary_id
        FROM roles
        WHERE is_waiting OR (family = 'n_to_n' AND is_together)
        UNION ALL
        SELECT
            'barrier' AS kind,
            collective_id * 2 AS meeting_id,
            collective_id,
            members.location_id,
            2 * coalesce(members.start_visit_id, members.visit_id) AS cause_boundary_id,
            2 * members.visit_id + 1 AS boundary_id
        FROM collectives
        INNER JOIN collective_members AS members USING (collective_id)
        WHERE
            collectives.operation = 'create_handle'
            AND collectives.is_complete
            AND collectives.member_count > 1
    ),

    file_calls AS (
        SELECT
            *,
            max(begin_ns) OVER access < min(leave_ns) OVER access AS is_together
        FROM collective_file_calls
        WHERE is_complete
        WINDOW access AS (PARTITION BY io_handle_id, ordinal)
    ),

    members AS (
        FROM collective_calls
        UNION ALL BY NAME
        SELECT
            if(is_finalize, 'finalize', 'init') AS kind,
            0 AS meeting_id,
            location_id,
            2 * visit_id AS cause_boundary_id,
            2 * visit_id + 1 AS boundary_id
        FROM framing_calls
        UNION ALL BY NAME
        SELECT
            purpose::VARCHAR AS kind,
            rma_window_id * 4294967296 + ordinal AS meeting_id,
            location_id,
            2 * visit_id AS cause_boundary_id,
            2 * visit_id + 1 AS boundary_id
        FROM rma_collectives
        WHERE is_together
        UNION ALL BY NAME
        SELECT
            'file' AS kind,
            io_handle_id * 4294967296 + ordinal AS meeting_id,
            location_id,
            2 * start_visit_id AS cause_boundary_id,
            2 * visit_id + 1 AS boundary_id
        FROM file_calls
        WHERE is_together
        UNION ALL BY NAME
        SELECT
            'team_barrier' AS kind,
            thread_team_id * 4294967296 + ordinal AS meeting_id,
            location_id,
            2 * visit_id + 1 AS cause_boundary_id,
            2 * visit_id + 1 AS boundary_id
        FROM team_barriers
    )

SELECT
    kind,
    meeting_id,
    location_id,
    max(cause_boundary_id)::BIGINT AS cause_boundary_id,
    max(boundary_id)::BIGINT AS boundary_id,
    any_value(collective_id) AS collective_id
FROM members
GROUP BY kind, meeting_id, location_id
HAVING max(cause_boundary_id) IS NOT NULL OR max(boundary_id) IS NOT NULL
