-- Part of the exclusive time of parallel regions between the region and its fork or join.
--
-- Grain:      one row per call path of a parallel region and location
-- Inputs:     parallel_visits
-- Needs rows: parallel_visits
-- Output:     fork_join_times
-- Parameters: none
-- Source:     Scalasca pattern reference, "OpenMP Thread Management Time"
-- Assumes:    nothing
SELECT
    call_path_id,
    location_id,
    sum(enter_ns - fork_ns + join_ns - leave_ns)::BIGINT AS fork_join_ns,
    sum(enter_ns - fork_ns)::BIGINT AS fork_ns
FROM parallel_visits
GROUP BY ALL
ORDER BY call_path_id, location_id
