-- Epochs in which a process held the lock of a window.
--
-- A lock request is paired with the next record of the same process for the same lock, if that
-- record is a release; MPI_Win_lock_all and MPI_Win_unlock_all refer to the lock of all ranks. A
-- request without a release is left out, because no process can have waited for it.
--
-- Grain:      one row per lock that was released
-- Inputs:     rma_calls
-- Needs rows: rma_calls
-- Output:     rma_lock_epochs
-- Parameters: none
-- Source:     MPI 4.0, section 12.5.3; OTF2 numbers exclusive locks 0 and shared ones 1
-- Assumes:    nothing
WITH
    followed AS (
        SELECT
            *,
            lead({
                'is_end': kind = 'release_lock',
                'location_id': location_id,
                'position': position,
                'visit_id': visit_id,
                'call_path_id': call_path_id,
                'enter_ns': enter_ns,
                'leave_ns': leave_ns,
                'time_ns': time_ns
            }) OVER (
                PARTITION BY rma_window_id, location_group_id, target_rank, matching_id
                ORDER BY position
            ) AS next_record
        FROM rma_calls
        WHERE kind IN ('request_lock', 'acquire_lock', 'release_lock')
    )

SELECT
    rma_window_id,
    location_group_id,
    target_rank,
    coalesce(detail, 1) = 0 AS is_exclusive,
    location_id AS lock_location_id,
    position AS lock_position,
    visit_id AS lock_visit_id,
    call_path_id AS lock_call_path_id,
    enter_ns AS lock_enter_ns,
    leave_ns AS lock_leave_ns,
    next_record.location_id AS unlock_location_id,
    next_record.position AS unlock_position,
    next_record.visit_id AS unlock_visit_id,
    next_record.call_path_id AS unlock_call_path_id,
    next_record.enter_ns AS unlock_enter_ns,
    next_record.leave_ns AS unlock_leave_ns,
    next_record.time_ns AS release_ns
FROM followed
WHERE kind <> 'release_lock' AND next_record.is_end
