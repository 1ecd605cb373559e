-- No visit has more exclusive time than its duration.
--
-- Parallel regions may also have the time between the region and its fork and join. Tasks take time
-- from the visit they run in, and a suspended task has no time: both reduce exclusive time.
--
-- Grain:      one row per call path and location whose visits have too much, or negative, exclusive
--             time
-- Inputs:     visits, fork_join_times
-- Output:     offending rows
-- Parameters: none
-- Source:     the definition of exclusive time
-- Assumes:    nothing
WITH
    visited AS (
        SELECT
            call_path_id,
            location_id,
            min(exclusive_ns) AS least_ns,
            max(exclusive_ns - (leave_ns - enter_ns)) AS most_beyond_ns,
            sum(exclusive_ns - (leave_ns - enter_ns))::BIGINT AS beyond_ns
        FROM visits
        GROUP BY ALL
    )

SELECT
    visited.*,
    forked.fork_join_ns
FROM visited
LEFT JOIN fork_join_times AS forked USING (call_path_id, location_id)
WHERE
    visited.least_ns < 0
    OR visited.most_beyond_ns > coalesce(forked.fork_join_ns, 0)
    OR visited.beyond_ns > coalesce(forked.fork_join_ns, 0)
ORDER BY visited.call_path_id, visited.location_id
