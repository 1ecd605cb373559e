-- Members of collectives that depend on others, each with the awaited member that began last.
--
--     rank 0   [ MPI_Barrier ........]
--     rank 1         [ MPI_Barrier .....]
--     rank 2                  [ MPI_Barrier ]      began last, for all three
--
-- The family of the operation determines whom a member waits for (see collective_roles):
--
-- * n_to_n: if all members were inside at the same time, all wait for the last one, whatever they
--   sent. Otherwise only receivers wait, and only for the last sender. That sender has a row as
--   well.
-- * scan: a member waits for the last one among the lower ranks and itself.
-- * neighborhood: a member waits for the last of its sending neighbors if the communicator has a
--   grid. Otherwise its neighbors are unknown, but its data came from another member, so it waited
--   at least until the first sender began.
--
-- Of members that begin at the same time, the one with the lowest rank is the last.
--
-- Grain:      one row per member that depends on the begin of others
-- Inputs:     collective_roles, collectives, cart_neighbors
-- Needs rows: collective_roles
-- Output:     synchronized_members
-- Parameters: none
-- Source:     Scalasca pattern reference, the collective patterns
-- Assumes:    clocks are synchronized; confidence is lower where they are not, where the
--             communicator has incomplete instances (which may be numbered wrongly), and where
--             neighbors are unknown
WITH
    roles AS (
        SELECT
            *,
            {
                'begin_ns': begin_ns,
                'precedence': -comm_rank,
                'location_id': location_id,
                'visit_id': begin_visit_id
            } AS arrival
        FROM collective_roles
    ),

    sides AS (
        SELECT
            collective_id,
            side AS awaited_side,
            min(end_ns) AS first_end_ns,
            max(arrival) AS last_member,
            max(arrival) FILTER (WHERE is_awaited) AS last_sender
        FROM roles
        WHERE family NOT IN ('scan', 'neighbourhood')
        GROUP BY collective_id, side
    ),

    awaited AS (
        SELECT
            *,
            min(first_end_ns) OVER instance > max(last_member.begin_ns) OVER instance
                AS is_overlapping
        FROM sides
        WINDOW instance AS (PARTITION BY collective_id)
    ),

    all_together AS (
        SELECT
            roles.*,
            if(roles.family = 'n_to_n' AND is_overlapping, last_member, last_sender) AS last_one
        FROM roles
        INNER JOIN awaited USING (collective_id, awaited_side)
        WHERE
            CASE
                WHEN roles.family <> 'n_to_n' THEN roles.is_waiting
                ELSE
                    is_overlapping
                    OR roles.location_id = last_sender.location_id
                    OR (roles.is_waiting AND roles.begin_ns < last_sender.begin_ns)
            END
    ),

    by_rank AS (
        SELECT
            *,
            max(arrival) FILTER (WHERE is_awaited) OVER (
                PARTITION BY collective_id ORDER BY comm_rank
            ) AS last_one
        FROM roles
        WHERE family = 'scan'
    ),

    grid_roles AS (
        SELECT roles.*, collectives.communicator_id
        FROM roles
        INNER JOIN collectives ON roles.collective_id = collectives.collective_id
        WHERE
            roles.family = 'neighbourhood'
            AND collectives.communicator_id IN (SELECT communicator_id FROM cart_neighbors)
    ),

    last_neighbors AS (
        SELECT
            receivers.collective_id,
            receivers.location_id,
            max(senders.arrival) AS last_one
        FROM grid_roles AS receivers
        INNER JOIN cart_neighbors
            ON
                receivers.communicator_id = cart_neighbors.communicator_id
                AND receivers.comm_rank = cart_neighbors.comm_rank
        INNER JOIN grid_roles AS senders
            ON
                receivers.collective_id = senders.collective_id
                AND cart_neighbors.neighbor_rank = senders.comm_rank
        WHERE receivers.is_waiting AND senders.is_awaited
        GROUP BY receivers.collective_id, receivers.location_id
    ),

    -- The two earliest senders: the earliest one itself waits for the second.
    first_senders AS (
        SELECT
            collective_id,
            min({
                'begin_ns': begin_ns,
                'precedence': comm_rank,
                'location_id': location_id,
                'visit_id': begin_visit_id
            }, 2) AS earliest
        FROM roles
        WHERE
            family = 'neighbourhood'
            AND is_awaited
            AND collective_id NOT IN (SELECT collective_id FROM grid_roles)
        GROUP BY collective_id
    ),

    among_neighbors AS (
        SELECT roles.*, last_neighbors.last_one
        FROM roles
        INNER JOIN last_neighbors
            ON
                roles.collective_id = last_neighbors.collective_id
                AND roles.location_id = last_neighbors.location_id
    ),

    among_unknown_neighbors AS (
        SELECT
            roles.*,
            earliest[if(earliest[1].location_id = roles.location_id, 2, 1)] AS last_one
        FROM roles
        INNER JOIN first_senders ON roles.collective_id = first_senders.collective_id
        WHERE roles.is_waiting
    )

SELECT
    collective_id,
    family,
    CASE family
        WHEN 'barrier' THEN 'mpi_barrier_wait'
        WHEN 'one_to_n' THEN 'mpi_latebroadcast'
        WHEN 'n_to_one' THEN 'mpi_earlyreduce'
        WHEN 'scan' THEN 'mpi_earlyscan'
        ELSE 'mpi_wait_nxn'
    END AS property,
    is_nonblocking,
    is_extended,
    location_id,
    comm_rank,
    visit_id,
    call_path_id,
    enter_ns,
    begin_ns,
    end_ns,
    last_one.begin_ns AS last_begin_ns,
    greatest(least(last_begin_ns, end_ns) - begin_ns, 0) AS wait_ns,
    last_one.location_id AS last_location_id,
    last_one.visit_id AS last_visit_id,
    CASE
        WHEN last_begin_ns > end_ns THEN 50
        WHEN is_doubtful OR has_unknown_neighbors THEN 75
        ELSE 100
    END::TINYINT AS confidence
FROM (
    SELECT *, FALSE AS has_unknown_neighbors FROM all_together
    UNION ALL
    SELECT *, FALSE AS has_unknown_neighbors FROM by_rank
    UNION ALL
    SELECT *, FALSE AS has_unknown_neighbors FROM among_neighbors
    UNION ALL
    SELECT *, TRUE AS has_unknown_neighbors FROM among_unknown_neighbors
)
WHERE visit_id IS NOT NULL AND last_visit_id IS NOT NULL
