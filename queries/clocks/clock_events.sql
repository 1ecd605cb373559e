-- Records that cannot be earlier, or later, than records of other locations.
--
-- Senders and receivers meet: no receiver may be earlier than the latest sender and the least time
-- between them.
--
--     kind         senders                       receivers
--     message      send record                   receive record
--     collective   begin of each member that     end of each member that waits for others
--                  others wait for
--     setup        enter of MPI_Init             its leave
--     finalize     enter of MPI_Finalize         its leave
--     fork         fork                          begin of each thread of the team
--     barrier      enter of a team's barrier     its leave
--     join         end of each thread            join
--
-- In a scan, each rank has a meeting of its own, which continues that of the rank before. Of
-- records at the same time, those of MPI_Init and of threads come first, those of MPI_Finalize
-- last. A collective begins right before the record of its end. A begin at the same time as the
-- enter of its call is listed with that enter, even if nobody meets there: the correction separates
-- the two.
--
-- Grain:      one row per record and meeting, and for the begin and end of each location
-- Inputs:     corrected_locations, messages, collective_members, collective_roles,
--             mpi_operations, framing_calls, thread_teams, thread_team_members, team_barriers
-- Needs rows: corrected_locations
-- Output:     clock_events
-- Parameters: $least_message_ns  least time between processes (ns) (BIGINT, default 1000)
--             $least_thread_ns   least time between threads of a process (ns) (BIGINT, default 10)
-- Source:     Becker et al. 2008, "Replay-based synchronization of timestamps in event traces"
-- Assumes:    records are matched by their order, which is right whatever the clocks show
WITH
    -- The record of the end of each member; a visit may hold several collectives.
    members AS (
        SELECT
            collective_members.location_id,
            collective_members.collective_id,
            collective_members.enter_ns,
            collective_members.begin_ns,
            collective_members.end_ns,
            mpi_operations.sequence,
            if(roles.family = 'scan', 'scan', 'collective') AS kind,
            roles.side,
            roles.awaited_side,
            roles.comm_rank,
            coalesce(roles.is_awaited, FALSE) AS is_awaited,
            coalesce(roles.is_waiting, FALSE) AS is_waiting
        FROM collective_members
        INNER JOIN mpi_operations
            ON
                collective_members.location_id = mpi_operations.location_id
                AND collective_members.visit_id = mpi_operations.visit_id
                AND collective_members.end_ns = mpi_operations.time_ns
        LEFT JOIN collective_roles AS roles
            ON
                collective_members.collective_id = roles.collective_id
                AND collective_members.location_id = roles.location_id
                AND NOT roles.is_extended
        WHERE mpi_operations.kind = 'collective'
    ),

    framing AS (
        SELECT
            *,
            if(is_finalize, 'finalize', 'setup') AS kind,
            if(is_finalize, 9e18, 0)::BIGINT AS sequence
        FROM framing_calls
    ),

    others AS (
        SELECT
            kind,
            collective_id AS instance_id,
            if(kind = 'scan', comm_rank, side) AS part,
            TRUE AS is_sender,
            location_id,
            begin_ns AS time_ns,
            sequence - 1 AS sequence
        FROM members
        WHERE is_awaited
        UNION ALL
        SELECT
            kind, collective_id, if(kind = 'scan', comm_rank, awaited_side), FALSE, location_id,
            end_ns, sequence
        FROM members
        WHERE is_waiting
        UNION ALL
        SELECT kind, 0, 0, TRUE, location_id, enter_ns, sequence
        FROM framing
        UNION ALL
        SELECT kind, 0, 0, FALSE, location_id, leave_ns, sequence + 1
        FROM framing
        UNION ALL
        SELECT 'fork', thread_team_id, 0, TRUE, location_id, fork_ns, 0
        FROM thread_teams
        UNION ALL
        SELECT 'fork', thread_team_id, 0, FALSE, location_id, begin_ns, 1
        FROM thread_team_members
        UNION ALL
        SELECT 'barrier', thread_team_id, ordinal, TRUE, location_id, enter_ns, 2
        FROM team_barriers
        UNION ALL
        SELECT 'barrier', thread_team_id, ordinal, FALSE, location_id, leave_ns, 3
        FROM team_barriers
        UNION ALL
        SELECT 'join', thread_team_id, 0, TRUE, location_id, end_ns, 4
        FROM thread_team_members
        UNION ALL
        SELECT 'join', thread_team_id, 0, FALSE, location_id, join_ns, 5
        FROM thread_teams
    ),

    numbered AS (
        SELECT
            *,
            (SELECT count(*) FROM messages)
            + dense_rank() OVER (ORDER BY kind, instance_id, part) - 1 AS meeting_id
        FROM others
        UNION ALL BY NAME
        SELECT
            'message' AS kind,
            message_id AS instance_id,
            message_id AS meeting_id,
            TRUE AS is_sender,
            sender_location_id AS location_id,
            send_ns AS time_ns,
            send_sequence AS sequence
        FROM messages
        UNION ALL BY NAME
        SELECT
            'message' AS kind,
            message_id AS instance_id,
            message_id AS meeting_id,
            FALSE AS is_sender,
            receiver_location_id AS location_id,
            receive_ns AS time_ns,
            receive_sequence AS sequence
        FROM messages
        UNION ALL BY NAME
        SELECT
            location_id,
            unnest([begin_ns, end_ns]) AS time_ns,
            unnest([-1, 9223372036854775807]) AS sequence,
            FALSE AS is_sender
        FROM corrected_locations
        UNION ALL BY NAME
        SELECT location_id, enter_ns AS time_ns, sequence - 2 AS sequence, FALSE AS is_sender
        FROM members
        WHERE enter_ns = begin_ns
        UNION ALL BY NAME
        SELECT location_id, begin_ns AS time_ns, sequence - 1 AS sequence, FALSE AS is_sender
        FROM members
        WHERE enter_ns = begin_ns AND NOT is_awaited
    )

SELECT
    location_id,
    time_ns,
    sequence,
    kind,
    if(kind = 'message', instance_id, NULL) AS message_id,
    if(kind IN ('collective', 'scan'), instance_id, NULL) AS collective_id,
    meeting_id,
    is_sender,
    if(kind IN ('fork', 'barrier', 'join'), $least_thread_ns::BIGINT, $least_message_ns::BIGINT)
        AS least_ns
FROM numbered
SEMI JOIN corrected_locations USING (location_id)
ORDER BY location_id, time_ns, sequence, is_sender, meeting_id
