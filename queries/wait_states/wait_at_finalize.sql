-- Wait at Finalize: time in MPI_Finalize before the last process has entered it.
--
--     rank 0   [ MPI_Finalize .....]
--     rank 1            [ MPI_Finalize ]
--              |─ wait ─|
--
-- Grain:      one row per visit that waited in MPI_Finalize
-- Inputs:     framing_calls
-- Needs rows: framing_calls
-- Output:     wait_at_finalize
-- Parameters: none
-- Pattern:    wait state
-- Metrics:    mpi_finalize_wait
-- Source:     Scalasca pattern reference, "MPI Wait at Finalize Time"
-- Assumes:    clocks are synchronized; where they are not, a wait ends with its call
SELECT
    location_id,
    visit_id,
    call_path_id,
    enter_ns AS start_ns,
    wait_ns,
    last_location_id AS cause_location_id,
    last_visit_id AS cause_visit_id,
    TRUE AS is_synchronization,
    confidence
FROM framing_calls
WHERE is_finalize AND wait_ns > 0
