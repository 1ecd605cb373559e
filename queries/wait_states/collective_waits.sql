-- Waits in blocking collectives: a member is blocked until the last member that it depends on has
-- begun.
--
--     rank 0   [ MPI_Barrier ............]
--     rank 1               [ MPI_Barrier ]
--              |── wait ───|
--
-- Barriers, N × N collectives, broadcasts with a late root, reductions with an early root and scans
-- differ only in which members depend on which: see synchronized_members.
--
-- Grain:      one row per visit that waited in a blocking collective
-- Inputs:     synchronized_members
-- Needs rows: synchronized_members
-- Output:     collective_waits
-- Parameters: none
-- Pattern:    wait state
-- Metrics:    mpi_barrier_wait, mpi_wait_nxn, mpi_latebroadcast, mpi_earlyreduce, mpi_earlyscan
-- Source:     Scalasca pattern reference, "MPI Wait at Barrier Time", "MPI Wait at N x N Time",
--             "MPI Late Broadcast Time", "MPI Early Reduce Time", "MPI Early Scan Time"
-- Assumes:    clocks are synchronized; where they are not, a wait ends with its call
SELECT
    property,
    location_id,
    visit_id,
    call_path_id,
    begin_ns AS start_ns,
    wait_ns,
    last_location_id AS cause_location_id,
    last_visit_id AS cause_visit_id,
    collective_id,
    family = 'barrier' AS is_synchronization,
    is_extended,
    confidence
FROM synchronized_members
WHERE NOT is_nonblocking AND wait_ns > 0
