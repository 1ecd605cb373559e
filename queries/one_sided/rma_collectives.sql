-- Collective calls on windows: the n-th calls of all processes of a window form one instance.
--
--     window of ranks 0 and 1   rank 0   create 0   fence 1   fence 2   free 3
--                               rank 1   create 0   fence 1   fence 2   free 3
--
-- Of processes that begin at the same time, the one with the lowest rank is the last.
--
-- Grain:      one row per instance and process
-- Inputs:     rma_calls, rma_windows, communicators
-- Needs rows: rma_calls
-- Output:     rma_collectives
-- Parameters: none
-- Source:     MPI 4.0, section 12.2 and 12.5.1: such calls are collective over the window's group
-- Assumes:    a process makes the collective calls of a window one after the other
WITH
    calls AS (
        SELECT
            *,
            CASE
                WHEN operation IN ('create_handle', 'create_handle_and_allocate', 'allocate')
                    THEN 'create'
                WHEN
                    operation IN (
                        'destroy_handle', 'destroy_handle_and_deallocate', 'deallocate'
                    )
                    THEN 'free'
                WHEN operation = 'barrier' THEN 'fence'
            END AS purpose,
            coalesce(begin_ns, enter_ns) AS began_ns,
            row_number() OVER (
                PARTITION BY rma_window_id, location_group_id ORDER BY position
            ) - 1 AS ordinal
        FROM rma_calls
        WHERE kind = 'collective'
    ),

    instances AS (
        SELECT
            rma_window_id,
            ordinal,
            count(*) AS member_count,
            count(DISTINCT purpose) = 1 AND bool_and(purpose IS NOT NULL) AS is_one_purpose,
            min(time_ns) AS first_end_ns,
            max({
                'begin_ns': began_ns,
                'precedence': -comm_rank,
                'location_id': location_id,
                'visit_id': visit_id
            }) AS last_one
        FROM calls
        GROUP BY rma_window_id, ordinal
    ),

    known AS (
        SELECT
            instances.*,
            communicators.size - 1 AS partner_count,
            instances.is_one_purpose AND instances.member_count = communicators.size
                AS is_complete,
            is_complete AND instances.first_end_ns > instances.last_one.begin_ns AS is_together,
            NOT bool_and(is_complete) OVER (PARTITION BY instances.rma_window_id) AS is_doubtful
        FROM instances
        INNER JOIN rma_windows USING (rma_window_id)
        INNER JOIN communicators USING (communicator_id)
    )

SELECT
    rma_window_id,
    ordinal,
    calls.purpose,
    calls.location_id,
    calls.location_group_id,
    calls.comm_rank,
    calls.position,
    calls.visit_id,
    calls.call_path_id,
    calls.enter_ns,
    calls.leave_ns,
    calls.began_ns AS begin_ns,
    known.last_one.begin_ns AS last_begin_ns,
    known.last_one.location_id AS last_location_id,
    known.last_one.visit_id AS last_visit_id,
    greatest(known.partner_count, 0)::BIGINT AS partner_count,
    known.is_complete,
    known.is_together,
    known.is_doubtful
FROM calls
INNER JOIN known USING (rma_window_id, ordinal)
