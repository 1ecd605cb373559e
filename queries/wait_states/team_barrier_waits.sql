-- Threads that waited in a barrier of their team for a thread that came later.
--
-- Grain:      one row per visit that waited in a barrier
-- Inputs:     team_barriers
-- Needs rows: team_barriers
-- Output:     team_barrier_waits
-- Parameters: none
-- Pattern:    wait state
-- Metrics:    omp_ebarrier_wait, omp_ibarrier_wait
-- Source:     Scalasca pattern reference, "OpenMP Barrier Wait Time"
-- Assumes:    threads wait first and run tasks in the barrier afterwards; clocks are synchronized:
--             confidence is lower if a thread leaves before the last one enters
SELECT
    if(is_implicit, 'omp_ibarrier_wait', 'omp_ebarrier_wait') AS property,
    location_id,
    visit_id,
    call_path_id,
    enter_ns AS start_ns,
    wait_ns,
    last_location_id AS cause_location_id,
    last_visit_id AS cause_visit_id,
    TRUE AS is_synchronization,
    if(last_enter_ns > leave_ns, 50, 100) AS confidence
FROM team_barriers
WHERE wait_ns > 0
