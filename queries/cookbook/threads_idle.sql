-- How long are the threads of each process idle?
--
-- Grain:      one row per process
-- Inputs:     process_idle_times, location_groups
-- Output:     answer
-- Parameters: none
SELECT
    location_groups.rank,
    idle.location_count,
    idle.wait_ns / 1e9 AS wait_seconds,
    idle.idle_thread_ns / 1e9 AS idle_thread_seconds,
    idle.idle_ratio
FROM process_idle_times AS idle
INNER JOIN location_groups USING (location_group_id)
ORDER BY idle.idle_ns DESC, idle.location_group_id
