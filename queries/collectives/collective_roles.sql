-- Role of each member in a collective: whether others wait for it, and whether it waits.
--
--     family          operations                              awaited        waiting
--     barrier         Barrier                                 all            all
--     n_to_n          Allgather(v), Alltoall(v/w),            senders        receivers
--                     Allreduce, Reduce_scatter(_block)
--     one_to_n        Bcast, Scatter(v)                       the root       other receivers
--     n_to_one        Reduce, Gather(v)                       senders        the root
--     scan            Scan, Exscan                            senders        all, for lower ranks
--     neighborhood   any of them in MPI_Neighbor_…           senders        receivers
--
-- Senders and receivers are members that send or receive data. A member with zero bytes of both has
-- no role, except in a barrier. The same rules apply to nonblocking forms. On an inter-communicator
-- each side waits for the other one; MPI defines no scan there, so a scan is left out.
--
-- Grain:      one row per member with a role in a complete instance of several members
-- Inputs:     collectives, collective_members, communicators
-- Needs rows: collectives
-- Output:     collective_roles
-- Parameters: none
-- Source:     Scalasca pattern reference; MPI 4.0, section 6.2.3 on inter-communicators
-- Assumes:    nothing
WITH
    instances AS (
        SELECT
            collectives.collective_id,
            collectives.root_side,
            collectives.root_rank,
            collectives.is_nonblocking,
            collectives.is_nonblocking
            OR collectives.is_neighborhood
            OR collectives.operation IN ('alltoallv', 'alltoallw') AS is_extended,
            communicators.kind = 'inter' AS is_inter,
            NOT bool_and(collectives.is_complete) OVER (PARTITION BY communicator_id)
                AS is_doubtful,
            CASE
                WHEN collectives.is_neighborhood THEN 'neighbourhood'
                WHEN collectives.operation = 'barrier' THEN 'barrier'
                WHEN collectives.operation IN ('bcast', 'scatter', 'scatterv') THEN 'one_to_n'
                WHEN collectives.operation IN ('reduce', 'gather', 'gatherv') THEN 'n_to_one'
                WHEN collectives.operation IN ('scan', 'exscan') AND NOT is_inter THEN 'scan'
                WHEN
                    collectives.operation IN (
                        'allgather', 'allgatherv', 'alltoall', 'alltoallv', 'alltoallw',
                        'allreduce', 'reduce_scatter', 'reduce_scatter_block'
                    )
                    THEN 'n_to_n'
            END AS family
        FROM collectives
        INNER JOIN communicators USING (communicator_id)
        QUALIFY family IS NOT NULL AND collectives.is_complete AND collectives.member_count > 1
    ),

    members AS (
        SELECT
            instances.* EXCLUDE (collective_id),
            collective_members.*,
            coalesce(side = root_side AND comm_rank = root_rank, FALSE) AS is_root
        FROM instances
        INNER JOIN collective_members USING (collective_id)
        WHERE family = 'barrier' OR bytes_sent > 0 OR bytes_received > 0
    )

SELECT
    collective_id,
    family,
    is_nonblocking,
    is_extended,
    location_id,
    side,
    if(is_inter, 1 - side, side)::TINYINT AS awaited_side,
    comm_rank,
    visit_id,
    call_path_id,
    enter_ns,
    coalesce(start_visit_id, visit_id) AS begin_visit_id,
    begin_ns,
    end_ns,
    CASE family
        WHEN 'barrier' THEN TRUE
        WHEN 'one_to_n' THEN bytes_sent > 0 AND is_root
        ELSE bytes_sent > 0
    END AS is_awaited,
    CASE family
        WHEN 'barrier' THEN TRUE
        WHEN 'scan' THEN TRUE
        WHEN 'one_to_n' THEN bytes_received > 0 AND NOT is_root
        WHEN 'n_to_one' THEN bytes_received > 0 AND is_root
        ELSE bytes_received > 0
    END AS is_waiting,
    is_doubtful
FROM members
