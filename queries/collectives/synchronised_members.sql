-- Members of collectives that had to wait for others, each with the one that began last.
--
--     rank 0   [ MPI_Barrier ........]
--     rank 1         [ MPI_Barrier .....]
--     rank 2                  [ MPI_Barrier ]      began last, for all three
--
-- Whom a member waits for, the family of its operation says (see collective_roles). In detail:
--
-- N to N: if all were inside at the same time, all waited for the last one, whatever they sent.
-- Otherwise only receivers waited, and only for the last sender; it belongs to them itself.
-- Scan: for the last one among the lower ranks and itself. Neighbourhood: the trace does not name
-- the neighbours; the last one that began before the member ended may have been one.
--
-- Of members that begin at the same time, the one of the lowest rank is the last.
--
-- Grain:      one row per member that depends on the begin of others
-- Inputs:     collective_roles
-- Output:     synchronised_members
-- Parameters: none
-- Source:     Scalasca pattern reference, the collective patterns
-- Assumes:    clocks synchronised; confidence is lower where they are not, and where the
--             communicator has incomplete instances, which may be numbered wrongly
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

    neighbours AS (
        SELECT
            collective_id,
            begin_ns,
            max(arrival) AS arrival
        FROM roles
        WHERE family = 'neighbourhood' AND is_awaited
        GROUP BY collective_id, begin_ns
    ),

    among_neighbours AS (
        SELECT
            roles.*,
            neighbours.arrival AS last_one
        FROM roles
        ASOF INNER JOIN neighbours
            ON
                roles.collective_id = neighbours.collective_id
                AND roles.end_ns > neighbours.begin_ns
        WHERE roles.family = 'neighbourhood' AND roles.is_waiting
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
    is_beyond_reference,
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
        WHEN family = 'neighbourhood' OR last_begin_ns > end_ns THEN 50
        WHEN is_doubtful THEN 75
        ELSE 100
    END::TINYINT AS confidence
FROM (FROM all_together UNION ALL FROM by_rank UNION ALL FROM among_neighbours)
WHERE visit_id IS NOT NULL AND last_visit_id IS NOT NULL
ORDER BY collective_id, location_id
