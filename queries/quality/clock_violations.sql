-- Where clocks contradict each other: something ended before what it needed had begun.
--
-- Messages: the receive is recorded before the send. Collectives: a member that had to wait for
-- others (a barrier for all, Bcast and Scatter for the root, Reduce and Gather for all that send,
-- the rest for all that send) ended before the last of them began. MPI_Init and MPI_Finalize: a
-- process left before the last one entered. Analyses then end the wait with the call; what was cut
-- off is the clipped time, 0 where records contradict each other but no call had to be cut.
--
-- Grain:      one row per location with violations
-- Inputs:     messages, collectives, collective_members, visits, call_paths, mpi_calls
-- Output:     clock_violations
-- Parameters: none
-- Source:     Scalasca, "clock condition violations"
-- Assumes:    all processes call MPI_Init and MPI_Finalize together
WITH
    violating_messages AS (
        SELECT
            receiver_location_id AS location_id,
            greatest(send_post_enter_ns - receive_completion_leave_ns, 0) AS clipped_ns
        FROM messages
        WHERE is_clock_violation
    ),

    roles AS (
        SELECT
            members.collective_id,
            members.location_id,
            members.begin_ns,
            members.end_ns,
            CASE
                WHEN collectives.operation = 'barrier' THEN TRUE
                WHEN collectives.operation IN ('bcast', 'scatter', 'scatterv')
                    THEN members.comm_rank = collectives.root_rank AND members.bytes_sent > 0
                ELSE members.bytes_sent > 0
            END AS is_awaited,
            CASE
                WHEN collectives.operation = 'barrier' THEN TRUE
                WHEN collectives.operation IN ('reduce', 'gather', 'gatherv')
                    THEN members.comm_rank = collectives.root_rank AND members.bytes_received > 0
                ELSE members.bytes_received > 0
            END AS is_waiting
        FROM collectives
        INNER JOIN collective_members AS members USING (collective_id)
        WHERE
            collectives.is_complete
            AND collectives.member_count > 1
            AND NOT collectives.is_nonblocking
            AND collectives.operation IN (
                'barrier', 'bcast', 'scatter', 'scatterv', 'reduce', 'gather', 'gatherv',
                'allgather', 'allgatherv', 'alltoall', 'alltoallv', 'alltoallw', 'allreduce',
                'reduce_scatter', 'reduce_scatter_block'
            )
    ),

    last_begins AS (
        SELECT
            collective_id,
            max(begin_ns) AS last_begin_ns
        FROM roles
        WHERE is_awaited
        GROUP BY collective_id
    ),

    violating_members AS (
        SELECT
            roles.location_id,
            last_begins.last_begin_ns - roles.end_ns AS clipped_ns
        FROM roles
        INNER JOIN last_begins USING (collective_id)
        WHERE roles.is_waiting AND last_begins.last_begin_ns > roles.end_ns
    ),

    framing_paths AS (
        SELECT
            call_paths.call_path_id,
            mpi_calls.call = 'mpi_finalize' AS is_end
        FROM call_paths
        INNER JOIN mpi_calls USING (region_id)
        WHERE mpi_calls.call IN ('mpi_init', 'mpi_init_thread', 'mpi_finalize')
    ),

    framing_visits AS (
        SELECT
            visits.location_id,
            max(visits.enter_ns) OVER (PARTITION BY framing_paths.is_end) - visits.leave_ns
                AS clipped_ns
        FROM visits
        INNER JOIN framing_paths USING (call_path_id)
    ),

    violations AS (
        FROM violating_messages
        UNION ALL
        FROM violating_members
        UNION ALL
        SELECT * FROM framing_visits
        WHERE clipped_ns > 0
    )

SELECT
    location_id,
    count(*) AS violation_count,
    coalesce(sum(clipped_ns), 0)::BIGINT AS clipped_ns
FROM violations
GROUP BY location_id
ORDER BY location_id
