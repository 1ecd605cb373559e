-- Barrier and N × N Completion: time in a blocking collective after its first member has left.
--
--     rank 0   [ MPI_Barrier ....]
--     rank 1        [ MPI_Barrier ............]
--                                |─ completion ─|
--
-- This time does not overlap with the wait for the last member. Its cause is the member that left
-- first; if several left at the same time, the one with the lowest rank.
--
-- Grain:      one row per visit that stayed in a blocking collective longer than needed
-- Inputs:     synchronized_members
-- Needs rows: synchronized_members
-- Output:     collective_completions
-- Parameters: none
-- Pattern:    completion
-- Metrics:    mpi_barrier_completion, mpi_nxn_completion
-- Source:     Scalasca pattern reference, "MPI Barrier Completion Time" and its N x N counterpart
-- Assumes:    clocks are synchronized; where they are not, completion starts after the end of the
--             wait
WITH
    members AS (
        SELECT
            *,
            min({
                'end_ns': end_ns,
                'comm_rank': comm_rank,
                'location_id': location_id,
                'visit_id': visit_id
            }) OVER (PARTITION BY collective_id) AS first_one
        FROM synchronized_members
        WHERE family IN ('barrier', 'n_to_n') AND NOT is_nonblocking
    ),

    -- In an inter-communicator, the last member of the other group may begin before this member.
    completions AS (
        SELECT
            *,
            greatest(first_one.end_ns, least(last_begin_ns, end_ns), begin_ns) AS start_ns
        FROM members
    )

SELECT
    if(family = 'barrier', 'mpi_barrier_completion', 'mpi_nxn_completion') AS property,
    location_id,
    visit_id,
    call_path_id,
    start_ns,
    end_ns - start_ns AS wait_ns,
    first_one.location_id AS cause_location_id,
    first_one.visit_id AS cause_visit_id,
    collective_id,
    family = 'barrier' AS is_synchronization,
    is_extended,
    confidence
FROM completions
WHERE end_ns > start_ns
