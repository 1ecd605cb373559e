-- Waits where the processes of a window synchronize, or until others have finished accessing the
-- process's own memory.
--
--     rank 0   [ MPI_Win_fence ................]
--     rank 1        [ MPI_Put ]  [ MPI_Win_fence ]
--              |── early ─────|at|
--                  fence     fence
--
--     target   [ MPI_Win_wait .................]
--     origin        [ MPI_Put ]  [ MPI_Win_complete ]
--              |── early ─────|late complete
--                  wait
--
-- After the last operation on the process's own memory, only the other processes' calls are
-- missing. In MPI_Win_wait this part is a Late Complete, in a fence it is a Wait at Fence. Relation
-- rma_synchronized_calls defines which calls synchronize with each other, and until when.
--
-- Grain:      one row per visit and property that waited for other processes of a window
-- Inputs:     rma_synchronized_calls
-- Needs rows: rma_synchronized_calls
-- Output:     rma_synchronization_waits
-- Parameters: none
-- Pattern:    wait state
-- Metrics:    mpi_rma_wait_at_create, mpi_rma_wait_at_free, mpi_rma_wait_at_fence,
--             mpi_rma_early_fence, mpi_rma_early_wait, mpi_rma_late_complete
-- Source:     Scalasca pattern reference, "MPI Wait at Window Create/Free/Fence Time", "MPI Early
--             Fence Time", "MPI Early Wait Time", "MPI Late Complete Time"
-- Assumes:    as for rma_synchronized_calls
WITH
    parts AS (
        SELECT
            *,
            if(purpose = 'wait', 'mpi_rma_early_wait', 'mpi_rma_early_fence') AS property,
            start_ns AS begin_ns,
            accessed_until_ns AS end_ns,
            access_location_id AS cause_location_id,
            access_visit_id AS cause_visit_id
        FROM rma_synchronized_calls
        UNION ALL
        SELECT
            *,
            CASE purpose
                WHEN 'create' THEN 'mpi_rma_wait_at_create'
                WHEN 'free' THEN 'mpi_rma_wait_at_free'
                WHEN 'fence' THEN 'mpi_rma_wait_at_fence'
                WHEN 'wait' THEN 'mpi_rma_late_complete'
            END AS property,
            accessed_until_ns AS begin_ns,
            until_ns AS end_ns,
            last_location_id AS cause_location_id,
            last_visit_id AS cause_visit_id
        FROM rma_synchronized_calls
    )

SELECT
    property,
    location_id,
    visit_id,
    call_path_id,
    begin_ns AS start_ns,
    end_ns - begin_ns AS wait_ns,
    cause_location_id,
    cause_visit_id,
    TRUE AS is_synchronization,
    TRUE AS is_extended,
    confidence
FROM parts
WHERE end_ns > begin_ns
