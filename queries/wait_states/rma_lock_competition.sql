-- Lock competition: a process that needs the lock of a window is blocked until its owner has
-- released it.
--
--     rank 1   lock ────────── [ MPI_Win_unlock ]
--     rank 2      [ MPI_Win_lock ...............] [ MPI_Put ] [ MPI_Win_unlock ]
--                 |─────────── wait ───────────|
--
-- The MPI library chooses which call blocks: MPI_Win_lock, an operation or MPI_Win_unlock. The wait
-- is in the call of the epoch that was inside longest before the release, among the calls that
-- lasted until the release had begun; if several are equal, the first.
--
-- Grain:      one row per visit that waited for a lock
-- Inputs:     rma_lock_epochs, rma_lock_queue, rma_accesses
-- Needs rows: rma_lock_epochs, rma_lock_queue
-- Output:     rma_lock_competition
-- Parameters: none
-- Pattern:    wait state
-- Metrics:    mpi_rma_sync_lock_competition, mpi_rma_comm_lock_competition
-- Source:     Scalasca pattern reference, "MPI Lock Contention Time in Synchronizations" and
--             "... in Communications"
-- Assumes:    clocks are synchronized; confidence is lower if the call ended before the release was
--             recorded: the wait then ends with the call
WITH
    contended AS (
        SELECT *
        FROM rma_lock_epochs
        INNER JOIN rma_lock_queue USING (lock_visit_id, lock_position)
        WHERE rma_lock_queue.owner_release_ns > rma_lock_epochs.lock_enter_ns
    ),

    calls AS (
        SELECT
            *,
            'mpi_rma_sync_lock_competition' AS property,
            lock_location_id AS location_id,
            lock_visit_id AS visit_id,
            lock_call_path_id AS call_path_id,
            lock_enter_ns AS enter_ns,
            lock_leave_ns AS leave_ns
        FROM contended
        UNION ALL
        SELECT
            *,
            'mpi_rma_sync_lock_competition' AS property,
            unlock_location_id AS location_id,
            unlock_visit_id AS visit_id,
            unlock_call_path_id AS call_path_id,
            unlock_enter_ns AS enter_ns,
            unlock_leave_ns AS leave_ns
        FROM contended
        UNION ALL
        SELECT
            contended.*,
            'mpi_rma_comm_lock_competition' AS property,
            accesses.location_id,
            accesses.visit_id,
            accesses.call_path_id,
            accesses.enter_ns,
            accesses.leave_ns
        FROM contended
        INNER JOIN rma_accesses AS accesses
            ON
                contended.location_group_id = accesses.location_group_id
                AND contended.lock_position = accesses.lock_position
    ),

    blocked AS (
        SELECT
            *,
            least(owner_release_ns, leave_ns) - enter_ns AS wait_ns
        FROM calls
        WHERE owner_release_ns > enter_ns AND leave_ns > owner_enter_ns
        QUALIFY
            row_number() OVER (
                PARTITION BY lock_visit_id, lock_position ORDER BY wait_ns DESC, enter_ns, visit_id
            ) = 1
    )

SELECT
    property,
    location_id,
    visit_id,
    call_path_id,
    enter_ns AS start_ns,
    wait_ns,
    owner_location_id AS cause_location_id,
    owner_visit_id AS cause_visit_id,
    property = 'mpi_rma_sync_lock_competition' AS is_synchronization,
    TRUE AS is_extended,
    if(owner_release_ns > leave_ns, 75, 100) AS confidence
FROM blocked
WHERE wait_ns > 0
QUALIFY row_number() OVER (PARTITION BY visit_id ORDER BY wait_ns DESC, lock_position) = 1
