-- Init Completion: time in MPI_Init after the first process has left it.
--
--     rank 0   [ MPI_Init .......]
--     rank 1       [ MPI_Init .................]
--                                |─ completion ─|
--
-- Waiting for the last process to enter is not counted, because MPI_Init does not have to
-- synchronize.
--
-- Grain:      one row per visit that stayed in MPI_Init longer than the first process
-- Inputs:     framing_calls
-- Needs rows: framing_calls
-- Output:     init_completion
-- Parameters: none
-- Pattern:    completion
-- Metrics:    mpi_init_completion
-- Source:     Scalasca pattern reference, "MPI Init Completion Time"
-- Assumes:    clocks are synchronized; where they are not, nothing is counted before the last
--             process enters
WITH
    completions AS (
        SELECT
            *,
            greatest(first_leave_ns, least(last_enter_ns, leave_ns)) AS start_ns
        FROM framing_calls
        WHERE NOT is_finalize
    )

SELECT
    location_id,
    visit_id,
    call_path_id,
    start_ns,
    leave_ns - start_ns AS wait_ns,
    first_location_id AS cause_location_id,
    first_visit_id AS cause_visit_id,
    TRUE AS is_synchronization,
    confidence
FROM completions
WHERE leave_ns > start_ns
