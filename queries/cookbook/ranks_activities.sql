-- How much of the main part does each rank compute, communicate, wait, and so on?
--
-- Grain:      one row per thread and primitive activity
-- Inputs:     activity_times, locations
-- Output:     answer
-- Parameters: none
SELECT
    locations.rank,
    locations.thread,
    times.activity,
    sum(times.time_ns) / 1e9 AS seconds,
    sum(times.time_ns) / sum(sum(times.time_ns)) OVER (PARTITION BY times.location_id)
        AS time_ratio
FROM activity_times AS times
INNER JOIN locations ON times.location_id = locations.location_id
GROUP BY locations.rank, locations.thread, times.location_id, times.activity
ORDER BY locations.rank, locations.thread, times.location_id, seconds DESC, times.activity
