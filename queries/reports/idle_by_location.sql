-- Idle time of each location.
--
-- Grain:      one row per location that is idle
-- Inputs:     idle_times, locations
-- Output:     report section load balance
-- Parameters: $row_limit  maximum number of locations (BIGINT)
SELECT
    locations.rank,
    locations.thread,
    idle_times.wait_ns,
    idle_times.idle_thread_ns,
    idle_times.absent_ns,
    idle_times.idle_ns,
    idle_times.idle_ratio
FROM idle_times
INNER JOIN locations ON idle_times.location_id = locations.location_id
WHERE idle_times.idle_ns > 0
ORDER BY locations.rank, locations.thread, idle_times.location_id
LIMIT $row_limit::BIGINT
