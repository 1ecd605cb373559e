-- Visits, and their total time, lie between the first and the last record of their location.
--
-- A thread that works in teams also has time from fork to join, which is recorded by other threads.
-- Its limit is the lifetime of its process.
--
-- Grain:      one row per location with visits outside its time span, or with too much time in
--             visits
-- Inputs:     visits, locations, fork_join_times
-- Output:     offending rows
-- Parameters: none
-- Source:     the definition of exclusive time
-- Assumes:    clocks agree
WITH
    visited AS (
        SELECT
            location_id,
            min(enter_ns) AS enter_ns,
            max(leave_ns) AS leave_ns,
            sum(exclusive_ns)::BIGINT AS exclusive_ns
        FROM visits
        GROUP BY location_id
    ),

    processes AS (
        SELECT
            location_group_id,
            max(end_ns) - min(begin_ns) AS life_ns
        FROM locations
        GROUP BY location_group_id
    ),

    lives AS (
        SELECT
            locations.location_id,
            locations.begin_ns,
            locations.end_ns,
            if(
                locations.location_id IN (SELECT location_id FROM fork_join_times),
                processes.life_ns, locations.end_ns - locations.begin_ns
            ) AS life_ns
        FROM locations
        INNER JOIN processes USING (location_group_id)
    )

SELECT
    visited.*,
    lives.* EXCLUDE (location_id)
FROM visited
LEFT JOIN lives USING (location_id)
WHERE
    lives.life_ns IS NULL
    OR visited.enter_ns < lives.begin_ns
    OR visited.leave_ns > lives.end_ns
    OR visited.exclusive_ns > lives.life_ns
ORDER BY visited.location_id
