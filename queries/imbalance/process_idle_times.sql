-- Idle time of each process, summed over its locations.
--
-- Grain:      one row per location group with threads
-- Inputs:     idle_times, location_bases
-- Output:     process_idle_times
-- Parameters: none
-- Source:     Scalasca pattern reference: wait states, "OpenMP Idle Threads Time"
-- Assumes:    nothing
SELECT
    idle_times.location_group_id,
    count(*)::INTEGER AS location_count,
    sum(idle_times.wait_ns)::BIGINT AS wait_ns,
    sum(idle_times.idle_thread_ns)::BIGINT AS idle_thread_ns,
    sum(idle_times.absent_ns)::BIGINT AS absent_ns,
    sum(idle_times.idle_ns)::BIGINT AS idle_ns,
    sum(idle_times.idle_ns) / nullif(sum(bases.run_end_ns - bases.run_begin_ns), 0) AS idle_ratio
FROM idle_times
INNER JOIN location_bases AS bases USING (location_id)
GROUP BY idle_times.location_group_id
ORDER BY idle_times.location_group_id
