-- No location is idle for longer than the run.
--
-- Grain:      one row per process or location with too much idle time
-- Inputs:     process_idle_times, idle_times, runs
-- Output:     offending rows
-- Parameters: none
-- Source:     the definition of idle time
-- Assumes:    clocks agree
WITH
    idle AS (
        SELECT
            location_group_id,
            NULL::INTEGER AS location_id,
            idle_ns,
            location_count
        FROM process_idle_times
        UNION ALL
        SELECT
            location_group_id,
            location_id,
            idle_ns,
            1 AS location_count
        FROM idle_times
    )

SELECT
    idle.*,
    runs.end_ns - runs.begin_ns AS run_ns
FROM idle
CROSS JOIN runs
WHERE idle.idle_ns > idle.location_count * (runs.end_ns - runs.begin_ns)
ORDER BY idle.location_group_id, idle.location_id
