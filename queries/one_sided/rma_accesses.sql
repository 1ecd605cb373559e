-- Operations on window memory, each with its access epoch.
--
-- An access epoch begins with MPI_Win_start, with a lock of the target or of all ranks, or it lies
-- between two fences. An epoch between fences is identified by the fence that ends it.
--
-- Grain:      one row per put, get or atomic operation on memory of a process of the window
-- Inputs:     rma_calls, rma_epochs, rma_lock_epochs, rma_collectives
-- Needs rows: rma_calls
-- Output:     rma_accesses
-- Parameters: none
-- Source:     MPI 4.0, section 12.5: access epochs of a window do not overlap
-- Assumes:    nothing
WITH
    operations AS (
        SELECT *
        FROM rma_calls
        WHERE
            kind IN ('put', 'get', 'atomic')
            AND target_group_id IS NOT NULL
    ),

    starts AS (SELECT * FROM rma_epochs WHERE role = 'access'),

    locks_of_all AS (SELECT * FROM rma_lock_epochs WHERE target_rank IS NULL),

    fences AS (SELECT * FROM rma_collectives WHERE purpose = 'fence'),

    placed AS (
        SELECT
            operations.*,
            if(
                starts.end_position IS NULL OR operations.position < starts.end_position,
                starts.begin_visit_id,
                NULL
            ) AS start_visit_id,
            coalesce(
                if(operations.position < locks.unlock_position, locks.lock_position, NULL),
                if(
                    operations.position < locks_of_all.unlock_position,
                    locks_of_all.lock_position,
                    NULL
                )
            ) AS lock_position,
            fences.ordinal AS fence_ordinal
        FROM operations
        ASOF LEFT JOIN starts
            ON
                operations.rma_window_id = starts.rma_window_id
                AND operations.location_group_id = starts.location_group_id
                AND operations.position > starts.begin_position
        ASOF LEFT JOIN rma_lock_epochs AS locks
            ON
                operations.rma_window_id = locks.rma_window_id
                AND operations.location_group_id = locks.location_group_id
                AND operations.target_rank = locks.target_rank
                AND operations.position > locks.lock_position
        ASOF LEFT JOIN locks_of_all
            ON
                operations.rma_window_id = locks_of_all.rma_window_id
                AND operations.location_group_id = locks_of_all.location_group_id
                AND operations.position > locks_of_all.lock_position
        ASOF LEFT JOIN fences
            ON
                operations.rma_window_id = fences.rma_window_id
                AND operations.location_group_id = fences.location_group_id
                AND operations.position < fences.position
    )

SELECT
    location_id,
    sequence,
    visit_id,
    call_path_id,
    enter_ns,
    leave_ns,
    rma_window_id,
    location_group_id,
    target_group_id,
    start_visit_id,
    if(start_visit_id IS NULL, lock_position, NULL) AS lock_position,
    if(start_visit_id IS NULL AND placed.lock_position IS NULL, fence_ordinal, NULL)
        AS fence_ordinal
FROM placed
