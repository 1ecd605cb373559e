-- Waits where all processes of a window make or free it, or meet in a fence.
--
--     rank 0   [ MPI_Win_fence ................]
--     rank 1        [ MPI_Put to 0 ]  [ MPI_Win_fence ]
--              |─── early fence ───|─ wait at ─|
--                                     fence
--
-- If all were inside at the same time, all waited for the last one; a fence that needs nobody is
-- left before others come. Of a wait at a fence the part until the last operation of others on the
-- own memory is over is an early fence.
--
-- Grain:      one row per visit and property that waited for the other processes of a window
-- Inputs:     rma_collectives, rma_accesses
-- Needs rows: rma_collectives
-- Output:     rma_collective_waits
-- Parameters: none
-- Pattern:    wait state
-- Metrics:    mpi_rma_wait_at_create "Wait at Window Create": Time in making an RMA window until
--             the last process has come.
--             mpi_rma_wait_at_free "Wait at Window Free": Time in freeing an RMA window until the
--             last process has come.
--             mpi_rma_wait_at_fence "Wait at Fence": Time in a fence of an RMA window until the
--             last process has come.
--             mpi_rma_early_fence "Early Fence", part of mpi_rma_wait_at_fence: Wait at Fence
--             while others still access the own memory.
-- Source:     Scalasca pattern reference, "MPI Wait at Window Create/Free/Fence Time", "MPI Early
--             Fence Time"
-- Assumes:    clocks synchronised; confidence is lower where the window has incomplete instances
WITH
    last_accesses AS (
        SELECT
            rma_window_id,
            fence_ordinal AS ordinal,
            target_group_id AS location_group_id,
            max({
                'leave_ns': leave_ns,
                'precedence': -location_id,
                'location_id': location_id,
                'visit_id': visit_id
            }) AS access
        FROM rma_accesses
        WHERE fence_ordinal IS NOT NULL AND target_group_id <> location_group_id
        GROUP BY ALL
    ),

    waiting AS (
        SELECT
            members.*,
            last_accesses.access,
            greatest(
                members.begin_ns,
                least(coalesce(last_accesses.access.leave_ns, members.begin_ns), last_begin_ns)
            ) AS accessed_until_ns
        FROM rma_collectives AS members
        LEFT JOIN last_accesses USING (rma_window_id, ordinal, location_group_id)
        WHERE members.is_together AND members.last_begin_ns > members.begin_ns
        QUALIFY
            row_number() OVER (
                PARTITION BY members.visit_id
                ORDER BY members.last_begin_ns - members.begin_ns DESC, members.ordinal
            ) = 1
    ),

    parts AS (
        SELECT
            *,
            'mpi_rma_early_fence' AS property,
            begin_ns AS start_ns,
            accessed_until_ns AS until_ns,
            access.location_id AS cause_location_id,
            access.visit_id AS cause_visit_id
        FROM waiting
        WHERE purpose = 'fence'
        UNION ALL
        SELECT
            *,
            CASE purpose
                WHEN 'create' THEN 'mpi_rma_wait_at_create'
                WHEN 'free' THEN 'mpi_rma_wait_at_free'
                ELSE 'mpi_rma_wait_at_fence'
            END AS property,
            if(purpose = 'fence', accessed_until_ns, begin_ns) AS start_ns,
            last_begin_ns AS until_ns,
            last_location_id AS cause_location_id,
            last_visit_id AS cause_visit_id
        FROM waiting
    )

SELECT
    property,
    location_id,
    visit_id,
    call_path_id,
    start_ns,
    until_ns - start_ns AS wait_ns,
    cause_location_id,
    cause_visit_id,
    NULL::BIGINT AS message_id,
    NULL::BIGINT AS collective_id,
    TRUE AS is_synchronisation,
    TRUE AS is_beyond_reference,
    if(is_doubtful, 75, 100)::TINYINT AS confidence
FROM parts
WHERE until_ns > start_ns
ORDER BY visit_id, property
